"""What the zoo knows of a model."""

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
    """A model, and how it is trained unless the user says otherwise."""

    build: Build

    summary: str
    """What it is, in a line."""

    source: str
    """Where its shape comes from."""

    recipe: Mapping[str, Any] = field(default_factory=dict)
    """How it is best trained where that is not the usual way: fields of TrainSettings,
    SampleSettings and Augmentation."""

    stride: int = DEFAULT_STRIDE
    """Hops of 20 ms from one inference to the next, so that a Cortex-M4F of 48 MHz keeps up at 1.25
    cycles an instruction; not more than 16, with which three results still fall into the
    recognizer's second. A streaming model's own stride takes its place."""
