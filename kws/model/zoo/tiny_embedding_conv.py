# SPDX-License-Identifier: Apache-2.0
"""tiny_embedding_conv: tiny_conv with a second convolution, so that the dense layer is small."""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model."""
    from keras import Input, Sequential, layers  # noqa: PLC0415 - slow, for training only

    return Sequential(
        [
            Input((frames, channels, 1)),
            layers.Conv2D(8, (10, 8), strides=2, padding="same", activation="relu"),
            layers.Dropout(0.1),
            layers.Conv2D(8, (10, 8), strides=8, padding="same", activation="relu"),
            layers.Dropout(0.1),
            layers.Flatten(),
            layers.Dense(classes),
        ],
        name="tiny_embedding_conv",
    )


MODELS = {
    "tiny_embedding_conv": ZooModel(
        build,
        "two small convolutions and a small dense layer",
        "TensorFlow, examples/speech_commands, tiny_embedding_conv",
    ),
}
