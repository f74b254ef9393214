# SPDX-License-Identifier: Apache-2.0
"""Calibration keeps the allowed rate of false alarms and uses only validation clips."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kws.audio.dataset import DataSet, Split, open_dataset
from kws.audio.sound_files import write_clip
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import NEVER, RecognizerSettings
from kws.bundle.rules import Rules
from kws.bundle.writing import write_bundle
from kws.cli.main import app
from kws.cli.printing.endings import print_calibration
from kws.errors import DataError, KwsError, UsageError
from kws.model.evaluate.bundle_calibration import calibrate_bundle
from kws.model.evaluate.judge.calibration import (
    MARGIN,
    MOST_MARGIN,
    PROPOSALS,
    Calibration,
    calibrate,
)
from kws.model.evaluate.judge.statistics import log_odds
from kws.model.evaluate.judge.stream_metrics import measure_traces
from kws.model.evaluate.judge.threshold_costs import OPTIONS, OTHER_WORDS, ThresholdCosts
from kws.model.evaluate.score.streams import Kind, Played, StreamPlan
from kws.model.evaluate.score.traces import Trace, trace_streams
from kws.model.evaluate.score.words import Word
from tests.model.conftest import Run
from tests.model.evaluate.judge.scored_traces import said, scored
from tests.small_models import LABELS, dense_model

pytestmark = pytest.mark.long

FEW_MINUTES = ["--hours", "0.05"]


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return make_bundle(dense_model(), LABELS, name="d")


def test_a_second_look_gets_the_thresholds_that_decide(bundle: Bundle) -> None:
    words = [said("yes", 10_000 * i) for i in range(1, 20)]
    words += [said("no", 200_000 + 10_000 * i) for i in range(1, 20)]
    alarms = [(500_000 + 10_000 * i, label) for i, label in enumerate(["yes", "no"] * 10)]
    said_at = [(word.start_ms + 100, word.label) for word in words]
    # The first model cannot tell words from false alarms, the second one can.
    trace = scored(words, [(t, k, 150) for t, k in said_at + alarms], seconds=1800)
    seen = [(t, k, 240) for t, k in said_at] + [(t, k, 100) for t, k in alarms]
    looked = replace(trace, looks=scored([], seen, seconds=1800).scores)
    alone = calibrate(bundle, [trace], 1)
    assert alone.expected.miss_share > 0.9
    assert (alone.look, alone.looks_per_hour) == (None, 0)
    both = bundle.verified_by(bundle)
    calibration = calibrate(both, [looked], 1)
    assert calibration.expected.miss_share == 0
    assert not calibration.expected.false_alarms
    assert calibration.look
    assert calibration.look.proposal in PROPOSALS
    assert calibration.settings == both.recognizer, "for listening without the second look"
    assert all(100 <= t < 240 for t in calibration.deciding.values())
    assert calibration.looks_per_hour > 38 / 0.5
    applied = calibration.applied_to(both, {"asked": 1})
    assert applied.second_look
    assert applied.metrics == {"second_look": {"asked": 1}}
    assert applied.without_second_look() == bundle
    assert applied.second_look.settings == calibration.look
    assert applied.rules.thresholds == dict(calibration.deciding)


def traces_of(peaks: list[tuple[int, str, int]], words: list[Word]) -> list[Trace]:
    return [scored(words, peaks, seconds=1800)]


def test_each_keyword_gets_the_threshold_it_needs(bundle: Bundle) -> None:
    words = [said("yes", 10_000 * i) for i in range(1, 20)]
    words += [said("no", 200_000 + 10_000 * i) for i in range(1, 20)]
    peaks = [(word.start_ms + 100, word.label, 252) for word in words]
    # Ten false alarms of `yes` at 200, ten of `no` at 120.
    peaks += [(500_000 + 10_000 * i, "yes", 200) for i in range(10)]
    peaks += [(700_000 + 10_000 * i, "no", 120) for i in range(10)]
    calibration = calibrate(bundle, traces_of(peaks, words), false_alarms_per_hour=4)
    thresholds = calibration.settings.thresholds
    assert calibration.expected.miss_share == 0
    assert len(calibration.expected.false_alarms) <= 1, (
        "one is allowed: 4 per hour in half an hour, divided by MARGIN"
    )
    assert 120 <= thresholds["no"] < 252
    assert 200 <= thresholds["yes"] < 252


@pytest.mark.slow
def test_false_alarms_stay_within_the_allowed_rate(bundle: Bundle) -> None:
    rng = np.random.default_rng(0)
    words = [said("yes", 10_000 * i) for i in range(1, 60)]
    peaks = [(word.start_ms + 100, "yes", int(rng.integers(150, 256))) for word in words]
    peaks += [(700_000 + 10_000 * i, "yes", int(rng.integers(100, 256))) for i in range(100)]
    misses = []
    for rate in (4, 40, 400):
        calibration = calibrate(bundle, traces_of(peaks, words), rate)
        assert len(calibration.expected.false_alarms) <= round(rate / 2 / MARGIN)
        misses.append(calibration.expected.miss_share)
    assert misses[0] > misses[1] > misses[2]


def test_an_allowed_false_alarm_is_used_even_if_more_would_help_further(bundle: Bundle) -> None:
    words = [said("yes", 10_000 * i) for i in range(1, 61)]
    heard = [253] * 10 + [235] * 4 + [150] * 46
    peaks = [(word.start_ms + 100, "yes", peak) for word, peak in zip(words, heard, strict=True)]
    # Misses: 50 without a false alarm, 46 with one, 0 with four.
    peaks += [(700_000 + 10_000 * i, "yes", peak) for i, peak in enumerate((244, 180, 180, 180))]
    calibration = calibrate(bundle, traces_of(peaks, words), false_alarms_per_hour=5)
    assert len(calibration.expected.false_alarms) == 1
    assert calibration.expected.hits == {"yes": 14, "no": 0}


def test_keyword_with_too_many_false_alarms_is_never_reported(bundle: Bundle) -> None:
    words = [said("yes", 10_000 * i) for i in range(1, 20)] + [said("no", 300_000)]
    peaks = [(word.start_ms + 100, word.label, 255) for word in words]
    peaks += [(1_000_000 + 10_000 * i, "no", 255) for i in range(30)]
    calibration = calibrate(bundle, traces_of(peaks, words), false_alarms_per_hour=1)
    assert calibration.settings.thresholds["no"] == 255
    assert calibration.expected.hits == {"yes": 19, "no": 0}


def test_the_gate_is_kept(bundle: Bundle) -> None:
    gated = replace(bundle, recognizer=replace(bundle.recognizer, gate_db=0.8))
    words = [said("yes", 10_000), said("no", 20_000)]
    peaks = [(word.start_ms + 100, word.label, 252) for word in words]
    assert calibrate(gated, traces_of(peaks, words), 60).settings.gate_db == 0.8


def test_words_that_are_not_selected_are_never_reported(bundle: Bundle) -> None:
    words = [said(label, 10_000 * i) for i, label in enumerate(["yes", "no"] * 10, 1)]
    peaks = [(word.start_ms + 100, word.label, 255) for word in words]
    peaks += [(1_000_000 + 10_000 * i, "no", 255) for i in range(30)]
    calibration = calibrate(bundle, traces_of(peaks, words), 1, ("yes",))
    assert calibration.settings.thresholds["no"] == 255
    assert calibration.settings.thresholds["yes"] < 255
    expected = calibration.expected
    assert expected.said == {"yes": 10}
    assert expected.hits == {"yes": 10}
    assert expected.other_words == 10
    assert expected.false_alarms == ()


def test_streams_without_keywords_are_refused(bundle: Bundle) -> None:
    with pytest.raises(DataError, match="contain no keyword"):
        calibrate(bundle, traces_of([], [said("dog", 1000)]), 1)


def test_window_fits_the_stride(bundle: Bundle) -> None:
    words = [said("yes", 10_000 * i) for i in range(1, 20)]
    for stride, least in ((10, 300), (16, 400)):  # 200 and 320 ms
        slow = replace(bundle, inference_stride=stride)
        calibration = calibrate(
            slow, traces_of([(w.start_ms, "yes", 255) for w in words], words), 1
        )
        assert calibration.settings.average_window_ms == least
        assert calibration.settings.minimum_count == 2


def test_command_uses_only_validation_clips(run: Run, tmp_path: Path) -> None:
    data = Path(shutil.copytree(run.data, tmp_path / "data"))
    for clip in open_dataset(data).clips:
        if clip.split != Split.VALIDATION:
            clip.path.write_text("no sound: a clip that must not be read")
    folder = Path(shutil.copytree(run.out / "bundle", tmp_path / "b"))
    before = load_bundle(folder)
    command = ["calibrate", "--model", str(folder), "--data", str(data), *FEW_MINUTES]
    result = CliRunner().invoke(app, [*command, "--false-alarms-per-hour", "60", "--json"])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    after = load_bundle(folder)
    assert set(after.recognizer.thresholds) == {"low", "high"}
    assert facts["recognizer"]["thresholds"] == dict(after.recognizer.thresholds)
    assert "kThresholds" in (folder / "firmware" / "model_settings.h").read_text()
    assert after.metrics["calibration"]["asked_false_alarms_an_hour"] == 60
    assert (after.model, after.metrics["accuracy"]) == (before.model, before.metrics["accuracy"])
    expected = facts["expected"]
    hours = expected["other_words_said"] / OTHER_WORDS
    assert expected["false_alarms"] <= 60 / MARGIN * hours
    # With these settings the core reports what calibration expects.
    plan = StreamPlan(0.05, 0, words_a_minute=20)
    streams = plan.streams(open_dataset(run.data), after.keywords, Split.VALIDATION)
    traces = list(trace_streams(after, streams))
    metrics = measure_traces(after.rules, traces)
    assert metrics.total_hits == expected["hits"]


def test_bundle_is_kept_if_it_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("a note")
    out = ["--out", str(tmp_path / "full")]
    command = ["calibrate", "--model", str(run.out / "bundle"), "--data", str(run.data)]
    result = CliRunner().invoke(app, [*command, *FEW_MINUTES, *out])
    assert isinstance(result.exception, KwsError)
    assert "files other than a bundle" in str(result.exception)


def test_speaker_in_two_splits_is_refused(run: Run, tones: DataSet) -> None:
    clips = tuple(replace(clip, speaker="one") for clip in tones.clips)
    with pytest.raises(DataError, match="in two splits"):
        calibrate_bundle(run.out / "bundle", replace(tones, clips=clips), StreamPlan(), 0.5)


def test_word_without_a_label_is_named(run: Run) -> None:
    command = ["calibrate", "--model", str(run.out / "bundle"), "--data", str(run.data)]
    result = CliRunner().invoke(app, [*command, "--words", "low,hi"])
    assert isinstance(result.exception, UsageError)
    assert "does not know hi; it knows low, high" in str(result.exception)


def test_built_in_bundle_is_not_changed(run: Run) -> None:
    result = CliRunner().invoke(app, ["calibrate", "--data", str(run.data)])
    assert isinstance(result.exception, UsageError)
    assert "yes_no: a built-in bundle cannot be changed" in str(result.exception)


@pytest.fixture(scope="module")
def talk_and_words() -> list[Trace]:
    """Traces in which 20 other words score 200 for yes, and 20 places in talk score 220."""
    words = [said("yes", 10_000 * i) for i in range(1, 31)]
    peaks = [(w.start_ms + 100, "yes", (150, 210, 250)[i % 3]) for i, w in enumerate(words)]
    words += [said("dog", 400_000 + 5_000 * i) for i in range(1, 181)]
    peaks += [(w.start_ms + 100, "yes", 200) for w in words if w.label == "dog"][:20]
    in_talk = [(10_000 * i, "yes", 220) for i in range(1, 21)]
    return [
        replace(scored(words, peaks, seconds=1800), kind=Kind.NOISE),
        replace(scored([], in_talk, seconds=3600), kind=Kind.TALK),
    ]


@pytest.mark.parametrize(
    ("talk", "at_words", "thresholds"),
    [
        (100, 2, range(200, 210)),
        pytest.param(100, 100, range(150), marks=pytest.mark.slow),
        pytest.param(2, 100, range(220, 250), marks=pytest.mark.slow),
        pytest.param(2, 2, range(220, 250), marks=pytest.mark.slow),
    ],
)
def test_talk_and_single_words_each_have_their_own_rate(
    talk: float, at_words: float, thresholds: range, bundle: Bundle, talk_and_words: list[Trace]
) -> None:
    result = calibrate(bundle, talk_and_words, talk, at_words=at_words)
    assert result.settings.thresholds["yes"] in thresholds


def test_one_rate_for_talk_and_single_words(bundle: Bundle, talk_and_words: list[Trace]) -> None:
    result = calibrate(bundle, talk_and_words, 2)
    assert 220 <= result.settings.thresholds["yes"] < 250
    assert result.asked == (2, 2)
    assert result.has_talk
    facts = result.metrics()
    assert facts["talk"]["false_alarms"] == 0
    assert facts["talk"]["false_alarms_an_hour_95"][1] > 3, "one hour proves no lower rate"


@pytest.mark.parametrize("asked", [1.0, pytest.param(3.0, marks=pytest.mark.slow)])
def test_rare_false_alarms_are_estimated_from_few(asked: float, bundle: Bundle) -> None:
    rng = np.random.default_rng(0)

    def talk(hours: int) -> list[tuple[int, str, int]]:
        """80 places per hour, for two words, with scores distributed as with real models."""
        odds = rng.exponential(0.6, 80 * hours) - 1
        scores = np.clip(256 / (1 + np.exp(-odds)) - 0.5, 0, 254).astype(int)
        return [(45_000 * i, ("yes", "no")[i % 2], int(score)) for i, score in enumerate(scores)]

    words = [said(label, 10_000 * i) for i, label in enumerate(["yes", "no"] * 60, 1)]
    heard = np.clip(rng.normal(230, 15, len(words)), 0, 255).astype(int)
    peaks = [(w.start_ms + 100, w.label, int(p)) for w, p in zip(words, heard, strict=True)]
    lone = [(10_000, "yes", 253)]  # an outlier
    traces = [
        replace(scored(words, peaks, seconds=1800), kind=Kind.NOISE),
        replace(scored([], lone + talk(1), seconds=3600), kind=Kind.TALK),
    ]
    others = replace(scored([], talk(10), seconds=36_000), kind=Kind.TALK)
    settings = calibrate(bundle, traces, asked, at_words=100).settings
    assert settings.thresholds["yes"] < 253, "the outlier does not decide"
    heard_there = len(measure_traces(Rules(bundle.labels, settings), [others]).false_alarms)
    assert 10 * asked / MARGIN / 3 < heard_there < 10 * asked


def test_talk_that_limits_the_thresholds_is_named(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same passage at two paces counts once; a passage with a low score does not count."""
    words = [said("yes", 10_000 * i) for i in range(1, 31)]
    peaks = [(word.start_ms + 100, "yes", 230) for word in words]
    first, second = Path("talk/first.wav"), Path("talk/second.wav")
    talk = [
        replace(
            scored([], [(round(at / pace), "yes", score) for at, score in in_talk], seconds=3600),
            kind=Kind.TALK,
            played=(Played(first, 0, 0, pace), Played(second, round(900_000 / pace), 0, pace)),
        )
        for pace, in_talk in ((1.0, [(950_000, 254), (400_000, 60)]), (0.9, [(950_000, 252)]))
    ]
    noise = replace(scored(words, peaks, seconds=1800), kind=Kind.NOISE)
    for allowed, alarms in ((4, 2), (0, 0)):
        result = calibrate(bundle, [noise, *talk], allowed)
        assert len(result.by_kind[Kind.TALK].false_alarms) == alarms
        (place,) = result.limiting_talk
        assert (place.label, place.path) == ("yes", second)
        assert place.seconds == pytest.approx(50, abs=1)
        assert result.to_json()["limiting_talk"] == [
            {"label": "yes", "path": str(second), "seconds": place.seconds, "score": place.score}
        ]
        print_calibration(Path("b"), result)
        line = f"\n  yes: {second} near {place.seconds} s, score {place.score}\n"
        assert line in capsys.readouterr().out
    without = calibrate(bundle, [noise], 4)
    assert without.limiting_talk == ()
    print_calibration(Path("b"), without)
    assert "limits" not in capsys.readouterr().out


