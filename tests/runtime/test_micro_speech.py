"""A model of micro_speech's shape: TFLM's outputs, and a smaller arena than TFLM's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kws import _core
from tests.oracle_data import model_file
from tests.runtime.oracles import run_tflm


@pytest.mark.parametrize("clip", ["yes_1000ms", "no_1000ms", "noise_1000ms", "silence_1000ms"])
def test_golden_outputs_of_the_public_model(tflm_data: Path, clip: str) -> None:
    features = np.loadtxt(tflm_data / "golden" / f"{clip}.features.txt").astype(np.int8)
    golden = np.loadtxt(tflm_data / "golden" / f"{clip}.output.txt").astype(np.int8)
    model = (tflm_data / "micro_speech_quantized.tflite").read_bytes()
    interpreter = _core.Interpreter(model)
    (scores,) = interpreter.invoke(features[:49].reshape(1, 1960))
    np.testing.assert_array_equal(scores.ravel(), golden.ravel())


@pytest.fixture(scope="module")
def tiny_conv() -> bytes:
    return model_file("tiny_conv").read_bytes()


def test_random_inputs_equal_tflm(tiny_conv: bytes) -> None:
    rng = np.random.default_rng(7)
    uniform = rng.integers(-128, 128, (500, 1, 49, 40, 1))
    like_features = np.clip(rng.normal(-100, 40, (500, 1, 49, 40, 1)), -128, 127)
    rows = np.concatenate([uniform, like_features]).astype(np.int8)
    expected = run_tflm(tiny_conv, [[row] for row in rows])
    interpreter = _core.Interpreter(tiny_conv)
    for row, (y,) in zip(rows, expected, strict=True):
        np.testing.assert_array_equal(interpreter.invoke(row)[0].ravel(), y.ravel())


def test_arena_beats_tflm(tiny_conv: bytes) -> None:
    # TFLM needs 6,836 bytes for micro_speech.
    assert _core.Interpreter(tiny_conv).arena_used_bytes <= 6050
