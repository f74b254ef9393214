"""Cases of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and SOFTMAX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tests.runtime.filters import channel_scales, three_columns, windows
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.ops.cases import Case, Property
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

Shape = tuple[int, ...]

_TURNED = str.maketrans("hw", "wh")


@dataclass(frozen=True)
class Layer:
    """Quantization and activation of a layer with weights, and a seed for the values."""

    per_channel: bool
    activation: int
    in_zero: int
    out_zero: int
    in_scale: float
    filter_scale: float
    out_scale: float
    seed: int

    def case(
        self,
        op: str,
        shapes: tuple[Shape, Shape, Shape],
        *,
        bias: bool = True,
        axis: int = 0,
        calls: int = 2,
        litert: bool = True,
        **fields: Any,
    ) -> Case:
        """A model of one layer.

        Args:
            op: the op's name.
            shapes: shapes of input, filter and output; the last dimension is the channels.
            bias: whether there is a bias.
            axis: the axis of the filter's channels.
            calls: number of calls.
            litert: whether LiteRT is bit-identical.
            fields: fields of the op's options.
        """
        rng = np.random.default_rng(self.seed)
        of_input, of_filter, of_output = shapes
        channels = of_output[-1]
        m = ModelBuilder()
        x = m.tensor(of_input, "int8", self.in_scale, self.in_zero)
        fs = channel_scales(rng, channels, self.filter_scale, self.per_channel)
        inputs = [x, m.tensor(of_filter, "int8", fs, 0, weights(rng, of_filter), axis=axis)]
        if bias:
            # The product of the scales in float, as the kernels check it.
            products = (
                [self.in_scale * s for s in fs] if isinstance(fs, list) else self.in_scale * fs
            )
            values = rng.integers(-20000, 20000, channels)
            inputs.append(m.tensor((channels,), "int32", products, 0, values))
        elif op == "FULLY_CONNECTED":
            inputs.append(-1)
        y = m.tensor(of_output, "int8", self.out_scale, self.out_zero)
        m.op(op, inputs, [y], _OPTIONS[op], fusedActivationFunction=self.activation, **fields)
        return Case(m.build([x], [y]), [[int8s(rng, of_input)] for _ in range(calls)], litert)


_OPTIONS = {
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
}


def _layers(
    in_scale: st.SearchStrategy[float],
    filter_scale: st.SearchStrategy[float],
    out_scale: st.SearchStrategy[float],
) -> st.SearchStrategy[Layer]:
    ends = (st.booleans(), ACTIVATIONS, ZERO_POINTS, ZERO_POINTS)
    return st.builds(Layer, *ends, in_scale, filter_scale, out_scale, SEEDS)


_ANY = _layers(scales(), scales(), scales(1e-3, 10.0))
# Factors that the Cortex-M4's inner loops require.
_USUAL = _layers(scales(1e-3, 1.0), scales(1e-3, 0.1), scales(1e-1, 10.0))


def _window(w: dict[str, int]) -> dict[str, Any]:
    """Fields of an op's options."""
    return {
        "padding": w["padding"],
        "strideH": w["sh"],
        "strideW": w["sw"],
        "dilationHFactor": w["dh"],
        "dilationWFactor": w["dw"],
    }


def _conv_2d(
    layer: Layer, w: dict[str, int], *, batch: int, cin: int, cout: int, groups: int, bias: bool
) -> Case:
    shapes = (
        (batch, w["h"], w["w"], cin * groups),
        (cout * groups, w["kh"], w["kw"], cin),
        (batch, w["oh"], w["ow"], cout * groups),
    )
    # LiteRT's checks require a bias.
    return layer.case("CONV_2D", shapes, bias=bias, litert=bias, version=3, **_window(w))


def _pointwise(layer: Layer, pixels: int, cin: int, cout: int) -> Case:
    shapes = ((1, pixels, 1, cin), (cout, 1, 1, cin), (1, pixels, 1, cout))
    w = {"padding": 0, "sh": 1, "sw": 1, "dh": 1, "dw": 1}
    return layer.case("CONV_2D", shapes, calls=1, version=3, **_window(w))


def _fully_connected(layer: Layer, batch: int, depth: int, units: int, bias: bool) -> Case:
    shapes = ((batch, depth), (units, depth), (batch, units))
    # LiteRT rounds once where TFLM rounds twice.
    return layer.case("FULLY_CONNECTED", shapes, bias=bias, litert=False, version=4)


