"""Cases of float32 kernels, of int16 kernels with int8 weights, and of ops of several types."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.runtime.filters import channel_scales, windows
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.ops.cases import Case, Property
from tests.runtime.ops.elementwise_cases import Shape, Shapes, broadcasts
from tests.runtime.strategies import ACTIVATIONS, SEEDS, ZERO_POINTS, int8s, scales, weights

Array = NDArray[Any]

_OPTIONS = {
    "ADD": "AddOptions",
    "SUB": "SubOptions",
    "MUL": "MulOptions",
    "DIV": "DivOptions",
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
    "TRANSPOSE_CONV": "TransposeConvOptions",
}


def floats(rng: np.random.Generator, shape: Shape) -> Array:
    """Values of very different sizes, and zeros."""
    values = rng.normal(0, 1, shape) * 10.0 ** rng.integers(-3, 3, shape)
    return np.where(rng.random(shape) < 0.05, 0, values).astype(np.float32)


def int16s(rng: np.random.Generator, shape: Shape) -> Array:
    """Values from the whole range, with the extremes drawn more often."""
    values = rng.integers(-32768, 32768, shape)
    ends = rng.choice([-32768, 32767], shape)
    return np.where(rng.random(shape) < 0.1, ends, values).astype(np.int16)


def _inputs(rng: np.random.Generator, kind: str, shape: Shape) -> Array:
    return {"float32": floats, "int16": int16s, "int8": int8s}[kind](rng, shape)


def _window(w: dict[str, int], *, dilated: bool = True) -> dict[str, Any]:
    fields = {"padding": w["padding"], "strideH": w["sh"], "strideW": w["sw"]}
    if dilated:
        fields |= {"dilationHFactor": w["dh"], "dilationWFactor": w["dw"]}
    return fields


@st.composite
def _geometry(draw: st.DrawFn, op: str) -> tuple[tuple[Shape, Shape, Shape], dict[str, Any]]:
    """Shapes of a layer's input, filter and output; its options."""
    batch, cin, cout = (draw(st.integers(1, high)) for high in (2, 6, 6))
    if op == "FULLY_CONNECTED":
        return ((batch, cin), (cout, cin), (batch, cout)), {}
    w = draw(windows(dilations=op != "TRANSPOSE_CONV"))
    fields = _window(w, dilated=op != "TRANSPOSE_CONV")
    large, small = (batch, w["h"], w["w"]), (batch, w["oh"], w["ow"])
    taps = w["kh"], w["kw"]
    if op == "DEPTHWISE_CONV_2D":
        fields["depthMultiplier"] = draw(st.integers(1, 3))
        cout = cin * fields["depthMultiplier"]
        return ((*large, cin), (1, *taps, cout), (*small, cout)), fields
    if op == "TRANSPOSE_CONV":
        return ((*small, cin), (cout, *taps, cin), (*large, cout)), fields
    groups = draw(st.sampled_from([1, 1, 2]))
    cout *= groups
    return ((*large, cin * groups), (cout, *taps, cin), (*small, cout)), fields


