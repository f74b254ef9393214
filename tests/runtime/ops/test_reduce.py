"""MEAN, SUM and ARG_MAX against the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import SEEDS, ZERO_POINTS, int8s, scales

FEW = settings(max_examples=60)

Scale = tuple[float, int]
Shape = tuple[int, ...]


def reduced(shape: Shape, axes: list[int], keep: bool) -> Shape:
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
    output = m.tensor(reduced(shape, axes, keep), "int8", *ends[1])
    m.op(name, [tensor, axis], [output], "ReducerOptions", version=2, keepDims=keep)
    return m.build([tensor], [output])


@given(
    name=st.sampled_from(["MEAN", "SUM"]),
    shape=st.lists(st.integers(1, 7), min_size=1, max_size=4),
    chosen=st.integers(1, 15),
    negative=st.booleans(),
    keep=st.booleans(),
    x=st.tuples(scales(), ZERO_POINTS),
    y=st.tuples(scales(), ZERO_POINTS),
    seed=SEEDS,
)
@settings(FEW, max_examples=120)
def test_mean_and_sum(
    *,
    name: str,
    shape: list[int],
    chosen: int,
    negative: bool,
    keep: bool,
    x: Scale,
    y: Scale,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    rank = len(shape)
    axes = [i for i in range(rank) if chosen >> i & 1] or [0]
    if negative:
        axes = [axis - rank for axis in axes]
    model = reduce_model(name, tuple(shape), axes, (x, y), keep=keep)
    # LiteRT's SUM does not saturate.
    calls = [[int8s(rng, tuple(shape))] for _ in range(2)]
    assert_same(model, calls, litert=name == "MEAN")


@pytest.mark.parametrize("axes", [[0], [1, 3, 5], [0, 2, 4], [1, 2, 4, 5], [0, 1, 2, 3, 4, 5]])
def test_six_dimensions(axes: list[int]) -> None:
    shape = (2, 3, 2, 4, 3, 2)
    model = reduce_model("MEAN", shape, axes, ((0.05, 3), (0.04, -2)))
    rng = np.random.default_rng(1)
    assert_same(model, [[int8s(rng, shape)]], litert=False)


def test_a_sum_of_many() -> None:
    """Where the sum itself leaves 16 bits, and the divisor is no power of two."""
    shape = (1, 123, 211, 2)
    rng = np.random.default_rng(1)
    for name, scale in (("MEAN", 0.05), ("SUM", 900.0)):
        model = reduce_model(name, shape, [1, 2], ((0.05, -128), (scale, -128)))
        assert_same(model, [[int8s(rng, shape)]], litert=name == "MEAN")


def test_the_output_takes_the_place_of_the_input() -> None:
    rng = np.random.default_rng(1)
    shape = (5, 40, 30)
    model = reduce_model("MEAN", shape, [1], ((0.05, 0), (0.05, 0)))
    assert _core.Interpreter(model).arena_used_bytes < 5 * 40 * 30 + 200
    assert_same(model, [[int8s(rng, shape)] for _ in range(2)])


def arg_max_model(shape: Shape, axis: int) -> bytes:
    """A model of one ARG_MAX."""
    m = ModelBuilder()
    x = m.tensor(shape, "int8", 0.1, 0)
    a = m.tensor((1,), "int32", data=np.array([axis]))
    y = m.tensor(reduced(shape, [axis], False), "int32")
    m.op("ARG_MAX", [x, a], [y], "ArgMaxOptions", version=2, outputType=2)
    return m.build([x], [y])


@given(
    shape=st.lists(st.integers(1, 7), min_size=1, max_size=4),
    axis=st.integers(-4, 3),
    levels=st.sampled_from([2, 5, 256]),
    seed=SEEDS,
)
@FEW
def test_arg_max(*, shape: list[int], axis: int, levels: int, seed: int) -> None:
    """Few levels make ties, of which the first counts."""
    rng = np.random.default_rng(seed)
    axis = axis % len(shape) if axis >= 0 else -1 - (-axis - 1) % len(shape)
    values = rng.integers(-128, levels - 128, shape).astype(np.int8)
    assert_same(arg_max_model(tuple(shape), axis), [[values]])


@pytest.mark.parametrize("axis", [-3, 2])
def test_an_axis_beyond_the_rank_is_refused(axis: int) -> None:
    m = ModelBuilder()
    x = m.tensor((2, 3), "int8", 0.1, 0)
    a = m.tensor((1,), "int32", data=np.array([axis]))
    y = m.tensor((2,), "int8", 0.1, 0)
    m.op("MEAN", [x, a], [y], "ReducerOptions", version=2)
    with pytest.raises(_core.CoreError, match=r"damaged|contradict"):
        _core.Interpreter(m.build([x], [y]))
