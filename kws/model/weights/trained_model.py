# SPDX-License-Identifier: Apache-2.0
"""A trained float model: its architecture, labels and weights."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kws.bundle.bundle import Bundle
from kws.bundle.layout import SETTINGS_FILE
from kws.bundle.reading import load_bundle
from kws.errors import ModelError, UsageError
from kws.features.frontend_settings import frames_in
from kws.labels import class_labels
from kws.model.weights import checkpoint, run_files
from kws.model.weights.float_weights import unpack
from kws.model.zoo import build_model


@dataclass(frozen=True, eq=False)  # arrays have no single equality
class TrainedModel:
    """The float model of a training run, or of a bundle that keeps its float weights."""

    folder: Path
    """Where it is from."""

    arch: str
    """Name of the architecture in the zoo, or a Python file."""

    labels: tuple[str, ...]
    """Its classes, in the order of the outputs."""

    frames: int
    """Frames of its window."""

    keep_noise: bool
    """Whether its features are without noise removal."""

    weights: checkpoint.Arrays
    """All weights of the Keras model, in its order."""

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the weights."""
        digest = hashlib.sha256()
        for array in self.weights:
            digest.update(array.tobytes())
        return digest.hexdigest()[:16]

    def build(self) -> Any:
        """The Keras model with its weights: float[n, frames, 40, 1] to logits float[n, classes].

        Raises:
            ModelError: the weights do not fit this version's architecture.
            ToolError: TensorFlow is not installed.
        """
        model = build_model(self.arch, len(self.labels), 0, self.frames)
        if not checkpoint.fits(model.weights, self.weights):
            raise self.misfit()
        for variable, array in zip(model.weights, self.weights, strict=True):
            variable.assign(array)
        return model

    def misfit(self) -> ModelError:
        """The error for weights that do not fit the architecture."""
        return ModelError(
            f"{self.folder}: its weights do not fit this version's {self.arch}; train it again"
        )


def load_trained(folder: Path) -> TrainedModel:
    """Load a float model.

    Args:
        folder: a bundle, or the folder of a training run. For a run with several seeds, the
            bundle in it is used.

    Raises:
        UsageError: the bundle has no float weights.
        BundleError: the folder is neither of them, or the bundle is damaged.
        ModelError: the weights are damaged.
    """
    if (folder / run_files.CHECKPOINT).is_file():
        settings = run_files.read_settings(folder)
        state = checkpoint.load(folder / run_files.CHECKPOINT)
        samples = settings.get("samples", {})
        return TrainedModel(
            folder,
            str(settings["arch"]),
            class_labels([*settings["words"], *settings.get("auxiliary", ())]),
            frames_in(samples.get("window_ms", 1000)),
            samples.get("keep_noise", False),
            state.best if state else [],
        )
    inner = folder / run_files.BUNDLE
    bundle = load_bundle(inner if (inner / SETTINGS_FILE).is_file() else folder)
    return trained_in(bundle, folder)


def trained_in(bundle: Bundle, folder: Path) -> TrainedModel:
    """The float model in a bundle that was loaded from `folder`.

    Raises:
        UsageError: the bundle has no float weights.
        ModelError: the weights are damaged.
    """
    if not bundle.float_model:
        raise UsageError(
            f"{folder}: a bundle without float weights, which training cannot start from; "
            "pass the folder of the training run, or train the model again"
        )
    arch, weights = unpack(bundle.float_model, folder)
    frontend = bundle.frontend
    return TrainedModel(folder, arch, bundle.labels, frontend.frames, frontend.keep_noise, weights)


def mean_of(models: Sequence[TrainedModel]) -> TrainedModel:
    """The first model with the mean of all models' weights.

    This is useful if the models have a common origin, such as rounds of training that each started
    from the previous one. The neurons of models that were trained separately do not match. Source:
    Wortsman et al., arXiv:2109.01903.

    Raises:
        UsageError: they differ in architecture, classes, window or features.
    """

    def form(model: TrainedModel) -> tuple[object, ...]:
        return model.arch, model.labels, model.frames, model.keep_noise

    first = models[0]
    if len(models) == 1:
        return first
    for model in models[1:]:
        if form(model) != form(first) or not checkpoint.fits(model.weights, first.weights):
            raise UsageError(
                f"{model.folder}: cannot be averaged with {first.folder}; architecture, words, "
                "window and features must be the same"
            )
    weights: checkpoint.Arrays = [
        np.mean(np.stack(arrays, dtype=np.float32, casting="unsafe"), axis=0, dtype=np.float32)
        for arrays in zip(*(model.weights for model in models), strict=True)
    ]
    return replace(first, weights=weights)