def _limiting(
    bundle: Bundle, said_at: dict[str, int], in_talk: list[tuple[int, str, int]], allowed: float
) -> Calibration:
    """Calibrate with 30 words of each label with this score, and talk with these peaks."""
    words = [
        said(label, 10_000 * i + 300_000 * place)
        for place, label in enumerate(said_at)
        for i in range(1, 30)
    ]
    peaks = [(word.start_ms + 100, word.label, said_at[word.label]) for word in words]
    noise = replace(scored(words, peaks, seconds=1800), kind=Kind.NOISE)
    played = (Played(Path("talk.wav"), 0, 0, 1.0),)
    talk = replace(scored([], in_talk, seconds=3600), kind=Kind.TALK, played=played)
    return calibrate(bundle, [noise, talk], allowed)


def test_a_slowly_rising_false_alarm_comes_before_higher_scores_below_the_threshold(
    bundle: Bundle,
) -> None:
    rises = [(100_000 + 400 * i, "yes", score) for i, score in enumerate((150, 190, 220, 240, 252))]
    jumps = [(200_000 + 20_000 * i, "yes", 226 + i) for i in range(7)]
    result = _limiting(bundle, {"yes": 253, "no": 253}, [*rises, *jumps], 4)
    assert [
        round(alarm.report.time_ms, -4) for alarm in result.by_kind[Kind.TALK].false_alarms
    ] == [100_000]
    assert 98 < result.limiting_talk[0].seconds < 102
    assert sum(98 < place.seconds < 103 for place in result.limiting_talk) == 1


