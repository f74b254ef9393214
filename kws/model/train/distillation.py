# SPDX-License-Identifier: Apache-2.0
"""Distillation: a trained model scores each clip, and a smaller one learns from its scores.

Source: Hinton, Vinyals and Dean, arXiv:1503.02531, at temperature 1: the teacher's scores replace a
share of each label, so nothing else in training changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws.bundle.bundle import Bundle
from kws.bundle.layout import MODEL_FILE, SETTINGS_FILE
from kws.bundle.reading import load_bundle
from kws.errors import UsageError
from kws.features.frontend_settings import FrontendSettings
from kws.features.spectrogram import Spectrograms, last_frames, to_float
from kws.labels import class_labels
from kws.model.evaluate.score.clip_scores import bundle_scores
from kws.model.samples.training_set import TrainingSet
from kws.model.weights import run_files
from kws.model.weights.trained_model import load_trained

Scores = npt.NDArray[np.float32]
"""float32[n, classes]; each row adds up to 1."""

_BATCH = 512


class Teacher:
    """One model or the mean of several: bundles, or the float models of training runs.

    They may have other features (`keep_noise`) than the student: such models make other mistakes.
    """

    def __init__(self, *folders: Path) -> None:
        """Find the models in the folders; they are built when first used.

        Args:
            folders: one or more, each a bundle, a training run, or a folder of runs of several
                seeds. Each model counts as much as any other.

        Raises:
            UsageError: a folder is none of these.
        """
        models = [model for folder in folders for model in _models(folder)]
        bundles = {model: load_bundle(_bundle(model)) for model in models}
        self._models = {model: _labels(model, bundle) for model, bundle in bundles.items()}
        self._frontends = {model: bundle.frontend for model, bundle in bundles.items()}
        digest = hashlib.sha256()
        for model in models:
            digest.update(_fingerprint(model))
        self.fingerprint = digest.hexdigest()[:16]

    def check(self, words: Sequence[str], frontend: FrontendSettings) -> None:
        """Check that the teacher knows these words and has the student's window.

        Args:
            words: the student's keywords and auxiliary words.
            frontend: the student's.

        Raises:
            UsageError: the teacher does not know a word, or has a different window.
        """
        for model, own in self._frontends.items():
            if own.frames != frontend.frames:
                raise UsageError(
                    f"{model}: the teacher sees {own.frames} frames, the student "
                    f"{frontend.frames}; train the student with the teacher's window_ms"
                )
        for model, labels in self._models.items():
            for word in words:
                if word not in labels:
                    raise UsageError(
                        f"{model}: the teacher knows {', '.join(labels)}; "
                        f"it must know {', '.join(class_labels(words))}"
                    )

    def scores(self, training: TrainingSet, copy: int, words: Sequence[str]) -> Scores:
        """The teacher's score of each class for a copy of the clips: float32[n, classes].

        Each row adds up to 1. Scores of labels that the student does not have count as unknown.

        Args:
            training: the student's clips.
            copy: number of the copy. It is made again if a model has other features.
            words: the student's keywords and auxiliary words, in the student's order.

        Raises:
            ModelError: a run's checkpoint is damaged.
        """
        frontend = training.frontend
        heard: list[Spectrograms] = []
        has_others = any(own.keep_noise != frontend.keep_noise for own in self._frontends.values())
        if has_others:
            samples = training.listen(
                copy,
                lambda pcm: heard.append(
                    last_frames(pcm, frontend.frames, keep_noise=not frontend.keep_noise)
                ),
            )
        else:
            samples = training.copy(copy)
        spectrograms = {frontend.keep_noise: samples.spectrograms[:, -frontend.frames :]}
        if has_others:
            spectrograms[not frontend.keep_noise] = np.concatenate(heard)
        student = class_labels(words)
        total = np.zeros((len(training), len(student)), np.float32)
        for model, labels in self._models.items():
            scores = _scores(model, spectrograms[self._frontends[model].keep_noise])
            for column, label in zip(scores.T, labels, strict=True):
                total[:, student.index(label) if label in student else 1] += column
        mean: Scores = total / total.sum(axis=1, keepdims=True)
        return mean


def _models(folder: Path) -> list[Path]:
    """The bundle, or the runs, in a folder."""
    if (folder / SETTINGS_FILE).is_file():
        return [folder]
    runs = sorted(folder.glob("seed*")) or [folder]
    models = [run for run in runs if (run / run_files.BUNDLE / SETTINGS_FILE).is_file()]
    if not models:
        raise UsageError(
            f"{folder}: not a teacher; pass a bundle or the folder of a finished training run"
        )
    return models


def _bundle(model: Path) -> Path:
    return model if (model / SETTINGS_FILE).is_file() else model / run_files.BUNDLE


def _labels(model: Path, bundle: Bundle) -> tuple[str, ...]:
    """The classes of the model that `_scores` uses: a run still has its auxiliary words."""
    trained = _weights(model).name == run_files.CHECKPOINT
    return load_trained(model).labels if trained else bundle.labels


def _fingerprint(model: Path) -> bytes:
    """Of a model's weights. A run's checkpoint also has its processor times, which vary."""
    file = _weights(model)
    if file.name == MODEL_FILE:
        return file.read_bytes()
    return load_trained(model).fingerprint.encode()


def _weights(model: Path) -> Path:
    """The file with a model's weights: a run's float weights if there are any."""
    checkpoint = model / run_files.CHECKPOINT
    return checkpoint if checkpoint.is_file() else _bundle(model) / MODEL_FILE


def _scores(model: Path, spectrograms: Spectrograms) -> Scores:
    file = _weights(model)
    if file.name == MODEL_FILE:
        quantized = bundle_scores(load_bundle(file.parent), spectrograms)
        return (quantized.astype(np.float32) + np.float32(128)) / np.float32(256)
    network = load_trained(model).build()
    logits = np.concatenate(
        [
            np.asarray(network.predict_on_batch(to_float(spectrograms[start : start + _BATCH])))
            for start in range(0, len(spectrograms), _BATCH)
        ]
    )
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    scores: Scores = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
    return scores
