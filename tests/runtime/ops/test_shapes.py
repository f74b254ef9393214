"""Ops that only move elements, against the oracles, for many shapes and types."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same, run_core
from tests.runtime.strategies import SEEDS, ZERO_POINTS, int8s

FEW = settings(max_examples=25)

# The types that PyPI's tflite-micro supports per op; kws accepts any type.
TYPES = st.sampled_from(["int8", "int8", "int16"])
SCALE = 0.25


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    if dtype == "int8":
        return int8s(rng, shape)
    return rng.integers(-32768, 32768, shape).astype(dtype)


def ints(m: ModelBuilder, numbers: list[int]) -> int:
    return m.tensor((len(numbers),), "int32", data=np.array(numbers))


@st.composite
def shapes(draw: st.DrawFn, min_rank: int = 1, max_rank: int = 4) -> tuple[int, ...]:
    size = st.sampled_from([1, 1, 2, 3, 4, 5, 8, 11])
    return tuple(draw(st.lists(size, min_size=min_rank, max_size=max_rank)))


@given(shape=shapes(), dtype=TYPES, seed=SEEDS, data=st.data())
@FEW
def test_squeeze_and_expand_dims(
    *, shape: tuple[int, ...], dtype: str, seed: int, data: st.DataObject
) -> None:
    """There and back, between two ops that copy."""
    rng = np.random.default_rng(seed)
    m = ModelBuilder()
    place = data.draw(st.integers(0, len(shape)))
    axis = place - data.draw(st.sampled_from([0, len(shape) + 1]))
    wide_shape = (*shape[:place], 1, *shape[place:])
    x = m.tensor(shape, dtype, SCALE)
    axis_tensor = m.tensor((), "int32", data=np.array(axis))
    wide, back = m.tensor(wide_shape, dtype, SCALE), m.tensor(shape, dtype, SCALE)
    m.op("EXPAND_DIMS", [x, axis_tensor], [wide], "ExpandDimsOptions")
    m.op("SQUEEZE", [wide], [back], "SqueezeOptions", squeezeDims=[axis])
    assert_same(m.build([x], [wide, back]), [[values(rng, shape, dtype)] for _ in range(2)])


@given(shape=shapes(), dtype=TYPES, seed=SEEDS, data=st.data())
@FEW
def test_transpose(*, shape: tuple[int, ...], dtype: str, seed: int, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    m = ModelBuilder()
    x = m.tensor(shape, dtype, SCALE)
    y = m.tensor([shape[i] for i in order], dtype, SCALE)
    m.op("TRANSPOSE", [x, ints(m, list(order))], [y], "TransposeOptions", version=2)
    rng = np.random.default_rng(seed)
    assert_same(m.build([x], [y]), [[values(rng, shape, dtype)] for _ in range(2)])


class Slice(NamedTuple):
    """The part of one dimension that STRIDED_SLICE selects."""

    begin: int
    end: int
    stride: int
    no_begin: bool = False
    no_end: bool = False
    shrinks: bool = False
    size: int = 0


@st.composite
def slices(draw: st.DrawFn, size: int) -> Slice:
    begin = draw(st.integers(-size - 1, size + 1))
    end = draw(st.integers(-size - 2, size + 2))
    stride = draw(st.sampled_from([1, 1, 1, 2, 3, 7, -1, -2]))
    if stride > 0 and -size <= begin < size and draw(st.integers(0, 4)) == 0:
        return Slice(begin, end, stride, shrinks=True)
    no_begin, no_end = draw(st.booleans()), draw(st.booleans())
    python = slice(None if no_begin else begin, None if no_end else end, stride)
    picked = len(range(size)[python])
    assume(picked > 0)
    return Slice(begin, end, stride, no_begin, no_end, size=picked)


@given(shape=shapes(), dtype=TYPES, seed=SEEDS, data=st.data())
@FEW
def test_strided_slice(
    *, shape: tuple[int, ...], dtype: str, seed: int, data: st.DataObject
) -> None:
    parts = [data.draw(slices(size)) for size in shape]

    def mask(field: str) -> int:
        return sum(1 << i for i, part in enumerate(parts) if getattr(part, field))

    m = ModelBuilder()
    x = m.tensor(shape, dtype, SCALE)
    y = m.tensor([part.size for part in parts if not part.shrinks], dtype, SCALE)
    bounds = [ints(m, [getattr(p, name) for p in parts]) for name in ("begin", "end", "stride")]
    m.op(
        "STRIDED_SLICE",
        [x, *bounds],
        [y],
        "StridedSliceOptions",
        version=2,
        beginMask=mask("no_begin"),
        endMask=mask("no_end"),
        shrinkAxisMask=mask("shrinks"),
    )
    rng = np.random.default_rng(seed)
    assert_same(m.build([x], [y]), [[values(rng, shape, dtype)] for _ in range(2)])


@given(shape=shapes(), dtype=TYPES, seed=SEEDS, data=st.data())
@FEW
def test_slice(*, shape: tuple[int, ...], dtype: str, seed: int, data: st.DataObject) -> None:
    begins = [data.draw(st.integers(0, size - 1)) for size in shape]
    sizes = [data.draw(st.integers(1, n - begin)) for n, begin in zip(shape, begins, strict=True)]
    # -1: the rest.
    given_sizes = [
        -1 if begin + size == n and data.draw(st.booleans()) else size
        for n, begin, size in zip(shape, begins, sizes, strict=True)
    ]
    m = ModelBuilder()
    x, y = m.tensor(shape, dtype, SCALE), m.tensor(sizes, dtype, SCALE)
    m.op("SLICE", [x, ints(m, begins), ints(m, given_sizes)], [y], "SliceOptions", version=2)
    rng = np.random.default_rng(seed)
    assert_same(m.build([x], [y]), [[values(rng, shape, dtype)] for _ in range(2)])


def test_slice_beyond_its_input_is_refused() -> None:
    m = ModelBuilder()
    x, y = m.tensor((4,), "int8", SCALE), m.tensor((3,), "int8", SCALE)
    m.op("SLICE", [x, ints(m, [2]), ints(m, [3])], [y], "SliceOptions")
    with pytest.raises(_core.CoreError, match="SLICE"):
        _core.Interpreter(m.build([x], [y]))


@given(
    shape=shapes(),
    dtype=st.sampled_from(["int8", "int8", "int16", "int32", "float32"]),
    zero=ZERO_POINTS,
    value=st.sampled_from(["none", "constant", "input"]),
    seed=SEEDS,
    data=st.data(),
)
@FEW
def test_pad_and_pad_v2(
    *,
    shape: tuple[int, ...],
    dtype: str,
    zero: int,
    value: str,
    seed: int,
    data: st.DataObject,
) -> None:
    rng = np.random.default_rng(seed)
    around = [data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3))) for _ in shape]
    quantization: dict[str, Any] = {"scale": SCALE, "zero_point": zero} if dtype == "int8" else {}
    m = ModelBuilder()
    x = m.tensor(shape, dtype, **quantization)
    padded = tuple(size + sum(pair) for size, pair in zip(shape, around, strict=True))
    y = m.tensor(padded, dtype, **quantization)
    pairs = m.tensor((len(shape), 2), "int32", data=np.array(around))
    fills = values(rng, (1,), dtype)
    inputs = [x]
    calls: list[list[NDArray[Any]]] = [[values(rng, shape, dtype)] for _ in range(2)]
    if value == "none":
        m.op("PAD", [x, pairs], [y], "PadOptions", version=2)
    else:
        constant = fills if value == "constant" else None
        fill = m.tensor((1,), dtype, data=constant, **quantization)
        m.op("PADV2", [x, pairs, fill], [y], "PadV2Options", version=2)
        if value == "input":
            inputs.append(fill)
            calls = [[*call, values(rng, (1,), dtype)] for call in calls]
    assert_same(m.build(inputs, [y]), calls)


@given(
    shape=shapes(),
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    dtype=TYPES,
    zero=ZERO_POINTS,
    seed=SEEDS,
    data=st.data(),
)
@FEW
def test_concatenation_and_split_v(
    *,
    shape: tuple[int, ...],
    sizes: list[int],
    dtype: str,
    zero: int,
    seed: int,
    data: st.DataObject,
) -> None:
    rng = np.random.default_rng(seed)
    rank = len(shape)
    axis = data.draw(st.integers(-rank, rank - 1))
    quantization = (SCALE, zero if dtype == "int8" else 0)

    def part(size: int) -> tuple[int, ...]:
        return tuple(size if i == axis % rank else s for i, s in enumerate(shape))

    m = ModelBuilder()
    parts = [m.tensor(part(size), dtype, *quantization) for size in sizes]
    whole = m.tensor(part(sum(sizes)), dtype, *quantization)
    m.op("CONCATENATION", parts, [whole], "ConcatenationOptions", version=2, axis=axis)
    # Then split again, in another order.
    others = sizes[::-1]
    apart = [m.tensor(part(size), dtype, *quantization) for size in others]
    axis_tensor = m.tensor((), "int32", data=np.array(axis))
    m.op(
        "SPLIT_V",
        [whole, ints(m, others), axis_tensor],
        apart,
        "SplitVOptions",
        version=2,
        numSplits=len(others),
    )
    calls = [[values(rng, part(size), dtype) for size in sizes] for _ in range(2)]
    assert_same(m.build(parts, [whole, *apart]), calls)


@given(shape=shapes(), count=st.integers(1, 4), dtype=TYPES, seed=SEEDS, data=st.data())
@FEW
def test_split(
    *, shape: tuple[int, ...], count: int, dtype: str, seed: int, data: st.DataObject
) -> None:
    rank = len(shape)
    axis = data.draw(st.integers(-rank, rank - 1))
    whole = tuple(s * count if i == axis % rank else s for i, s in enumerate(shape))
    m = ModelBuilder()
    x = m.tensor(whole, dtype, SCALE)
    parts = [m.tensor(shape, dtype, SCALE) for _ in range(count)]
    axis_tensor = m.tensor((), "int32", data=np.array(axis))
    m.op("SPLIT", [axis_tensor, x], parts, "SplitOptions", version=2, numSplits=count)
    rng = np.random.default_rng(seed)
    assert_same(m.build([x], parts), [[values(rng, whole, dtype)] for _ in range(2)])


def test_slice_may_overwrite_its_input() -> None:
    """The newest rows of a buffer, without a second buffer."""
    m = ModelBuilder()
    x = m.tensor((1, 50, 40), "int8", SCALE)
    copy, y = (m.tensor((1, rows, 40), "int8", SCALE) for rows in (51, 48))
    rows = m.tensor((3, 2), "int32", data=np.array([[0, 0], [0, 1], [0, 0]]))
    m.op("PAD", [x, rows], [copy], "PadOptions")
    bounds = [ints(m, numbers) for numbers in ([0, 3, 0], [1, 51, 40], [1, 1, 1])]
    m.op("STRIDED_SLICE", [copy, *bounds], [y], "StridedSliceOptions")
    model = m.build([x], [y])
    rng = np.random.default_rng(3)
    assert_same(model, [[int8s(rng, (1, 50, 40))]])
    both = 50 * 40 + 51 * 40
    assert _core.Interpreter(model).arena_used_bytes < both + 400


def test_transpose_of_single_rows_is_no_copy() -> None:
    m = ModelBuilder()
    x, y = m.tensor((1, 49, 1, 40), "int8", SCALE), m.tensor((49, 1, 40, 1), "int8", SCALE)
    m.op("TRANSPOSE", [x, ints(m, [1, 0, 3, 2])], [y], "TransposeOptions")
    model = m.build([x], [y])
    assert _core.Interpreter(model).arena_used_bytes < 2 * 49 * 40
    assert_same(model, [[int8s(np.random.default_rng(0), (1, 49, 1, 40))]])


def test_a_tensor_without_elements_is_refused_where_an_op_uses_it() -> None:
    m = ModelBuilder()
    x, unused, empty, y = (m.tensor(shape, "int8", 0.1) for shape in ((1, 4), (0,), (0, 4), (1, 4)))
    m.op("RELU", [x], [y])
    model = m.build([x], [y])
    assert len(run_core(model, [[np.zeros((1, 4), np.int8)]])) == 1
    for inputs, outputs in (([empty], [y]), ([x], [empty]), ([x, unused], [y])):
        m.graphs[0].operators.clear()
        m.op("RELU", [x], [m.tensor((1, 4), "int8", 0.1)])
        m.op("RELU", inputs, outputs)
        with pytest.raises(_core.CoreError, match=r"shapes; use fixed shapes \(op 1, RELU\)"):
            _core.Interpreter(m.build([x], [y]))
    with pytest.raises(_core.CoreError, match=r"use fixed shapes$"):
        _core.Interpreter(m.build([empty], [empty]))
