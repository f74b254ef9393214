"""CONV_2D, FULLY_CONNECTED and SOFTMAX against the oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.filters import ANY, FEW, USUAL, channel_scales, three_columns, windows
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import (
    ACTIVATIONS,
    SEEDS,
    ZERO_POINTS,
    int8s,
    scales,
    weights,
)

# Quantization of a layer with weights, of all kinds.
# Of layers whose factors are what the inner loops of the Cortex-M4 ask for.


@given(
    w=windows(),
    batch=st.integers(1, 2),
    cin=st.integers(1, 9),
    cout=st.integers(1, 9),
    groups=st.sampled_from([1, 1, 1, 2]),
    bias=st.booleans(),
    **ANY,
)
@FEW
def test_conv_2d(**drawn: Any) -> None:
    _check_conv_2d(**drawn)


@given(
    # The first layers of many models are of this kind, and are a depthwise convolution.
    w=three_columns([1, 3]),
    batch=st.integers(1, 2),
    cin=st.just(1),
    cout=st.integers(1, 20),
    groups=st.just(1),
    bias=st.booleans(),
    **USUAL,
)
@FEW
def test_conv_2d_of_one_channel(**drawn: Any) -> None:
    _check_conv_2d(**drawn)


def _check_conv_2d(
    *,
    w: dict[str, int],
    batch: int,
    cin: int,
    cout: int,
    groups: int,
    per_channel: bool,
    bias: bool,
    activation: int,
    in_zero: int,
    out_zero: int,
    in_scale: float,
    filter_scale: float,
    out_scale: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    m = ModelBuilder()
    x = m.tensor((batch, w["h"], w["w"], cin * groups), "int8", in_scale, in_zero)
    filter_shape = (cout * groups, w["kh"], w["kw"], cin)
    fs = channel_scales(rng, cout * groups, filter_scale, per_channel)
    f = m.tensor(filter_shape, "int8", fs, 0, weights(rng, filter_shape))
    inputs = [x, f]
    if bias:
        b = rng.integers(-20000, 20000, cout * groups)
        bias_scale = [in_scale * s for s in fs] if isinstance(fs, list) else in_scale * fs
        inputs.append(m.tensor(b.shape, "int32", bias_scale, 0, b))
    y = m.tensor((batch, w["oh"], w["ow"], cout * groups), "int8", out_scale, out_zero)
    m.op(
        "CONV_2D",
        inputs,
        [y],
        "Conv2DOptions",
        version=3,
        padding=w["padding"],
        strideH=w["sh"],
        strideW=w["sw"],
        dilationHFactor=w["dh"],
        dilationWFactor=w["dw"],
        fusedActivationFunction=activation,
    )
    calls = [[int8s(rng, (batch, w["h"], w["w"], cin * groups))] for _ in range(2)]
    # LiteRT's converter-side checks want a bias.
    assert_same(m.build([x], [y]), calls, litert=bias)


@given(
    # A single pixel, as in models that take frame by frame, has a loop of its own.
    pixels=st.one_of(st.just(1), st.integers(1, 60)),
    cin=st.sampled_from([1, 4, 5, 8, 12, 63, 64, 136, 139, 140, 144, 148, 200]),
    cout=st.one_of(st.integers(1, 9), st.integers(10, 40)),
    **USUAL,
)
@FEW
def test_conv_2d_of_many_channels(
    *,
    pixels: int,
    cin: int,
    cout: int,
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
    m = ModelBuilder()
    x = m.tensor((1, pixels, 1, cin), "int8", in_scale, in_zero)
    fs = channel_scales(rng, cout, filter_scale, per_channel)
    f = m.tensor((cout, 1, 1, cin), "int8", fs, 0, weights(rng, (cout, 1, 1, cin)))
    b = m.tensor(
        [cout],
        "int32",
        [in_scale * s for s in fs] if isinstance(fs, list) else in_scale * fs,
        0,
        rng.integers(-20000, 20000, cout),
    )
    y = m.tensor((1, pixels, 1, cout), "int8", out_scale, out_zero)
    m.op(
        "CONV_2D",
        [x, f, b],
        [y],
        "Conv2DOptions",
        version=3,
        strideH=1,
        strideW=1,
        dilationHFactor=1,
        dilationWFactor=1,
        fusedActivationFunction=activation,
    )
    assert_same(m.build([x], [y]), [[int8s(rng, (1, pixels, 1, cin))]])


@given(
    batch=st.integers(1, 3),
    depth=st.integers(1, 70),
    units=st.integers(1, 9),
    per_channel=st.booleans(),
    bias=st.booleans(),
    activation=ACTIVATIONS,
    in_zero=ZERO_POINTS,
    out_zero=ZERO_POINTS,
    in_scale=scales(),
    filter_scale=scales(),
    out_scale=scales(1e-3, 10.0),
    seed=SEEDS,
)
@FEW
def test_fully_connected(
    *,
    batch: int,
    depth: int,
    units: int,
    per_channel: bool,
    bias: bool,
    activation: int,
    in_zero: int,
    out_zero: int,
    in_scale: float,
    filter_scale: float,
    out_scale: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    m = ModelBuilder()
    x = m.tensor((batch, depth), "int8", in_scale, in_zero)
    fs = channel_scales(rng, units, filter_scale, per_channel)
    f = m.tensor((units, depth), "int8", fs, 0, weights(rng, (units, depth)))
    inputs = [x, f, -1]
    if bias:
        b = rng.integers(-20000, 20000, units)
        # The product of the scales in float, as the kernels' check wants it.
        bias_scale = [in_scale * s for s in fs] if isinstance(fs, list) else in_scale * fs
        inputs[2] = m.tensor((units,), "int32", bias_scale, 0, b)
    y = m.tensor((batch, units), "int8", out_scale, out_zero)
    m.op(
        "FULLY_CONNECTED",
        inputs,
        [y],
        "FullyConnectedOptions",
        version=4,
        fusedActivationFunction=activation,
    )
    calls = [[int8s(rng, (batch, depth))] for _ in range(2)]
    # LiteRT rounds once where TFLM rounds twice.
    assert_same(m.build([x], [y]), calls, litert=False)


@given(
    shape=st.lists(st.integers(1, 12), min_size=1, max_size=4),
    beta=st.sampled_from([1.0, 0.5, 2.0]),
    scale=scales(1e-3, 10.0),
    zero=ZERO_POINTS,
    seed=SEEDS,
)
@FEW
def test_softmax(*, shape: list[int], beta: float, scale: float, zero: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = ModelBuilder()
    x = m.tensor(shape, "int8", scale, zero)
    y = m.tensor(shape, "int8", 1.0 / 256.0, -128)
    m.op("SOFTMAX", [x], [y], "SoftmaxOptions", version=2, beta=beta)
    calls = [[int8s(rng, tuple(shape))] for _ in range(3)]
    # LiteRT computes with a table of floating-point exponentials.
    assert_same(m.build([x], [y]), calls, litert=False)
