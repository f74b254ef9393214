# SPDX-License-Identifier: Apache-2.0
"""Accuracy lost by conversion to int8, measured on clips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.bundle.checks import SCORE_SCALE, SCORE_ZERO_POINT, input_frames, open_model
from kws.convert.backend import import_tensorflow, quiet
from kws.features.spectrogram import to_float
from kws.model.evaluate.judge.confusion import ConfusionMatrix, confusion_matrix
from kws.model.evaluate.score.clip_scores import core_scores, whole_calls
from kws.model.samples.samples import Samples

Scores = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ConversionLoss:
    """Accuracy on clips: of the float model, and of the int8 model computed in two ways."""

    float_model: ConfusionMatrix
    """The float model, computed by Keras."""

    int8_model: ConfusionMatrix
    """The int8 model, computed by LiteRT's reference kernels."""

    core: ConfusionMatrix
    """The int8 model, computed by kws's core as on the device."""

    difference: dict[str, float]
    """Absolute difference between scores of the core and the float model, 0 to 1: max, mean,
    std."""

    core_equals_litert: float
    """Share of the clips for which the core and LiteRT are bit-identical. LiteRT rounds a dense
    layer's sums once, TFLM and the core twice, so a few differ by one step."""

    def metrics(self) -> dict[str, Any]:
        """Figures for the bundle."""
        return {
            "clips": self.core.clips,
            "accuracy": {
                "float": self.float_model.accuracy,
                "int8": self.int8_model.accuracy,
                "core": self.core.accuracy,
            },
            "difference": self.difference,
            "core_equals_litert": self.core_equals_litert,
            "recall": self.core.recall,
            "confusion": self.core.counts.tolist(),
        }


def measure_conversion(
    model: Any, data: bytes, samples: Samples, labels: tuple[str, ...]
) -> ConversionLoss:
    """Compare a Keras model with its int8 model.

    Args:
        model: float[n, frames, 40, 1] to logits.
        data: the int8 .tflite file from `quantize`.
        samples: the clips.
        labels: names of the classes.
    """
    heard = samples.spectrograms
    if model.input_shape[1] is None:
        frames = input_frames(open_model(data).inputs[0].shape)
        # In the first call of the stream, one frame is new to the first row.
        heard = whole_calls(heard, frames)[:, frames - 1 :]
    logits = model.predict(to_float(heard), batch_size=256, verbose=0)
    exact = _softmax(np.asarray(logits, np.float32))
    core = core_scores(data, samples.spectrograms)
    litert = litert_scores(data, samples.spectrograms)
    size = np.abs((core.astype(np.float32) - SCORE_ZERO_POINT) * SCORE_SCALE - exact)
    return ConversionLoss(
        confusion_matrix(exact, samples.labels, labels),
        confusion_matrix(litert, samples.labels, labels),
        confusion_matrix(core, samples.labels, labels),
        {"max": float(size.max()), "mean": float(size.mean()), "std": float(size.std())},
        float((core == litert).all(axis=1).mean()),
    )


def litert_scores(data: bytes, spectrograms: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Scores that LiteRT's reference kernels compute from spectrograms: int8[n, classes]."""
    interpreter = _litert(data)
    source, target = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    frames = input_frames(source["shape"])
    out = np.empty((len(spectrograms), int(np.prod(target["shape"]))), np.int8)
    for row, spectrogram in zip(out, whole_calls(spectrograms, frames), strict=True):
        if frames < len(spectrogram):
            interpreter = _litert(data)  # it cannot reset its state
        for start in range(0, len(spectrogram), frames):
            part = spectrogram[start : start + frames]
            interpreter.set_tensor(source["index"], part.reshape(source["shape"]))
            interpreter.invoke()
        row[:] = interpreter.get_tensor(target["index"]).reshape(-1)
    return out


def _litert(data: bytes) -> Any:
    tf = import_tensorflow()
    with quiet():
        interpreter = tf.lite.Interpreter(
            model_content=data,
            experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF,
        )
        interpreter.allocate_tensors()
    return interpreter


def _softmax(logits: Scores) -> Scores:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    scores: Scores = powers / powers.sum(axis=1, keepdims=True)
    return scores
