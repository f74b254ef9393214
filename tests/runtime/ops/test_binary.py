"""ADD, SUB, MUL, MAXIMUM and MINIMUM: many dimensions, memory, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from kws import _core
from tests.runtime.ops.elementwise_cases import Shapes, binary_model, broadcasts
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import int8s


@pytest.mark.parametrize("ranks", [(6, 6), (6, 3), (2, 6), (5, 0)])
def test_ranks_up_to_six(ranks: tuple[int, int]) -> None:
    """TFLM's broadcasting accepts them; here each input has every second dimension."""
    rng = np.random.default_rng(1)
    size = max(ranks)
    full = (2, 3, 2, 3, 2, 3)[:size]
    a = tuple(1 if i % 2 else n for i, n in enumerate(full))[size - ranks[0] :]
    b = tuple(n if i % 2 else 1 for i, n in enumerate(full))[size - ranks[1] :]
    output = np.broadcast_shapes(a, b)
    model = binary_model("ADD", (a, b, output), ((0.1, 3), (0.2, 4), (0.3, 5)), 0)
    assert_same(model, [[int8s(rng, a), int8s(rng, b)]], litert=False)


@given(shapes=broadcasts())
@settings(max_examples=30)
def test_an_output_of_another_shape_is_refused(*, shapes: Shapes) -> None:
    a, b, output = shapes
    wrong = (*output[:-1], output[-1] + 1)
    assume(a[-1] != 1 or b[-1] != 1)
    with pytest.raises(_core.CoreError, match="shape"):
        _core.Interpreter(binary_model("ADD", (a, b, wrong), ((0.1, 0),) * 3, 0))


def test_a_factor_of_one_or_more_is_refused() -> None:
    """TFLM aborts the program."""
    quantization = ((1.0, 0), (1.0, 0), (2.0**-19, 0))
    with pytest.raises(_core.CoreError, match="quantiz"):
        _core.Interpreter(binary_model("ADD", ((1,), (1,), (1,)), quantization, 0))


def test_the_output_may_overwrite_an_input() -> None:
    shapes = ((1, 4000), (1, 4000), (1, 4000))
    model = binary_model("ADD", shapes, ((0.1, 0),) * 3, 0)
    assert _core.Interpreter(model).arena_used_bytes < 2 * 4000 + 200
