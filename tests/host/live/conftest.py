# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of `kws listen`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle, default_bundle_path
from kws.bundle.reading import load_bundle
from kws.host.emulate.padding import silence
from tests.host.live.listening import YES


@pytest.fixture(scope="session")
def bundle() -> Bundle:
    return load_bundle(default_bundle_path())


@pytest.fixture
def long_recording(tmp_path: Path) -> Path:
    """A yes, and then a minute in which there is time for keys."""
    path = tmp_path / "long.wav"
    soundfile.write(path, np.concatenate([load_clip(YES), silence(60 * 16000)]), 16000)
    return path
