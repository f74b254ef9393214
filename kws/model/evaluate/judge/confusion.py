# SPDX-License-Identifier: Apache-2.0
"""Confusion matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.model.samples.samples import Labels


@dataclass(frozen=True)
class ConfusionMatrix:
    """Number of clips by class and by the model's answer."""

    labels: tuple[str, ...]
    """Names of the classes."""

    counts: npt.NDArray[np.int64]
    """int64[classes, classes]: clips by their label (row) and by the model's answer (column)."""

    @property
    def recall(self) -> dict[str, float]:
        """Share of each class's clips that were recognized, 0 to 1; only classes with clips."""
        return self._shares(self.counts.sum(axis=1))

    @property
    def precision(self) -> dict[str, float]:
        """Share of correct answers per class, 0 to 1, of all classes predicted at least once."""
        return self._shares(self.counts.sum(axis=0))

    @property
    def accuracy(self) -> float:
        """Mean of the classes' recalls, 0 to 1: each class counts the same."""
        return float(np.mean(list(self.recall.values())))

    @property
    def clips(self) -> int:
        """Number of clips."""
        return int(self.counts.sum())

    def to_json(self) -> dict[str, Any]:
        """All figures, as values for JSON and TOML."""
        return {
            "accuracy": self.accuracy,
            "clips": self.clips,
            "labels": list(self.labels),
            "recall": self.recall,
            "precision": self.precision,
            "confusion": self.counts.tolist(),
        }

    def _shares(self, totals: npt.NDArray[np.int64]) -> dict[str, float]:
        return {
            label: float(self.counts[i, i] / totals[i])
            for i, label in enumerate(self.labels)
            if totals[i] > 0
        }


def confusion_matrix(
    scores: npt.NDArray[np.generic], truth: Labels, labels: Sequence[str]
) -> ConfusionMatrix:
    """Count the model's answers by class.

    Args:
        scores: shape (n, classes), of any type. The class with the highest score is the answer; on
            a tie the first, as in the recognizer.
        truth: int64[n], the clips' classes.
        labels: names of the classes.
    """
    classes = len(labels)
    answers = np.argmax(scores, axis=1)
    cells = np.bincount(truth * classes + answers, minlength=classes * classes)
    return ConfusionMatrix(tuple(labels), cells.reshape(classes, classes))