@st.composite
def _layer(draw: st.DrawFn, op: str, kind: str) -> Case:
    """One layer with weights."""
    rng = np.random.default_rng(draw(SEEDS))
    (of_input, of_filter, of_output), fields = draw(_geometry(op))
    cout = of_output[-1]
    fields["fusedActivationFunction"] = draw(ACTIVATIONS)
    m = ModelBuilder()
    bias = draw(st.sampled_from(["float32"] if kind == "float32" else _BIASES[op, kind]))
    biased = draw(st.booleans())
    values: Array
    if kind == "float32":
        x, y = m.tensor(of_input, kind), m.tensor(of_output, kind)
        f = m.tensor(of_filter, kind, data=floats(rng, of_filter))
        values = floats(rng, (cout,))
        products: float | list[float] | None = None
    else:
        zeros = (0, 0) if kind == "int16" else (draw(ZERO_POINTS), draw(ZERO_POINTS))
        in_scale, filter_scale = draw(scales(1e-5, 0.1)), draw(scales(1e-3, 0.1))
        # Most outputs are in range.
        gain = draw(scales(10.0, 3000.0))
        x = m.tensor(of_input, kind, in_scale, zeros[0])
        y = m.tensor(of_output, kind, in_scale * filter_scale * gain, zeros[1])
        fs = channel_scales(rng, cout, filter_scale, draw(st.booleans()))
        axis = 3 if op == "DEPTHWISE_CONV_2D" else 0
        f = m.tensor(of_filter, "int8", fs, 0, weights(rng, of_filter), axis=axis)
        values = rng.integers(-20000, 20000, cout)
        products = [in_scale * s for s in fs] if isinstance(fs, list) else in_scale * fs
    b = m.tensor((cout,), bias, products, 0, values) if biased else -1
    if op == "TRANSPOSE_CONV":
        shape = m.tensor((4,), "int32", data=np.array(of_output))
        m.op(op, [shape, f, x] + [b] * biased, [y], _OPTIONS[op], version=3, **fields)
    else:
        inputs = [x, f] + ([b] if biased or op == "FULLY_CONNECTED" else [])
        m.op(op, inputs, [y], _OPTIONS[op], version=4, **fields)
    calls = [[_inputs(rng, kind, of_input)] for _ in range(2)]
    return Case(m.build([x], [y]), calls, litert=False)


_BIASES = {
    ("CONV_2D", "int16"): ["int64", "int32"],
    ("FULLY_CONNECTED", "int16"): ["int64", "int32"],
    ("DEPTHWISE_CONV_2D", "int16"): ["int64"],
    ("TRANSPOSE_CONV", "int16"): ["int64"],
    ("TRANSPOSE_CONV", "int8"): ["int32"],
}


def _quantization(kind: str, scale: float, zero: int) -> tuple[float | None, int]:
    return (None, 0) if kind == "float32" else (scale, zero if kind == "int8" else 0)


@st.composite
def _binary(draw: st.DrawFn, kind: str, names: list[str]) -> Case:
    name = draw(st.sampled_from(names))
    shapes: Shapes = draw(broadcasts())
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    a, b = draw(scales(1e-4, 1.0)), draw(scales(1e-4, 1.0))
    # Most outputs are in range, and the kernels take the factor.
    usual = max(a, b) if name in ("ADD", "SUB") else 1000 * a * b
    steps = a, b, usual * draw(scales(0.1, 10.0))
    tensors = [
        m.tensor(shape, kind, *_quantization(kind, step, draw(ZERO_POINTS)))
        for shape, step in zip(shapes, steps, strict=True)
    ]
    if name in _OPTIONS:
        activation = draw(ACTIVATIONS)
        fields: dict[str, Any] = {"fusedActivationFunction": activation}
        if kind == "int16" and name in ("ADD", "SUB"):
            fields["potScaleInt16"] = False
        m.op(name, tensors[:2], tensors[2:], _OPTIONS[name], version=3, **fields)
    else:
        options = {"SQUARED_DIFFERENCE": "SquaredDifferenceOptions", "PRELU": None}
        m.op(name, tensors[:2], tensors[2:], options.get(name, "MaximumMinimumOptions"))
    calls = [[_inputs(rng, kind, shape) for shape in shapes[:2]] for _ in range(2)]
    if name == "DIV":
        for call in calls:
            call[1] = np.where(call[1] == 0, np.float32(1), call[1])
    return Case(m.build(tensors[:2], tensors[2:]), calls, litert=False)


