# SPDX-License-Identifier: Apache-2.0
"""The quantization range before the softmax: finer steps, equal or better scores."""

from __future__ import annotations

import numpy as np
import pytest

from kws import _core
from kws.bundle.built_in import default_bundle_path
from kws.convert.logits import narrow_logits
from kws.convert.quantize import quantize
from kws.features.spectrogram import to_float


@pytest.mark.slow
def test_scores_are_closer_to_the_float_models(monkeypatch: pytest.MonkeyPatch) -> None:
    import keras

    keras.utils.set_random_seed(0)
    # Some classes have very low logits, as after long training.
    model = keras.Sequential(
        [
            keras.Input((49, 40, 1)),
            keras.layers.AveragePooling2D((7, 8)),
            keras.layers.Flatten(),
            keras.layers.Dense(4, bias_initializer=keras.initializers.Constant([0, 1, -30, -40])),
        ]
    )
    clips = np.random.default_rng(0).integers(-128, 128, (200, 49, 40)).astype(np.int8)
    logits = model.predict(to_float(clips), verbose=0)
    wanted = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    def error() -> float:
        interpreter = _core.Interpreter(quantize(model, clips))
        scores = (
            interpreter.invoke_batch(clips.reshape(len(clips), -1)).astype(np.float64) / 256 + 0.5
        )
        return float(np.abs(scores - wanted).mean())

    narrow = error()
    monkeypatch.setattr("kws.convert.logits.narrow_logits", lambda data, logits: data)
    assert narrow < 0.5 * error()


@pytest.mark.tensorflow
def test_a_narrow_range_is_unchanged() -> None:
    data = (default_bundle_path() / "model.tflite").read_bytes()
    assert narrow_logits(data, np.array([[-100.0, 100.0]], np.float32)) == data
