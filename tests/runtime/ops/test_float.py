"""Float32 ops with exponentials: TFLM takes these from its C library, so bits may differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import run_core, run_litert, run_tflm
from tests.runtime.stateful_models import assert_reset_clears

Array = NDArray[Any]


def activation_model(name: str, shape: tuple[int, ...]) -> bytes:
    m = ModelBuilder()
    x, y = m.tensor(shape, "float32"), m.tensor(shape, "float32")
    if name == "SOFTMAX":
        m.op(name, [x], [y], "SoftmaxOptions", beta=1.0)
    else:
        m.op(name, [x], [y])
    return m.build([x], [y])


def run(name: str, values: Array) -> tuple[Array, Array]:
    """Outputs of kws and of TFLM."""
    model = activation_model(name, values.shape)
    return run_core(model, [[values]])[0][0], run_tflm(model, [[values]])[0][0]


@pytest.mark.parametrize(
    ("name", "low", "high", "exact"),
    [
        # Below -9, LOGISTIC is e^x.
        ("LOGISTIC", -105.0, -9.01, np.exp),
        ("TANH", -10.0, 10.0, np.tanh),
        ("TANH", -0.2, 0.2, np.tanh),
    ],
)
def test_values_are_the_exact_ones_rounded(
    name: str, low: float, high: float, exact: Callable[[Array], Array]
) -> None:
    values = np.linspace(low, high, 20000).astype(np.float32).reshape(100, 200)
    ours, theirs = run(name, values)
    expected = exact(values.astype(np.float64)).astype(np.float32)
    assert np.mean(ours == expected) > 0.999
    np.testing.assert_array_max_ulp(ours, expected, 1)
    np.testing.assert_array_max_ulp(ours, theirs, 2)


@pytest.mark.parametrize("name", ["LOGISTIC", "SOFTMAX", "LOG_SOFTMAX"])
def test_ops_with_exponentials_differ_from_tflm_in_the_last_bits_only(name: str) -> None:
    values = np.random.default_rng(0).normal(0, 4, (200, 50)).astype(np.float32)
    ours, theirs = run(name, values)
    assert np.mean(ours == theirs) > 0.99
    np.testing.assert_array_max_ulp(ours, theirs, 2)


def test_special_values() -> None:
    values = np.array([np.inf, -np.inf, np.nan, 200, -200, 0], np.float32)
    cases: dict[str, list[float]] = {
        "LOGISTIC": [1, 0, np.nan, 1, 0, 0.5],
        "TANH": [1, -1, np.nan, 1, -1, 0],
        "SQRT": [np.inf, np.nan, np.nan, 200**0.5, np.nan, 0],
    }
    for name, expected in cases.items():
        (outputs,) = _core.Interpreter(activation_model(name, (6,))).invoke(values)
        np.testing.assert_array_equal(outputs.astype(np.float32), np.array(expected, np.float32))


def lstm(rng: np.random.Generator, shape: tuple[int, int, int], units: int, clip: float) -> bytes:
    """A float32 LSTM over (batch, steps, features)."""
    batch, steps, features = shape
    m = ModelBuilder()
    x = m.tensor(shape, "float32")
    inputs = [x]
    for columns in (features, units):
        for _ in range(4):
            values = rng.normal(0, 0.5, (units, columns)).astype(np.float32)
            inputs.append(m.tensor((units, columns), "float32", data=values))
    inputs += [-1] * 3
    for _ in range(4):
        values = rng.normal(0, 0.5, units).astype(np.float32)
        inputs.append(m.tensor((units,), "float32", data=values))
    inputs += [-1] * 2
    inputs += [m.tensor((batch, units), "float32", variable=True) for _ in range(2)]
    inputs += [-1] * 4
    y = m.tensor((batch, steps, units), "float32")
    options: dict[str, Any] = {"fusedActivationFunction": 4, "cellClip": clip}
    m.op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [y], "UnidirectionalSequenceLSTMOptions", **options
    )
    return m.build([x], [y])


@pytest.mark.parametrize(("batch", "clip"), [(1, 0.0), (2, 0.0), (2, 0.3)])
def test_lstm(batch: int, clip: float) -> None:
    rng = np.random.default_rng(batch)
    shape = (batch, 4, 5)
    model = lstm(rng, shape, 6, clip)
    calls = [[rng.normal(0, 1, shape).astype(np.float32)] for _ in range(3)]
    ours, theirs = run_core(model, calls), run_tflm(model, calls)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a[0], b[0], rtol=0, atol=2e-6)
    assert_reset_clears(model, calls)


def test_padding_of_space_to_batch_is_the_zero_point() -> None:
    """As in LiteRT; TFLM leaves the value open."""
    m = ModelBuilder()
    x = m.tensor((1, 3, 4, 2), "int8", 0.25, 7)
    y = m.tensor((4, 2, 3, 2), "int8", 0.25, 7)
    block = m.tensor((2,), "int32", data=np.array([2, 2]))
    pads = m.tensor((2, 2), "int32", data=np.array([[1, 0], [1, 1]]))
    m.op("SPACE_TO_BATCH_ND", [x, block, pads], [y], "SpaceToBatchNDOptions", version=2)
    model = m.build([x], [y])
    values = np.arange(24, dtype=np.int8).reshape(1, 3, 4, 2)
    ((ours,),) = run_core(model, [[values]])
    ((theirs,),) = run_litert(model, [[values]])
    np.testing.assert_array_equal(ours, theirs)
    assert np.sum(ours == 7) == 25


def test_a_model_with_several_types_of_an_op_needs_the_kernel_for_any_type() -> None:
    def relu(m: ModelBuilder, kind: str) -> tuple[int, int]:
        scale = None if kind == "float32" else 0.1
        x, y = m.tensor((4,), kind, scale), m.tensor((4,), kind, scale)
        m.op("RELU", [x], [y])
        return x, y

    for kinds, kernel in [
        (["int8"], "RELU"),
        (["float32"], "RELU float32"),
        (["int8", "float32"], "RELU any type"),
    ]:
        m = ModelBuilder()
        ends = [relu(m, kind) for kind in kinds]
        interpreter = _core.Interpreter(m.build([x for x, _ in ends], [y for _, y in ends]))
        assert interpreter.kernels == [kernel]
        values = [np.array([-2, -1, 1, 2], kind) for kind in kinds]
        for outputs in interpreter.invoke(*values):
            np.testing.assert_array_equal(outputs, [0, 0, 1, 2])


@pytest.mark.parametrize("zero_point", [1, -5])
def test_int16_needs_zero_point_0(zero_point: int) -> None:
    m = ModelBuilder()
    a, b, y = (m.tensor((4,), "int16", 0.1, zero_point) for _ in range(3))
    m.op("ADD", [a, b], [y], "AddOptions")
    with pytest.raises(_core.CoreError, match="bad scale or zero point"):
        _core.Interpreter(m.build([a, b], [y]))


def test_a_gather_index_out_of_range_is_the_nearest_one() -> None:
    m = ModelBuilder()
    x, i, y = m.tensor((3, 2), "float32"), m.tensor((3,), "int32"), m.tensor((3, 2), "float32")
    m.op("GATHER", [x, i], [y], "GatherOptions", axis=0)
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    (outputs,) = _core.Interpreter(m.build([x, i], [y])).invoke(
        values, np.array([-7, 1, 99], np.int32)
    )
    np.testing.assert_array_equal(outputs, values)
