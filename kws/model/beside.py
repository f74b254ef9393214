"""The same clips computed in other ways: by the float model, by LiteRT's reference kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kws import _core
from kws.convert.bundle import Bundle
from kws.convert.quantize import to_float
from kws.convert.report import litert_scores
from kws.errors import ModelError
from kws.model.backend import import_tensorflow
from kws.model.evaluate import Evaluation, evaluate
from kws.model.judgement import Judgement


def others(file: Path, bundle: Bundle, clips: Judgement) -> dict[str, Evaluation]:
    """Judge a Keras model and the bundle's int8 model in LiteRT.

    Args:
        file: a .keras file: float[n, 49, 40, 1] to logits or scores.
        bundle: what it became.
        clips: what the core made of the clips.

    Raises:
        ModelError: the file is no Keras model, or one of other classes.
        ToolError: TensorFlow is not installed.
    """
    import_tensorflow()
    import keras  # noqa: PLC0415 - slow, for training only

    try:
        model = keras.models.load_model(file, compile=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"{file}: no Keras model that can be read ({reason})") from None
    spectrograms = _core.features(clips.pcm)
    logits = np.asarray(model.predict(to_float(spectrograms), batch_size=256, verbose=0))
    if logits.shape != clips.scores.shape:
        raise ModelError(
            f"{file}: gives {logits.shape[-1]} scores, the bundle has {len(bundle.labels)} labels"
        )
    litert = litert_scores(bundle.model, spectrograms)
    return {
        "float, Keras": evaluate(logits, clips.truth, clips.labels),
        "int8, LiteRT reference kernels": evaluate(litert, clips.truth, clips.labels),
    }
