# SPDX-License-Identifier: Apache-2.0
"""ds_cnn: depthwise separable convolutions, in three sizes.

Zhang et al., Hello Edge: Keyword Spotting on Microcontrollers (arXiv:1711.07128), table 1. There
the input has 10 channels and the first filter has 10 frames x 4 channels. Here the input has 40
channels, so width and stride of the filter are four times as large, and the next layers have the
paper's shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kws.model.zoo.entry import ZooModel
from kws.model.zoo.layers import conv, depthwise

_SOURCE = "Zhang et al. (arXiv:1711.07128), DS-CNN"
_WIDER = 4
"""Channels of the frontend per channel of the paper."""


def build(
    sizes: tuple[int, int, int], filters: int, first: tuple[int, int], strides: Sequence[int]
) -> Any:
    """The untrained model.

    Args:
        sizes: frames, channels, classes.
        filters: filters of each layer.
        first: stride of the first layer over frames and over the paper's channels.
        strides: stride of each block.
    """
    from keras import Input, Model, layers  # noqa: PLC0415 - slow, for training only

    frames, channels, classes = sizes
    source = Input((frames, channels, 1))
    x = conv(source, filters, (10, 4 * _WIDER), (first[0], first[1] * _WIDER))
    for stride in strides:
        x = conv(depthwise(x, 3, stride), filters, 1)
    x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
    return Model(source, layers.Dense(classes)(x), name=f"ds_cnn_{filters}")


MODELS = {
    "ds_cnn_s": ZooModel(
        lambda *sizes: build(sizes, 64, (2, 2), (1, 1, 1, 1)),
        "four depthwise separable blocks of 64 filters",
        f"{_SOURCE}-S",
        {"learning_rate": 0.005, "epochs": 40},
        stride=7,
    ),
    "ds_cnn_m": ZooModel(
        lambda *sizes: build(sizes, 172, (2, 1), (2, 1, 1, 1)),
        "four depthwise separable blocks of 172 filters",
        f"{_SOURCE}-M",
        {"learning_rate": 0.003, "epochs": 40},
        stride=16,
    ),
    "ds_cnn_l": ZooModel(
        lambda *sizes: build(sizes, 276, (2, 1), (2, 1, 1, 1, 1)),
        "five depthwise separable blocks of 276 filters",
        f"{_SOURCE}-L",
        {"learning_rate": 0.003, "epochs": 40},
        stride=16,
    ),
}
