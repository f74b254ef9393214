# SPDX-License-Identifier: Apache-2.0
"""What a model and its name have to be for the core to run them, and what its scores mean."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from kws import _core
from kws.bundle.refusals import refusal
from kws.errors import ModelError, UsageError
from kws.features.frontend_settings import FrontendSettings

SCORE_SCALE = 1 / 256
SCORE_ZERO_POINT = -128
"""A score of 0 to 1 is (int8 value - zero point) * scale. TFLite fixes both for a softmax, and the
recognizer requires them. uint8 scores have the zero point 0."""

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
    """Make sure that the boot line and C++ can hold a bundle's name.

    Raises:
        UsageError: they cannot.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"name {name!r}: a model's name is 1 to 32 letters, digits, '_', '.' and '-'"
        )


def name_from(text: str) -> str:
    """A bundle's name from a label's or a file's: marks of letters go, other letters become `_`."""
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    plain = "".join(letter for letter in parts if not unicodedata.combining(letter))
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", plain)[:32].strip("_.-")
    return name or "model"


def open_model(model: bytes) -> _core.Interpreter:
    """The core's interpreter for a .tflite file.

    Raises:
        ModelError: the file is damaged, foreign, or has an op or type that is not supported.
    """
    try:
        return _core.Interpreter(model)
    except _core.CoreError as error:
        raise refusal(model, str(error)) from None


def input_frames(shape: Sequence[int]) -> int:
    """How many frames a model with this input takes at a time.

    If these are fewer than its window has, the model streams: it keeps what it needs of earlier
    frames and gets each frame once.
    """
    return math.prod(shape) // FrontendSettings().channels


def window_frames(
    interpreter: _core.Interpreter, stride_samples: int, frames: int | None = None
) -> int:
    """How many frames the scores of a model are about.

    Args:
        interpreter: of the model; `check_tensors` has checked it.
        stride_samples: from one frame to the next.
        frames: what a streaming model's scores are about; None for a second.

    Raises:
        UsageError: `frames` is out of range, or not those of the model's input.
    """
    own = input_frames(interpreter.inputs[0].shape)
    streams = own < _core.SHORTEST_WINDOW
    if frames is None:
        second = (_core.SAMPLE_RATE - _core.WINDOW_SAMPLES) // stride_samples + 1
        frames = second if streams else own
    low, high = _core.SHORTEST_WINDOW, _core.LONGEST_WINDOW
    if not low <= frames <= high or own > frames:
        raise UsageError(
            f"a window of {frames} frames for a model that takes {own}; it has to be {low} to "
            f"{high}, and no shorter than the model's input"
        )
    if own != frames and not STATEFUL_OPS & set(interpreter.ops):
        raise UsageError(
            f"a window of {frames} frames for a model that sees {own}; leave it out, only a "
            "streaming model has a window of its own"
        )
    return frames


def check_tensors(
    interpreter: _core.Interpreter, label_count: int
) -> tuple[TensorSettings, TensorSettings]:
    """The settings of the one input and the one output, if they are what the pipeline needs.

    Raises:
        ModelError: they are of another number, type, shape or quantization.
        UsageError: there are more or fewer labels than outputs.
    """
    inputs, outputs = interpreter.inputs, interpreter.outputs
    if len(inputs) != 1 or len(outputs) != 1:
        raise ModelError(
            f"the model has {len(inputs)} input(s) and {len(outputs)} output(s); a keyword spotter "
            "has one of each"
        )
    source, target = inputs[0], outputs[0]
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
            f"{label_count} labels for a model with {scores} outputs; name one label for each "
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
