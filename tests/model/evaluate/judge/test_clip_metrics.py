# SPDX-License-Identifier: Apache-2.0
"""Metrics of clips: speakers, noise, level, worst clips."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import DataSet, Split, open_dataset
from kws.audio.pcm import speech_span
from kws.bundle.bundle import Bundle
from kws.model.evaluate.judge.clip_metrics import ClipMetrics, measure_clips
from kws.model.evaluate.score.altered_clips import at_level, in_noise
from kws.model.evaluate.score.clip_scores import core_scores
from kws.model.evaluate.score.labelled_clips import load_clips
from kws.model.samples.evaluation_clips import evaluation_samples
from tests.model.conftest import Run

LABELS = ("silence", "unknown", "yes")


def metrics_of(truth: list[int], answers: list[int], speakers: list[str]) -> ClipMetrics:
    scores = np.full((len(truth), 3), -100, np.int8)
    scores[np.arange(len(answers)), answers] = [50 + i for i in range(len(answers))]
    files = tuple(Path(f"{i}.wav") for i in range(len(truth)))
    pcm = np.zeros((len(truth), 160), np.int16)
    return ClipMetrics("m", LABELS, np.array(truth), scores, files, tuple(speakers), pcm)


def measured(bundle: Bundle, dataset: DataSet, split: Split | None) -> ClipMetrics:
    clips = load_clips(bundle, dataset, split)
    assert clips
    return measure_clips(bundle, clips)


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


def test_each_mistake_has_examples_before_any_has_many() -> None:
    truth, answers = [2] * 30 + [1, 0], [1] * 30 + [2, 1]
    metrics = metrics_of(truth, answers, ["a"] * 32)
    cells = [(clip.truth, clip.said) for clip in metrics.examples]
    assert cells == [("silence", "unknown"), ("unknown", "yes"), *[("yes", "unknown")] * 3]
    assert [clip.score for clip in metrics.examples[2:]] == [50 + i + 128 for i in (29, 28, 27)]
    assert metrics_of([2], [2], ["a"]).examples == ()


def test_noise_and_level_are_as_requested() -> None:
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


def test_loud_clips_are_clipped_as_by_a_microphone() -> None:
    clip = np.rint(1000 * np.sin(np.arange(16000) / 2)).astype(np.int16)
    loud, soft = (at_level(clip[None], level)[0].astype(int) for level in (-1, -60))
    assert (loud.max(), loud.min()) == (32767, -32768)
    assert np.mean(np.abs(loud) >= 32767) > 0.1
    np.testing.assert_allclose(loud[np.abs(clip) < 300], 41.3 * clip[np.abs(clip) < 300], rtol=0.01)
    assert 40 < soft.max() < 50  # RMS 33 of 32768
    assert np.all(np.diff(np.unique(soft)) == 1)  # all 16-bit steps occur


def test_level_difference_is_between_levels_in_the_usual_range() -> None:
    levels = {-60: (1, 10), -55: (7, 10), -40: (10, 10), -25: (9, 10), -8: (8, 10), -5: (0, 10)}
    metrics = replace(metrics_of([2], [2], ["a"]), by_level=levels)
    assert metrics.level_difference == pytest.approx(0.2)
    assert metrics.to_json()["level_difference"] == pytest.approx(0.2)


def test_collections_with_enough_keywords_are_compared() -> None:
    # Clips of unknown words are ignored.
    truth = [2] * 20 + [1] * 5 + [2] * 30 + [2] * 19
    answers = [2] * 20 + [2] * 5 + [1] * 15 + [2] * 15 + [2] * 19
    names = ["web"] * 25 + ["phone"] * 30 + ["few"] * 19
    metrics = metrics_of(truth, answers, [f"s{i // 3}" for i in range(len(truth))])
    assert metrics.by_collection == ()
    metrics = replace(metrics, collections=tuple(names))
    assert [(c.name, c.right, c.clips) for c in metrics.by_collection] == [
        ("phone", 15, 30),
        ("web", 20, 20),
    ]
    facts = metrics.to_json()["by_collection"]["phone"]
    assert facts["recall_95"][0] < facts["recall"] == 0.5 < facts["recall_95"][1]
    alone = replace(metrics, collections=("web",) * len(truth))
    assert alone.by_collection == ()


def test_collections_are_read_from_the_data_sets_manifest(run: Run, tmp_path: Path) -> None:
    data = Path(shutil.copytree(run.data, tmp_path / "data"))
    bundle = run.result.bundle
    assert measured(bundle, open_dataset(data), None).by_collection == ()
    names = [clip.path.relative_to(data).as_posix() for clip in open_dataset(data).clips]
    rows = [f"{name},{'even' if name[-5] == '0' else 'odd'}" for name in names]
    (data / "manifest.csv").write_text("\n".join(["path,repo", *rows]))
    metrics = measured(bundle, open_dataset(data), None)
    assert {c.name: c.clips for c in metrics.by_collection} == {
        "even": 38,
        "odd": 38,
    }


def test_scores_equal_the_cores_and_speakers_are_the_clips(run: Run, tones: DataSet) -> None:
    bundle = run.result.bundle
    metrics = measured(bundle, tones, Split.TEST)
    samples = evaluation_samples(tones, bundle.keywords, Split.TEST, keep_noise=False)
    np.testing.assert_array_equal(metrics.scores, core_scores(bundle.model, samples.spectrograms))
    assert metrics.matrix.to_json() == run.result.report.core.to_json()
    assert {s.partition("0")[0] for s in metrics.speakers if not s.startswith("background")} <= {
        "test", "test1", "test2", "test3"
    }  # fmt: skip
    assert metrics.interval
    low, high = metrics.interval
    assert 0 <= low <= metrics.matrix.accuracy <= high <= 1
    assert set(metrics.by_snr) == {-5, 0, 5, 10, 15, 20}
    assert set(metrics.curves) == {"low", "high"}
    right, total = metrics.by_snr[20]
    assert right / total >= metrics.by_snr[-5][0] / total
