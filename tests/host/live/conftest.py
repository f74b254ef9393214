# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of `kws listen`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip
from kws.bundle.making import make_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from tests.host.live.listening import YES
from tests.small_models import LABELS, dense_model


@pytest.fixture
def long_recording(tmp_path: Path) -> Path:
    """A yes, then a minute of a quiet room, with time to press keys."""
    path = tmp_path / "long.wav"
    soundfile.write(path, np.concatenate([load_clip(YES), quiet_room(60 * 16000)]), 16000)
    return path


@pytest.fixture
def long_bundle(tmp_path: Path) -> Path:
    """An untrained bundle with a window of 1.7 s that reports words in noise."""
    model = dense_model(elements=40 * 84)
    settings = RecognizerSettings(200, 60, 300, 1)
    made = make_bundle(model, LABELS, name="long", recognizer=settings)
    write_bundle(made, tmp_path / "long")
    return tmp_path / "long"


@pytest.fixture
def bursts(tmp_path: Path) -> Path:
    """Twenty seconds of noise at changing levels."""
    rng = np.random.default_rng(5)
    levels = np.repeat(2.0 ** rng.integers(0, 14, 80), 4000)
    pcm = np.rint(rng.uniform(-1, 1, len(levels)) * levels).astype(np.int16)
    soundfile.write(tmp_path / "bursts.wav", pcm, 16000)
    return tmp_path / "bursts.wav"
