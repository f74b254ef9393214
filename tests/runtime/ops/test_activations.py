"""RELU, RELU6, LEAKY_RELU, HARD_SWISH, LOGISTIC and TANH against the oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import SEEDS, ZERO_POINTS, int8s, scales

FEW = settings(max_examples=40)

Scale = tuple[float, int]
ALL = np.arange(-128, 128, dtype=np.int8)


def unary_model(
    name: str, shape: tuple[int, ...], x: Scale, y: Scale, alpha: float | None = None
) -> bytes:
    """A model of one op."""
    m = ModelBuilder()
    tensor = m.tensor(shape, "int8", *x)
    output = m.tensor(shape, "int8", *y)
    if alpha is None:
        m.op(name, [tensor], [output], version=1 if name == "HARD_SWISH" else 2)
    else:
        m.op(name, [tensor], [output], "LeakyReluOptions", version=2, alpha=alpha)
    return m.build([tensor], [output])


def every_value(rng: np.random.Generator) -> list[list[NDArray[Any]]]:
    """All bytes in one call: few enough to be computed one by one."""
    return [[rng.permutation(ALL)]]


QUANTIZED = st.tuples(scales(), ZERO_POINTS)
# The core refuses an input scale that is 2**30 times the output scale, or more.
WIDE = st.tuples(scales(1e-6, 1e3), ZERO_POINTS)


@given(x=WIDE, y=WIDE, seed=SEEDS)
@FEW
def test_relu(*, x: Scale, y: Scale, seed: int) -> None:
    calls = every_value(np.random.default_rng(seed))
    assert_same(unary_model("RELU", (256,), x, y), calls)


@given(x=QUANTIZED, seed=SEEDS)
@FEW
def test_relu6(*, x: Scale, seed: int) -> None:
    calls = every_value(np.random.default_rng(seed))
    assert_same(unary_model("RELU6", (256,), x, x), calls)


def test_relu6_does_not_look_at_the_output_scale() -> None:
    """As in TFLM; LiteRT would rescale."""
    model = unary_model("RELU6", (256,), (0.05, -20), (0.1, 4))
    assert_same(model, [[ALL]], litert=False)


@given(x=QUANTIZED, y=QUANTIZED, alpha=st.floats(-3, 3, width=32), seed=SEEDS)
# In float the factor would be a little more than alpha, and a half would round the other way.
@example(x=(0.004559122957289219, 0), y=(0.004559122957289219, 0), alpha=0.98046875, seed=0)
@FEW
def test_leaky_relu(*, x: Scale, y: Scale, alpha: float, seed: int) -> None:
    calls = every_value(np.random.default_rng(seed))
    model = unary_model("LEAKY_RELU", (256,), x, y, alpha)
    # LiteRT multiplies the scale with alpha in float.
    assert_same(model, calls, litert=False)


@given(x=WIDE, y=WIDE, seed=SEEDS)
@settings(FEW, max_examples=80)
def test_hard_swish(*, x: Scale, y: Scale, seed: int) -> None:
    model = unary_model("HARD_SWISH", (256,), x, y)
    if x[0] / 128 >= y[0]:
        # TFLM refuses it too; rounding may still admit the border.
        with pytest.raises(_core.CoreError, match="quantiz"):
            _core.Interpreter(model)
        return
    assert_same(model, every_value(np.random.default_rng(seed)))


@given(x=st.tuples(scales(1e-8, 1e4), ZERO_POINTS), seed=SEEDS)
@settings(FEW, max_examples=80)
def test_logistic(*, x: Scale, seed: int) -> None:
    model = unary_model("LOGISTIC", (256,), x, (1 / 256, -128))
    # LiteRT computes with a table of floating-point values.
    assert_same(model, every_value(np.random.default_rng(seed)), litert=False)


@given(x=st.tuples(scales(1e-8, 1e4), ZERO_POINTS), seed=SEEDS)
@settings(FEW, max_examples=80)
def test_tanh(*, x: Scale, seed: int) -> None:
    model = unary_model("TANH", (256,), x, (1 / 128, 0))
    assert_same(model, every_value(np.random.default_rng(seed)), litert=False)


@pytest.mark.parametrize("name", ["RELU", "RELU6", "LEAKY_RELU", "HARD_SWISH", "LOGISTIC", "TANH"])
@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 3, 4, 5), (257,), (2, 11, 7, 9)])
def test_shapes(name: str, shape: tuple[int, ...]) -> None:
    """From 257 elements on, a table is made in each call."""
    rng = np.random.default_rng(len(shape))
    outputs = {"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0), "RELU6": (0.05, 3)}
    alpha = 0.1 if name == "LEAKY_RELU" else None
    model = unary_model(name, shape, (0.05, 3), outputs.get(name, (0.07, -100)), alpha)
    exact = name not in ("LOGISTIC", "TANH")
    assert_same(model, [[int8s(rng, shape)] for _ in range(2)], litert=exact)


def test_logistic_wants_its_zero_point() -> None:
    with pytest.raises(_core.CoreError, match="quantiz"):
        _core.Interpreter(unary_model("LOGISTIC", (4,), (0.1, 0), (1 / 256, 0)))


def test_the_output_takes_the_place_of_the_input() -> None:
    model = unary_model("LOGISTIC", (5000,), (0.1, 0), (1 / 256, -128))
    assert _core.Interpreter(model).arena_used_bytes < 5000 + 256 + 150
