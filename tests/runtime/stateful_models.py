# SPDX-License-Identifier: Apache-2.0
"""Models with state."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.strategies import int8s, weights


def assert_reset_clears(model: bytes, calls: list[list[NDArray[Any]]]) -> None:
    """Check that after Reset the same inputs produce the same outputs as at the start."""
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
    """Add an SVDF after tensor `x`; return the output tensor."""
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


def streaming_model(ring: dict[str, Any], *, rings_count: int = 2) -> bytes:
    """Rings of frames: READ, CONCATENATION, removal of the oldest, ASSIGN; CALL_ONCE fills them."""
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


TANH = 4


def add_lstm(
    m: ModelBuilder,
    rng: np.random.Generator,
    x: int,
    shape: tuple[int, int, int],
    units: int,
    *,
    time_major: bool = False,
    in_scale: float = 0.05,
    hidden_scale: float = 1 / 128,
    hidden_zero: int = 0,
    weight_scale: float = 0.01,
    cell_power: int = -11,
    clip: float = 0.0,
    activation: int = TANH,
    peephole: bool = False,
    exported: bool = False,
) -> int:
    """Add an LSTM after tensor `x` of scale `in_scale`; return the output tensor.

    `exported`: with five unused tensors without elements, as LiteRT exports it.
    """
    batch = shape[1] if time_major else shape[0]
    inputs = [-1] * 24
    inputs[0] = x
    for gate in range(4):
        for first, columns in ((1, shape[2]), (5, units)):
            # Each gate has its own scales.
            scale = float(np.float32(weight_scale * rng.uniform(0.5, 2.0)))
            data = weights(rng, (units, columns))
            inputs[first + gate] = m.tensor(data.shape, "int8", scale, 0, data)
        bias = rng.integers(-20000, 20000, units)
        inputs[12 + gate] = m.tensor((units,), "int32", in_scale * weight_scale, 0, bias)
    if peephole:
        inputs[9] = m.tensor((units,), "int16", 0.001, 0, np.ones(units, np.int16))
    state = (batch, units)
    inputs[18] = m.tensor(state, "int8", hidden_scale, hidden_zero, variable=True)
    inputs[19] = m.tensor(state, "int16", 2.0**cell_power, 0, variable=True)
    y = m.tensor((*shape[:2], units), "int8", hidden_scale, hidden_zero)
    gates = [m.tensor((0,), "float32") for _ in range(4)] if exported else []
    m.op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        inputs,
        [y],
        "UnidirectionalSequenceLSTMOptions",
        version=3,
        intermediates=[*gates, m.tensor((0,), "int8", 0.01)] if exported else [],
        fusedActivationFunction=activation,
        cellClip=clip,
        timeMajor=time_major,
    )
    return y


def lstm_model(
    rng: np.random.Generator,
    shape: tuple[int, int, int],
    units: int,
    *,
    in_scale: float = 0.05,
    in_zero: int = 0,
    **options: Any,
) -> bytes:
    """A model of one LSTM; `shape` of its input: batch and time, or time and batch; features."""
    m = ModelBuilder()
    x = m.tensor(shape, "int8", in_scale, in_zero)
    return m.build([x], [add_lstm(m, rng, x, shape, units, in_scale=in_scale, **options)])