@st.composite
def _unary(draw: st.DrawFn, kind: str, names: list[str]) -> Case:
    name = draw(st.sampled_from(names))
    rng = np.random.default_rng(draw(SEEDS))
    shape = (3, 100)
    m = ModelBuilder()
    x = m.tensor(shape, kind, *_quantization(kind, draw(scales(1e-4, 1.0)), 0))
    y = m.tensor(shape, kind, *_quantization(kind, draw(scales(1e-4, 1.0)), 0))
    if name == "LEAKY_RELU":
        alpha = draw(st.floats(-2, 2, width=32))
        m.op(name, [x], [y], "LeakyReluOptions", version=2, alpha=alpha)
    else:
        m.op(name, [x], [y])
    values = _inputs(rng, kind, shape)
    if name in ("SQRT", "RSQRT"):
        values = np.abs(values) + np.float32(1e-30)
    return Case(m.build([x], [y]), [[values]], litert=False)


@st.composite
def _pool(draw: st.DrawFn, kind: str) -> Case:
    w = draw(windows(dilations=False))
    batch, channels = draw(st.integers(1, 2)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    shape = (batch, w["h"], w["w"], channels)
    scale = _quantization(kind, draw(scales(1e-4, 1.0)), 0)
    x = m.tensor(shape, kind, *scale)
    y = m.tensor((batch, w["oh"], w["ow"], channels), kind, *scale)
    fields = {**_window(w, dilated=False), "filterHeight": w["kh"], "filterWidth": w["kw"]}
    fields["fusedActivationFunction"] = draw(ACTIVATIONS)
    name = draw(st.sampled_from(["AVERAGE_POOL_2D", "MAX_POOL_2D"]))
    m.op(name, [x], [y], "Pool2DOptions", version=2, **fields)
    return Case(m.build([x], [y]), [[_inputs(rng, kind, shape)]], litert=False)


@st.composite
def _reduce(draw: st.DrawFn, kind: str, names: list[str]) -> Case:
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=4)))
    rank, chosen = len(shape), draw(st.integers(1, 15))
    axes = [i for i in range(rank) if chosen >> i & 1] or [0]
    keep = draw(st.booleans())
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    scale = _quantization(kind, 0.25, draw(ZERO_POINTS))
    x = m.tensor(shape, kind, *scale)
    of_output = [1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes]
    y = m.tensor(of_output, kind, *scale)
    a = m.tensor((len(axes),), "int32", data=np.array(axes))
    m.op(draw(st.sampled_from(names)), [x, a], [y], "ReducerOptions", version=2, keepDims=keep)
    return Case(m.build([x], [y]), [[_inputs(rng, kind, shape)]], litert=False)


@st.composite
def _softmax_to_int16(draw: st.DrawFn) -> Case:
    shape = tuple(draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)))
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    x = m.tensor(shape, "int8", draw(scales(1e-3, 10.0)), draw(ZERO_POINTS))
    y = m.tensor(shape, "int16", 1.0 / 65536.0, -32768)
    beta = draw(st.sampled_from([1.0, 0.5, 2.0]))
    m.op("SOFTMAX", [x], [y], "SoftmaxOptions", version=3, beta=beta)
    return Case(m.build([x], [y]), [[int8s(rng, shape)] for _ in range(2)], litert=False)


@st.composite
def _softmax_int16(draw: st.DrawFn) -> Case:
    shape = tuple(draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)))
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    x = m.tensor(shape, "int16", draw(scales(1e-5, 0.1)), 0)
    y = m.tensor(shape, "int16", 1.0 / 32768.0, 0)
    beta = draw(st.sampled_from([1.0, 0.3, 2.0]))
    m.op("SOFTMAX", [x], [y], "SoftmaxOptions", version=3, beta=beta)
    near = np.clip(rng.normal(0, 300, shape), -32768, 32767).astype(np.int16)
    return Case(m.build([x], [y]), [[int16s(rng, shape)], [near]], litert=False)


@st.composite
def _log_softmax(draw: st.DrawFn) -> Case:
    shape = tuple(draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)))
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    x = m.tensor(shape, "int8", draw(scales(1e-3, 10.0)), draw(ZERO_POINTS))
    y = m.tensor(shape, "int8", 1.0 / 16.0, 127)
    m.op("LOG_SOFTMAX", [x], [y], "LogSoftmaxOptions", version=2)
    near = np.clip(rng.normal(0, 5, shape), -128, 127).astype(np.int8)
    return Case(m.build([x], [y]), [[int8s(rng, shape)], [near]], litert=False)


