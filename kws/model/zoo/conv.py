# SPDX-License-Identifier: Apache-2.0
"""conv: two large convolutions with a pooling between them, and a dense layer.

Sainath and Parada, Convolutional Neural Networks for Small-footprint Keyword Spotting (2015),
cnn-trad-fpool3; the example pools time and frequency by 2.
"""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model."""
    from keras import Input, Sequential, layers  # noqa: PLC0415 - slow, for training only

    return Sequential(
        [
            Input((frames, channels, 1)),
            layers.Conv2D(64, (20, 8), padding="same", activation="relu"),
            layers.Dropout(0.3),
            layers.MaxPooling2D(2, padding="same"),
            layers.Conv2D(64, (10, 4), padding="same", activation="relu"),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(classes),
        ],
        name="conv",
    )


MODELS = {
    "conv": ZooModel(
        build,
        "two large convolutions and a dense layer; for hosts, too slow for a Cortex-M4",
        "TensorFlow, examples/speech_commands, conv",
        {"learning_rate": 0.001, "epochs": 30},
        stride=16,
    ),
}
