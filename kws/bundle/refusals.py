# SPDX-License-Identifier: Apache-2.0
"""Explains in one line what a model is, why it cannot run, and what to do.

The core stops at the first op that it cannot prepare, which may be only a consequence. The cause is
sought in the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kws import _core
from kws.errors import ConversionError, ModelError

_QUANTIZE = (
    "convert it again with full integer quantization (TFLiteConverter with a representative data "
    "set; int8 in and out)"
)

_BEGINNINGS = (
    (rb"\x89HDF", f"a Keras file; {_QUANTIZE}"),
    (rb"PK\x03\x04(?s:.*)model\.weights\.h5", f"a Keras file; {_QUANTIZE}"),
    (rb"PK\x03\x04(?s:.*)data\.pkl", "a PyTorch file; convert it to an int8 .tflite file"),
    (rb"PK\x03\x04|\x1f\x8b|BZh|7z\xbc\xaf|\xfd7zXZ", "an archive; pass a .tflite file"),
    (rb"\x08.\x12.(?:pytorch|tf2onnx|onnx)", "an ONNX file; convert it to an int8 .tflite file"),
    (rb"(?s:.{4})ET\d\d", "an ExecuTorch program; convert its model to an int8 .tflite file"),
    (rb"version https://git-lfs", "a Git LFS pointer; fetch the file with git lfs pull"),
    (rb"(?i:\s*<(?:!doctype|html))", "a web page; download the file itself (GitHub: Raw)"),
)
"""First bytes of files often mistaken for .tflite files, what they are, and what to do."""

_KNOWN = {
    "edgetpu-custom-op": "the model was compiled for Google's Edge TPU and runs only there; use "
    "the .tflite file that was given to edgetpu_compiler",
    "ethos-u": "the model was compiled for an Arm Ethos-U and runs only there; use the .tflite "
    "file that was given to Vela",
    "SignalWindow": "the model makes spectrograms and detects no words; kws has its own frontend, "
    "so pass the model that follows it",
}
"""Custom ops that identify a kind of model."""

_COPIES = {"QUANTIZE", "DEQUANTIZE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE"}
"""Ops that move values, or change their type, and compute nothing."""

_EMBEDDING = 96
"""Features per step in the input of openWakeWord models."""


def refusal(model: bytes, error: str) -> ModelError:
    """The error that explains why the core rejects a model with the message `error`.

    It is a ConversionError if no conversion of the model helps.
    """
    try:
        facts = _core.model_facts(model)
    except _core.CoreError:
        return ModelError(_foreign(model) or error)
    never = _never(facts)
    if never:
        return ConversionError(never)
    kind = _kind(facts)
    missing = dict.fromkeys(op.name for op in facts.ops if not _is_known(op))
    if missing:
        also = f"{kind} and " if kind else ""
        quantize = f" and {_QUANTIZE}" if kind else ""
        one = f"an op that kws does not have; build the model without it{quantize}"
        many = f"ops that kws does not have; build the model without them{quantize}"
        return ConversionError(
            f"the model {also}uses {_listed(missing)}, {one if len(missing) == 1 else many}"
        )
    if kind:
        return ModelError(f"the model {kind}; kws runs int8: {_QUANTIZE}")
    return _wrong_types(facts, error) or ModelError(error)


def _foreign(model: bytes) -> str | None:
    """The kind of a file that is not a .tflite file, and what to do."""
    for beginning, what in _BEGINNINGS:
        if re.match(beginning, model):
            return f"not a .tflite file but {what}"
    return None if model[4:8] == b"TFL3" else "not a .tflite file; pass one, or convert the model"


def _never(facts: _core.ModelFacts) -> str | None:
    """Why no conversion of a model helps."""
    custom = list(dict.fromkeys(op.name for op in facts.ops if op.custom))
    for name, reason in _KNOWN.items():
        if name in custom:
            return reason
    flex = [name.removeprefix("Flex") for name in custom if name.startswith("Flex")]
    if flex:
        return (
            f"the model uses TensorFlow's own {_listed(flex)} (Flex), which runs only on "
            "computers; build the model without it, and convert it without SELECT_TF_OPS"
        )
    return from_second_network(facts.inputs[0]) if facts.inputs else None


def from_second_network(source: _core.TensorInfo) -> str | None:
    """Why a model with this input hears nothing by itself: another network computes the input."""
    if len(source.shape) == 3 and source.shape[-1] == _EMBEDDING and source.dtype == "float32":
        return (
            f"the model's input, {'x'.join(map(str, source.shape))} float32, must come from a "
            "second, larger network, as with openWakeWord; train the phrase for a microcontroller "
            "with kws wake"
        )
    return None


def _is_known(op: _core.OpFacts) -> bool:
    return not op.custom and op.name in _core.OPS


def _kind(facts: _core.ModelFacts) -> str | None:
    """The model's arithmetic, if kws does not support it."""
    ops = [op for op in facts.ops if _is_known(op) and op.name not in _COPIES and op.gives]
    given = [op.gives[0] for op in ops]
    floats = [op for op in ops if op.gives[0] == "float32"]
    kinds = (
        (
            any("int8" in op.takes[1:] for op in floats),
            "has int8 weights and computes in float32 (dynamic range quantization)",
        ),
        (
            bool(floats) and any("float16" in op.takes for op in facts.ops),
            "has float16 weights and computes in float32",
        ),
        ("uint8" in given, "computes in uint8 (quantized as by TensorFlow 1)"),
        (any("int4" in op.takes for op in ops), "has 4-bit weights"),
    )
    return next((kind for applies, kind in kinds if applies), None)


def _wrong_types(facts: _core.ModelFacts, error: str) -> ModelError | None:
    """The core's message about an op's types, with the types; None for other messages."""
    match = re.search(r"these types; (.*) \(op (\d+), \w+\)", error)
    if not match:
        return None
    op = facts.ops[int(match[2])]
    types = f"from {', '.join(op.takes)} to {', '.join(op.gives)}"
    message = f"kws has no {op.name} (op {match[2]}) {types}; "
    if {*op.takes, *op.gives} == {"int8"}:
        return ConversionError(message + "build the model without it")
    return ModelError(message + match[1])


def _listed(names: Iterable[str]) -> str:
    """'A', 'A and B', 'A, B, C and 3 more'."""
    listed = list(names)
    if len(listed) == 1:
        return listed[0]
    shown, rest = listed[:3], len(listed) - 3
    last = f"{rest} more" if rest > 0 else shown.pop()
    return f"{', '.join(shown)} and {last}"
