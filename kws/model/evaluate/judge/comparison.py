# SPDX-License-Identifier: Apache-2.0
"""The same clips, computed by the float model and by LiteRT's reference kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kws.bundle.bundle import Bundle
from kws.convert.backend import import_tensorflow
from kws.errors import ModelError
from kws.features.spectrogram import batch_spectrograms, to_float
from kws.model.evaluate.judge.clip_metrics import ClipMetrics
from kws.model.evaluate.judge.confusion import ConfusionMatrix, confusion_matrix
from kws.model.evaluate.judge.conversion_loss import litert_scores
from kws.model.weights.trained_model import TrainedModel


def reference_matrices(
    source: Path, bundle: Bundle, clips: ClipMetrics
) -> dict[str, ConfusionMatrix]:
    """Confusion matrices of a Keras model, and of the bundle's int8 model in LiteRT.

    Args:
        source: a bundle with float weights, the folder of a training run, or a .keras file:
            float[n, frames, 40, 1] to logits or scores.
        bundle: the converted model.
        clips: the clips, and the core's scores for them.

    Raises:
        ModelError: `source` is not a model, or its classes are not the bundle's.
        UsageError: the folder has no float weights.
        ToolError: TensorFlow is not installed.
    """
    import_tensorflow()
    model = _from_folder(source, bundle) if source.is_dir() else _from_file(source)
    spectrograms = batch_spectrograms(clips.pcm)
    logits = np.asarray(model.predict(to_float(spectrograms), batch_size=256, verbose=0))
    if logits.shape != clips.scores.shape:
        raise ModelError(
            f"{source}: gives {logits.shape[-1]} scores, the bundle has {len(bundle.labels)} labels"
        )
    litert = litert_scores(bundle.model, spectrograms)
    if bundle.output_order:
        logits, litert = (scores[:, list(bundle.output_order)] for scores in (logits, litert))
    return {
        "float, Keras": confusion_matrix(logits, clips.truth, clips.labels),
        "int8, LiteRT reference kernels": confusion_matrix(litert, clips.truth, clips.labels),
    }


def _from_folder(folder: Path, bundle: Bundle) -> Any:
    trained = TrainedModel(folder)
    if trained.labels != bundle.labels:
        raise ModelError(
            f"{folder}: its labels are not the bundle's; give the run that made the bundle"
        )
    return trained.build()


def _from_file(file: Path) -> Any:
    import keras  # noqa: PLC0415 - slow, for training only

    try:
        return keras.models.load_model(file, compile=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"{file}: not a readable Keras model ({reason})") from None
