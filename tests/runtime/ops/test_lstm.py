"""UNIDIRECTIONAL_SEQUENCE_LSTM against TFLM; LiteRT computes its activations in another way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.ops.test_streaming import assert_reset_clears
from tests.runtime.oracles import assert_same, run_core
from tests.runtime.strategies import SEEDS, ZERO_POINTS, int8s, scales, weights

FEW = settings(max_examples=40)
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
    """An LSTM after tensor `x` of scale `in_scale`; the output.

    `exported`: with five tensors that no op uses and that have no elements, as LiteRT exports it.
    """
    batch = shape[1] if time_major else shape[0]
    inputs = [-1] * 24
    inputs[0] = x
    for gate in range(4):
        for first, columns in ((1, shape[2]), (5, units)):
            # Every gate has scales of its own.
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
    """One LSTM; `shape` is the input's: batch and time, or time and batch, and features."""
    m = ModelBuilder()
    x = m.tensor(shape, "int8", in_scale, in_zero)
    return m.build([x], [add_lstm(m, rng, x, shape, units, in_scale=in_scale, **options)])


@given(
    batch=st.integers(1, 2),
    steps=st.integers(1, 5),
    features=st.integers(1, 20),
    units=st.integers(1, 9),
    options=st.fixed_dictionaries(
        {
            "time_major": st.booleans(),
            "in_scale": scales(1e-3, 0.2),
            "in_zero": ZERO_POINTS,
            "hidden_scale": st.one_of(st.just(1 / 128), scales(1e-3, 0.1)),
            "hidden_zero": ZERO_POINTS,
            "weight_scale": scales(1e-3, 0.1),
            "cell_power": st.integers(-15, -8),
            "clip": st.sampled_from([0.0, 0.0, 0.5, 10.0]),
            "exported": st.booleans(),
        }
    ),
    seed=SEEDS,
)
@FEW
def test_lstm(
    *, batch: int, steps: int, features: int, units: int, options: dict[str, Any], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    shape = (steps, batch, features) if options["time_major"] else (batch, steps, features)
    model = lstm_model(rng, shape, units, **options)
    calls = [[int8s(rng, shape)] for _ in range(4)]
    assert_same(model, calls, litert=False)
    assert_reset_clears(model, calls)


def test_every_input_of_the_activations() -> None:
    """Biases alone move the gates: sums from far below to far above, tanh and sigmoid of all."""
    units, count = 64, 16
    rng = np.random.default_rng(0)
    for power in (-15, -12, -11, -9):
        model = lstm_model(
            rng,
            (1, count, 3),
            units,
            weight_scale=0.03,
            in_scale=0.02,
            hidden_scale=1 / 512,
            cell_power=power,
        )
        calls = [[int8s(rng, (1, count, 3))] for _ in range(4)]
        assert_same(model, calls, litert=False)
        (first, *_) = run_core(model, calls)
        assert len(np.unique(first[0])) > 100


def test_variants_are_refused() -> None:
    rng = np.random.default_rng(0)
    for options in ({"activation": 1}, {"peephole": True}):
        with pytest.raises(_core.CoreError, match=r"not supported.*UNIDIRECTIONAL_SEQUENCE_LSTM"):
            _core.Interpreter(lstm_model(rng, (1, 2, 3), 4, **options))
    with pytest.raises(_core.CoreError, match="quantize again"):
        _core.Interpreter(lstm_model(rng, (1, 2, 3), 4, cell_power=30))
