# SPDX-License-Identifier: Apache-2.0
"""Output of a microphone: blocks of sound, and notices for the user."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kws.audio.pcm import Pcm


@dataclass(frozen=True)
class Block:
    """Part of the stream. An empty block only means that time has passed."""

    pcm: Pcm
    """int16[n], 16 kHz."""

    captured: float = 0.0
    """`time.monotonic()` when the last sample was recorded."""


@dataclass(frozen=True)
class Notice:
    """One line for the user: the microphone was connected or disconnected, or sound was lost."""

    text: str
    connected: bool
    """Whether sound follows."""


def empty_block() -> Block:
    """A block without sound."""
    return Block(np.zeros(0, np.int16))
