"""Cases of element-wise ops, pooling and reductions."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.runtime.filters import windows
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.ops.cases import Case, Property
from tests.runtime.strategies import ACTIVATIONS, SEEDS, ZERO_POINTS, int8s, scales

Shape = tuple[int, ...]
Shapes = tuple[Shape, Shape, Shape]
"""Shapes of two inputs and their output."""

Scale = tuple[float, int]
"""Scale and zero point."""

ALL = np.arange(-128, 128, dtype=np.int8)
POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")

_OPTIONS = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}
_PAIRS = [
    ("int8", "int8"),
    ("int8", "uint8"),
    ("int8", "int16"),
    ("int8", "int32"),
    ("uint8", "int8"),
    ("int16", "int8"),
    ("int16", "int16"),
    ("int16", "int32"),
    ("int32", "int8"),
    ("int32", "int16"),
]
_LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "int32": (-9999, 9999)}


def unary_model(name: str, shape: Shape, x: Scale, y: Scale, alpha: float | None = None) -> bytes:
    """A model of one activation."""
    m = ModelBuilder()
    tensor = m.tensor(shape, "int8", *x)
    output = m.tensor(shape, "int8", *y)
    if alpha is None:
        m.op(name, [tensor], [output], version=1 if name == "HARD_SWISH" else 2)
    else:
        m.op(name, [tensor], [output], "LeakyReluOptions", version=2, alpha=alpha)
    return m.build([tensor], [output])


def unary(
    name: str, x: Scale, y: Scale, seed: int, *, alpha: float | None = None, litert: bool = True
) -> Case:
    """All bytes in one call: few enough that no table is used."""
    values = np.random.default_rng(seed).permutation(ALL)
    return Case(unary_model(name, (256,), x, y, alpha), [[values]], litert)


def binary_model(
    name: str,
    shapes: Shapes,
    quantization: tuple[Scale, Scale, Scale],
    activation: int,
    constant: NDArray[Any] | None = None,
) -> bytes:
    """A model of one op; `constant` is the second input's value."""
    m = ModelBuilder()
    a = m.tensor(shapes[0], "int8", *quantization[0])
    b = m.tensor(shapes[1], "int8", *quantization[1], constant)
    y = m.tensor(shapes[2], "int8", *quantization[2])
    if name in _OPTIONS:
        m.op(name, [a, b], [y], _OPTIONS[name], version=2, fusedActivationFunction=activation)
    else:
        m.op(name, [a, b], [y], "MaximumMinimumOptions", version=2)
    return m.build([a, b] if constant is None else [a], [y])


def binary(
    name: str,
    shapes: Shapes,
    quantization: tuple[Scale, Scale, Scale],
    activation: int,
    constant: bool,
    *,
    seed: int,
) -> Case:
    """Two calls; with `constant`, the second input is part of the model."""
    rng = np.random.default_rng(seed)
    b = int8s(rng, shapes[1]) if constant else None
    model = binary_model(name, shapes, quantization, activation, b)
    return Case(model, [[int8s(rng, s) for s in shapes[: 1 if constant else 2]] for _ in range(2)])


def every_sum(name: str, ratio: float, gain: float) -> Case:
    """ADD or SUB of every pair of bytes; the second input's and the output's scales vary."""
    scale = float(np.float32(0.1))
    quantization = (
        (scale, 5),
        (float(np.float32(scale * ratio)), -128),
        (float(np.float32(scale / gain)), -3),
    )
    return _every_pair(name, quantization)


def every_product(gain: float) -> Case:
    """MUL of every pair of bytes."""
    return _every_pair("MUL", ((0.25, -128), (0.5, 127), (float(np.float32(0.125 / gain)), 4)))


def _every_pair(name: str, quantization: tuple[Scale, Scale, Scale]) -> Case:
    model = binary_model(name, ((256, 1), (256,), (256, 256)), quantization, 0)
    return Case(model, [[ALL.reshape(256, 1), ALL]])


