# SPDX-License-Identifier: Apache-2.0
"""The float model that a bundle's int8 model was converted from."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.bundle.bundle import Bundle
from kws.convert.backend import import_tensorflow
from kws.errors import ModelError
from kws.features.spectrogram import Spectrograms, to_float
from kws.model.weights.trained_model import load_trained, trained_in


@dataclass(frozen=True)
class FloatReference:
    """A Keras model, float[n, frames, 40, 1] to logits or scores."""

    source: Path
    """Where it was loaded from."""

    model: Any

    def scores(self, spectrograms: Spectrograms, classes: int) -> npt.NDArray[np.float32]:
        """The model's output for spectrograms: float32[n, classes].

        Raises:
            ModelError: the model has a different number of classes.
        """
        scores: npt.NDArray[np.float32] = np.asarray(
            self.model.predict(to_float(spectrograms), batch_size=256, verbose=0)
        )
        if scores.shape != (len(spectrograms), classes):
            raise ModelError(
                f"{self.source}: returns {scores.shape[-1]} scores, but the bundle has {classes} "
                "labels"
            )
        return scores


def load_reference(bundle: Bundle, source: Path | None = None) -> FloatReference | None:
    """Load the float model of a bundle.

    Args:
        bundle: the converted model.
        source: a bundle with float weights, the folder of a training run, or a .keras file; None
            for the float weights in the bundle.

    Returns:
        None without `source`, if the bundle has no float weights or TensorFlow is not installed.

    Raises:
        ModelError: `source` is not a model, or its labels differ from the bundle's.
        UsageError: the folder has no float weights.
        ToolError: TensorFlow is not installed.
    """
    if source is None:
        if not (bundle.float_model and find_spec("tensorflow")):
            return None
        folder = bundle.path or Path(bundle.name)
        return FloatReference(folder, trained_in(bundle, folder).build())
    import_tensorflow()
    if not source.is_dir():
        return FloatReference(source, _load_file(source))
    trained = load_trained(source)
    if trained.labels != bundle.labels:
        raise ModelError(
            f"{source}: its labels differ from the bundle's; pass the run that made the bundle"
        )
    return FloatReference(source, trained.build())


def _load_file(file: Path) -> Any:
    import keras  # noqa: PLC0415 - slow, for training only

    try:
        return keras.models.load_model(file, compile=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"{file}: not a readable Keras model ({reason})") from None
