# SPDX-License-Identifier: Apache-2.0
"""A student learns a teacher's scores, and labels may be soft."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import DataSet
from kws.audio.pcm import Pcm
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.errors import UsageError
from kws.features.spectrogram import last_frames
from kws.model.evaluate.score.clip_scores import bundle_scores
from kws.model.samples.training_set import TrainingSet
from kws.model.train.distillation import Teacher
from kws.model.train.soft_labels import SoftLabels, mix_up
from kws.model.train.training import train
from kws.model.train.training_job import TrainingJob
from kws.model.weights import checkpoint
from kws.model.weights.run_files import CHECKPOINT
from tests.model.conftest import SETTINGS, Run


@pytest.mark.slow
def test_student_learns_a_teachers_scores(run: Run, tones: DataSet, tmp_path: Path) -> None:
    settings = replace(SETTINGS, epochs=2, teacher_share=1.0)
    teacher = Teacher(run.out)
    training = TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0)
    scores = teacher.scores(training, 1, SETTINGS.words)
    assert scores.shape == (len(training), 4)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-5)
    # The run's float model and its int8 bundle give the same scores.
    by_bundle = Teacher(run.out / "bundle").scores(training, 1, SETTINGS.words)
    assert np.abs(scores - by_bundle).mean() < 0.02

    soft_labels = SoftLabels(settings, training, teacher)
    asked, wanted = soft_labels.epoch(4)  # the second time that copy 1 is used
    np.testing.assert_array_equal(asked, training.epoch(4).spectrograms)
    np.testing.assert_allclose(wanted, scores[training.order(4)], atol=1e-6)

    train(TrainingJob(tones, tmp_path / "taught", settings, teacher=teacher))
    with pytest.raises(UsageError, match="another teacher"):
        train(TrainingJob(tones, tmp_path / "taught", settings))


def test_fingerprint_of_a_teacher_is_that_of_its_weights(run: Run, tmp_path: Path) -> None:
    """Processor times differ from run to run."""
    again = Path(shutil.copytree(run.out, tmp_path / "again"))
    state = checkpoint.load(again / CHECKPOINT)
    assert state is not None
    slower = [replace(epoch, cpu_seconds=epoch.cpu_seconds + 1) for epoch in state.history]
    checkpoint.save(again / CHECKPOINT, replace(state, history=slower))
    assert (again / CHECKPOINT).read_bytes() != (run.out / CHECKPOINT).read_bytes()
    assert Teacher(again).fingerprint == Teacher(run.out).fingerprint
    checkpoint.save(again / CHECKPOINT, replace(state, best=[array + 1 for array in state.best]))
    assert Teacher(again).fingerprint != Teacher(run.out).fingerprint


@pytest.mark.slow
def test_teacher_may_know_more_words_in_any_order(run: Run, tones: DataSet, tmp_path: Path) -> None:
    teacher = Teacher(run.out)
    training = TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0)
    silence, unknown, low, high = teacher.scores(training, 0, ("low", "high")).T
    turned = teacher.scores(training, 0, ("high", "low"))
    np.testing.assert_allclose(turned, np.stack([silence, unknown, high, low], axis=1), atol=1e-6)
    # "low" is unknown to a student without this label.
    fewer = teacher.scores(training, 0, ("high",))
    np.testing.assert_allclose(fewer, np.stack([silence, unknown + low, high], axis=1), atol=1e-6)

    settings = replace(SETTINGS, words=("high",), epochs=1)
    result = train(TrainingJob(tones, tmp_path / "one", settings, teacher=teacher))
    assert result.bundle.labels == ("silence", "unknown", "high")


def test_teachers_with_different_features_are_averaged(
    run: Run, tones: DataSet, tmp_path: Path
) -> None:
    """Each hears the same sound with its own features."""
    own = load_bundle(run.out / "bundle")
    other = replace(own, frontend=replace(own.frontend, keep_noise=True))
    write_bundle(other, tmp_path / "other")
    training = TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0)
    both = Teacher(run.out / "bundle", tmp_path / "other")
    both.check(SETTINGS.words, SETTINGS.samples.frontend)
    scores = both.scores(training, 1, SETTINGS.words)

    sound: list[Pcm] = []
    again = TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0)
    copy = again.listen(1, sound.append)
    np.testing.assert_array_equal(training.copy(1).spectrograms, copy.spectrograms)
    features = last_frames(np.concatenate(sound), other.frontend.frames, keep_noise=True)
    assert (features != copy.spectrograms).mean() > 0.5
    quantized = [bundle_scores(own, copy.spectrograms), bundle_scores(other, features)]
    expected = (np.mean(quantized, axis=0) + 128) / 256
    np.testing.assert_allclose(scores, expected / expected.sum(axis=1, keepdims=True), atol=1e-6)
    assert both.fingerprint != Teacher(run.out / "bundle").fingerprint


def test_teacher_with_other_words_is_refused(run: Run, tones: DataSet, tmp_path: Path) -> None:
    other = replace(SETTINGS, words=("high", "up"))
    with pytest.raises(UsageError, match="teacher knows silence, unknown, low, high"):
        train(TrainingJob(tones, tmp_path / "run", other, teacher=Teacher(run.out / "bundle")))
    assert not (tmp_path / "run").exists()
    samples = replace(SETTINGS.samples, window_ms=1240)
    with pytest.raises(UsageError, match="train the student with the teacher's window_ms"):
        Teacher(run.out).check(SETTINGS.words, samples.frontend)
    with pytest.raises(UsageError, match="not a teacher"):
        Teacher(run.out, tmp_path)


def test_labels_are_smoothed(tones: DataSet) -> None:
    training = TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0)
    _, wanted = SoftLabels(replace(SETTINGS, smoothing=0.2), training, None).epoch(0)
    labels = training.epoch(0).labels
    np.testing.assert_allclose(wanted[np.arange(len(labels)), labels], 0.85, atol=1e-6)
    np.testing.assert_allclose(wanted.sum(axis=1), 1, atol=1e-6)


def test_mixing_keeps_most_of_a_clip_and_the_same_share_of_its_label() -> None:
    x = np.eye(64, dtype=np.float32)
    mixed, wanted = mix_up(x[:, :, None, None], x, 0.5, np.random.default_rng(0))
    np.testing.assert_array_equal(mixed[:, :, 0, 0], wanted)
    own = np.diag(wanted)
    assert own.min() >= 0.5
    assert own.min() < 0.6
    np.testing.assert_allclose(wanted.sum(axis=1), 1, atol=1e-6)
