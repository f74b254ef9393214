# SPDX-License-Identifier: Apache-2.0
"""Types of sound in memory: 16 kHz, mono."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE

Pcm = npt.NDArray[np.int16]
"""Samples as the core takes them: int16[n] or int16[clips, samples]."""

Sounds = npt.NDArray[np.float32]
"""The same as floats from -32768 to 32767, while they are worked on."""

BLOCK = SAMPLE_RATE // 100
"""Samples in 10 ms, over which levels are measured."""


def samples_of(milliseconds: int) -> int:
    """Samples in so many milliseconds."""
    return milliseconds * SAMPLE_RATE // 1000


def to_pcm(sounds: Sounds) -> Pcm:
    """Floats as int16; what is too loud is clipped."""
    return np.clip(sounds, -32768, 32767).astype(np.int16)
