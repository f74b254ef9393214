# SPDX-License-Identifier: Apache-2.0
"""bc_resnet: broadcasted residuals, in two sizes.

Kim et al., Broadcasted Residual Learning for Efficient Keyword Spotting (arXiv:2106.04140), table
1. A block filters over frequency, takes the mean over frequency, filters that over time, and adds
the result to all frequencies. Batch normalization replaces the paper's subspectral normalization,
which cannot be folded into a convolution.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from kws.model.zoo.entry import ZooModel
from kws.model.zoo.layers import Tensor, conv, depthwise, norm

_SOURCE = "Kim et al. (arXiv:2106.04140), BC-ResNet"

_STAGES = ((2, 8, 1, 1), (2, 12, 2, 2), (4, 16, 2, 4), (4, 20, 1, 8))
"""Blocks, filters for a width of 1, stride over frequency of the first, dilation over time."""


def build(frames: int, channels: int, classes: int, width: int) -> Any:
    """The untrained model; `width` multiplies the filters of all layers."""
    from keras import Input, Model, layers  # noqa: PLC0415 - slow, for training only

    source = Input((frames, channels, 1))
    x = conv(source, 16 * width, 5, (1, 2))
    for blocks, filters, stride, dilation in _STAGES:
        for block in range(blocks):
            x = _block(x, filters * width, stride if block == 0 else 1, dilation, first=block == 0)
    # The remaining frequencies become one.
    x = layers.ZeroPadding2D(((2, 2), (0, 0)))(x)
    x = norm(layers.DepthwiseConv2D((5, int(x.shape[2])), use_bias=False)(x), relu=False)
    x = layers.GlobalAveragePooling2D()(conv(x, 32 * width, 1))
    return Model(source, layers.Dense(classes)(x), name=f"bc_resnet_{width}")


def _block(x: Tensor, filters: int, stride: int, dilation: int, *, first: bool) -> Tensor:
    """One block; the first of a stage changes the number of filters and has no identity."""
    from keras import layers  # noqa: PLC0415 - slow, for training only

    kept = [] if first else [x]
    if first:
        x = conv(x, filters, 1)
    x = depthwise(x, (1, 3), (1, stride), relu=False)
    time = layers.AveragePooling2D((1, int(x.shape[2])))(x)
    time = depthwise(time, (3, 1), dilation=(dilation, 1), relu=False)
    time = layers.Conv2D(filters, 1)(layers.Activation("silu")(time))
    time = layers.SpatialDropout2D(0.1)(time)
    return layers.ReLU()(layers.Add()([layers.Add()([x, *kept]) if kept else x, time]))


MODELS = {
    "bc_resnet_1": ZooModel(
        partial(build, width=1),
        "broadcasted residuals, 8 to 32 filters: most accurate for its size",
        f"{_SOURCE}-1",
        {"learning_rate": 0.01, "epochs": 60},
        stride=16,
    ),
    "bc_resnet_2": ZooModel(
        partial(build, width=2),
        "broadcasted residuals, 16 to 64 filters",
        f"{_SOURCE}-2",
        {"learning_rate": 0.01, "epochs": 60},
        stride=16,
    ),
}
