# SPDX-License-Identifier: Apache-2.0
"""An entry of the zoo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kws.bundle.bundle import DEFAULT_STRIDE

Build = Callable[[int, int, int], Any]
"""(frames, channels, classes) to an untrained Keras model: float[n, frames, channels, 1] to logits
float[n, classes]."""


@dataclass(frozen=True)
class ZooModel:
    """An architecture, and its own training settings."""

    build: Build

    summary: str
    """A description in one line."""

    source: str
    """Source of its shape."""

    recipe: Mapping[str, Any] = field(default_factory=dict)
    """Settings by name that replace the defaults."""

    stride: int = DEFAULT_STRIDE
    """Hops of 20 ms from one inference to the next, 1 to 16.

    Large enough for the slowest board (48 MHz), by the cycles that `kws models` estimates.
    With more than 16 hops, the recognizer would get fewer than three results per second. A
    streaming model runs whenever its new frames are complete, whatever its cost.
    """
