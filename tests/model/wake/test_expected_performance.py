# SPDX-License-Identifier: Apache-2.0
"""Performance with real people expected of a bundle made with voices: bounds, or no estimate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import Clip, DataSet, Split
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.rules import Rules
from kws.model.evaluate.judge.calibration import Calibration
from kws.model.evaluate.judge.statistics import recall_interval
from kws.model.evaluate.judge.stream_metrics import measure_traces
from kws.model.evaluate.score.streams import Kind
from kws.model.evaluate.score.words import Word
from kws.model.wake.expected_performance import (
    ExpectedPerformance,
    Miss,
    expectations,
    expected_performance,
    most_false_alarms,
)
from tests.model.evaluate.judge.scored_traces import scored
from tests.small_models import LABELS

SETTINGS = RecognizerSettings(average_window_ms=200, suppression_ms=1000, minimum_count=2)

FLITE = ("flite-slt", "flite-slt-p1", "flite-rms", "flite-rms-p1")


def dataset(training: str, validating: tuple[str, ...]) -> DataSet:
    clips = [Clip(Path("t.wav"), "yes", training, Split.TRAIN)]
    clips += [Clip(Path("v.wav"), "yes", speaker, Split.VALIDATION) for speaker in validating]
    return DataSet(Path(), tuple(clips), (), has_lists=True)


def calibration(takes: int, speakers: tuple[str, ...] = FLITE) -> Calibration:
    """Each speaker says `yes` several times.

    All words by `flite-rms` are missed, and every second word by Anna and by a lone voice.
    """
    words = [
        Word("yes", 5000 * place, 5000 * place + 500, Path(f"{speaker}_nohash_{take}.wav"))
        for place, (speaker, take) in enumerate(
            [(speaker, take) for speaker in speakers for take in range(takes)], 1
        )
    ]
    missed = ["rms_"] if speakers == FLITE else ["anna_nohash_1", "rms_nohash_1"]
    heard = [w for w in words if not any(part in str(w.file) for part in missed)]
    peaks = [(w.start_ms, "yes", 255) for w in heard]
    quiet = replace(scored(words, peaks, seconds=600), kind=Kind.QUIET)
    talk = replace(scored([], [], seconds=5400), kind=Kind.TALK)
    by_kind = {t.kind: measure_traces(Rules(LABELS, SETTINGS), [t], ["yes"]) for t in (quiet, talk)}
    return Calibration((0.5, 40), SETTINGS, by_kind[Kind.QUIET], by_kind)


@pytest.mark.parametrize("takes", [1, 20])
def test_more_clips_of_the_same_voices_do_not_narrow_the_bounds(takes: int) -> None:
    result = expected_performance(calibration(takes), dataset("kokoro-en-us-mix0", FLITE), ["yes"])
    assert result
    assert (result.engine, result.speakers) == ("flite", 2)
    miss = result.misses[Kind.QUIET]
    assert miss.share == 0.25
    # One voice is always detected, one in half of the cases.
    one_take = recall_interval(np.array([0, 0, 1, 0], bool), ["slt", "slt", "rms", "rms"])
    assert miss.interval == pytest.approx(one_take)
    # Half an hour at three paces counts as half an hour.
    assert result.most_false_alarms == pytest.approx(3.69 / 0.5, rel=0.01)
    assert result.to_json()["quiet"]["miss_share"] == 0.25


@pytest.mark.parametrize(
    ("training", "validating"),
    [
        ("flite-awb", FLITE),  # an engine in training
        ("kokoro-en-us-mix0", (*FLITE, "espeak-en-us-f1")),
    ],
)
def test_voices_without_information_about_people(
    training: str, validating: tuple[str, ...]
) -> None:
    assert expected_performance(calibration(1), dataset(training, validating), ["yes"]) is None


def test_there_is_no_estimate_without_calibration() -> None:
    assert expected_performance(None, dataset("kokoro-en-us-mix0", FLITE), ["yes"]) is None


@pytest.mark.parametrize(
    ("people", "share", "who"),
    [(("flite-rms",), 0.5, "1 voice of flite"), (("anna",), 0.5, "1 person")],
)
def test_one_speaker_gives_a_share_and_no_interval(
    people: tuple[str, ...], share: float, who: str
) -> None:
    result = expected_performance(
        calibration(2, people), dataset("kokoro-en-us-mix0", people), ["yes"]
    )
    assert result
    assert result.who.startswith(who)
    assert result.misses[Kind.QUIET].share == share
    assert result.misses[Kind.QUIET].interval is None
    _, basis, *_ = expectations(result, 0)
    assert "no bounds" in basis
    assert result.to_json()["quiet"]["miss_share_95"] is None


def test_recordings_of_people_replace_voices() -> None:
    speakers = (*FLITE, "anna", "bob")
    result = expected_performance(calibration(2, speakers), dataset("flite-awb", speakers), ["yes"])
    assert result
    assert (result.engine, result.speakers, result.who) == ("", 2, "2 people")
    # Anna is missed in every second take, Bob never; voices are ignored.
    assert result.misses[Kind.QUIET].share == 0.25
    assert result.people == {"anna": (1, 2), "bob": (0, 2)}
    assert "missed by person, quiet room: anna 1 of 2, bob 0 of 2" in expectations(result, 4)
    assert result.to_json()["people"]["anna"] == {"missed": 1, "said": 2}


def test_many_people_are_not_all_listed() -> None:
    people = {f"p{number}": (1, 2) for number in range(10)}
    lines = expectations(ExpectedPerformance("", 10, {}, None, people), 20)
    (line,) = (line for line in lines if "by person" in line)
    assert line.endswith("p7 1 of 2, and 2 others")


def test_an_estimate_comes_with_its_bound() -> None:
    result = expected_performance(calibration(4), dataset("kokoro-en-us-mix0", FLITE), ["yes"])
    assert result
    interval = result.misses[Kind.QUIET].interval
    assert interval
    figure, basis, people, alarms, report, advice = expectations(result, 0)
    assert figure == "expected miss rate for real speakers: about 25 % (quiet room)"
    assert "estimated from 2 voices of flite, an engine not used in training" in basis
    assert f"95 % bounds: {100 * interval[0]:.0f} to {100 * interval[1]:.0f} %" in basis
    assert "people were missed 9 to 28 points more often" in people
    assert "up to 7.4 per hour of talk" in alarms
    assert "easier to detect than people" in report
    assert "--recordings" in advice


def test_false_alarms_of_talk_by_voices_are_named_as_such() -> None:
    result = expected_performance(calibration(4), dataset("kokoro-en-us-mix0", FLITE), ["yes"])
    lines = expectations(result, 0, by_voices=True)
    assert "false alarms: up to 7.4 per hour of random words by voices (95 %)" in lines
    assert "false alarms in talk by people were not measured" in lines


def test_recordings_need_no_advice_to_record() -> None:
    result = expected_performance(calibration(4), dataset("kokoro-en-us-mix0", FLITE), ["yes"])
    # How much more often people are missed than voices was measured without recordings.
    for lines in (expectations(result, 20), expectations(None, 20)):
        assert not any("--recordings" in line or "people were missed" in line for line in lines)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "5 % or less"), (0.01, "5 % or less"), (0.12, "about 10 %"), (1.0, "about 100 %")],
)
def test_an_estimate_is_as_coarse_as_few_speakers_allow(share: float, text: str) -> None:
    figure, *_ = expectations(
        ExpectedPerformance("flite", 4, {Kind.QUIET: Miss(share, (0, 1))}, None), 0
    )
    assert text in figure


def test_without_an_estimate_the_measured_figures_are_named() -> None:
    line, advice = expectations(None, 0)
    assert "not known" in line
    assert "people are missed far more often" in line
    assert "--recordings" in advice


def test_each_pace_may_have_a_false_alarm() -> None:
    alarms = scored([], [(5000, "yes", 255), (3000_000, "yes", 255)], seconds=5400)
    metrics = measure_traces(Rules(LABELS, SETTINGS), [alarms], ["yes"])
    assert most_false_alarms(metrics) == pytest.approx(7.22 / 0.5, rel=0.01)
