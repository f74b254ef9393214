# SPDX-License-Identifier: Apache-2.0
"""`kws wake` without talk by people: voices speak random words, and the result says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kws.audio.surroundings import Surroundings
from kws.model.wake.wake_settings import WakeSettings
from kws.model.wake.wake_word import FIRST, TALK, make_wake_word
from kws.model.weights.run_files import read_settings

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")


@pytest.mark.slow
@needs_espeak
def test_a_run_without_talk_by_people_speaks_its_own(tmp_path: Path) -> None:
    out = tmp_path / "marvin"
    lines: list[str] = []
    settings = WakeSettings(("marvin",), voices=6, takes=2, alike=2, sentences=60, epochs=1)
    result = make_wake_word(settings, out, say=lines.append)
    assert len(list((out / TALK).glob("*.wav"))) == 60
    assert any("voices speak random words instead" in line for line in lines)
    assert read_settings(out / FIRST)["recordings"] == Surroundings((out / TALK,)).fingerprint
    assert result.calibration is not None and result.calibration.has_talk

    # The same command resumes without speaking again.
    before = {path.name: path.stat().st_mtime_ns for path in (out / TALK).glob("*.wav")}
    again = make_wake_word(settings, out)
    assert again.bundle.model == result.bundle.model
    assert {path.name: path.stat().st_mtime_ns for path in (out / TALK).glob("*.wav")} == before


@pytest.mark.slow
@needs_espeak
def test_no_sentences_no_talk(tmp_path: Path) -> None:
    lines: list[str] = []
    settings = WakeSettings(("marvin",), voices=6, takes=2, alike=2, sentences=0, epochs=1)
    result = make_wake_word(settings, tmp_path / "out", say=lines.append)
    assert not (tmp_path / "out" / TALK).exists()
    assert any(line.startswith("without talk (--negatives)") for line in lines)
    assert result.calibration is not None and not result.calibration.has_talk
