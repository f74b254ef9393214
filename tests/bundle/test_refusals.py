# SPDX-License-Identifier: Apache-2.0
"""Unsupported models: the error names the kind of model, not the point where the core stopped."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import numpy as np
import pytest

from kws import _core
from kws.bundle.checks import check_tensors, open_model
from kws.errors import ConversionError, KwsError, ModelError
from tests.runtime.model_builder import ModelBuilder
from tests.small_models import dense_model, unsupported_model


def dense(activations: str, weights: str, shape: tuple[int, ...] = (1, 8)) -> bytes:
    """A dense layer with these types."""
    m = ModelBuilder()
    x = m.tensor(shape, activations, 0.1)
    matrix = m.tensor((4, shape[-1]), weights, 0.1, data=np.zeros((4, shape[-1])))
    y = m.tensor((1, 4), activations, 0.1)
    m.op("FULLY_CONNECTED", [x, matrix, -1], [y], "FullyConnectedOptions")
    return m.build([x], [y])


def with_custom(*names: str, dtype: str = "int8") -> bytes:
    """A model with custom ops after a supported op."""
    m = ModelBuilder()
    tensors = [m.tensor((1, 8), dtype, 0.1) for _ in range(len(names) + 2)]
    m.op("RELU", tensors[:1], tensors[1:2])
    for number, name in enumerate(names, 1):
        m.custom_op(name, [tensors[number]], [tensors[number + 1]], b"")
    return m.build(tensors[:1], tensors[-1:])


def with_ops(*names: str, dtype: str = "int8") -> bytes:
    m = ModelBuilder()
    tensors = [m.tensor((1, 8), dtype, 0.1) for _ in range(len(names) + 1)]
    for number, name in enumerate(names):
        m.op(name, [tensors[number]], [tensors[number + 1]])
    return m.build(tensors[:1], tensors[-1:])


def relu_to_int16() -> bytes:
    m = ModelBuilder()
    x, y, z = (m.tensor((1, 8), kind, 0.1) for kind in ("int8", "int8", "int16"))
    m.op("RELU", [x], [y])
    m.op("RELU", [y], [z])
    return m.build([x], [z])


def archive(name: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr(name, "x")
    return data.getvalue()


KINDS: dict[str, tuple[Callable[[], bytes], type[KwsError], str]] = {
    "dynamic range": (
        lambda: dense("float32", "int8"),
        ModelError,
        "int8 weights and computes in float32",
    ),
    "TensorFlow 1": (lambda: dense("uint8", "uint8"), ModelError, "computes in uint8 .*Flow 1"),
    "Edge TPU": (
        lambda: with_custom("edgetpu-custom-op"),
        ConversionError,
        "Edge TPU.*given to edgetpu_compiler",
    ),
    "Vela": (lambda: with_custom("ethos-u"), ConversionError, "Ethos-U.*given to Vela"),
    "Flex": (
        lambda: with_custom("FlexErf", "FlexRFFT", dtype="float32"),
        ConversionError,
        r"TensorFlow's own Erf and RFFT \(Flex\).*SELECT_TF_OPS",
    ),
    "a custom op": (lambda: with_custom("MyOp"), ConversionError, "uses MyOp, an op that kws"),
    "TFLM's preprocessor": (
        lambda: with_custom("SignalWindow", "SignalRfft", dtype="int16"),
        ConversionError,
        "makes spectrograms",
    ),
    "openWakeWord": (
        lambda: dense("float32", "float32", (1, 16, 96)),
        ConversionError,
        "1x16x96 float32, .*openWakeWord; .*kws wake",
    ),
    "several ops": (
        lambda: with_ops("COS", "ELU", "RELU", "SIN", "ABS", "COS"),
        ConversionError,
        "uses COS, ELU and SIN, ops that kws does not have",
    ),
    "ops and types": (
        lambda: with_ops("RELU", "COS", dtype="uint8"),
        ConversionError,
        r"computes in uint8 \(.*\) and uses COS, an op .*without it and convert it again",
    ),
    "an op without int8": (
        lambda: with_ops("ABS"),
        ConversionError,
        r"no ABS \(op 0\) from int8 to int8; build the model without it",
    ),
    "types of one op": (relu_to_int16, ModelError, r"no RELU \(op 1\) from int8 to int16"),
    "cut off": (lambda: dense_model()[:4000], ModelError, "damaged"),
    "Keras": (lambda: archive("model.weights.h5"), ModelError, "a Keras file"),
    "Keras 2": (lambda: b"\x89HDF\r\n\x1a\n" + bytes(50), ModelError, "a Keras file"),
    "PyTorch": (lambda: archive("archive/data.pkl"), ModelError, "a PyTorch file"),
    "an archive": (lambda: archive("model.tflite"), ModelError, "an archive"),
    "ONNX": (lambda: b"\x08\x07\x12\x07pytorch\x1a\x061.12.1:", ModelError, "an ONNX file"),
    "Git LFS": (
        lambda: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n",
        ModelError,
        "git lfs pull",
    ),
    "a page": (lambda: b"\n<!DOCTYPE html>\n<html></html>", ModelError, "a web page"),
    "anything": (lambda: b"RIFF" + bytes(100), ModelError, "not a .tflite file"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_of_model_is_named(kind: str) -> None:
    make, error, says = KINDS[kind]
    with pytest.raises(error, match=says) as refused:
        open_model(make())
    assert "\n" not in str(refused.value)
    assert "not registered" not in str(refused.value)


@pytest.mark.parametrize("kind", ["float32", "int16"])
def test_other_types_run_but_are_no_keyword_spotters(kind: str) -> None:
    model = dense(kind, "float32" if kind == "float32" else "int8")
    interpreter = open_model(model)
    with pytest.raises(ModelError, match=f"input is {kind}; convert it"):
        check_tensors(interpreter, 4)


def test_openwakewords_models_are_named() -> None:
    m = ModelBuilder()
    x, y = (m.tensor((1, 16, 96), "float32") for _ in range(2))
    m.op("RELU", [x], [y])
    interpreter = open_model(m.build([x], [y]))
    with pytest.raises(ConversionError, match=r"1x16x96 float32, .*openWakeWord; .*kws wake"):
        check_tensors(interpreter, 4)


def test_facts_of_a_model_that_cannot_run() -> None:
    facts = _core.model_facts(with_custom("FlexErf", dtype="float32"))
    assert [(op.name, op.custom, op.takes, op.gives) for op in facts.ops] == [
        ("RELU", False, ["float32"], ["float32"]),
        ("FlexErf", True, ["float32"], ["float32"]),
    ]
    assert [(info.shape, info.dtype) for info in facts.inputs] == [((1, 8), "float32")]


def test_facts_of_a_damaged_model_are_refused_or_read() -> None:
    """No byte is trusted: each truncation or changed byte yields facts or a CoreError."""
    model = unsupported_model()
    rng = np.random.default_rng(0)
    refused = 0
    for start in range(0, len(model), 4):
        changed = bytearray(model)
        changed[start : start + 4] = rng.bytes(4)
        for data in (model[:start], bytes(changed)):
            try:
                _core.model_facts(data)
            except _core.CoreError:
                refused += 1
    assert refused > len(model) // 4


def test_errors_of_the_core_are_printed_by_the_command_line() -> None:
    with pytest.raises(KwsError):
        _core.Interpreter(b"")
