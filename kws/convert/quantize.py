"""Keras to int8 TFLite, such that the model takes the core's spectrogram as it is.

The float model learns on `to_float` of the core's int8 values: (value + 128) / 256, which is 0 for
a silent channel. Post-training quantization then has to give the input scale 1/256 and zero point
-128, which turns the very same int8 values into the very same floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.convert.checks import open_model
from kws.errors import ModelError
from kws.model.backend import import_tensorflow, quiet

INPUT_SCALE = 1 / 256
INPUT_ZERO_POINT = -128

Spectrograms = npt.NDArray[np.int8]
"""What the core gives: int8[n, 49, 40]."""


def to_float(spectrograms: Spectrograms) -> npt.NDArray[np.float32]:
    """What the float model takes: float[n, 49, 40, 1] from 0 to 255/256."""
    floats = spectrograms.astype(np.float32)
    floats -= INPUT_ZERO_POINT
    floats *= INPUT_SCALE
    return floats[..., None]


def quantize(model: Any, spectrograms: Spectrograms) -> bytes:
    """The int8 .tflite file of a trained Keras model with logits; a softmax is added.

    Args:
        model: float[n, 49, 40, 1] (see `to_float`) to logits float[n, classes].
        spectrograms: training clips that show which values each layer gives.

    Raises:
        ModelError: the converter failed, or its model would not take the core's values as they are.
        ToolError: TensorFlow is not installed.
    """
    tf = import_tensorflow()
    import keras  # noqa: PLC0415 - slow, for training only

    from kws.convert.slim import slim  # noqa: PLC0415 - flatbuffers comes with TensorFlow

    source = keras.Input(batch_shape=(1, *spectrograms.shape[1:], 1))
    scores = keras.layers.Softmax()(model(source, training=False))
    converter = tf.lite.TFLiteConverter.from_keras_model(keras.Model(source, scores))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: _calibration(spectrograms)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    # One scale for all of a dense layer's weights: what TFLM's kernels have always taken.
    converter._experimental_disable_per_channel_quantization_for_dense_layers = True
    try:
        with quiet():
            data: bytes = converter.convert()
    except Exception as error:  # noqa: BLE001 - the converter raises whatever it likes
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelError(f"TensorFlow cannot convert the model: {reason[0]}") from None
    data = slim(data)
    _check_input(data)
    return data


def _calibration(spectrograms: Spectrograms) -> Iterator[list[npt.NDArray[np.float32]]]:
    """One training clip at a time; the first has both ends of the range in it.

    The converter takes the range it sees for the input's. A clip seldom has a channel at full
    scale, so two values of one clip (of 1960) are set to the ends.
    """
    ends = spectrograms[:1].copy()
    ends[0, 0, :2] = -128, 127
    for clip in (ends, *np.split(spectrograms[1:], max(len(spectrograms) - 1, 1))):
        if len(clip):
            yield [to_float(clip)]


def _check_input(data: bytes) -> None:
    tensor = open_model(data).inputs[0]
    if (tensor.scale, tensor.zero_point) != (INPUT_SCALE, INPUT_ZERO_POINT):
        raise ModelError(
            f"the converter gave the input scale {tensor.scale!r} and zero point "
            f"{tensor.zero_point}, not {INPUT_SCALE!r} and {INPUT_ZERO_POINT}; the core's "
            "spectrogram would not fit, so use the TensorFlow version in pyproject.toml"
        )
