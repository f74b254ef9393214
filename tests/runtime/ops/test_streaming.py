"""Models that keep something from call to call: SVDF, resource variables, CALL_ONCE."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same, run_core
from tests.runtime.strategies import SEEDS, ZERO_POINTS, int8s, scales, weights

FEW = settings(max_examples=30)
CALLS = 6


def assert_reset_clears(model: bytes, calls: list[list[NDArray[Any]]]) -> None:
    """After Reset the same inputs give the same outputs as after the start."""
    interpreter = _core.Interpreter(model)
    runs = []
    for _ in range(2):
        runs.append([[np.array(y) for y in interpreter.invoke(*call)] for call in calls])
        interpreter.reset()
    for first, second in zip(*runs, strict=True):
        for a, b in zip(first, second, strict=True):
            np.testing.assert_array_equal(a, b)


def add_svdf(
    m: ModelBuilder,
    rng: np.random.Generator,
    x: int,
    sizes: dict[str, int],
    quantization: dict[str, Any],
    *,
    state_type: str = "int16",
) -> int:
    """An SVDF after tensor `x`; the output."""
    q, filters = quantization, sizes["units"] * sizes["rank"]
    feature_shape, time_shape = (filters, sizes["features"]), (filters, sizes["memory"])
    feature = m.tensor(feature_shape, "int8", q["feature"], 0, weights(rng, feature_shape))
    steps = weights(rng, time_shape)
    if state_type == "int16":
        steps = (steps.astype(np.int16) * 257).astype(np.int16)
    time = m.tensor(time_shape, state_type, q["time"], 0, steps)
    bias_scale = float(np.float32(q["state"]) * np.float32(q["time"]))
    bias_data = rng.integers(-3000, 3000, sizes["units"])
    bias = m.tensor((sizes["units"],), "int32", bias_scale, 0, bias_data)
    state_shape = (sizes["batch"], filters * sizes["memory"])
    state = m.tensor(state_shape, state_type, q["state"], q["state_zero"], variable=True)
    y = m.tensor((sizes["batch"], sizes["units"]), "int8", q["out"], q["out_zero"])
    inputs = [x, feature, time, bias, state]
    m.op("SVDF", inputs, [y], "SVDFOptions", version=3, rank=sizes["rank"])
    return y


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
    # Powers of two make ties, which show how exactly a factor is computed.
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
    """A buffer of the last frames, as streaming convolutions keep it."""
    return {
        "kept": draw(st.integers(1, 5)),
        "new": draw(st.integers(1, 3)),
        "channels": draw(st.integers(1, 9)),
        "zero": draw(ZERO_POINTS),
        "first": draw(st.sampled_from(["none", "zero", "random"])),
        "seed": draw(SEEDS),
    }


def streaming_model(ring: dict[str, Any], *, rings_count: int = 2) -> bytes:
    """Each ring: READ, CONCATENATION with the new frames, the oldest fall out, ASSIGN; CALL_ONCE
    fills the variables."""
    rng = np.random.default_rng(ring["seed"])
    kept, new, channels = ring["kept"], ring["new"], ring["channels"]
    quantization = ("int8", 0.1, ring["zero"])
    m = ModelBuilder()
    x = m.tensor((1, new, channels), *quantization)
    if ring["first"] != "none":
        once = m.add_graph()
        m.op("CALL_ONCE", [], [], "CallOnceOptions", initSubgraphIndex=once)
        for i in range(rings_count):
            shape = (1, kept + i, channels)
            zeros = np.full(shape, ring["zero"])
            first = zeros if ring["first"] == "zero" else int8s(rng, shape)
            handle = m.tensor((1,), "resource", graph=once)
            value = m.tensor(shape, *quantization, first, graph=once)
            name: dict[str, Any] = {"container": "", "sharedName": f"state_{i}"}
            m.op("VAR_HANDLE", [], [handle], "VarHandleOptions", graph=once, **name)
            m.op("ASSIGN_VARIABLE", [handle, value], [], "AssignVariableOptions", graph=once)
    ends = []
    for i in range(rings_count):
        frames = kept + i
        handle = m.tensor((1,), "resource")
        name = {"container": "", "sharedName": f"state_{i}"}
        m.op("VAR_HANDLE", [], [handle], "VarHandleOptions", **name)
        old = m.tensor((1, frames, channels), *quantization)
        m.op("READ_VARIABLE", [handle], [old], "ReadVariableOptions")
        window = m.tensor((1, frames + new, channels), *quantization)
        m.op("CONCATENATION", [old, x], [window], "ConcatenationOptions", axis=1)
        newest = m.tensor((1, frames, channels), *quantization)
        bounds = [
            m.tensor((3,), "int32", data=np.array(numbers))
            for numbers in ([0, new, 0], [1, frames + new, channels], [1, 1, 1])
        ]
        m.op("STRIDED_SLICE", [window, *bounds], [newest], "StridedSliceOptions")
        m.op("ASSIGN_VARIABLE", [handle, newest], [], "AssignVariableOptions")
        ends.append(window)
    others: list[tuple[list[int], list[int]]] = [([], [])] if ring["first"] != "none" else []
    return m.build([x], ends, *others)


@given(ring=rings())
@FEW
def test_resource_variables(*, ring: dict[str, Any]) -> None:
    model = streaming_model(ring)
    rng = np.random.default_rng(ring["seed"])
    calls = [[int8s(rng, (1, ring["new"], ring["channels"]))] for _ in range(CALLS)]
    # LiteRT refuses to read what was never assigned.
    assert_same(model, calls, litert=ring["first"] != "none")
    assert_reset_clears(model, calls)


def test_call_once_fills_variables_again_after_reset() -> None:
    ring = {"kept": 3, "new": 1, "channels": 2, "zero": 5, "first": "random", "seed": 1}
    model = streaming_model(ring, rings_count=1)
    x = np.zeros((1, 1, 2), np.int8)
    (fresh,) = run_core(model, [[x]])
    assert len(np.unique(fresh[0])) > 2, "the constants are there"
    interpreter = _core.Interpreter(model)
    for _ in range(5):
        last = np.array(interpreter.invoke(x)[0])
    assert not last.any(), "by now all is new"
    interpreter.reset()
    np.testing.assert_array_equal(interpreter.invoke(x)[0], fresh[0])


def _two_graphs(inner: str) -> bytes:
    """CALL_ONCE of a graph with something in it that a graph run once may not have."""
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


def test_what_is_no_handle_is_refused() -> None:
    m = ModelBuilder()
    x, y = m.tensor((1, 4), "int8", 0.1), m.tensor((1, 4), "int8", 0.1)
    m.op("READ_VARIABLE", [x], [y], "ReadVariableOptions")
    with pytest.raises(_core.CoreError, match="READ_VARIABLE"):
        _core.Interpreter(m.build([x], [y]))
