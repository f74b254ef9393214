# SPDX-License-Identifier: Apache-2.0
"""ds_resnet: ds_cnn's blocks with residuals around them, narrower and deeper, under 60 kB.

It combines the separable blocks of ds_cnn (arXiv:1711.07128) with the sums of residual networks
(arXiv:1512.03385). Its first blocks keep twice the channels of ds_cnn_s; then both axes are halved
once, and the next blocks are wider.
"""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel
from kws.model.zoo.layers import conv, depthwise

_NARROW, _WIDE = 48, 80


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model."""
    from keras import Input, Model, layers  # noqa: PLC0415 - slow, for training only

    source = Input((frames, channels, 1))
    x = conv(source, _NARROW, (8, 8), (2, 4))
    for filters, stride in (*[(_NARROW, 1)] * 2, (_WIDE, 2), *[(_WIDE, 1)] * 3):
        y = depthwise(x, (5, 3), stride)
        if stride == 1:
            x = layers.ReLU()(layers.Add()([x, conv(y, filters, 1, relu=False)]))
        else:
            x = conv(y, filters, 1)
    x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
    return Model(source, layers.Dense(classes)(x), name="ds_resnet")


MODELS = {
    "ds_resnet": ZooModel(
        build,
        "depthwise separable blocks of 48 and 80 filters with residuals",
        "kws, after arXiv:1711.07128 and arXiv:1512.03385",
        {"learning_rate": 0.005, "epochs": 40},
        stride=12,
    ),
}
