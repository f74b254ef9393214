"""CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and SOFTMAX against the oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import (
    ACTIVATIONS,
    SEEDS,
    ZERO_POINTS,
    int8s,
    same,
    scales,
    valid,
    weights,
)

FEW = settings(max_examples=60)


def _channel_scales(
    rng: np.random.Generator, channels: int, base: float, per_channel: bool
) -> float | list[float]:
    if not per_channel:
        return base
    return [float(np.float32(s)) for s in base * rng.uniform(0.05, 2.0, channels)]


_TURNED = str.maketrans("hw", "wh")

# Of layers whose factors are what the inner loops of the Cortex-M4 ask for.
USUAL: dict[str, Any] = {
    "per_channel": st.booleans(),
    "activation": ACTIVATIONS,
    "in_zero": ZERO_POINTS,
    "out_zero": ZERO_POINTS,
    "in_scale": scales(1e-3, 1.0),
    "filter_scale": scales(1e-3, 0.1),
    "out_scale": scales(1e-1, 10.0),
    "seed": SEEDS,
}


@st.composite
def windows(
    draw: st.DrawFn,
    *,
    dilations: bool = True,
    width: int | None = None,
    height: int | None = None,
    stride: int = 1,
    tallest: int = 12,
) -> dict[str, int]:
    """A window that fits its image: sizes, strides, dilations, padding (0 SAME, 1 VALID)."""
    w: dict[str, int] = {}
    w["padding"] = draw(st.integers(0, 1))
    for axis in "hw":
        w[axis] = draw(st.integers(1, tallest if axis == "h" else 12))
        w["k" + axis] = draw(st.integers(1, 5))
        w["s" + axis] = draw(st.integers(1, 3))
        w["d" + axis] = draw(st.integers(1, 3)) if dilations else 1
        if axis == "h" and height is not None:
            w["kh"] = height
        if axis == "w" and width is not None:
            w["w"], w["kw"], w["sw"] = draw(st.integers(width, 20)), width, stride
        out = (
            same(w[axis], w["s" + axis])
            if w["padding"] == 0
            else valid(w[axis], w["k" + axis], w["s" + axis], w["d" + axis])
        )
        assume(out >= 1)
        w["o" + axis] = out
    return w


@given(
    w=windows(),
    batch=st.integers(1, 2),
    cin=st.integers(1, 9),
    cout=st.integers(1, 9),
    groups=st.sampled_from([1, 1, 1, 2]),
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
def test_conv_2d(
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
    fs = _channel_scales(rng, cout * groups, filter_scale, per_channel)
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
    fs = _channel_scales(rng, cout, filter_scale, per_channel)
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
    w=windows(),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 2, 3, 4, 5, 8, 9]),
    multiplier=st.sampled_from([1, 1, 1, 2, 3, 8]),
    per_channel=st.booleans(),
    activation=ACTIVATIONS,
    in_zero=ZERO_POINTS,
    out_zero=ZERO_POINTS,
    in_scale=scales(),
    filter_scale=scales(),
    out_scale=scales(1e-3, 10.0),
    seed=SEEDS,
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
    # Most depthwise layers are of this kind, which has inner loops of its own too. They take a
    # tall image in parts.
    w=st.sampled_from([1, 2]).flatmap(
        lambda stride: windows(dilations=False, width=3, height=3, stride=stride, tallest=40)
    ),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 3, 4, 4, 8]),
    multiplier=st.just(1),
    **USUAL,
)
@FEW
def test_depthwise_three_by_three(**drawn: Any) -> None:
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
    kernel=st.sampled_from([(3, 3), (1, 5), (5, 1), (3, 5), (1, 9)]),
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
    # Filters over time are of this kind, which has an inner loop of its own as well.
    w=st.builds(
        lambda w, turned: {axis.translate(_TURNED): w[axis] for axis in w} if turned else w,
        st.sampled_from([3, 5, 7, 9]).flatmap(lambda taps: windows(dilations=False, width=taps)),
        st.booleans(),
    ),
    batch=st.integers(1, 2),
    cin=st.sampled_from([1, 2, 3, 4, 8]),
    multiplier=st.sampled_from([1, 1, 1, 2, 5]),
    **USUAL,
)
@FEW
def test_depthwise_with_odd_windows(**drawn: Any) -> None:
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
    fs = _channel_scales(rng, cout, filter_scale, per_channel)
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
    fs = _channel_scales(rng, units, filter_scale, per_channel)
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
