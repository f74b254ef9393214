"""Where a training run stands, in one file that is written whole after each epoch."""

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

Arrays = list[npt.NDArray[np.generic]]


@dataclass(frozen=True)
class EpochResult:
    """What one epoch gave."""

    loss: float
    """Mean training loss."""

    train_accuracy: float
    """Share of the epoch's training clips that were recognized while learning, 0 to 1."""

    validation_accuracy: float
    """Mean recall of the classes on the validation clips, 0 to 1."""

    validation_loss: float
    """Mean loss on the validation clips."""

    cpu_seconds: float = 0.0
    """Processor time, of all cores together: changing clips, learning, judging."""


@dataclass
class State:
    """A run between two epochs. Everything that the rest of the run depends on is here."""

    variables: Arrays = field(default_factory=list)
    """The model's and the optimizer's, the random generators' state among them."""

    best: Arrays = field(default_factory=list)
    """The model's weights after the best epoch."""

    history: list[EpochResult] = field(default_factory=list)
    """One a finished epoch."""

    @property
    def best_epoch(self) -> int:
        """Index of the epoch with the lowest validation loss, the last of equals.

        Accuracy would jump by chance: a few hundred clips differ by one or two from epoch to epoch.
        """
        losses = [result.validation_loss for result in self.history]
        return min(range(len(losses)), key=lambda epoch: (losses[epoch], -epoch))


def save(path: Path, state: State) -> None:
    """Write a state.

    Raises:
        KwsError: it could not be written; the old one is untouched.
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
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ModelError(
            f"{path}: the checkpoint is damaged ({type(error).__name__}); remove it to train anew"
        ) from None


def assign(variables: Sequence[Any], arrays: Arrays, path: Path) -> None:
    """Give Keras variables the values of a state.

    Raises:
        ModelError: they are not of the same model.
    """
    fits = len(variables) == len(arrays) and all(
        tuple(variable.shape) == array.shape
        for variable, array in zip(variables, arrays, strict=True)
    )
    if not fits:
        raise ModelError(
            f"{path}: the checkpoint is of another model or TensorFlow version; remove it to "
            "train anew"
        )
    for variable, array in zip(variables, arrays, strict=True):
        variable.assign(array)
