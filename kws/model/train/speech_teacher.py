# SPDX-License-Identifier: Apache-2.0
"""A teacher that knows how people speak: small networks on a speech embedding.

A model that hears its keyword from synthetic voices alone misses people. The embedding learned from
people, so small networks on it, trained on the same clips, miss fewer; the model learns from their
scores. The mean with an own teacher misses fewer words over talk (docs/research.md).
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.audio.pcm import Pcm
from kws.features.frontend_settings import FrontendSettings
from kws.files import atomic_write
from kws.model.samples.samples import Labels
from kws.model.samples.training_set import TrainingSet
from kws.model.train.distillation import Scores, Teacher
from kws.model.train.speech_embedding import Embeddings, SpeechEmbedding
from kws.model.train.train_settings import TrainSettings
from kws.progress import progress_bar

_NETWORKS = 3
"""Their mean is the teacher."""

_EPOCHS, _BATCH, _RATE = 8, 512, 1e-3
_MANY = 8192
"""Clips that are scored at a time, and that the scale of the values is taken from."""

_FILTERS, _UNITS = 96, 96


class SpeechTeacher:
    """Trained on the clips of each run that it teaches."""

    def __init__(self, own: Teacher | None = None) -> None:
        """Load the embedding.

        Args:
            own: another teacher, whose scores count as much as those of the networks.

        Raises:
            ToolError: a package is missing, or its files cannot be loaded.
        """
        self.embedding = SpeechEmbedding()
        self._own = own
        self.fingerprint = "-".join(
            ["speech", self.embedding.fingerprint, *([own.fingerprint] if own else [])]
        )

    def check(self, words: Sequence[str], frontend: FrontendSettings) -> None:
        """Check that the other teacher knows these words; the networks learn any.

        Args:
            words: the student's keywords and auxiliary words.
            frontend: the student's.

        Raises:
            UsageError: it does not know a word, or has a different window.
        """
        if self._own:
            self._own.check(words, frontend)

    def lessons(
        self,
        training: TrainingSet,
        settings: TrainSettings,
        file: Path,
        say: Callable[[str], object],
    ) -> list[Scores]:
        """The scores for each copy of the clips: float32[n, classes]; rows add up to 1.

        Args:
            training: the clips of a run.
            settings: settings of the run.
            file: keeps the networks' scores for a resumed run.
            say: called with lines of progress.

        Raises:
            KwsError: the file could not be written.
        """
        copies = min(settings.samples.copies, settings.epochs)
        classes = len(settings.classes)
        shape = copies, len(training), classes
        scores = _read(file, shape)
        if scores is None:
            heard, labels = self._listen(training, settings, copies, say)
            scores = _scores_of_networks(heard, labels, classes).astype(np.float16).reshape(shape)
            data = io.BytesIO()
            np.save(data, scores)
            atomic_write(file, data.getvalue())
        exact = scores.astype(np.float32)
        lessons = exact / exact.sum(axis=-1, keepdims=True)
        if not self._own:
            return list(lessons)
        own = (self._own.scores(training, copy, settings.learned) for copy in range(copies))
        return [(lesson + other) / 2 for lesson, other in zip(lessons, own, strict=True)]

    def _listen(
        self,
        training: TrainingSet,
        settings: TrainSettings,
        copies: int,
        say: Callable[[str], object],
    ) -> tuple[Embeddings, Labels]:
        """The embeddings and labels of all copies of the clips."""
        say("the speech embedding listens to the clips")
        samples = settings.samples.frontend.clip_samples
        heard: list[Embeddings] = []
        with progress_bar("listening", copies * len(training)) as advance:

            def hear(pcm: Pcm) -> None:
                heard.append(self.embedding.of(pcm, samples))
                advance(len(pcm))

            labels = [training.listen(number, hear).labels for number in range(copies)]
        return np.concatenate(heard), np.concatenate(labels)


def _read(file: Path, shape: tuple[int, ...]) -> npt.NDArray[np.float16] | None:
    """The scores of an interrupted run; None without them."""
    with contextlib.suppress(OSError, ValueError, EOFError):
        scores: npt.NDArray[np.float16] = np.load(file)
        if scores.shape == shape:
            return scores
    return None


def _scores_of_networks(x: Embeddings, labels: Labels, classes: int) -> Scores:
    """Train the networks on all clips; their mean scores for them: float32[n, classes]."""
    some = x[:: max(len(x) // _MANY, 1)].astype(np.float32)
    mean, deviation = some.mean(axis=(0, 1)), some.std(axis=(0, 1)) + np.float32(1e-3)

    def batch(rows: slice | npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        scaled: npt.NDArray[np.float32] = (x[rows].astype(np.float32) - mean) / deviation
        return scaled

    total = np.zeros((len(x), classes), np.float32)
    with progress_bar("training teachers", _NETWORKS * _EPOCHS * len(x)) as advance:
        for seed in range(_NETWORKS):
            rng = np.random.default_rng(seed)
            network = _network(x.shape[1:], classes, seed, -(-len(x) // _BATCH) * _EPOCHS)
            for _ in range(_EPOCHS):
                order = rng.permutation(len(x))
                for start in range(0, len(x), _BATCH):
                    rows = order[start : start + _BATCH]
                    network.train_on_batch(batch(rows), labels[rows])
                    advance(len(rows))
            for start in range(0, len(x), _MANY):
                part = slice(start, start + _MANY)
                logits = np.asarray(network.predict_on_batch(batch(part)))
                powers = np.exp(logits - logits.max(axis=1, keepdims=True))
                total[part] += powers / powers.sum(axis=1, keepdims=True)
    scores: Scores = total / np.float32(_NETWORKS)
    return scores


def _network(shape: Sequence[int], classes: int, seed: int, steps: int) -> Any:
    """An untrained network from embeddings to logits, for this number of steps of training."""
    import keras  # noqa: PLC0415 - slow, for training only

    keras.utils.set_random_seed(seed)
    layers = keras.layers
    network = keras.Sequential(
        [
            keras.Input(tuple(shape)),
            layers.Dropout(0.2),
            layers.Conv1D(_FILTERS, min(2, shape[0]), activation="relu"),
            layers.LayerNormalization(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(_UNITS, activation="relu"),
            layers.Dense(classes),
        ]
    )
    network.compile(
        keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(_RATE, steps)),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    return network
