# SPDX-License-Identifier: Apache-2.0
"""The same clips, computed by the float model and by LiteRT's reference kernels."""

from __future__ import annotations

from kws.bundle.bundle import Bundle
from kws.features.spectrogram import batch_spectrograms
from kws.model.evaluate.judge.clip_metrics import ClipMetrics
from kws.model.evaluate.judge.confusion import ConfusionMatrix, confusion_matrix
from kws.model.evaluate.judge.conversion_loss import litert_scores
from kws.model.evaluate.score.float_reference import FloatReference


def reference_matrices(
    reference: FloatReference, bundle: Bundle, clips: ClipMetrics
) -> dict[str, ConfusionMatrix]:
    """Confusion matrices of a Keras model, and of the bundle's int8 model in LiteRT.

    Raises:
        ModelError: the float model has a different number of classes.
    """
    spectrograms = batch_spectrograms(clips.pcm, keep_noise=bundle.frontend.keep_noise)
    logits = reference.scores(spectrograms, len(clips.labels))
    litert = litert_scores(bundle.model, spectrograms)
    if bundle.output_order:
        order = list(bundle.output_order)
        logits, litert = logits[:, order], litert[:, order]
    return {
        "float, Keras": confusion_matrix(logits, clips.truth, clips.labels),
        "int8, LiteRT reference kernels": confusion_matrix(litert, clips.truth, clips.labels),
    }
