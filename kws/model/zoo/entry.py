# SPDX-License-Identifier: Apache-2.0
"""What the zoo says about an architecture."""

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
    """Where its shape comes from."""

    recipe: Mapping[str, Any] = field(default_factory=dict)
    """Settings by name that take the place of the defaults."""

    stride: int = DEFAULT_STRIDE
    """Hops of 20 ms from one inference to the next, 1 to 16.

    It is large enough that the slowest board, of 48 MHz, keeps up, by the cycles that `kws models`
    estimates. With more than 16 hops fewer than three results would fall into the recognizer's
    second. A streaming model runs each time that it has its new frames, whatever its cost.
    """
