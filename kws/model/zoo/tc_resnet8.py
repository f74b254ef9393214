# SPDX-License-Identifier: Apache-2.0
"""tc_resnet8: a residual network over time only; the channels of a frame are features.

Choi et al., Temporal Convolution for Real-time Keyword Spotting on Mobile Devices
(arXiv:1904.03814), TC-ResNet8.
"""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel
from kws.model.zoo.layers import conv


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model."""
    from keras import Input, Model, layers  # noqa: PLC0415 - slow, for training only

    source = Input((frames, channels, 1))
    x = layers.Reshape((frames, 1, channels))(source)
    x = layers.Conv2D(16, (3, 1), padding="same", use_bias=False)(x)
    for filters in (24, 32, 48):
        side = conv(x, filters, 1, (2, 1))
        x = conv(conv(x, filters, (9, 1), (2, 1)), filters, (9, 1), relu=False)
        x = layers.ReLU()(layers.Add()([x, side]))
    x = layers.Dropout(0.5)(layers.GlobalAveragePooling2D()(x))
    return Model(source, layers.Dense(classes)(x), name="tc_resnet8")


MODELS = {
    "tc_resnet8": ZooModel(
        build,
        "three residual blocks over time; few operations",
        "Choi et al. (arXiv:1904.03814), TC-ResNet8",
        {"learning_rate": 0.005, "epochs": 40},
    ),
}
