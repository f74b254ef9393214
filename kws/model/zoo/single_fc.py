# SPDX-License-Identifier: Apache-2.0
"""single_fc: one dense layer over the spectrogram, the baseline of all models."""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model."""
    from keras import Input, Sequential, layers  # noqa: PLC0415 - slow, for training only

    return Sequential(
        [Input((frames, channels, 1)), layers.Flatten(), layers.Dense(classes)], name="single_fc"
    )


MODELS = {
    "single_fc": ZooModel(
        build,
        "one dense layer: the baseline for all other models",
        "TensorFlow, examples/speech_commands, single_fc",
        {"learning_rate": 0.002, "epochs": 30},
    ),
}
