"""Models with state: SVDF, resource variables, CALL_ONCE."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same, run_core
from tests.runtime.stateful_models import add_svdf, assert_reset_clears, streaming_model
from tests.runtime.strategies import SEEDS, ZERO_POINTS, int8s, scales

FEW = settings(max_examples=30)
CALLS = 6


POWERS_OF_TWO = st.integers(-10, -3).map(lambda power: 2.0**power)


@given(
    batch=st.integers(1, 2),
    features=st.integers(1, 40),
    units=st.integers(1, 6),
    rank=st.integers(1, 3),
    memory=st.integers(1, 9),
    state_type=st.sampled_from(["int8", "int16"]),
    in_zero=ZERO_POINTS,
    state_zero=ZERO_POINTS,
    out_zero=ZERO_POINTS,
    scale=scales(),
    # Powers of two cause ties, which reveal inexact factors.
    to_state=st.one_of(scales(1e-4, 1e-1), POWERS_OF_TWO),
    to_output=st.one_of(scales(1e-4, 1e-1), POWERS_OF_TWO),
    seed=SEEDS,
)
@FEW
def test_svdf(
    *,
    batch: int,
    features: int,
    units: int,
    rank: int,
    memory: int,
    state_type: str,
    in_zero: int,
    state_zero: int,
    out_zero: int,
    scale: float,
    to_state: float,
    to_output: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    sizes = {"batch": batch, "features": features, "units": units, "rank": rank, "memory": memory}
    wide = state_type == "int16"
    if wide:
        to_state, to_output = to_state * 256, to_output / 65536
    # TFLM compares the bias's scale with the product of these, within an absolute bound.
    state, time = scale * 0.01 / to_state, 1e-4
    quantization = {
        "feature": 0.01,
        "time": time,
        "state": state,
        "state_zero": 0 if wide else state_zero,
        "out": state * time / to_output,
        "out_zero": out_zero,
    }
    m = ModelBuilder()
    x = m.tensor((batch, features), "int8", scale, in_zero)
    y = add_svdf(m, rng, x, sizes, quantization, state_type=state_type)
    model = m.build([x], [y])
    calls = [[int8s(rng, (batch, features))] for _ in range(CALLS)]
    assert_same(model, calls, litert=False)
    assert_reset_clears(model, calls)


@st.composite
def rings(draw: st.DrawFn) -> dict[str, Any]:
    """A buffer of the last frames, as in streaming convolutions."""
    return {
        "kept": draw(st.integers(1, 5)),
        "new": draw(st.integers(1, 3)),
        "channels": draw(st.integers(1, 9)),
        "zero": draw(ZERO_POINTS),
        "first": draw(st.sampled_from(["none", "zero", "random"])),
        "seed": draw(SEEDS),
    }


@given(ring=rings())
@FEW
def test_resource_variables(*, ring: dict[str, Any]) -> None:
    model = streaming_model(ring)
    rng = np.random.default_rng(ring["seed"])
    calls = [[int8s(rng, (1, ring["new"], ring["channels"]))] for _ in range(CALLS)]
    # LiteRT refuses to read unassigned variables.
    assert_same(model, calls, litert=ring["first"] != "none")
    assert_reset_clears(model, calls)


def test_call_once_initializes_variables_again_after_reset() -> None:
    ring = {"kept": 3, "new": 1, "channels": 2, "zero": 5, "first": "random", "seed": 1}
    model = streaming_model(ring, rings_count=1)
    x = np.zeros((1, 1, 2), np.int8)
    (fresh,) = run_core(model, [[x]])
    assert len(np.unique(fresh[0])) > 2, "the constants are in the output"
    interpreter = _core.Interpreter(model)
    for _ in range(5):
        last = np.array(interpreter.invoke(x)[0])
    assert not last.any(), "all values are new"
    interpreter.reset()
    np.testing.assert_array_equal(interpreter.invoke(x)[0], fresh[0])


def _two_graphs(inner: str) -> bytes:
    """CALL_ONCE of a graph with an op or tensor that is not allowed there."""
    m = ModelBuilder()
    once = m.add_graph()
    x, y = m.tensor((1, 4), "int8", 0.1), m.tensor((4,), "int8", 0.1)
    if inner == "late":
        handle, old = m.tensor((1,), "resource"), m.tensor((4,), "int8", 0.1)
        m.op("VAR_HANDLE", [], [handle], "VarHandleOptions", sharedName="a", container="")
        m.op("READ_VARIABLE", [handle], [old], "ReadVariableOptions")
    m.op("CALL_ONCE", [], [], "CallOnceOptions", initSubgraphIndex=once if inner != "main" else 0)
    m.op("SQUEEZE", [x], [y], "SqueezeOptions", squeezeDims=[0])
    if inner == "itself":
        m.op("CALL_ONCE", [], [], "CallOnceOptions", initSubgraphIndex=once, graph=once)
    if inner == "variable":
        m.tensor((4,), "int8", 0.1, variable=True, graph=once)
    ends: tuple[list[int], list[int]] = ([], [])
    if inner == "inputs":
        ends = ([m.tensor((4,), "int8", 0.1, graph=once)], [])
    return m.build([x], [y], ends)


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        ("itself", "CALL_ONCE"),
        ("main", "damaged"),
        ("inputs", "not supported"),
        ("variable", "not supported"),
        ("late", "CALL_ONCE"),
    ],
)
def test_graphs_that_cannot_run_once_are_refused(inner: str, message: str) -> None:
    with pytest.raises(_core.CoreError, match=message):
        _core.Interpreter(_two_graphs(inner))


def test_graph_that_runs_once_may_be_empty() -> None:
    x = np.arange(4, dtype=np.int8).reshape(1, 4)
    ((y,),) = run_core(_two_graphs("nothing"), [[x]])
    np.testing.assert_array_equal(y, x.ravel())


def test_variables_of_other_sizes_are_refused() -> None:
    m = ModelBuilder()
    handle, y = m.tensor((1,), "resource"), m.tensor((1, 3), "int8", 0.1)
    x = m.tensor((1, 4), "int8", 0.1)
    m.op("VAR_HANDLE", [], [handle], "VarHandleOptions", sharedName="a", container="")
    m.op("ASSIGN_VARIABLE", [handle, x], [], "AssignVariableOptions")
    m.op("READ_VARIABLE", [handle], [y], "ReadVariableOptions")
    with pytest.raises(_core.CoreError, match="READ_VARIABLE"):
        _core.Interpreter(m.build([x], [y]))


def test_invalid_handles_are_refused() -> None:
    m = ModelBuilder()
    x, y = m.tensor((1, 4), "int8", 0.1), m.tensor((1, 4), "int8", 0.1)
    m.op("READ_VARIABLE", [x], [y], "ReadVariableOptions")
    with pytest.raises(_core.CoreError, match="READ_VARIABLE"):
        _core.Interpreter(m.build([x], [y]))
