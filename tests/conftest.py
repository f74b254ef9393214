"""Fixtures that several tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def _folder(name: str) -> Path:
    path = SHARED_DATA / name
    if not path.is_dir():
        pytest.skip(f"the reference data folder {name} is not beside this checkout")
    return path


@pytest.fixture(scope="session")
def speech_commands() -> Path:
    """An excerpt of Speech Commands, or a skip."""
    return _folder("speech_commands")


@pytest.fixture(scope="session")
def tflm_data() -> Path:
    """TFLM's micro_speech clips, models and goldens, or a skip."""
    return _folder("tflm_micro_speech")
