# SPDX-License-Identifier: Apache-2.0
"""The state of a training run, in one file that is replaced after each epoch."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.errors import ModelError
from kws.files import atomic_write

_DAMAGED = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile)
"""What reading a damaged file raises."""

Arrays = list[npt.NDArray[np.generic]]


@dataclass(frozen=True)
class EpochResult:
    """Measurements of one epoch."""

    loss: float
    """Mean training loss."""

    train_accuracy: float
    """Accuracy on the epoch's training clips during training, 0 to 1."""

    validation_accuracy: float
    """Mean recall of the classes on the validation clips, 0 to 1."""

    validation_loss: float
    """Mean loss on the validation clips."""

    cpu_seconds: float = 0.0
    """Processor time of augmentation, training and validation, sum of all cores."""

    def line(self, epoch: int, epochs: int) -> str:
        """A line for a log; `epoch` counts from 1."""
        return (
            f"epoch {epoch:{len(str(epochs))}}/{epochs}  loss {self.loss:.3f}  training "
            f"{self.train_accuracy:.1%}  validation {self.validation_accuracy:.1%}"
        )


@dataclass
class State:
    """A run between two epochs: everything that the rest of the run depends on."""

    variables: Arrays = field(default_factory=list)
    """Variables of the model and the optimizer, with the state of the random generators."""

    best: Arrays = field(default_factory=list)
    """The model's weights after the best epoch."""

    history: list[EpochResult] = field(default_factory=list)
    """One per finished epoch."""

    @property
    def best_epoch(self) -> int:
        """Index of the epoch with the lowest validation loss; on a tie, the last.

        The accuracy on a few hundred clips is a worse measure: it changes by one or two clips by
        chance.
        """
        losses = [result.validation_loss for result in self.history]
        return min(range(len(losses)), key=lambda epoch: (losses[epoch], -epoch))


def save(path: Path, state: State) -> None:
    """Write a state.

    Raises:
        KwsError: it could not be written; the old file is unchanged.
    """
    arrays = {f"variable{i:04}": array for i, array in enumerate(state.variables)}
    arrays |= {f"best{i:04}": array for i, array in enumerate(state.best)}
    history = json.dumps([asdict(result) for result in state.history])
    buffer = io.BytesIO()
    np.savez(buffer, history=np.array(history), **arrays)  # type: ignore[arg-type]
    atomic_write(path, buffer.getvalue())


def load(path: Path) -> State | None:
    """The state in a file, None if there is no file.

    Raises:
        ModelError: the file is damaged.
    """
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            names = sorted(file.files)
            return State(
                [file[name] for name in names if name.startswith("variable")],
                [file[name] for name in names if name.startswith("best")],
                [EpochResult(**result) for result in json.loads(str(file["history"]))],
            )
    except _DAMAGED as error:
        raise ModelError(
            f"{path}: the checkpoint is damaged ({type(error).__name__}); remove it to train again"
        ) from None


def load_history(path: Path) -> list[EpochResult]:
    """The finished epochs of a state in a file; empty if it is missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return [EpochResult(**result) for result in json.loads(str(file["history"]))]
    except _DAMAGED:
        return []


def fits(variables: Sequence[Any], arrays: Arrays) -> bool:
    """Whether Keras variables have the shapes of the arrays."""
    return len(variables) == len(arrays) and all(
        tuple(variable.shape) == array.shape
        for variable, array in zip(variables, arrays, strict=True)
    )


def assign(variables: Sequence[Any], arrays: Arrays, path: Path) -> None:
    """Assign the values of a state to Keras variables.

    Raises:
        ModelError: they belong to different models.
    """
    if not fits(variables, arrays):
        raise ModelError(
            f"{path}: the checkpoint belongs to another model or TensorFlow version; remove it to "
            "train again"
        )
    for variable, array in zip(variables, arrays, strict=True):
        variable.assign(array)
