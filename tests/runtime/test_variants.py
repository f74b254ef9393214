# SPDX-License-Identifier: Apache-2.0
"""A model with ops of few shapes needs only a variant of their kernels."""

from __future__ import annotations

import numpy as np
import pytest

from kws import _core
from tests.runtime.model_builder import ModelBuilder

RELU6 = 3


def depthwise(
    *windows: tuple[int, int], activation: int = 0, multiplier: int = 1, dilation: int = 1
) -> bytes:
    """A chain of depthwise convolutions.

    Their stride is 1, or 2 if the window has 8 columns. A window as large as the image has one
    output.
    """
    m = ModelBuilder()
    shape: tuple[int, ...] = (1, 12, 40, 4)
    source = x = m.tensor(shape, "int8", 0.05, 0)
    for height, width in windows:
        stride = 2 if width == 8 else 1
        whole = (height, width) == shape[1:3]
        cin, cout = shape[3], shape[3] * multiplier
        weights = np.arange(height * width * cout, dtype=np.int8).reshape(1, height, width, cout)
        f = m.tensor(weights.shape, "int8", 0.01, 0, weights)
        sides = (1, 1) if whole else [-(-size // stride) for size in shape[1:3]]
        shape = (1, *sides, cout)
        y = m.tensor(shape, "int8", 0.1, 0)
        m.op(
            "DEPTHWISE_CONV_2D",
            [x, f, -1],
            [y],
            "DepthwiseConv2DOptions",
            padding=int(whole),
            strideH=stride,
            strideW=stride,
            dilationHFactor=dilation,
            dilationWFactor=dilation,
            depthMultiplier=cout // cin,
            fusedActivationFunction=activation,
        )
        x = y
    return m.build([source], [x])


@pytest.mark.parametrize(
    ("model", "kernel"),
    [
        (depthwise((3, 3)), "DEPTHWISE_CONV_2D 3x3"),
        (depthwise((3, 3), (3, 3)), "DEPTHWISE_CONV_2D 3x3"),
        (depthwise((10, 8), multiplier=4), "DEPTHWISE_CONV_2D 8 taps"),
        (depthwise((10, 8)), "DEPTHWISE_CONV_2D four channels"),
        (depthwise((3, 3), (2, 2)), "DEPTHWISE_CONV_2D 3x3 or four channels"),
        (depthwise((5, 5)), "DEPTHWISE_CONV_2D rows"),
        (depthwise((3, 3), (5, 5)), "DEPTHWISE_CONV_2D 3x3 or rows"),
        (depthwise((3, 3), activation=RELU6), "DEPTHWISE_CONV_2D not 8 taps"),
        (depthwise((12, 40)), "DEPTHWISE_CONV_2D one output"),
        (depthwise((3, 3), dilation=2), "DEPTHWISE_CONV_2D not 8 taps"),
        (depthwise((3, 3), multiplier=2), "DEPTHWISE_CONV_2D 3 taps"),
        (depthwise((3, 3), (1, 3), (3, 1)), "DEPTHWISE_CONV_2D 3 taps"),
        (depthwise((4, 4)), "DEPTHWISE_CONV_2D rows"),
        (depthwise((2, 2), (5, 5)), "DEPTHWISE_CONV_2D not 8 taps"),
        (depthwise((10, 8), (3, 3), multiplier=4), "DEPTHWISE_CONV_2D"),
    ],
)
def test_the_smallest_kernel_for_all_of_a_models_ops_is_chosen(model: bytes, kernel: str) -> None:
    assert _core.Interpreter(model).kernels == [kernel]
