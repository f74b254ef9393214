# SPDX-License-Identifier: Apache-2.0
"""An entry of the zoo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kws._core import SPECTROGRAM_FRAMES
from kws.bundle.bundle import DEFAULT_STRIDE

Build = Callable[[int, int, int], Any]
"""(frames, channels, classes) to an untrained Keras model: float[n, frames, channels, 1] to logits
float[n, classes]."""

_MOST_STRIDE = 16
"""With more hops, the recognizer would get fewer than three results per second."""


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
    """Hops of 20 ms from one inference to the next for a window of a second, 1 to 16.

    Large enough for the slowest board (48 MHz), by the cycles that `kws models` estimates. A
    streaming model runs whenever its new frames are complete, whatever its cost.
    """

    def stride_for(self, frames: int, least: int = 1) -> int:
        """The stride for a window of `frames`, 1 to 16.

        The cycles of an inference grow with a longer window, those of a second do not.

        Args:
            frames: frames of the window.
            least: the minimum for a window of a second.
        """
        longer = max(frames / SPECTROGRAM_FRAMES, 1.0)
        return min(int(max(self.stride, least) * longer), _MOST_STRIDE)
