"""How well a model does on clips that it has not learned from."""

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
from kws.features.spectrogram import Spectrograms
from kws.model.samples.samples import Labels


@dataclass(frozen=True)
class Evaluation:
    """What a model said of clips whose labels are known."""

    labels: tuple[str, ...]
    """Names of the classes."""

    confusion: npt.NDArray[np.int64]
    """int64[classes, classes]: clips by what they are (row) and what the model said (column)."""

    @property
    def recall(self) -> dict[str, float]:
        """Share of each class's clips that were recognized, 0 to 1; classes without clips miss."""
        counts = self.confusion.sum(axis=1)
        right = np.diag(self.confusion)
        return {
            label: float(right[i] / counts[i])
            for i, label in enumerate(self.labels)
            if counts[i] > 0
        }

    @property
    def precision(self) -> dict[str, float]:
        """Share of what was taken for each class that was it, 0 to 1, if it was ever said."""
        counts = self.confusion.sum(axis=0)
        right = np.diag(self.confusion)
        return {
            label: float(right[i] / counts[i])
            for i, label in enumerate(self.labels)
            if counts[i] > 0
        }

    @property
    def accuracy(self) -> float:
        """Mean of the classes' recalls, 0 to 1: each class counts the same."""
        return float(np.mean(list(self.recall.values())))

    @property
    def clips(self) -> int:
        """How many clips were judged."""
        return int(self.confusion.sum())

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON and TOML can hold it."""
        return {
            "accuracy": self.accuracy,
            "clips": self.clips,
            "labels": list(self.labels),
            "recall": self.recall,
            "precision": self.precision,
            "confusion": self.confusion.tolist(),
        }


def evaluate(scores: npt.NDArray[np.generic], labels: Labels, names: Sequence[str]) -> Evaluation:
    """Judge scores.

    Args:
        scores: shape (n, classes), of any type; the highest is what the model says, the first of
            equals as in the recognizer.
        labels: int64[n], what the clips are.
        names: the classes' labels.
    """
    classes = len(names)
    said = np.argmax(scores, axis=1)
    cells = np.bincount(labels * classes + said, minlength=classes * classes)
    return Evaluation(tuple(names), cells.reshape(classes, classes))


def core_scores(model: bytes, spectrograms: Spectrograms) -> npt.NDArray[np.int8]:
    """What the core makes of spectrograms: int8[n, classes].

    A streaming model hears each from its first frame to its last; the last answer counts.
    """
    interpreter = _core.Interpreter(model)
    frames = input_frames(interpreter.inputs[0].shape)
    spectrograms = spectrograms[:, : spectrograms.shape[1] // frames * frames]
    return interpreter.invoke_batch(spectrograms.reshape(len(spectrograms), -1)).astype(np.int8)


def one_split(dataset: DataSet, split: Split | None) -> tuple[DataSet, Split]:
    """The data set and the split to look at; None takes all clips for test clips."""
    if split is not None:
        return dataset, split
    clips = tuple(replace(clip, split=Split.TEST) for clip in dataset.clips)
    return replace(dataset, clips=clips), Split.TEST


def check_keywords(bundle: Bundle, dataset: DataSet, split: Split) -> None:
    """Make sure that there are clips of each keyword.

    Raises:
        DataError: there are none of one.
    """
    for word in bundle.keywords:
        if not dataset.of(split, [word]):
            raise DataError(
                f"{dataset.root}: no {split} clips of {word!r} to judge {bundle.name} with; add "
                "some, or use all there are with --split all"
            )


def split_of(name: str) -> Split | None:
    """The split of this name, None for `all`.

    Raises:
        UsageError: there is none.
    """
    if name == "all":
        return None
    try:
        return Split(name)
    except ValueError:
        raise UsageError(f"no split {name!r}; there are {', '.join(Split)} and all") from None