def test_talk_that_silences_a_keyword_is_named(bundle: Bundle) -> None:
    loud = [(100_000 + 20_000 * i, "yes", 250 - 3 * i) for i in range(10)]
    result = _limiting(bundle, {"yes": 254, "no": 254}, loud, 0)
    assert result.deciding["yes"] == NEVER
    assert {place.label for place in result.limiting_talk} == {"yes"}


def test_one_keyword_does_not_hide_another_ones_talk(bundle: Bundle) -> None:
    talk = [(100_000 + 20_000 * i, "yes", 240 + i) for i in range(6)]
    talk += [(400_000 + 20_000 * i, "no", 185 + i) for i in range(2)]
    result = _limiting(bundle, {"yes": 254, "no": 220}, talk, 4)
    labels = [place.label for place in result.limiting_talk]
    assert labels == ["yes"] * 5 + ["no"] * 2


def test_talk_far_below_low_thresholds_is_not_named(bundle: Bundle) -> None:
    talk = [(100_000, "yes", 5), (200_000, "yes", 25)]
    assert _limiting(bundle, {"yes": 60, "no": 60}, talk, 4).limiting_talk == ()


def test_thresholds_move_half_way_to_their_mean_and_rise_together() -> None:
    places = np.array([OPTIONS.index(120), OPTIONS.index(220), len(OPTIONS) - 1])
    alarms = np.zeros((2, 3, len(OPTIONS)))
    alarms[0, :2] = 100 * np.exp(-np.arange(len(OPTIONS)) / 5).round(2)
    alarms[1, 0] = 3
    steps = ThresholdCosts(np.zeros((3, len(OPTIONS))), alarms, np.array([2.0, 0.5])).raised(places)
    assert steps is not None
    raised, rates = steps
    odds = log_odds(np.array(OPTIONS))
    gap = odds[raised[:, 1]] - odds[raised[:, 0]]
    below_the_end = raised[:, 1] < OPTIONS.index(240)
    half = (odds[places[1]] - odds[places[0]]) / 2
    np.testing.assert_allclose(gap[below_the_end], half, atol=0.2)
    assert (np.diff(raised[:, 0]) >= 0).all()
    assert (raised[:, 2] == len(OPTIONS) - 1).all()
    assert (np.diff(rates[0]) <= 0).all()
    assert rates[1, 0] == (3 + 0.5) / 0.5


