# SPDX-License-Identifier: Apache-2.0
"""DEPTHWISE_CONV_2D against the oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.runtime.filters import ANY, FEW, USUAL, channel_scales, three_columns, windows
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import (
    int8s,
    same,
    valid,
    weights,
)

_TURNED = str.maketrans("hw", "wh")


def turned(w: dict[str, int], over: bool) -> dict[str, int]:
    """The window, and its image, with height and width changed `over`, or as it is."""
    return {axis.translate(_TURNED): w[axis] for axis in w} if over else w


@given(
    w=windows(),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 2, 3, 4, 5, 8, 9]),
    multiplier=st.sampled_from([1, 1, 1, 2, 3, 8]),
    **ANY,
)
@FEW
def test_depthwise_conv_2d(**drawn: Any) -> None:
    _check_depthwise(**drawn)


@given(
    # TinyConv's first layer is of this kind, and has an inner loop of its own on the Cortex-M4.
    w=windows(dilations=False, width=8, stride=2),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 1, 2]),
    multiplier=st.integers(3, 9),
    **USUAL,
)
@FEW
def test_depthwise_with_eight_columns(**drawn: Any) -> None:
    _check_depthwise(**drawn)


@given(
    # Most depthwise layers are of this kind.
    w=three_columns([3]),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 3, 4, 4, 8]),
    multiplier=st.just(1),
    **USUAL,
)
@FEW
def test_depthwise_three_by_three(**drawn: Any) -> None:
    _check_depthwise(**drawn)


@given(
    # The same loops for several filters a channel, and for windows of one row or one column.
    w=st.builds(
        turned,
        three_columns([1, 3]),
        st.booleans(),
    ),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 2, 4, 5, 8]),
    multiplier=st.sampled_from([1, 2, 3, 4, 9]),
    **USUAL,
)
@FEW
def test_depthwise_three_taps(**drawn: Any) -> None:
    _check_depthwise(**drawn)


@given(
    # All else that has one filter a channel: four channels at a time.
    w=windows(),
    batch=st.integers(1, 2),
    cin=st.sampled_from([4, 4, 8]),
    multiplier=st.just(1),
    **USUAL,
)
@FEW
def test_depthwise_four_channels(**drawn: Any) -> None:
    _check_depthwise(**drawn)


@given(
    # Layers of models that take frame by frame are of this kind.
    size=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    taps=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    dilation=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    batch=st.integers(1, 2),
    cin=st.sampled_from([4, 12, 16, 20, 40]),
    multiplier=st.just(1),
    **USUAL,
)
@FEW
def test_depthwise_with_one_output(
    *,
    size: tuple[int, int],
    taps: tuple[int, int],
    dilation: tuple[int, int],
    **drawn: Any,
) -> None:
    w = {"padding": 0, "oh": 1, "ow": 1}
    for axis, count, kernel, step in zip("hw", size, taps, dilation, strict=True):
        # A stride of the whole image: what is beside it is padding.
        w |= {axis: count, "k" + axis: kernel, "s" + axis: count, "d" + axis: step}
    _check_depthwise(w=w, **drawn)


@given(
    # With stride 1 the Cortex-M4 takes such a layer as several without dilation.
    kernel=st.sampled_from([(3, 3), (1, 3), (3, 1), (1, 5), (5, 1), (3, 5), (1, 9)]),
    dilation=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    stride=st.sampled_from([(1, 1), (1, 1), (2, 1), (1, 2)]),
    size=st.tuples(st.integers(1, 24), st.integers(1, 24)),
    padding=st.integers(0, 1),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 3, 4, 8]),
    multiplier=st.sampled_from([1, 1, 1, 2]),
    **USUAL,
)
@FEW
def test_depthwise_with_dilation(
    *,
    kernel: tuple[int, int],
    dilation: tuple[int, int],
    stride: tuple[int, int],
    size: tuple[int, int],
    padding: int,
    **drawn: Any,
) -> None:
    w = {"padding": padding}
    for axis, taps, step, every, count in zip("hw", kernel, dilation, stride, size, strict=True):
        w |= {axis: count, "k" + axis: taps, "s" + axis: every, "d" + axis: step}
        w["o" + axis] = valid(count, taps, every, step) if padding else same(count, every)
        assume(w["o" + axis] >= 1)
    _check_depthwise(w=w, **drawn)


@given(
    # Filters over time are of this kind, which has inner loops of its own as well.
    w=st.builds(
        turned,
        st.tuples(st.integers(1, 17), st.integers(1, 2)).flatmap(
            lambda drawn: windows(dilations=False, width=drawn[0], stride=drawn[1])
        ),
        st.booleans(),
    ),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 2, 3, 4, 8]),
    multiplier=st.sampled_from([1, 1, 1, 2, 5]),
    **USUAL,
)
@FEW
def test_depthwise_with_rows_of_taps(**drawn: Any) -> None:
    _check_depthwise(**drawn)


def _check_depthwise(
    *,
    w: dict[str, int],
    batch: int,
    cin: int,
    multiplier: int,
    per_channel: bool,
    activation: int,
    in_zero: int,
    out_zero: int,
    in_scale: float,
    filter_scale: float,
    out_scale: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    cout = cin * multiplier
    m = ModelBuilder()
    x = m.tensor((batch, w["h"], w["w"], cin), "int8", in_scale, in_zero)
    filter_shape = (1, w["kh"], w["kw"], cout)
    fs = channel_scales(rng, cout, filter_scale, per_channel)
    f = m.tensor(filter_shape, "int8", fs, 0, weights(rng, filter_shape), axis=3)
    b = rng.integers(-20000, 20000, cout)
    bias_scale = [in_scale * s for s in fs] if isinstance(fs, list) else in_scale * fs
    bias = m.tensor((cout,), "int32", bias_scale, 0, b)
    y = m.tensor((batch, w["oh"], w["ow"], cout), "int8", out_scale, out_zero)
    m.op(
        "DEPTHWISE_CONV_2D",
        [x, f, bias],
        [y],
        "DepthwiseConv2DOptions",
        version=3,
        padding=w["padding"],
        strideH=w["sh"],
        strideW=w["sw"],
        dilationHFactor=w["dh"],
        dilationWFactor=w["dw"],
        depthMultiplier=multiplier,
        fusedActivationFunction=activation,
    )
    calls = [[int8s(rng, (batch, w["h"], w["w"], cin))] for _ in range(2)]
    assert_same(m.build([x], [y]), calls)
