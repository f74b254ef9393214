"""What the zoo knows of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

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