@st.composite
def _batch_matmul(draw: st.DrawFn, kind: str) -> Case:
    rows, depth, columns = (draw(st.integers(1, 6)) for _ in range(3))
    batches = draw(st.lists(st.integers(1, 3), max_size=2))
    turn_a, turn_b = draw(st.booleans()), draw(st.booleans())
    of_a = (*batches, *((depth, rows) if turn_a else (rows, depth)))
    of_b = (*batches, *((columns, depth) if turn_b else (depth, columns)))
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    a, b, y = (
        m.tensor(shape, kind, *_quantization(kind, draw(scales(1e-2, 1.0)), draw(ZERO_POINTS)))
        for shape in (of_a, of_b, (*batches, rows, columns))
    )
    m.op("BATCH_MATMUL", [a, b], [y], "BatchMatMulOptions", version=2, adjX=turn_a, adjY=turn_b)
    calls = [[_inputs(rng, kind, of_a), _inputs(rng, kind, of_b)] for _ in range(2)]
    return Case(m.build([a, b], [y]), calls, litert=False)


def _numbers(m: ModelBuilder, *values: int) -> int:
    return m.tensor((len(values),), "int32", data=np.array(values))


_MOVED = st.sampled_from(["int8", "float32"])
_SHAPE = st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple)


@st.composite
def _stack(draw: st.DrawFn) -> Case:
    """PACK, then UNPACK along another axis, then SHAPE."""
    kind, shape, parts = draw(_MOVED), draw(_SHAPE), draw(st.integers(1, 4))
    axis, other = (draw(st.integers(-len(shape) - 1, len(shape))) for _ in range(2))
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    scale = _quantization(kind, 0.25, 3)
    inputs = [m.tensor(shape, kind, *scale) for _ in range(parts)]
    place = axis % (len(shape) + 1)
    whole = (*shape[:place], parts, *shape[place:])
    packed = m.tensor(whole, kind, *scale)
    m.op("PACK", inputs, [packed], "PackOptions", version=2, valuesCount=parts, axis=axis)
    place = other % len(whole)
    rest = (*whole[:place], *whole[place + 1 :])
    slices = [m.tensor(rest, kind, *scale) for _ in range(whole[place])]
    m.op("UNPACK", [packed], slices, "UnpackOptions", num=whole[place], axis=other)
    sizes = m.tensor((len(whole),), "int32")
    m.op("SHAPE", [packed], [sizes], "ShapeOptions", outType=2)
    calls = [[_inputs(rng, kind, shape) for _ in inputs] for _ in range(2)]
    return Case(m.build(inputs, [packed, *slices, sizes]), calls)


@st.composite
def _resize(draw: st.DrawFn, name: str, options: str) -> Case:
    kind, batch, channels = draw(_MOVED), draw(st.integers(1, 2)), draw(st.integers(1, 5))
    before, after = ([draw(st.integers(1, 9)) for _ in range(2)] for _ in range(2))
    modes: list[dict[str, Any]] = [{}, {"alignCorners": True}, {"halfPixelCenters": True}]
    mode = draw(st.sampled_from(modes))
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    shape = (batch, *before, channels)
    scale = _quantization(kind, 0.25, 3)
    x = m.tensor(shape, kind, *scale)
    y = m.tensor((batch, *after, channels), kind, *scale)
    m.op(name, [x, _numbers(m, *after)], [y], options, version=3, **mode)
    return Case(m.build([x], [y]), [[_inputs(rng, kind, shape)]])


