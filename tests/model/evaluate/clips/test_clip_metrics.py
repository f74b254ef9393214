# SPDX-License-Identifier: Apache-2.0
"""Metrics of clips: speakers, noise, level, worst clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import DataSet, Split
from kws.model.evaluate.accuracy import core_scores
from kws.model.evaluate.clips.clip_metrics import ClipMetrics, at_level, in_noise, measure_clips
from kws.model.evaluate.streams import speech_span
from kws.model.samples.evaluation_clips import evaluation_samples
from tests.model.conftest import Run

LABELS = ("silence", "unknown", "yes")


def metrics_of(truth: list[int], answers: list[int], speakers: list[str]) -> ClipMetrics:
    scores = np.full((len(truth), 3), -100, np.int8)
    scores[np.arange(len(answers)), answers] = [50 + i for i in range(len(answers))]
    files = tuple(Path(f"{i}.wav") for i in range(len(truth)))
    pcm = np.zeros((len(truth), 160), np.int16)
    return ClipMetrics("m", LABELS, np.array(truth), scores, files, tuple(speakers), pcm)


def test_worst_speakers_come_first_without_those_with_few_clips() -> None:
    metrics = metrics_of(
        [2, 2, 2, 1, 1, 1, 2, 0, 0, 0],
        [2, 1, 1, 1, 1, 2, 1, 1, 1, 1],
        ["a", "a", "a", "b", "b", "b", "c", "d", "d", "d"],
    )
    assert [(s.name, s.right, s.clips) for s in metrics.by_speaker] == [("a", 1, 3), ("b", 2, 3)]
    assert metrics.spread["worst"] == pytest.approx(1 / 3)
    assert metrics.spread["all_right"] == 0
    assert metrics_of([2], [2], ["a"]).spread == {}


def test_most_confident_mistakes_come_first() -> None:
    metrics = metrics_of([2, 2, 1, 1], [2, 1, 1, 2], ["a"] * 4)
    assert [(clip.truth, clip.said) for clip in metrics.worst] == [
        ("unknown", "yes"),
        ("yes", "unknown"),
    ]
    assert metrics.worst[0].score == 50 + 3 + 128
    assert metrics.worst[0].truth_score == 28


def test_noise_and_level_are_as_asked() -> None:
    rng = np.random.default_rng(0)
    clip = np.zeros(16000)
    clip[5000:10000] = 900 * np.sin(np.arange(5000) / 2)
    clips = np.stack([clip, 4 * clip]).astype(np.int16)
    noise = [rng.normal(0, 1, 40000).astype(np.float32)]
    for snr in (-5, 20):
        mixed = in_noise(clips, noise, snr, rng).astype(float)
        quiet = np.mean(mixed[:, :4000] ** 2, axis=1)
        voice = np.mean(mixed[:, 6000:9000] ** 2, axis=1)
        np.testing.assert_allclose(10 * np.log10(voice / quiet - 1), snr, atol=1.0)
    for level in (-40, -20):
        loud = at_level(clips, level)
        for row in loud:
            first, end = speech_span(row)
            rms = np.sqrt(np.mean(row[first:end].astype(float) ** 2))
            assert 20 * np.log10(rms / 32768) == pytest.approx(level, abs=0.5)


def test_scores_are_the_cores_and_speakers_the_clips(run: Run, tones: DataSet) -> None:
    bundle = run.result.bundle
    metrics = measure_clips(bundle, tones, Split.TEST)
    samples = evaluation_samples(tones, bundle.keywords, Split.TEST)
    np.testing.assert_array_equal(metrics.scores, core_scores(bundle.model, samples.spectrograms))
    assert metrics.matrix.to_json() == run.result.report.core.to_json()
    assert {s.partition("0")[0] for s in metrics.speakers if not s.startswith("background")} <= {
        "test", "test1", "test2", "test3"
    }  # fmt: skip
    low, high = metrics.interval
    assert 0 <= low <= metrics.matrix.accuracy <= high <= 1
    assert set(metrics.by_snr) == {-5, 0, 5, 10, 15, 20}
    assert set(metrics.curves) == {"low", "high"}
    right, total = metrics.by_snr[20]
    assert right / total >= metrics.by_snr[-5][0] / total
