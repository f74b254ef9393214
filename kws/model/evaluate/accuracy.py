# SPDX-License-Identifier: Apache-2.0
"""Confusion matrices, and the scores of the core that they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.audio.dataset import DataSet, Split
from kws.bundle.bundle import Bundle
from kws.bundle.checks import input_frames
from kws.errors import DataError, UsageError
from kws.features.spectrogram import SHAPE, Spectrograms, after_silence
from kws.model.samples.samples import Labels


@dataclass(frozen=True)
class ConfusionMatrix:
    """How often each class was taken for each class."""

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
        """Share of the answers of each class that were right, 0 to 1; only classes answered."""
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
        """All figures, as JSON and TOML can hold them."""
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
        scores: shape (n, classes), of any type. The class with the highest score is the answer;
            of equal scores the first one, as in the recognizer.
        truth: int64[n], the clips' classes.
        labels: names of the classes.
    """
    classes = len(labels)
    answers = np.argmax(scores, axis=1)
    cells = np.bincount(truth * classes + answers, minlength=classes * classes)
    return ConfusionMatrix(tuple(labels), cells.reshape(classes, classes))


def core_scores(model: bytes, spectrograms: Spectrograms) -> npt.NDArray[np.int8]:
    """Scores that the core computes from spectrograms: int8[n, classes].

    A streaming model gets each spectrogram from its first frame to its last, as in the pipeline;
    its last answer counts.
    """
    interpreter = _core.Interpreter(model)
    calls = whole_calls(spectrograms, input_frames(interpreter.inputs[0].shape))
    return interpreter.invoke_batch(calls.reshape(len(calls), -1)).astype(np.int8)


def bundle_scores(bundle: Bundle, spectrograms: Spectrograms) -> npt.NDArray[np.int8]:
    """What `core_scores` gives for a bundle's model, in the order of its labels."""
    scores = core_scores(bundle.model, spectrograms)
    return scores[:, list(bundle.output_order)] if bundle.output_order else scores


def whole_calls(spectrograms: Spectrograms, frames: int) -> Spectrograms:
    """Spectrograms for a model that takes `frames` frames a call.

    A streaming model hears a second of silence first, since on a device it has been listening. As
    in the pipeline, one call ends with the last frame.
    """
    if frames == spectrograms.shape[1]:
        return spectrograms
    silence = SHAPE[0]
    return after_silence(spectrograms, silence - (silence + spectrograms.shape[1]) % frames)


def one_split(dataset: DataSet, split: Split | None) -> tuple[DataSet, Split]:
    """The data set and the split to use; None makes all clips test clips."""
    if split is not None:
        return dataset, split
    clips = tuple(replace(clip, split=Split.TEST) for clip in dataset.clips)
    return replace(dataset, clips=clips), Split.TEST


def check_keywords(bundle: Bundle, dataset: DataSet, split: Split) -> None:
    """Make sure that the split has clips of each keyword.

    Raises:
        DataError: a keyword has none.
    """
    for word in bundle.keywords:
        if not dataset.of(split, [word]):
            raise DataError(
                f"{dataset.root}: no {split} clips of {word!r} to evaluate {bundle.name} with; add "
                "some, or use all clips with --split all"
            )


def split_of(name: str) -> Split | None:
    """The split with this name, None for `all`.

    Raises:
        UsageError: no split has this name.
    """
    if name == "all":
        return None
    try:
        return Split(name)
    except ValueError:
        raise UsageError(f"no split {name!r}; there are {', '.join(Split)} and all") from None