@st.composite
def _gather(draw: st.DrawFn) -> Case:
    kind, shape = draw(_MOVED), draw(_SHAPE)
    axis = draw(st.integers(0, len(shape) - 1))
    batches = draw(st.integers(0, min(axis, 1)))
    of_indices = (*shape[:batches], draw(st.integers(1, 4)))
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    scale = _quantization(kind, 0.25, 3)
    x = m.tensor(shape, kind, *scale)
    i = m.tensor(of_indices, "int32")
    of_output = (*shape[:axis], *of_indices[batches:], *shape[axis + 1 :])
    y = m.tensor(of_output, kind, *scale)
    m.op("GATHER", [x, i], [y], "GatherOptions", version=5, axis=axis, batchDims=batches)
    indices = rng.integers(0, shape[axis], of_indices).astype(np.int32)
    return Case(m.build([x, i], [y]), [[_inputs(rng, kind, shape), indices]])


@st.composite
def _batches(draw: st.DrawFn) -> Case:
    """SPACE_TO_BATCH_ND without padding, whose value TFLM leaves open, and back with a crop."""
    kind, n, channels = draw(_MOVED), draw(st.integers(1, 2)), draw(st.integers(1, 3))
    sides = draw(st.integers(1, 2))
    block = [draw(st.integers(1, 3)) for _ in range(sides)]
    size = [draw(st.integers(1, 3)) for _ in range(sides)]
    crop = [draw(st.integers(0, b * s - 1)) for b, s in zip(block, size, strict=True)]
    rng = np.random.default_rng(draw(SEEDS))
    m = ModelBuilder()
    scale = _quantization(kind, 0.25, 3)
    shape = (n, *(b * s for b, s in zip(block, size, strict=True)), channels)
    x = m.tensor(shape, kind, *scale)
    wide = m.tensor((n * int(np.prod(block)), *size, channels), kind, *scale)
    back = m.tensor(
        (n, *(s - c for s, c in zip(shape[1:-1], crop, strict=True)), channels), kind, *scale
    )
    pads = m.tensor((sides, 2), "int32", data=np.zeros((sides, 2)))
    crops = m.tensor((sides, 2), "int32", data=np.array([[c, 0] for c in crop]))
    m.op("SPACE_TO_BATCH_ND", [x, _numbers(m, *block), pads], [wide], "SpaceToBatchNDOptions")
    m.op("BATCH_TO_SPACE_ND", [wide, _numbers(m, *block), crops], [back], "BatchToSpaceNDOptions")
    return Case(m.build([x], [wide, back]), [[_inputs(rng, kind, shape)]])


_LAYERS = ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"]
_CASES: dict[str, st.SearchStrategy[Case]] = {
    **{f"{op.lower()}_float32": _layer(op, "float32") for op in _LAYERS},
    **{f"{op.lower()}_int16": _layer(op, "int16") for op in _LAYERS},
    "transpose_conv": _layer("TRANSPOSE_CONV", "int8"),
    "binary_float32": _binary(
        "float32",
        ["ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "PRELU"],
    ),
    "binary_int16": _binary("int16", ["ADD", "SUB", "MUL"]),
    "prelu": _binary("int8", ["PRELU"]),
    "unary_float32": _unary("float32", ["RELU", "RELU6", "LEAKY_RELU", "ABS", "SQRT", "RSQRT"]),
    "leaky_relu_int16": _unary("int16", ["LEAKY_RELU"]),
    "pool_float32": _pool("float32"),
    "pool_int16": _pool("int16"),
    "reduce_float32": _reduce("float32", ["MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"]),
    "reduce_extremum": _reduce("int8", ["REDUCE_MAX", "REDUCE_MIN"]),
    "softmax_to_int16": _softmax_to_int16(),
    "softmax_int16": _softmax_int16(),
    "log_softmax": _log_softmax(),
    "pack_unpack_shape": _stack(),
    "resize_nearest_neighbor": _resize("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions"),
    "resize_bilinear": _resize("RESIZE_BILINEAR", "ResizeBilinearOptions"),
    "gather": _gather(),
    "space_to_batch_and_back": _batches(),
    "batch_matmul": _batch_matmul("int8"),
    "batch_matmul_float32": _batch_matmul("float32"),
}

TYPED = {name: Property(cases, 40) for name, cases in _CASES.items()}
