"""What a model is asked for while it learns: labels, or something softer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws.features.spectrogram import Spectrograms
from kws.model.samples.training_set import TrainingSet
from kws.model.train.distillation import Teacher
from kws.model.train.run_folder import TrainSettings


class Targets:
    """What a model is asked for in each epoch: spectrograms, and how sure it should be of what."""

    def __init__(
        self, settings: TrainSettings, training: TrainingSet, teacher: Teacher | None
    ) -> None:
        """Take them from a training set and a teacher."""
        self._settings = settings
        self._training = training
        self._teacher = teacher
        self._taught: dict[int, npt.NDArray[np.float32]] = {}

    def __len__(self) -> int:
        """Clips in an epoch."""
        return len(self._training)

    def epoch(self, number: int) -> tuple[Spectrograms, npt.NDArray[np.float32]]:
        """Spectrograms int8[n, 49, 40] and targets float[n, classes]."""
        samples = self._training.epoch(number)
        classes = len(self._settings.words) + 2
        targets = np.eye(classes, dtype=np.float32)[samples.labels]
        if self._teacher:
            taught = self._taught_by(self._teacher, number)[self._training.order(number)]
            share = np.float32(self._settings.teacher_share)
            targets = (1 - share) * targets + share * taught
        smoothing = np.float32(self._settings.smoothing)
        return samples.spectrograms, (1 - smoothing) * targets + smoothing / classes

    def _taught_by(self, teacher: Teacher, number: int) -> npt.NDArray[np.float32]:
        """The teacher's scores of the epoch's copy of the clips, before stripes are blanked."""
        number %= self._settings.samples.copies
        if number not in self._taught:
            self._taught[number] = teacher.scores(
                self._training.copy(number).spectrograms, self._settings.words
            )
        return self._taught[number]


def mix_up(
    x: npt.NDArray[np.float32],
    y: npt.NDArray[np.float32],
    strength: float,
    rng: np.random.Generator,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Each clip of a batch mixed with another one, and their targets in the same shares.

    Source: Zhang et al., arXiv:1710.09412. A clip keeps half of itself or more.
    """
    share = rng.beta(strength, strength, len(x)).astype(np.float32)
    share = np.maximum(share, 1 - share)
    other = rng.permutation(len(x))
    of_x, of_y = share.reshape(-1, *[1] * (x.ndim - 1)), share[:, None]
    return x * of_x + x[other] * (1 - of_x), y * of_y + y[other] * (1 - of_y)
