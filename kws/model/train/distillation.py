"""A trained model that tells a smaller one how sure it is of each clip (distillation).

Source: Hinton, Vinyals and Dean, arXiv:1503.02531, at temperature 1: part of each label becomes the
teacher's scores, so that nothing else in training changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws import config
from kws.bundle.reading import load_bundle
from kws.errors import UsageError
from kws.features.spectrogram import Spectrograms, to_float
from kws.labels import class_labels
from kws.model.evaluate.accuracy import core_scores
from kws.model.train import checkpoint
from kws.model.zoo import build_model

Scores = npt.NDArray[np.float32]


class Teacher:
    """One model or the mean of several: bundles, or the float models of training runs."""

    def __init__(self, folder: Path) -> None:
        """Find what is in the folder; models are loaded when they are first asked.

        Args:
            folder: a bundle, a training run, or a folder of runs of several seeds.

        Raises:
            UsageError: it is none of these.
        """
        if (folder / "bundle.toml").is_file():
            self._parts = [folder]
        else:
            runs = sorted(folder.glob("seed*")) or [folder]
            self._parts = [run for run in runs if (run / "bundle" / "bundle.toml").is_file()]
        if not self._parts:
            raise UsageError(
                f"{folder}: no teacher; name a bundle or the folder of a finished training run"
            )
        self._files = [_weights(part) for part in self._parts]
        digest = hashlib.sha256()
        for file in self._files:
            digest.update(file.read_bytes())
        self.fingerprint = digest.hexdigest()[:16]

        self._labels = [_labels(part) for part in self._parts]

    def check(self, words: Sequence[str]) -> None:
        """Make sure that the teacher knows these keywords.

        Raises:
            UsageError: there is one that it does not know.
        """
        for part, labels in zip(self._parts, self._labels, strict=True):
            for word in words:
                if word not in labels:
                    raise UsageError(
                        f"{part}: the teacher knows {', '.join(labels)}; "
                        f"it has to know {', '.join(class_labels(words))}"
                    )

    def scores(self, spectrograms: Spectrograms, words: Sequence[str]) -> Scores:
        """How sure the teacher is of each class: float32[n, classes], each row adds up to 1.

        What it is sure of beside silence and `words` counts as unknown.

        Args:
            spectrograms: int8[n, 49, 40].
            words: the student's keywords, in its order.

        Raises:
            ModelError: a run's checkpoint is damaged.
        """
        wanted = class_labels(words)
        total = np.zeros((len(spectrograms), len(wanted)), np.float32)
        for file, labels in zip(self._files, self._labels, strict=True):
            scores = _scores(file, spectrograms)
            for column, label in zip(scores.T, labels, strict=True):
                total[:, wanted.index(label) if label in wanted else 1] += column
        mean: Scores = total / total.sum(axis=1, keepdims=True)
        return mean


def _labels(part: Path) -> tuple[str, ...]:
    bundle = part if (part / "bundle.toml").is_file() else part / "bundle"
    return load_bundle(bundle).labels


def _weights(part: Path) -> Path:
    """The file that holds a teacher's weights: float ones where there are some."""
    for name in ("model.tflite", "checkpoint.npz"):
        if (part / name).is_file():
            return part / name
    return part / "bundle" / "model.tflite"


def _scores(file: Path, spectrograms: Spectrograms) -> Scores:
    if file.suffix == ".tflite":
        quantized = core_scores(file.read_bytes(), spectrograms)
        return (quantized.astype(np.float32) + np.float32(128)) / np.float32(256)
    settings = config.read_toml(file.parent / "settings.toml")
    state = checkpoint.load(file)
    model = build_model(str(settings["model"]), len(settings["words"]) + 2, 0)
    checkpoint.assign(model.weights, state.best if state else [], file)
    logits = np.concatenate(
        [
            np.asarray(model.predict_on_batch(to_float(spectrograms[start : start + 512])))
            for start in range(0, len(spectrograms), 512)
        ]
    )
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    scores: Scores = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
    return scores
