# SPDX-License-Identifier: Apache-2.0
"""Untrained models with scores that depend on the input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kws.features.spectrogram import SHAPE, to_float


def noise(count: int) -> NDArray[np.int8]:
    """Spectrograms of noise with usual levels: int8[count, 49, 40]."""
    rng = np.random.default_rng(3)
    return np.clip(rng.normal(-40, 40, (count, *SHAPE)), -128, 127).astype(np.int8)


def fit_normalizations(model: Any, spectrograms: NDArray[np.int8]) -> Any:
    """The model with normalizations fitted to the spectrograms, as after training.

    Without this, the scores of an untrained model hardly depend on its input.
    """
    import keras

    for layer in model.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            layer.momentum = 0.0
    model(to_float(spectrograms), training=True)
    return model
