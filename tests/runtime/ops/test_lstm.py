"""UNIDIRECTIONAL_SEQUENCE_LSTM against TFLM; LiteRT computes the activations differently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kws import _core
from tests.runtime.oracles import assert_same, run_core
from tests.runtime.stateful_models import assert_reset_clears, lstm_model
from tests.runtime.strategies import SEEDS, ZERO_POINTS, int8s, scales

FEW = settings(max_examples=40)


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
    """Only biases drive the gates: tanh and sigmoid get sums from far below to far above."""
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
