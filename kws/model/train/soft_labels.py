# SPDX-License-Identifier: Apache-2.0
"""Training labels with a share for each class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kws.features.spectrogram import Spectrograms
from kws.labels import class_labels
from kws.model.samples.training_set import TrainingSet
from kws.model.train.distillation import Scores, Teacher
from kws.model.train.train_settings import TrainSettings


class SoftLabels:
    """The spectrograms of each epoch with smoothed labels, partly from a teacher."""

    def __init__(
        self,
        settings: TrainSettings,
        training: TrainingSet,
        teacher: Teacher | None,
        lessons: Sequence[Scores] = (),
    ) -> None:
        """Use the clips of a training set, and the scores of a teacher if there is one.

        Args:
            settings: settings of the run.
            training: the clips.
            teacher: scores the copies of the clips when they are first used.
            lessons: a teacher's scores of each copy, if it gave them before.
        """
        self._settings = settings
        self._learned = (*settings.words, *settings.auxiliary)
        self._training = training
        self._teacher = teacher
        self._teacher_scores = dict(enumerate(lessons))

    def __len__(self) -> int:
        """Number of clips in an epoch."""
        return len(self._training)

    def epoch(self, number: int) -> tuple[Spectrograms, Scores]:
        """Spectrograms int8[n, frames, 40] and labels float[n, classes]; rows add up to 1."""
        # Before the epoch: a teacher may have to listen while the copy is made.
        scores = self._scores(number) if self._teacher or self._teacher_scores else None
        samples = self._training.epoch(number)
        classes = len(class_labels(self._learned))
        labels = np.eye(classes, dtype=np.float32)[samples.labels]
        if scores is not None:
            share = np.float32(self._settings.teacher_share)
            labels = (1 - share) * labels + share * scores[self._training.order(number)]
        smoothing = np.float32(self._settings.smoothing)
        return samples.spectrograms, (1 - smoothing) * labels + smoothing / classes

    def _scores(self, number: int) -> Scores:
        """The teacher's scores of the epoch's copy of the clips, before stripes are blanked."""
        copy = number % self._settings.samples.copies
        if copy not in self._teacher_scores and self._teacher:
            self._teacher_scores[copy] = self._teacher.scores(self._training, copy, self._learned)
        return self._teacher_scores[copy]


def mix_up(
    x: npt.NDArray[np.float32],
    y: npt.NDArray[np.float32],
    strength: float,
    rng: np.random.Generator,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Mix each clip of a batch with another clip, and the labels in the same proportions.

    A clip keeps at least half of itself. Source: Zhang et al., arXiv:1710.09412.

    Args:
        x: clips, float[n, ...].
        y: labels, float[n, classes].
        strength: shares are drawn from Beta(strength, strength).
        rng: draws the shares and the pairs.
    """
    share = rng.beta(strength, strength, len(x)).astype(np.float32)
    share = np.maximum(share, 1 - share)
    other = rng.permutation(len(x))
    of_x, of_y = share.reshape(-1, *[1] * (x.ndim - 1)), share[:, None]
    return x * of_x + x[other] * (1 - of_x), y * of_y + y[other] * (1 - of_y)
