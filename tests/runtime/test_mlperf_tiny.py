# SPDX-License-Identifier: Apache-2.0
"""MLPerf Tiny's keyword spotter and streaming wake word are bit-identical to TFLM.

KWS_MLPERF_TINY is a checkout of github.com/mlcommons/tiny (tested with commit 1afd2c98). The
benchmark's calibration samples are its own features of real recordings.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core
from kws.convert.incremental.model import make_incremental
from tests.runtime.oracles import assert_same, run_core

VARIABLE = "KWS_MLPERF_TINY"
SPOTTER = "keyword_spotting/trained_models/kws_ref_model.tflite"
WAKE_WORD = "streaming_wakeword/trained_models/str_ww_ref_model.tflite"
FRAMES = 30  # of the wake word's window

Rows = NDArray[np.int8]


@pytest.fixture(scope="module")
def training() -> Path:
    checkout = os.environ.get(VARIABLE)
    if not checkout:
        pytest.skip(f"{VARIABLE} is not set: a checkout of MLPerf Tiny")
    return Path(checkout) / "benchmark" / "training"


@pytest.mark.parametrize("name", [SPOTTER, WAKE_WORD])
def test_random_inputs(training: Path, name: str) -> None:
    model = (training / name).read_bytes()
    shape = _core.Interpreter(model).inputs[0].shape
    rows = np.random.default_rng(1).integers(-128, 128, (40, *shape)).astype(np.int8)
    assert_same(model, [[row] for row in rows], litert=False)


def test_recordings(training: Path) -> None:
    model = (training / WAKE_WORD).read_bytes()
    rows = recordings(training, model)
    assert_same(model, [[row] for row in rows], litert=False)
    scores = np.array([y for (y,) in run_core(model, [[row] for row in rows])])
    assert len(set(scores.reshape(len(rows), -1).argmax(1))) == 3, "not all classes occur"


def test_incremental_wake_word(training: Path) -> None:
    """It computes one new frame of 30 and gives the same scores."""
    model = (training / WAKE_WORD).read_bytes()
    frames = recordings(training, model)[:10].reshape(-1, 1, 1, 40)
    incremental = _core.Interpreter(make_incremental(model, 1).model)
    scores = [np.array(incremental.invoke(frame[None])[0]) for frame in frames]
    ends = range(FRAMES, len(frames) + 1)
    windows = [[frames[end - FRAMES : end].reshape(1, FRAMES, 1, 40)] for end in ends]
    for score, (expected,) in zip(scores[FRAMES - 1 :], run_core(model, windows), strict=True):
        np.testing.assert_array_equal(score, expected)


def recordings(training: Path, model: bytes) -> Rows:
    """The calibration samples, quantized for the wake word's input."""
    samples = np.load(training / "streaming_wakeword" / "calibration_samples.npz")["specs"]
    wanted = _core.Interpreter(model).inputs[0]
    values = np.round(samples[:, None] / wanted.scale) + wanted.zero_point
    return np.asarray(np.clip(values, -128, 127), np.int8)
