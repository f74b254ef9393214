# SPDX-License-Identifier: Apache-2.0
"""Converts Keras models to int8 TFLite models that take the core's spectrogram unchanged.

The float model trains on `kws.features.spectrogram.to_float` of the core's int8 values.
Post-training quantization must give the input the scale and zero point of that function.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.bundle.checks import open_model
from kws.convert.backend import import_tensorflow, quiet
from kws.errors import ConversionError, ModelError
from kws.features.spectrogram import INPUT_SCALE, INPUT_ZERO_POINT, Spectrograms, to_float

_STREAMED_CLIPS = 100
"""Number of calibration clips for a streaming model, which are fed frame by frame."""


def quantize(model: Any, spectrograms: Spectrograms) -> bytes:
    """Convert a trained Keras model with logits to an int8 .tflite file; a softmax is added.

    Args:
        model: float[n, frames, 40, 1] (see `to_float`) to logits float[n, classes]. A streaming
            model (see kws.convert.streaming) is converted to take only each call's new frames.
        spectrograms: training clips for the calibration.

    Raises:
        ModelError: the converter failed, or its model does not take the core's values unchanged.
        ToolError: TensorFlow is not installed.
    """
    tf = import_tensorflow()

    # flatbuffers comes with TensorFlow.
    from kws.convert.logits import narrow_logits  # noqa: PLC0415
    from kws.convert.slim import slim  # noqa: PLC0415
    from kws.convert.streaming import streaming_model, streams  # noqa: PLC0415 - imports Keras

    logits = None
    streaming = streams(model)
    if streaming:
        model, spectrograms = streaming_model(model), spectrograms[:_STREAMED_CLIPS]
    else:
        logits = np.asarray(model.predict_on_batch(to_float(spectrograms)))
    frames = model.input_shape[1]
    try:
        with quiet(), tempfile.TemporaryDirectory() as folder:
            network = network_of(model, frames)
            converter = converter_of(tf, network, Path(folder) if streaming else None)
            _set_int8(tf, converter, streaming=streaming)
            converter.representative_dataset = lambda: _calibration(spectrograms, frames)
            data: bytes = converter.convert()
    except Exception as error:  # noqa: BLE001 - the converter raises any type
        raise conversion_error(error) from None
    data = slim(data if logits is None else narrow_logits(data, logits))
    _check_input(data)
    return data


def network_of(model: Any, frames: int) -> Any:
    """The Keras model for the converter: one spectrogram of some frames to scores (softmax)."""
    import keras  # noqa: PLC0415 - slow, for training only

    # Keras numbers its default names across the process; these names are reproducible.
    shape = (1, frames, *model.input_shape[2:])
    source = keras.Input(batch_shape=shape, name="spectrogram")
    scores = keras.layers.Softmax(name="scores")(model(source, training=False))
    return keras.Model(source, scores)


def conversion_error(error: Exception) -> ConversionError:
    """The error for any exception of TensorFlow's converter."""
    reason = str(error).strip().splitlines() or [type(error).__name__]
    return ConversionError(f"TensorFlow cannot convert the model: {reason[0]}")


def converter_of(tf: Any, model: Any, folder: Path | None) -> Any:
    """TensorFlow's converter; with a folder for its files if the model streams."""
    if folder is None:
        return tf.lite.TFLiteConverter.from_keras_model(model)
    # Only this way do kept frames stay variables and weights become constants.
    module = _stream(tf, model)
    tf.saved_model.save(module, str(folder), signatures=module.answer)
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder))
    converter.experimental_enable_resource_variables = True
    return converter


def _set_int8(tf: Any, converter: Any, *, streaming: bool) -> None:
    if streaming:
        converter._experimental_variable_quantization = True
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    # One scale for all weights of a dense layer, which all TFLM kernels support.
    converter._experimental_disable_per_channel_quantization_for_dense_layers = True


def _stream(tf: Any, model: Any) -> Any:
    """A module whose function `answer` calls the model and keeps its variables."""
    from kws.convert.streaming import MEMORY  # noqa: PLC0415 - imports Keras

    shape = tf.TensorSpec(model.input_shape, tf.float32)
    weights = [np.asarray(v) for v in model.trainable_variables]
    others = [np.asarray(v) for v in model.non_trainable_variables]
    module = tf.Module()
    module.memories = {
        str(index): tf.Variable(others[index], trainable=False)
        for index, variable in enumerate(model.non_trainable_variables)
        if variable.path.endswith(MEMORY)
    }

    @tf.function(input_signature=[shape])  # type: ignore[untyped-decorator] # no types
    def answer(x: Any) -> Any:
        before: list[Any] = [tf.constant(values) for values in others]
        for index, variable in module.memories.items():
            before[int(index)] = variable.read_value()
        constants = [tf.constant(values) for values in weights]
        y, after = model.stateless_call(constants, before, x, training=False)
        for index, variable in module.memories.items():
            variable.assign(after[int(index)])
        return y

    module.answer = answer
    return module


def _calibration(
    spectrograms: Spectrograms, frames: int
) -> Iterator[list[npt.NDArray[np.float32]]]:
    """The training clips, `frames` at a time; the first contains both ends of the range.

    The converter uses the observed range as the input's range. Clips rarely reach full scale, so
    two values of one clip are set to the ends. If the number of frames is not a multiple of
    `frames`, zeros come first, as in the pipeline.
    """
    ends = spectrograms[:1].copy()
    info = np.iinfo(np.int8)
    ends[0, 0, :2] = info.min, info.max
    before = -spectrograms.shape[1] % frames
    clips = np.concatenate([ends, spectrograms[1:]])
    clips = np.pad(clips, ((0, 0), (before, 0), (0, 0)), constant_values=INPUT_ZERO_POINT)
    for clip in clips:
        for start in range(0, len(clip), frames):
            yield [to_float(clip[None, start : start + frames])]


def _check_input(data: bytes) -> None:
    tensor = open_model(data).inputs[0]
    if (tensor.scale, tensor.zero_point) != (INPUT_SCALE, INPUT_ZERO_POINT):
        raise ModelError(
            f"the converter gave the input scale {tensor.scale!r} and zero point "
            f"{tensor.zero_point}, not {INPUT_SCALE!r} and {INPUT_ZERO_POINT}; the core's "
            "spectrogram would not fit, so use the TensorFlow version in pyproject.toml"
        )
