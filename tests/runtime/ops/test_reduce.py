"""MEAN and SUM: many dimensions and values, memory, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.ops.elementwise_cases import reduce_model
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import int8s


@pytest.mark.parametrize("axes", [[0], [1, 3, 5], [0, 2, 4], [1, 2, 4, 5], [0, 1, 2, 3, 4, 5]])
def test_six_dimensions(axes: list[int]) -> None:
    shape = (2, 3, 2, 4, 3, 2)
    model = reduce_model("MEAN", shape, axes, ((0.05, 3), (0.04, -2)))
    rng = np.random.default_rng(1)
    assert_same(model, [[int8s(rng, shape)]], litert=False)


def test_sums_of_many_values() -> None:
    """The sum exceeds 16 bits, and the divisor is not a power of two."""
    shape = (1, 123, 211, 2)
    rng = np.random.default_rng(1)
    for name, scale in (("MEAN", 0.05), ("SUM", 900.0)):
        model = reduce_model(name, shape, [1, 2], ((0.05, -128), (scale, -128)))
        assert_same(model, [[int8s(rng, shape)]], litert=name == "MEAN")


def test_the_output_may_overwrite_the_input() -> None:
    rng = np.random.default_rng(1)
    shape = (5, 40, 30)
    model = reduce_model("MEAN", shape, [1], ((0.05, 0), (0.05, 0)))
    assert _core.Interpreter(model).arena_used_bytes < 5 * 40 * 30 + 200
    assert_same(model, [[int8s(rng, shape)] for _ in range(2)])


@pytest.mark.parametrize("axis", [-3, 2])
def test_an_axis_beyond_the_rank_is_refused(axis: int) -> None:
    m = ModelBuilder()
    x = m.tensor((2, 3), "int8", 0.1, 0)
    a = m.tensor((1,), "int32", data=np.array([axis]))
    y = m.tensor((2,), "int8", 0.1, 0)
    m.op("MEAN", [x, a], [y], "ReducerOptions", version=2)
    with pytest.raises(_core.CoreError, match=r"damaged|contradict"):
        _core.Interpreter(m.build([x], [y]))