@st.composite
def broadcasts(draw: st.DrawFn) -> Shapes:
    """Ranks 1 to 4, equal or broadcast."""
    output = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    inputs = []
    for _ in range(2):
        kept = draw(st.one_of(st.just(0), st.integers(0, 15)))
        shape = [1 if kept >> i & 1 else size for i, size in enumerate(output)]
        while len(shape) > 1 and shape[0] == 1 and draw(st.booleans()):
            del shape[0]
        inputs.append(tuple(shape))
    return inputs[0], inputs[1], np.broadcast_shapes(*inputs)


def cast_model(
    name: str, shape: Shape, x: tuple[str, Scale | None], y: tuple[str, Scale | None]
) -> bytes:
    """A model of one op; input and output have a type and, unless float, a scale and zero point."""
    m = ModelBuilder()
    ends = [m.tensor(shape, kind, *(scale or (None, 0))) for kind, scale in (x, y)]
    m.op(name, ends[:1], ends[1:], version=3)
    return m.build(ends[:1], ends[1:])


def integers(rng: np.random.Generator, kind: str, shape: Shape) -> NDArray[Any]:
    """Values from the whole range, and small values."""
    info = np.iinfo(kind)
    values = rng.integers(info.min, int(info.max) + 1, shape)
    small = np.clip(rng.integers(-300, 300, shape), info.min, info.max)
    return np.where(rng.random(shape) < 0.5, values, small).astype(kind)


@st.composite
def _quantized(draw: st.DrawFn, kind: str) -> Scale:
    low, high = _LIMITS[kind]
    zero_point = draw(st.one_of(st.sampled_from([low, 0, high]), st.integers(low, high)))
    # LiteRT requires symmetric int16 and int32.
    return draw(scales()), 0 if kind in ("int16", "int32") else zero_point


@st.composite
def _between_integers(draw: st.DrawFn) -> Case:
    pair = draw(st.sampled_from(_PAIRS))
    shape = draw(st.sampled_from([(2, 200), (3, 40)]))
    x, y = ((kind, draw(_quantized(kind))) for kind in pair)
    model = cast_model("QUANTIZE", shape, x, y)
    # A left shift of such large values overflows, which is undefined in the oracles.
    values = integers(np.random.default_rng(draw(SEEDS)), pair[0], shape)
    if pair[0] == "int32":
        values = (values >> 17).astype(np.int32)
    if pair[0] == "int16" and x[1][0] / y[1][0] > 2.0**14:
        values = (values >> 8).astype(np.int16)
    # LiteRT does not widen int8.
    return Case(model, [[values]], litert=pair not in [("int8", "int16"), ("int8", "int32")])


@st.composite
def _from_float(draw: st.DrawFn) -> Case:
    kind, scale = draw(st.sampled_from(["int8", "int16"])), draw(scales(1e-5, 100.0))
    rng = np.random.default_rng(draw(SEEDS))
    ends = ("float32", None), (kind, (scale, draw(_quantized(kind))[1]))
    steps = rng.choice([1.0, 0.5, 1e-3, 100.0], (3, 100))
    values = (np.round(rng.normal(0, 200, (3, 100)) / steps) * steps * scale).astype(np.float32)
    return Case(cast_model("QUANTIZE", (3, 100), *ends), [[values]])


@st.composite
def _dequantize(draw: st.DrawFn) -> Case:
    kind, scale = draw(st.sampled_from(["int8", "uint8", "int16"])), draw(scales(1e-30, 1e30))
    shape = (2, 3, 50)
    ends = (kind, (scale, draw(_quantized(kind))[1])), ("float32", None)
    values = integers(np.random.default_rng(draw(SEEDS)), kind, shape)
    return Case(cast_model("DEQUANTIZE", shape, *ends), [[values]])


