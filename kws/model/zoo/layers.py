# SPDX-License-Identifier: Apache-2.0
"""Layers of several models, in Keras only, so that every backend can train them."""

from __future__ import annotations

from typing import Any

Tensor = Any
Size = int | tuple[int, int]


def norm(x: Tensor, *, relu: bool = True) -> Tensor:
    """Batch normalization, which conversion folds into the convolution before it, and ReLU."""
    from keras import layers  # noqa: PLC0415 - slow, for training only

    x = layers.BatchNormalization()(x)
    return layers.ReLU()(x) if relu else x


def conv(x: Tensor, filters: int, size: Size, strides: Size = 1, *, relu: bool = True) -> Tensor:
    """Convolution over (time, frequency), normalized."""
    from keras import layers  # noqa: PLC0415 - slow, for training only

    x = layers.Conv2D(filters, size, strides=strides, padding="same", use_bias=False)(x)
    return norm(x, relu=relu)


def depthwise(
    x: Tensor, size: Size, strides: Size = 1, dilation: Size = 1, *, relu: bool = True
) -> Tensor:
    """Depthwise convolution over (time, frequency), normalized."""
    from keras import layers  # noqa: PLC0415 - slow, for training only

    x = layers.DepthwiseConv2D(
        size, strides=strides, padding="same", dilation_rate=dilation, use_bias=False
    )(x)
    return norm(x, relu=relu)