def _softmax(shape: Shape, beta: float, scale: float, zero: int, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    m = ModelBuilder()
    x = m.tensor(shape, "int8", scale, zero)
    y = m.tensor(shape, "int8", 1.0 / 256.0, -128)
    m.op("SOFTMAX", [x], [y], "SoftmaxOptions", version=2, beta=beta)
    # LiteRT computes with a table of floating-point exponentials.
    return Case(m.build([x], [y]), [[int8s(rng, shape)] for _ in range(3)], litert=False)


def _depthwise(layer: Layer, w: dict[str, int], batch: int, cin: int, multiplier: int) -> Case:
    cout = cin * multiplier
    shapes = (
        (batch, w["h"], w["w"], cin),
        (1, w["kh"], w["kw"], cout),
        (batch, w["oh"], w["ow"], cout),
    )
    fields: dict[str, Any] = {"version": 3, "depthMultiplier": multiplier, **_window(w)}
    return layer.case("DEPTHWISE_CONV_2D", shapes, axis=3, **fields)


def _turned(w: dict[str, int], over: bool) -> dict[str, int]:
    """Sizes of a window and its image, with height and width swapped if `over`."""
    return {axis.translate(_TURNED): w[axis] for axis in w} if over else w


def _one_output(
    size: tuple[int, int], taps: tuple[int, int], dilation: tuple[int, int]
) -> dict[str, int]:
    w = {"padding": 0, "oh": 1, "ow": 1}
    for axis, count, kernel, step in zip("hw", size, taps, dilation, strict=True):
        # A stride of the whole image; the rest of the window is padding.
        w |= {axis: count, "k" + axis: kernel, "s" + axis: count, "d" + axis: step}
    return w


def _dilated(
    kernel: tuple[int, int],
    dilation: tuple[int, int],
    stride: tuple[int, int],
    size: tuple[int, int],
    padding: int,
) -> dict[str, int]:
    w = {"padding": padding}
    for axis, taps, step, every, count in zip("hw", kernel, dilation, stride, size, strict=True):
        w |= {axis: count, "k" + axis: taps, "s" + axis: every, "d" + axis: step}
        w["o" + axis] = valid(count, taps, every, step) if padding else same(count, every)
        assume(w["o" + axis] >= 1)
    return w


def _pair(low: int, high: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(low, high), st.integers(low, high))


def _depthwise_cases(
    w: st.SearchStrategy[dict[str, int]],
    cin: list[int],
    multiplier: list[int],
    layer: st.SearchStrategy[Layer] = _USUAL,
) -> st.SearchStrategy[Case]:
    channels = st.sampled_from(cin), st.sampled_from(multiplier)
    return st.builds(_depthwise, layer, w, st.integers(1, 2), *channels)


_CASES: dict[str, st.SearchStrategy[Case]] = {
    "conv_2d": st.builds(
        _conv_2d,
        _ANY,
        windows(),
        batch=st.integers(1, 2),
        cin=st.integers(1, 9),
        cout=st.integers(1, 9),
        groups=st.sampled_from([1, 1, 1, 2]),
        bias=st.booleans(),
    ),
    # Like the first layers of many models: a depthwise convolution.
    "conv_2d_of_one_channel": st.builds(
        _conv_2d,
        _USUAL,
        three_columns([1, 3]),
        batch=st.integers(1, 2),
        cin=st.just(1),
        cout=st.integers(1, 20),
        groups=st.just(1),
        bias=st.booleans(),
    ),
    # A single pixel, as in streaming models, has its own loop.
    "conv_2d_of_many_channels": st.builds(
        _pointwise,
        _USUAL,
        st.one_of(st.just(1), st.integers(1, 60)),
        st.sampled_from([1, 4, 5, 8, 12, 63, 64, 136, 139, 140, 144, 148, 200]),
        st.one_of(st.integers(1, 9), st.integers(10, 40)),
    ),
    "fully_connected": st.builds(
        _fully_connected,
        _ANY,
        batch=st.integers(1, 3),
        depth=st.integers(1, 70),
        units=st.integers(1, 9),
        bias=st.booleans(),
    ),
    "softmax": st.builds(
        _softmax,
        st.lists(st.integers(1, 12), min_size=1, max_size=4).map(tuple),
        st.sampled_from([1.0, 0.5, 2.0]),
        scales(1e-3, 10.0),
        ZERO_POINTS,
        SEEDS,
    ),
    "depthwise": _depthwise_cases(windows(), [1, 2, 3, 4, 5, 8, 9], [1, 1, 1, 2, 3, 8], _ANY),
    # Like TinyConv's first layer, which has its own inner loop on the Cortex-M4.
    "depthwise_with_eight_columns": _depthwise_cases(
        windows(dilations=False, width=8, stride=2), [1, 1, 2], [*range(3, 10)]
    ),
    # Most depthwise layers are of this kind.
    "depthwise_three_by_three": _depthwise_cases(three_columns([3]), [1, 3, 4, 4, 8], [1]),
    # The same loops with several filters per channel, and with windows of one row or column.
    "depthwise_three_taps": _depthwise_cases(
        st.builds(_turned, three_columns([1, 3]), st.booleans()), [1, 2, 4, 5, 8], [1, 2, 3, 4, 9]
    ),
    # Other layers with one filter per channel: four channels at a time.
    "depthwise_four_channels": _depthwise_cases(windows(), [4, 4, 8], [1]),
    # Like layers of streaming models.
    "depthwise_with_one_output": _depthwise_cases(
        st.builds(_one_output, _pair(1, 7), _pair(1, 7), _pair(1, 3)), [4, 12, 16, 20, 40], [1]
    ),
    # With stride 1, the Cortex-M4 splits such a layer into several without dilation.
    "depthwise_with_dilation": _depthwise_cases(
        st.builds(
            _dilated,
            st.sampled_from([(3, 3), (1, 3), (3, 1), (1, 5), (5, 1), (3, 5), (1, 9)]),
            _pair(1, 4),
            st.sampled_from([(1, 1), (1, 1), (2, 1), (1, 2)]),
            _pair(1, 24),
            st.integers(0, 1),
        ),
        [1, 3, 4, 8],
        [1, 1, 1, 2],
    ),
    # Like filters over time, which have their own inner loops too.
    "depthwise_with_rows_of_taps": _depthwise_cases(
        st.builds(
            _turned,
            st.tuples(st.integers(1, 17), st.integers(1, 2)).flatmap(
                lambda drawn: windows(dilations=False, width=drawn[0], stride=drawn[1])
            ),
            st.booleans(),
        ),
        [1, 2, 3, 4, 8],
        [1, 1, 1, 2, 5],
    ),
}

FILTERS = {name: Property(cases, 60) for name, cases in _CASES.items()}