def pool_model(
    name: str,
    w: dict[str, int],
    images: tuple[int, int],
    quantization: Scale = (0.1, 0),
    activation: int = 0,
) -> bytes:
    """A model of one pooling op; `w` as `windows` draws it.

    `images`: number of images and their channels.
    """
    batch, channels = images
    m = ModelBuilder()
    x = m.tensor((batch, w["h"], w["w"], channels), "int8", *quantization)
    y = m.tensor((batch, w["oh"], w["ow"], channels), "int8", *quantization)
    sizes = {
        "strideH": w["sh"],
        "strideW": w["sw"],
        "filterHeight": w["kh"],
        "filterWidth": w["kw"],
    }
    fields: dict[str, Any] = {
        "padding": w["padding"],
        "fusedActivationFunction": activation,
        **sizes,
    }
    m.op(name, [x], [y], "Pool2DOptions", version=2, **fields)
    return m.build([x], [y])


def _pool_2d(
    name: str,
    w: dict[str, int],
    images: tuple[int, int],
    quantization: Scale,
    activation: int,
    *,
    seed: int,
) -> Case:
    rng = np.random.default_rng(seed)
    shape = (images[0], w["h"], w["w"], images[1])
    model = pool_model(name, w, images, quantization, activation)
    return Case(model, [[int8s(rng, shape)] for _ in range(2)])


def long_windows() -> list[Case]:
    """Windows with sums that exceed 16 bits, and inputs at the ends of the range."""
    cases = []
    for name in POOLS:
        for height, width, taps in [(1, 700, 700), (3, 600, 513), (90, 7, 7)]:
            w = {"h": height, "w": width, "oh": 1, "ow": width - taps + 1, "padding": 1}
            w |= {"sh": 1, "sw": 1, "kh": height, "kw": taps}
            shape = (1, height, width, 5)
            rows = [np.full(shape, end, np.int8) for end in (-128, 127)]
            rows.append(int8s(np.random.default_rng(taps), shape))
            cases.append(Case(pool_model(name, w, (1, 5)), [[row] for row in rows]))
    return cases


def _reduced(shape: Shape, axes: list[int], keep: bool) -> Shape:
    """The output's shape."""
    gone = {axis % len(shape) for axis in axes}
    if keep:
        return tuple(1 if i in gone else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in gone)


def reduce_model(
    name: str, shape: Shape, axes: list[int], ends: tuple[Scale, Scale], *, keep: bool = False
) -> bytes:
    """A model of one MEAN or SUM."""
    m = ModelBuilder()
    tensor = m.tensor(shape, "int8", *ends[0])
    axis = m.tensor((len(axes),), "int32", data=np.array(axes))
    output = m.tensor(_reduced(shape, axes, keep), "int8", *ends[1])
    m.op(name, [tensor, axis], [output], "ReducerOptions", version=2, keepDims=keep)
    return m.build([tensor], [output])


@st.composite
def _mean_and_sum(draw: st.DrawFn) -> Case:
    name = draw(st.sampled_from(["MEAN", "SUM"]))
    shape, chosen = draw(_SHAPES), draw(st.integers(1, 15))
    rank = len(shape)
    axes = [i for i in range(rank) if chosen >> i & 1] or [0]
    if draw(st.booleans()):
        axes = [axis - rank for axis in axes]
    model = reduce_model(
        name, shape, axes, draw(st.tuples(_SCALE, _SCALE)), keep=draw(st.booleans())
    )
    rng = np.random.default_rng(draw(SEEDS))
    # LiteRT's SUM does not saturate.
    return Case(model, [[int8s(rng, shape)] for _ in range(2)], litert=name == "MEAN")


def _arg_max(shape: Shape, axis: int, levels: int, seed: int) -> Case:
    """With few levels there are ties; the first one counts."""
    axis = axis % len(shape) if axis >= 0 else -1 - (-axis - 1) % len(shape)
    m = ModelBuilder()
    x = m.tensor(shape, "int8", 0.1, 0)
    a = m.tensor((1,), "int32", data=np.array([axis]))
    y = m.tensor(_reduced(shape, [axis], False), "int32")
    m.op("ARG_MAX", [x, a], [y], "ArgMaxOptions", version=2, outputType=2)
    values = np.random.default_rng(seed).integers(-128, levels - 128, shape).astype(np.int8)
    return Case(m.build([x], [y]), [[values]])


