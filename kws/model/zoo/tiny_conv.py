# SPDX-License-Identifier: Apache-2.0
"""tiny_conv: TensorFlow's smallest keyword spotter, 19 kB as int8.

One layer of 8 filters, each 10 frames x 8 channels, over the spectrogram at stride 2, and one dense
layer over all their outputs.
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
            layers.DepthwiseConv2D(
                (10, 8), strides=2, padding="same", depth_multiplier=8, activation="relu"
            ),
            layers.Dropout(0.1),
            layers.Flatten(),
            layers.Dense(classes),
        ],
        name="tiny_conv",
    )


MODELS = {
    "tiny_conv": ZooModel(
        build,
        "one layer of 8 filters and a dense one; the smallest useful model",
        "TensorFlow, examples/speech_commands, tiny_conv",
    ),
}
