# SPDX-License-Identifier: Apache-2.0
"""Requirements of the core for a model and its name, and the meaning of its scores."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from kws import _core
from kws.bundle.refusals import from_second_network, refusal
from kws.errors import ConversionError, ModelError, UsageError
from kws.features.frontend_settings import FrontendSettings

SCORE_SCALE = 1 / 256
SCORE_ZERO_POINT = -128
"""A score of 0 to 1 is (int8 value - zero point) * scale. TFLite fixes scale and zero point for a
softmax, and the recognizer requires them. uint8 scores have the zero point 0."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")

STATEFUL_OPS = {"READ_VARIABLE", "SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"}
"""Ops whose result depends on earlier calls."""


@dataclass(frozen=True)
class TensorSettings:
    """The model's input or output. An int8 value stands for (value - zero_point) * scale."""

    shape: tuple[int, ...]
    scale: float
    zero_point: int


def check_name(name: str) -> None:
    """Check that a bundle's name is valid in the boot line and in C++.

    Raises:
        UsageError: it is not.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"name {name!r}: a model's name is 1 to 32 letters, digits, '_', '.' and '-'"
        )


def name_from(text: str) -> str:
    """A bundle name from a label or file name: without diacritics; other characters become `_`."""
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    plain = "".join(letter for letter in parts if not unicodedata.combining(letter))
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", plain)[:32].strip("_.-")
    return name or "model"


def open_model(model: bytes) -> _core.Interpreter:
    """The core's interpreter for a .tflite file.

    Raises:
        ModelError: the file is damaged, not TFLite, or has an unsupported op or type.
    """
    try:
        return _core.Interpreter(model)
    except _core.CoreError as error:
        raise refusal(model, str(error)) from None


def input_frames(shape: Sequence[int]) -> int:
    """Number of frames per call of a model with this input.

    If this is less than its window, the model streams: it keeps state from earlier frames and gets
    each frame once.
    """
    return math.prod(shape) // FrontendSettings().channels


def window_frames(
    interpreter: _core.Interpreter, stride_samples: int, frames: int | None = None
) -> int:
    """Number of frames that a model's scores cover.

    Args:
        interpreter: the model's interpreter, checked by `check_tensors`.
        stride_samples: samples from one frame to the next.
        frames: number of frames for a streaming model; None for one second.

    Raises:
        UsageError: `frames` is out of range, or differs from the model's input.
    """
    own = input_frames(interpreter.inputs[0].shape)
    streams = own < _core.SHORTEST_WINDOW
    if frames is None:
        second = (_core.SAMPLE_RATE - _core.WINDOW_SAMPLES) // stride_samples + 1
        frames = second if streams else own
    low, high = _core.SHORTEST_WINDOW, _core.LONGEST_WINDOW
    if not low <= frames <= high or own > frames:
        raise UsageError(
            f"a window of {frames} frames for a model that takes {own}; it must be {low} to "
            f"{high}, and no shorter than the model's input"
        )
    if own != frames and not STATEFUL_OPS & set(interpreter.ops):
        raise UsageError(
            f"a window of {frames} frames for a model that sees {own}; omit it, because only a "
            "streaming model has a separate window"
        )
    return frames


def check_tensors(
    interpreter: _core.Interpreter, label_count: int
) -> tuple[TensorSettings, TensorSettings]:
    """The settings of the only input and the only output, checked for the pipeline.

    Raises:
        ModelError: their number, type, shape or quantization is unsupported.
        ConversionError: another network computes the input.
        UsageError: there are more or fewer labels than outputs.
    """
    inputs, outputs = interpreter.inputs, interpreter.outputs
    if len(inputs) != 1 or len(outputs) != 1:
        raise ModelError(
            f"the model has {len(inputs)} input(s) and {len(outputs)} output(s); a keyword spotter "
            "has one of each"
        )
    source, target = inputs[0], outputs[0]
    second = from_second_network(source)
    if second:
        raise ConversionError(second)
    frontend = FrontendSettings()
    for kind, tensor in (("input", source), ("output", target)):
        if tensor.dtype != "int8" and (kind, tensor.dtype) != ("output", "uint8"):
            raise ModelError(
                f"the model's {kind} is {tensor.dtype}; convert it with full integer quantization "
                "(TFLiteConverter's inference_input_type and inference_output_type: int8)"
            )
    elements = math.prod(source.shape)
    low, high = _core.SHORTEST_WINDOW, _core.LONGEST_WINDOW
    if STATEFUL_OPS & set(interpreter.ops):
        low = 1
    if elements % frontend.channels or not low <= elements // frontend.channels <= high:
        raise ModelError(
            f"the model's input has {elements} elements ({'x'.join(map(str, source.shape))}); kws "
            f"computes {_core.SHORTEST_WINDOW} to {high} frames of {frontend.channels} (fewer for "
            "models that keep variables), so train the model on its spectrograms (kws features)"
        )
    scores = math.prod(target.shape)
    if scores != label_count:
        raise UsageError(
            f"{label_count} labels for a model with {scores} outputs; pass one label for each "
            "output, in the model's order"
        )
    zero_point = SCORE_ZERO_POINT if target.dtype == "int8" else 0
    if (target.scale, target.zero_point) != (SCORE_SCALE, zero_point):
        raise ModelError(
            f"the model's output has scale {target.scale:g} and zero point {target.zero_point}; "
            f"the recognizer needs a softmax's 1/256 and {zero_point}, so end the model with one"
        )
    return (
        TensorSettings(tuple(source.shape), source.scale, source.zero_point),
        TensorSettings(tuple(target.shape), target.scale, target.zero_point),
    )