_SHAPES = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)
_SCALE = st.tuples(scales(), ZERO_POINTS)
# The core refuses an input scale that is 2**30 times the output scale, or more.
WIDE = st.tuples(scales(1e-6, 1e3), ZERO_POINTS)
_WIDEST = st.tuples(scales(1e-8, 1e4), ZERO_POINTS)
_IN_RANGE = st.tuples(WIDE, WIDE).filter(lambda ends: ends[0][0] / 128 < ends[1][0])
_QUANTIZATION = st.tuples(_SCALE, _SCALE, _SCALE)
_ADDED, _CHOSEN = st.sampled_from(["ADD", "SUB"]), st.sampled_from(["MAXIMUM", "MINIMUM"])
_EQUAL = st.just(((0.1, 3), (0.1, 3), (0.1, 3)))
_NONE, _ANY, _NOT = st.just(0), st.booleans(), st.just(False)
_ALPHA = st.floats(-3, 3, width=32)


def _op(name: str) -> st.SearchStrategy[str]:
    return st.just(name)


_CASES: dict[str, st.SearchStrategy[Case]] = {
    "add_and_sub": st.builds(
        binary, _ADDED, broadcasts(), _QUANTIZATION, ACTIVATIONS, _ANY, seed=SEEDS
    ),
    "mul": st.builds(
        binary, _op("MUL"), broadcasts(), _QUANTIZATION, ACTIVATIONS, _ANY, seed=SEEDS
    ),
    "maximum_and_minimum": st.builds(
        binary, _CHOSEN, broadcasts(), _EQUAL, _NONE, _ANY, seed=SEEDS
    ),
    "relu": st.builds(unary, _op("RELU"), WIDE, WIDE, SEEDS),
    "relu6": st.builds(lambda ends, seed: unary("RELU6", ends, ends, seed), _SCALE, SEEDS),
    # LiteRT multiplies the scale with alpha in float.
    "leaky_relu": st.builds(
        unary, _op("LEAKY_RELU"), _SCALE, _SCALE, SEEDS, alpha=_ALPHA, litert=_NOT
    ),
    "hard_swish": st.builds(
        lambda ends, seed: unary("HARD_SWISH", ends[0], ends[1], seed), _IN_RANGE, SEEDS
    ),
    # LiteRT computes the next two with a table of floating-point values.
    "logistic": st.builds(
        unary, _op("LOGISTIC"), _WIDEST, st.just((1 / 256, -128)), SEEDS, litert=_NOT
    ),
    "tanh": st.builds(unary, _op("TANH"), _WIDEST, st.just((1 / 128, 0)), SEEDS, litert=_NOT),
    "between_integers": _between_integers(),
    "from_float": _from_float(),
    "dequantize": _dequantize(),
    "pool_2d": st.builds(
        _pool_2d,
        st.sampled_from(POOLS),
        windows(dilations=False),
        st.tuples(st.integers(1, 2), st.integers(1, 13)),
        st.tuples(scales(1e-3, 10.0), ZERO_POINTS),
        ACTIVATIONS,
        seed=SEEDS,
    ),
    "mean_and_sum": _mean_and_sum(),
    "arg_max": st.builds(
        _arg_max, _SHAPES, st.integers(-4, 3), st.sampled_from([2, 5, 256]), SEEDS
    ),
}

_EXAMPLES = {"add_and_sub": 100, "between_integers": 200, "pool_2d": 120, "mean_and_sum": 120}

ELEMENTWISE = {name: Property(cases, _EXAMPLES.get(name, 60)) for name, cases in _CASES.items()}
