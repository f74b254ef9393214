"""The public micro_speech model: TFLM's outputs, and the arena it takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kws import _core
from tests.runtime.oracles import run_tflm


@pytest.fixture(scope="module")
def micro_speech(tflm_data: Path) -> bytes:
    """TFLM's int8 TinyConv."""
    return (tflm_data / "micro_speech_quantized.tflite").read_bytes()


@pytest.mark.parametrize("clip", ["yes_1000ms", "no_1000ms", "noise_1000ms", "silence_1000ms"])
def test_golden_outputs(micro_speech: bytes, tflm_data: Path, clip: str) -> None:
    features = np.loadtxt(tflm_data / "golden" / f"{clip}.features.txt").astype(np.int8)
    golden = np.loadtxt(tflm_data / "golden" / f"{clip}.output.txt").astype(np.int8)
    interpreter = _core.Interpreter(micro_speech)
    (scores,) = interpreter.invoke(features[:49].reshape(1, 1960))
    np.testing.assert_array_equal(scores.ravel(), golden.ravel())


def test_random_inputs_equal_tflm(micro_speech: bytes) -> None:
    rng = np.random.default_rng(7)
    uniform = rng.integers(-128, 128, (500, 1, 1960))
    like_features = np.clip(rng.normal(-100, 40, (500, 1, 1960)), -128, 127)
    rows = np.concatenate([uniform, like_features]).astype(np.int8)
    expected = run_tflm(micro_speech, [[row] for row in rows])
    interpreter = _core.Interpreter(micro_speech)
    for row, (y,) in zip(rows, expected, strict=True):
        np.testing.assert_array_equal(interpreter.invoke(row)[0].ravel(), y.ravel())


def test_arena_beats_tflm(micro_speech: bytes) -> None:
    assert _core.Interpreter(micro_speech).arena_used_bytes <= 6050
