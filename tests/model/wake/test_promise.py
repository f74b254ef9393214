# SPDX-License-Identifier: Apache-2.0
"""What people may expect of a bundle that voices made: bounds, and when there are none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kws.audio.dataset import Clip, DataSet, Split
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.model.evaluate.calibration import Calibration
from kws.model.evaluate.hits import Word
from kws.model.evaluate.statistics import wilson, wilson_of_share
from kws.model.evaluate.stream_metrics import measure_traces
from kws.model.evaluate.streams import Kind
from kws.model.wake.promise import expectations, most_false_alarms, promise
from tests.model.evaluate.test_stream_metrics import scored
from tests.small_models import LABELS

SETTINGS = RecognizerSettings(average_window_ms=200, suppression_ms=1000, minimum_count=2)

FLITE = ("flite-slt", "flite-slt-p1", "flite-rms", "flite-rms-p1")


def dataset(training: str, validating: tuple[str, ...]) -> DataSet:
    clips = [Clip(Path("t.wav"), "yes", training, Split.TRAIN)]
    clips += [Clip(Path("v.wav"), "yes", speaker, Split.VALIDATION) for speaker in validating]
    return DataSet(Path(), tuple(clips), (), has_lists=True)


def calibration(takes: int) -> Calibration:
    """Every speaker says `yes` so many times; what `flite-rms` itself says is missed."""
    words = [
        Word("yes", 5000 * place, 5000 * place + 500, Path(f"{speaker}_nohash_{take}.wav"))
        for place, (speaker, take) in enumerate(
            [(speaker, take) for speaker in FLITE for take in range(takes)], 1
        )
    ]
    peaks = [(w.start_ms, "yes", 255) for w in words if "rms_" not in str(w.file)]
    quiet = replace(scored(words, peaks, seconds=600), kind=Kind.QUIET)
    talk = replace(scored([], [], seconds=5400), kind=Kind.TALK)
    by_kind = {t.kind: measure_traces(SETTINGS, LABELS, [t], ["yes"]) for t in (quiet, talk)}
    return Calibration((0.5, 40), SETTINGS, by_kind[Kind.QUIET], by_kind)


@pytest.mark.parametrize("takes", [1, 20])
def test_more_clips_of_the_same_voices_promise_no_more(takes: int) -> None:
    result = promise(calibration(takes), dataset("kokoro-en-us-mix0", FLITE), ["yes"])
    assert result
    assert (result.engine, result.voices) == ("flite", 2)
    assert result.misses[Kind.QUIET] == pytest.approx((0.25, *wilson_of_share(0.25, 2)))
    # Half an hour at three paces is half an hour.
    assert result.most_false_alarms == pytest.approx(3.69 / 0.5, rel=0.01)
    assert result.to_json()["quiet"]["miss_share"] == 0.25


@pytest.mark.parametrize(
    ("training", "validating"),
    [
        ("flite-awb", FLITE),  # an engine that trained
        ("kokoro-en-us-mix0", ("anna", "bob")),
        ("kokoro-en-us-mix0", (*FLITE, "anna")),
        ("kokoro-en-us-mix0", (*FLITE, "espeak-en-us-f1")),
    ],
)
def test_voices_that_say_nothing_of_people(training: str, validating: tuple[str, ...]) -> None:
    assert promise(calibration(1), dataset(training, validating), ["yes"]) is None


def test_nothing_is_promised_without_calibration() -> None:
    assert promise(None, dataset("kokoro-en-us-mix0", FLITE), ["yes"]) is None


def test_bounds_in_words() -> None:
    result = promise(calibration(4), dataset("kokoro-en-us-mix0", FLITE), ["yes"])
    low, high = wilson_of_share(0.25, 2)
    misses, alarms, bounds, report = expectations(result, 0)
    assert f"quiet room {100 * low:.0f} to {100 * high:.0f} %" in misses
    assert "up to 7.4 per hour of talk" in alarms
    assert "2 voices of flite" in bounds
    assert "heard better than people" in report


def test_without_bounds_the_figures_are_those_of_voices_unless_people_are_held_out() -> None:
    (line,) = expectations(None, 0)
    assert "people are missed far more often" in line
    assert expectations(None, 1) == ()


def test_each_pace_may_have_its_own_false_alarm() -> None:
    alarms = scored([], [(5000, "yes", 255), (3000_000, "yes", 255)], seconds=5400)
    metrics = measure_traces(SETTINGS, LABELS, [alarms], ["yes"])
    assert most_false_alarms(metrics) == pytest.approx(7.22 / 0.5, rel=0.01)


def test_interval_of_a_share() -> None:
    assert wilson_of_share(0.25, 12) == pytest.approx(wilson(3, 12))
    assert wilson_of_share(0.0, 0) == (0.0, 1.0)
    low, high = wilson_of_share(0.3, 12)
    assert wilson(3, 12)[0] < low < wilson(4, 12)[0]
    assert wilson(3, 12)[1] < high < wilson(4, 12)[1]
