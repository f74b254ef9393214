"""RELU, RELU6, LEAKY_RELU, HARD_SWISH, LOGISTIC and TANH: shapes, memory, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from kws import _core
from tests.runtime.ops.elementwise_cases import ALL, WIDE, Scale, unary_model
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import int8s


@given(x=WIDE, y=WIDE)
@settings(max_examples=30)
def test_hard_swish_refuses_too_large_an_input_scale(x: Scale, y: Scale) -> None:
    """TFLM refuses it too; because of rounding, the limit itself may be accepted."""
    assume(x[0] / 128 >= y[0])
    with pytest.raises(_core.CoreError, match="quantiz"):
        _core.Interpreter(unary_model("HARD_SWISH", (256,), x, y))


def test_relu6_ignores_the_output_scale() -> None:
    """As in TFLM; LiteRT would rescale."""
    model = unary_model("RELU6", (256,), (0.05, -20), (0.1, 4))
    assert_same(model, [[ALL]], litert=False)


@pytest.mark.parametrize("name", ["RELU", "RELU6", "LEAKY_RELU", "HARD_SWISH", "LOGISTIC", "TANH"])
@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 3, 4, 5), (257,), (2, 11, 7, 9)])
def test_shapes(name: str, shape: tuple[int, ...]) -> None:
    """With more than 256 elements, each call computes a table."""
    rng = np.random.default_rng(len(shape))
    outputs = {"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0), "RELU6": (0.05, 3)}
    alpha = 0.1 if name == "LEAKY_RELU" else None
    model = unary_model(name, shape, (0.05, 3), outputs.get(name, (0.07, -100)), alpha)
    exact = name not in ("LOGISTIC", "TANH")
    assert_same(model, [[int8s(rng, shape)] for _ in range(2)], litert=exact)


def test_logistic_requires_its_zero_point() -> None:
    with pytest.raises(_core.CoreError, match="quantiz"):
        _core.Interpreter(unary_model("LOGISTIC", (4,), (0.1, 0), (1 / 256, 0)))


def test_the_output_may_overwrite_the_input() -> None:
    model = unary_model("LOGISTIC", (5000,), (0.1, 0), (1 / 256, -128))
    assert _core.Interpreter(model).arena_used_bytes < 5000 + 256 + 150
