# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning: a model for new words starts with the layers of a trained one.

All layers except the last one, the head, contain what a model has learned about speech from many
speakers. The new model gets these layers and a new head. Labels of both models keep their part of
the old head.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kws.errors import UsageError
from kws.model.weights.trained_model import TrainedModel


def check_base_model(base_model: TrainedModel, arch: str, *, keep_noise: bool) -> None:
    """Check that a model of this architecture, with such features, can start from `base_model`.

    Raises:
        UsageError: the architectures or the features differ.
    """
    if arch != base_model.arch:
        raise UsageError(
            f"{base_model.folder}: a {arch} cannot start from a {base_model.arch}; "
            f"train with --arch {base_model.arch}"
        )
    if keep_noise != base_model.keep_noise:
        raise UsageError(
            f"{base_model.folder}: it was trained with different features; train with "
            f"--set keep_noise={str(base_model.keep_noise).lower()}"
        )


def start_from(base_model: TrainedModel, model: Any, labels: Sequence[str], frozen: float) -> None:
    """Copy the layers of `base_model` to an untrained model and freeze the first of them.

    Call it before the model is compiled.

    Args:
        base_model: the trained model.
        model: a Keras model of the same architecture.
        labels: labels of the new model.
        frozen: share of the layers with weights, counted from the first and without the head,
            that do not learn, 0 to 1.

    Raises:
        ModelError: the weights belong to another architecture.
        UsageError: the weights depend on the window, and the windows differ.
    """
    body = [layer for layer in model.layers if layer.weights][:-1]
    in_head = _head_of(model)
    weights = list(model.weights)
    fits = len(weights) == len(base_model.weights) and all(
        tuple(variable.shape[:-1]) == array.shape[:-1]
        and (id(variable) in in_head or tuple(variable.shape) == array.shape)
        for variable, array in zip(weights, base_model.weights, strict=True)
    )
    if not fits and model.input_shape[1] != base_model.frames:
        raise UsageError(
            f"{base_model.folder}: its window has {base_model.frames} frames, and its layers do "
            f"not fit {model.input_shape[1]}; start from another model, or keep its window_ms"
        )
    if not fits:
        raise base_model.misfit()
    for variable, array in zip(weights, base_model.weights, strict=True):
        if id(variable) not in in_head:
            variable.assign(array)
            continue
        mixed = np.asarray(variable).copy()
        for place, label in enumerate(labels):
            if label in base_model.labels:
                mixed[..., place] = array[..., base_model.labels.index(label)]
        variable.assign(mixed)
    for layer in body[: round(frozen * len(body))]:
        layer.trainable = False


def keep_first_classes(model: Any, smaller: Any) -> None:
    """Copy the layers of a trained model into one that has only its first classes.

    Args:
        model: the trained Keras model.
        smaller: an untrained model of the same architecture.
    """
    in_head = _head_of(smaller)
    for variable, weights in zip(smaller.weights, model.weights, strict=True):
        array = np.asarray(weights)
        variable.assign(array[..., : variable.shape[-1]] if id(variable) in in_head else array)


def _head_of(model: Any) -> set[int]:
    """The identities of the variables of the last layer with weights."""
    head = [layer for layer in model.layers if layer.weights][-1]
    return {id(variable) for variable in head.weights}