@pytest.mark.parametrize(("scores", "margin"), [((200, 200), MARGIN), ((100, 200), MOST_MARGIN)])
def test_the_margin_is_larger_if_speakers_differ(
    bundle: Bundle, scores: tuple[int, int], margin: float
) -> None:
    """`scores`: for other words by every second speaker, and by the remaining speakers."""
    words = [said("yes", 5_000 * i) for i in range(1, 41)]
    words += [said("dog", 300_000 + 5_000 * i) for i in range(1, 181)]
    words = [
        replace(word, file=Path(f"s{i % 20:02}_nohash_{i // 20}.wav"))
        for i, word in enumerate(words)
    ]
    heard = [(w.start_ms + 100, "yes", 160 + 4 * (i // 2)) for i, w in enumerate(words[:40])]
    others = [(w.start_ms + 100, "yes", scores[i % 2]) for i, w in enumerate(words[40:])]
    traces = [replace(scored(words, heard + others, seconds=1800), kind=Kind.NOISE)]
    result = calibrate(bundle, traces, 1, at_words=3)
    assert result.margin_at_words == margin
    assert result.metrics()["margin_at_words"] == margin
    assert result.settings.thresholds["yes"] >= 200


def test_thresholds_stay_above_all_talk_if_it_is_too_short(bundle: Bundle) -> None:
    words = [said("yes", 10_000 * i) for i in range(1, 20)]
    peaks = [(w.start_ms + 100, "yes", 250) for w in words]
    minute = [(10_000, "yes", 180)]
    traces = [
        replace(scored(words, peaks, seconds=300), kind=Kind.QUIET),
        replace(scored([], minute, seconds=60), kind=Kind.TALK),
    ]
    result = calibrate(bundle, traces, 0.1)
    assert result.by_kind[Kind.TALK].false_alarms == ()
    assert 180 <= result.settings.thresholds["yes"] < 250


def test_too_little_talk_does_not_limit_false_alarms_at_words(bundle: Bundle) -> None:
    words = [said("yes", 10_000 * i) for i in range(1, 31)]
    peaks = [(w.start_ms + 100, "yes", 220) for w in words]
    words += [said("dog", 400_000 + 5_000 * i) for i in range(1, 181)]
    peaks += [(words[-1].start_ms + 100, "yes", 240)]
    traces = [
        replace(scored(words, peaks, seconds=1800), kind=Kind.NOISE),
        replace(scored([], [(10_000, "yes", 180)], seconds=60), kind=Kind.TALK),
    ]
    result = calibrate(bundle, traces, 0.1, at_words=10)
    assert 180 <= result.settings.thresholds["yes"] < 220
    assert result.expected.miss_share == 0


def test_both_sets_of_thresholds_are_chosen(run: Run, tmp_path: Path) -> None:
    trained = load_bundle(run.out / "bundle")
    plain = replace(trained, metrics={}, recognizer=RecognizerSettings(), path=None)
    folder = tmp_path / "two"
    write_bundle(plain.verified_by(trained), folder)
    dataset, plan = open_dataset(run.data), StreamPlan(0.05, 0.02)
    calibrate_bundle(folder, dataset, plan, 60, alone=False)
    pair = load_bundle(folder)
    assert pair.recognizer == plain.recognizer
    assert set(pair.metrics) == {"second_look"}
    calibrate_bundle(folder, dataset, plan, 60)
    both = load_bundle(folder)
    assert both.second_look == pair.second_look
    assert set(both.metrics) == {"calibration", "second_look"}
    alone = tmp_path / "alone"
    write_bundle(plain, alone)
    calibrate_bundle(alone, dataset, plan, 60)
    assert load_bundle(alone) == both.without_second_look()


def test_bundle_calibrated_with_talk_needs_talk_again(run: Run, tmp_path: Path) -> None:
    talk = tmp_path / "talk"
    talk.mkdir()
    noise = 1000 * np.random.default_rng(0).standard_normal(20 * 16000)
    write_clip(talk / "radio.wav", noise.astype(np.int16))
    folder = Path(shutil.copytree(run.out / "bundle", tmp_path / "b"))
    dataset, plan = open_dataset(run.data), StreamPlan(0.02, 0)
    with_talk = calibrate_bundle(folder, dataset, plan, 60, ambient=Surroundings((talk,)))
    assert with_talk.has_talk
    assert Kind.OVER_TALK in with_talk.by_kind
    before = load_bundle(folder).recognizer
    with pytest.raises(UsageError, match="pass talk with --negatives"):
        calibrate_bundle(folder, dataset, plan, 60)
    assert load_bundle(folder).recognizer == before
