# SPDX-License-Identifier: Apache-2.0
"""Thresholds for the speakers of a few recordings: changes and refusals."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kws._core import SAMPLE_RATE
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.cli.main import app
from kws.errors import DataError, UsageError
from kws.host.emulate.recordings import default_matrix


@pytest.fixture(name="home")
def make_home(tmp_path: Path) -> Path:
    """Recordings of yes and no, minutes of noise as talk, and a bundle that detects nothing."""
    for file in sorted(default_matrix().glob("*.flac")):
        word, _, speaker = file.stem.partition("_")
        if word in {"yes", "no"}:
            folder = tmp_path / "recordings" / word
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder / f"{speaker}_1.flac")
    noise = np.random.default_rng(0).normal(0, 300, 400 * SAMPLE_RATE)
    (tmp_path / "talk").mkdir()
    write_clip(tmp_path / "talk" / "fan.wav", np.rint(noise).astype(np.int16))
    bundle = load_bundle(default_bundle_path()).without_second_look()
    deaf = replace(bundle.recognizer, thresholds={"yes": 254, "no": 254})
    metrics = {name: value for name, value in bundle.metrics.items() if name != "calibration"}
    write_bundle(replace(bundle, recognizer=deaf, metrics=metrics), tmp_path / "bundle")
    return tmp_path


def run(home: Path, *options: str) -> tuple[int, str]:
    paths = [str(home / "bundle"), str(home / "recordings")]
    result = CliRunner().invoke(app, ["enroll", *paths, *options])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_thresholds_fall_until_the_recordings_are_detected(home: Path) -> None:
    options = ["--negatives", str(home / "talk"), "--out", str(home / "new"), "--json"]
    code, output = run(home, *options)
    assert code == 0
    facts = json.loads(output[output.index("{") :])
    assert facts["recordings"] == 6
    assert facts["speakers"] == 6
    assert facts["thresholds_before"] == {"yes": 254, "no": 254}
    assert facts["before"]["quiet"]["miss_share"] > 0.5
    assert facts["after"]["quiet"]["miss_share"] < 0.1
    assert facts["limiting_talk"] == []  # a fan is far below the thresholds
    new = load_bundle(home / "new")
    assert dict(new.recognizer.thresholds) == facts["thresholds"]
    facts = new.metrics["calibration"]
    assert (facts["recordings"], facts["speakers"]) == (6, 6)
    assert "quiet" not in facts, (
        "misses in the recordings that chose the thresholds are not an estimate"
    )
    card = (home / "new" / "README.md").read_text()
    assert "0.5 false alarms per hour of talk, and were chosen for 6 people in 6 recordings" in card
    # The old bundle is unchanged.
    assert load_bundle(home / "bundle").recognizer.thresholds["yes"] == 254


def test_the_table_shows_the_changes(home: Path) -> None:
    code, output = run(home, "--negatives", str(home / "talk"))
    assert code == 0
    assert "6 recordings by 6 speakers" in output
    threshold = load_bundle(home / "bundle").recognizer.thresholds["yes"]
    assert f"yes: threshold {threshold} instead of 254" in output
    assert "talk that limits" not in output


def test_talk_in_which_somebody_says_the_word_is_named(home: Path) -> None:
    # Training has the first 80 %, the next tenth is for choosing thresholds.
    fan = load_clip(home / "talk" / "fan.wav")
    fan[340 * SAMPLE_RATE :][:SAMPLE_RATE] = load_clip(home / "recordings" / "yes" / "rob_1.flac")
    write_clip(home / "talk" / "fan.wav", fan)
    code, output = run(home, "--negatives", str(home / "talk"))
    assert code == 1  # its threshold is 255
    assert "talk that limits the thresholds" in output
    assert f"\n  yes: {home / 'talk' / 'fan.wav'} near 340." in output


def test_missing_talk_is_refused(home: Path) -> None:
    with pytest.raises(UsageError, match="--negatives"):
        run(home)


def test_missing_recordings_of_a_keyword_are_refused(home: Path) -> None:
    shutil.rmtree(home / "recordings" / "no")
    with pytest.raises(DataError, match="no recordings of 'no'"):
        run(home, "--negatives", str(home / "talk"))
    assert load_bundle(home / "bundle").recognizer.thresholds["yes"] == 254
