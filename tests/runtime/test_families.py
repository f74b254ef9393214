"""Whole models of each usual family, untrained, run as TFLite exports them, with TFLM's bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kws import _core
from tests.runtime.families import (
    FAMILIES,
    from_layers,
    low_latency_svdf,
    lstm,
    mixed_net,
    random_rows,
)
from tests.runtime.oracles import assert_same

pytestmark = pytest.mark.filterwarnings("ignore:Statistics for quantized inputs")


@pytest.mark.parametrize("family", FAMILIES)
def test_family_runs_unchanged(family: str) -> None:
    body, shape = FAMILIES[family]
    check(from_layers(body, shape), count=3)


@pytest.mark.parametrize(
    ("make", "ops"),
    [
        (low_latency_svdf, {"SVDF"}),
        (lstm, {"UNIDIRECTIONAL_SEQUENCE_LSTM"}),
        (mixed_net, {"CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"}),
    ],
)
def test_family_with_a_memory_runs_unchanged(make: Callable[[], bytes], ops: set[str]) -> None:
    model = make()
    assert ops <= set(_core.Interpreter(model).ops)
    check(model, count=8)


def check(model: bytes, *, count: int) -> None:
    """TFLM's bits, call after call, and the same again after a reset."""
    interpreter = _core.Interpreter(model)
    rows = random_rows(interpreter.inputs[0].shape, count)
    first = [np.array(interpreter.invoke(row)[0]) for row in rows]
    assert len({y.tobytes() for y in first}) > 1, "the model says the same of everything"
    interpreter.reset()
    np.testing.assert_array_equal(first, [interpreter.invoke(row)[0] for row in rows])
    assert_same(model, [[row] for row in rows], litert=False)
