# SPDX-License-Identifier: Apache-2.0
"""Metrics of streams: hits, misses, false alarms, latency, the threshold curve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kws import _core
from kws.audio.dataset import DataSet, Split
from kws.bundle.device import Device
from kws.bundle.making import make_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.rules import Rules
from kws.host.serial.lines import parse
from kws.model.evaluate.judge.excerpts import excerpts_of, peaks_of
from kws.model.evaluate.judge.stream_metrics import (
    THRESHOLDS,
    measure_traces,
    recognize,
    threshold_curve,
)
from kws.model.evaluate.score.streams import Stream, StreamSettings, make_streams
from kws.model.evaluate.score.traces import Trace, trace_streams
from tests.model.conftest import Run
from tests.model.evaluate.judge.scored_traces import SETTINGS, said, scored
from tests.small_models import LABELS, dense_model


def test_each_report_is_a_hit_a_wrong_one_or_a_false_alarm() -> None:
    trace = scored(
        [said("yes", 5000), said("yes", 10000), said("no", 15000), said("dog", 20000)],
        [
            (2000, "no", 255),  # no word was spoken
            (5300, "yes", 255),  # a hit
            (6800, "yes", 255),  # the same word again
            (10300, "no", 255),  # wrong
            (20300, "yes", 255),  # another word
            (25000, "yes", 255),  # long after it
        ],
    )
    metrics = measure_traces(Rules(LABELS, SETTINGS), [trace])
    assert metrics.said == {"yes": 2, "no": 1}
    assert metrics.hits == {"yes": 1, "no": 0}
    assert metrics.wrong == {"yes": 1, "no": 0}
    assert metrics.other_words == 1
    assert [
        (alarm.report.label, alarm.near.label if alarm.near else None)
        for alarm in metrics.false_alarms
    ] == [
        ("no", None),
        ("yes", "yes"),
        ("yes", "dog"),
        ("yes", None),
    ]
    assert [(w.label, w.start_ms) for w in metrics.missed] == [("yes", 10000), ("no", 15000)]
    assert metrics.miss_share == pytest.approx(2 / 3)
    assert metrics.false_alarms_per_hour == pytest.approx(4 * 60)
    assert metrics.to_json()["keywords"]["no"]["missed"] == 1


def test_latency_counts_from_the_words_end() -> None:
    trace = scored([said("yes", 5000)], [(5480, "yes", 255)])
    (report,) = recognize(Rules(LABELS, SETTINGS), trace)
    metrics = measure_traces(Rules(LABELS, SETTINGS), [trace])
    assert metrics.latencies_ms == (report.time_ms - 5500,)
    assert 0 < metrics.latencies_ms[0] < 300


def test_report_before_the_word_is_not_a_hit() -> None:
    metrics = measure_traces(
        Rules(LABELS, SETTINGS), [scored([said("yes", 6000)], [(5000, "yes", 255)])]
    )
    assert metrics.hits["yes"] == 0
    assert len(metrics.false_alarms) == 1


def test_stream_without_words_and_reports() -> None:
    metrics = measure_traces(Rules(LABELS, SETTINGS), [scored([], [])])
    facts = metrics.to_json()
    assert (facts["miss_share"], facts["false_alarms"], facts["latency_ms"]) == (0.0, 0, {})
    assert facts["false_alarms_an_hour_95"][0] == 0.0
    assert facts["false_alarms_an_hour_95"][1] == pytest.approx(3.69 * 60, rel=0.01)


def test_peak_of_a_false_alarm_is_the_highest_threshold_at_which_it_occurs() -> None:
    settings = replace(SETTINGS, detection_threshold=100)
    bundle = make_bundle(dense_model(), LABELS, name="m", recognizer=settings)
    times = np.arange(0, 20_000, 40, dtype=np.int32)
    scores = np.full((len(times), 4), -128, np.int8)
    scores[:, 0] = 127
    for start, label, highest in ((3000, 2, 210), (9000, 3, 150), (15000, 2, 150)):
        rows = np.flatnonzero((times >= start) & (times < start + 1000))
        scores[rows, 0] = -128
        scores[rows, label] = np.linspace(120, highest, len(rows)).astype(int) - 128
    trace = Trace((), 20 / 3600, times, scores)
    reports = recognize(Rules(LABELS, settings), trace)
    assert [(r.label, r.score // 20) for r in reports] == [("yes", 5), ("no", 5), ("yes", 5)]
    peaks = peaks_of(bundle, trace, reports)
    assert peaks[0] == pytest.approx(200, abs=6)
    assert peaks[1:] == pytest.approx([145, 145], abs=6)


def test_curve_trades_misses_for_false_alarms() -> None:
    peaks = [(5100, "yes", 255), (10100, "yes", 170), (15000, "no", 210)]
    trace = scored([said("yes", 5000), said("yes", 10000)], peaks)
    points = {
        point.threshold: (point.miss_share, round(point.false_alarms_per_hour))
        for point in threshold_curve(Rules(LABELS, SETTINGS), [trace])
    }
    assert sorted(points) == sorted(THRESHOLDS)
    assert points[160] == (0.0, 60)
    assert points[200] == (0.5, 60)
    assert points[220] == (0.5, 0)
    loose = threshold_curve(Rules(LABELS, SETTINGS), [trace])[0]
    assert (loose.missed, loose.false_alarms) == (0, 1)
    assert loose.miss_share_95 is None, "the speakers are unknown"
    low, high = loose.false_alarms_per_hour_95
    assert low < loose.false_alarms_per_hour < high


def test_one_threshold_for_all_keywords_does_not_change_silence_and_unknown() -> None:
    settings = RecognizerSettings(thresholds={"unknown": 255, "yes": 3})
    assert Rules(LABELS, settings).with_threshold(99).recognizer.thresholds == {
        "unknown": 255,
        "yes": 99,
        "no": 99,
    }


def test_streams_are_measured_with_the_bundles_gate() -> None:
    rng = np.random.default_rng(1)
    room = rng.normal(0, 100, 10 * _core.SAMPLE_RATE).astype(np.int16)
    bundle = make_bundle(dense_model(), LABELS, name="a", recognizer=SETTINGS)
    gated = replace(bundle, recognizer=replace(SETTINGS, gate_db=0.8))
    traces = [next(trace_streams(b, [Stream(room, ())])) for b in (bundle, gated)]
    metrics = [measure_traces(Rules(LABELS, SETTINGS), [trace]) for trace in traces]
    silent = (traces[1].scores == np.array([127, -128, -128, -128])).all(axis=1)
    assert not (traces[0].scores == traces[1].scores[-1]).all(axis=1).any()
    assert traces[1].skipped == silent.sum() > 0.5 * len(silent)
    assert metrics[0].skipped_share == 0
    assert metrics[1].skipped_share == silent.mean()
    assert metrics[1].to_json()["skipped_share"] == silent.mean()


def test_recognizer_on_stored_scores_gives_the_pipelines_reports(run: Run, tones: DataSet) -> None:
    settings = RecognizerSettings(300, 200, 500, 3, {"low": 70, "high": 90})
    bundle = replace(run.result.bundle, recognizer=settings)
    plan = StreamSettings(minutes=4, words_a_minute=20, snr_db=(20, 30))
    stream = next(make_streams(tones, bundle.keywords, Split.TEST, plan))
    (trace,) = trace_streams(bundle, [stream])
    lines = parse(Device(bundle).pipeline().feed(stream.pcm))
    device = [(h.time_ms, h.label, h.score) for h in lines.heard if h.label in bundle.keywords]
    reports = recognize(bundle.rules, trace)
    assert len(reports) > 20
    assert [(r.time_ms, r.label, r.score) for r in reports] == device
    assert len(trace.times_ms) == pytest.approx(4 * 60 * 25, abs=30)
    metrics = measure_traces(bundle.rules, [trace])
    assert metrics.total_hits > 5
    excerpts = excerpts_of(bundle, stream, trace)
    assert len(excerpts) == min(len(metrics.false_alarms), 6) + min(len(metrics.missed), 6)
    assert all(len(excerpt.pcm) == 40000 for excerpt in excerpts)


def test_excerpts_are_longer_for_a_longer_window(tones: DataSet) -> None:
    model = dense_model(elements=40 * 84)
    bundle = make_bundle(model, LABELS, name="long", recognizer=RecognizerSettings(200, 60, 300, 1))
    stream = next(make_streams(tones, ["low"], Split.TEST, StreamSettings(minutes=1)))
    (trace,) = trace_streams(bundle, [stream])
    lengths = [len(excerpt.pcm) for excerpt in excerpts_of(bundle, stream, trace)]
    assert 40000 < max(lengths) <= 40000 + 700 * 16
