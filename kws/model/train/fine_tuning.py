"""Transfer: a model for new words that begins with the layers of one that knows others.

What a model has learned of speech from many speakers is in all of its layers but the last, the
head, which tells the words apart. A new model takes those layers over and gets a head of its own;
labels that both models know keep what the old head knew of them.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws import config
from kws.bundle.layout import SETTINGS_FILE
from kws.bundle.reading import load_bundle
from kws.errors import ModelError, UsageError
from kws.labels import class_labels
from kws.model.train import checkpoint


class Origin:
    """A trained model that another one starts from: a run's, or a bundle's with float weights."""

    model: str
    """Its name in the zoo."""

    labels: tuple[str, ...]
    """What it knows."""

    def __init__(self, folder: Path) -> None:
        """Load the weights.

        Args:
            folder: a bundle, or the folder of a training run; of several seeds, the bundle in it.

        Raises:
            UsageError: the folder is neither, or its bundle has no float weights.
            BundleError: the bundle is damaged.
            ModelError: the weights are damaged.
        """
        self.folder = folder
        if (folder / "checkpoint.npz").is_file():
            settings = config.read_toml(folder / "settings.toml")
            state = checkpoint.load(folder / "checkpoint.npz")
            self.model = str(settings["model"])
            self.labels = class_labels(settings["words"])
            self._arrays = state.best if state else []
        else:
            inner = folder / "bundle"
            bundle = load_bundle(inner if (inner / SETTINGS_FILE).is_file() else folder)
            if not bundle.float_model:
                raise UsageError(
                    f"{folder}: a bundle without float weights, from which nothing can start; "
                    "name the folder of the training run, or train the model again"
                )
            self.model, self._arrays = _unpack(bundle.float_model, folder)
            self.labels = bundle.labels
        digest = hashlib.sha256()
        for array in self._arrays:
            digest.update(array.tobytes())
        self.fingerprint = digest.hexdigest()[:16]

    def check(self, model: str) -> None:
        """Make sure that a model of this name can start from it.

        Raises:
            UsageError: it is another model.
        """
        if model != self.model:
            raise UsageError(
                f"{self.folder}: a {self.model}, from which no {model} can start; "
                f"train with --model {self.model}"
            )

    def give_to(self, model: Any, labels: Sequence[str], frozen: float) -> None:
        """Give an untrained model the layers, and freeze some of them; before it is compiled.

        Args:
            model: a Keras model of the same name.
            labels: what it is to know.
            frozen: share of the layers with weights, from the first on and without the head, that
                do not learn: 0 none, 1 all.

        Raises:
            ModelError: the weights are of another model.
        """
        body, head = _parts(model)
        ours = {id(variable) for variable in head.weights}
        weights = list(model.weights)
        fits = len(weights) == len(self._arrays) and all(
            tuple(variable.shape[:-1]) == array.shape[:-1]
            and (id(variable) in ours or tuple(variable.shape) == array.shape)
            for variable, array in zip(weights, self._arrays, strict=True)
        )
        if not fits:
            raise ModelError(
                f"{self.folder}: its weights are not of this version's {self.model}; train it again"
            )
        for variable, array in zip(weights, self._arrays, strict=True):
            if id(variable) not in ours:
                variable.assign(array)
                continue
            mixed = np.asarray(variable).copy()
            for place, label in enumerate(labels):
                if label in self.labels:
                    mixed[..., place] = array[..., self.labels.index(label)]
            variable.assign(mixed)
        for layer in body[: round(frozen * len(body))]:
            layer.trainable = False


def pack(model: str, weights: Sequence[npt.NDArray[Any]]) -> bytes:
    """Float weights as a bundle keeps them, in half precision.

    Args:
        model: its name in the zoo.
        weights: all of the Keras model's, in its order.
    """
    buffer = io.BytesIO()
    arrays = {f"weight{i:04}": array.astype(np.float16) for i, array in enumerate(weights)}
    np.savez_compressed(buffer, model=np.array(model), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _unpack(content: bytes, folder: Path) -> tuple[str, checkpoint.Arrays]:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            names = sorted(name for name in file.files if name.startswith("weight"))
            return str(file["model"]), [file[name].astype(np.float32) for name in names]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ModelError(
            f"{folder}: its float weights are damaged ({type(error).__name__}); train it again"
        ) from None


def _parts(model: Any) -> tuple[list[Any], Any]:
    """The layers with weights: all but the last one, and the last one, which is the head."""
    layers = [layer for layer in model.layers if layer.weights]
    return layers[:-1], layers[-1]
