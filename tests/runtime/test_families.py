"""Untrained models of each common family run as TFLite exports them, bit-identical to TFLM."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

from kws import _core
from kws.bundle.device import Device
from kws.bundle.making import make_bundle
from kws.convert.tflite_import import convert_file
from kws.features.spectrogram import spectrogram
from tests.runtime.families import (
    FAMILIES,
    from_layers,
    keras_lstm,
    low_latency_svdf,
    lstm,
    mixed_net,
    random_rows,
)
from tests.runtime.oracles import assert_same
from tests.small_models import LABELS

pytestmark = pytest.mark.filterwarnings("ignore:Statistics for quantized inputs")


@pytest.mark.parametrize("family", FAMILIES)
def test_family_runs_unchanged(family: str) -> None:
    body, shape = FAMILIES[family]
    check(from_layers(body, shape), count=3)


@pytest.mark.parametrize(
    ("make", "ops"),
    [
        (low_latency_svdf, {"SVDF"}),
        (lstm, {"UNIDIRECTIONAL_SEQUENCE_LSTM"}),
        (mixed_net, {"CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"}),
    ],
)
def test_family_with_state_runs_unchanged(make: Callable[[], bytes], ops: set[str]) -> None:
    model = make()
    assert ops <= set(_core.Interpreter(model).ops)
    check(model, count=8)


@pytest.mark.parametrize("units", [(16,), (12, 9)])
def test_an_exported_lstm_runs_unchanged(units: tuple[int, ...], tmp_path: Path) -> None:
    """Its tensors for floats between the gates have no elements and are not used."""
    model = keras_lstm(*units)
    assert unused_shapes(model) == [(0,)] * 5 * len(units)
    check(model, count=8)
    file = tmp_path / "lstm.tflite"
    file.write_bytes(model)
    bundle = convert_file(file, LABELS, tmp_path / "bundle")
    assert "UNIDIRECTIONAL_SEQUENCE_LSTM" in bundle.ops


def test_whole_spectrograms_do_not_share_state() -> None:
    model = lstm()
    bundle = make_bundle(model, LABELS, name="lstm", inference_stride=2)
    pcm = np.random.default_rng(3).normal(0, 3000, 3 * 16000).astype(np.int16)
    _, times, scores = Device(bundle).pipeline().trace(pcm)
    # No sound before the first sample.
    frames = np.concatenate([np.full((49, 40), -128, np.int8), spectrogram(pcm)])
    interpreter = _core.Interpreter(model)
    assert len(times) > 10
    for time, row in zip(times, scores, strict=True):
        interpreter.reset()
        end = time // 20 - 1
        window = frames[end : end + 49].reshape(1, 49, 40)
        np.testing.assert_array_equal(row, interpreter.invoke(window)[0][0])


def unused_shapes(model: bytes) -> list[tuple[int, ...]]:
    """The shapes of tensors that are neither input nor output of an op."""
    graph = schema.ModelT.InitFromPackedBuf(model).subgraphs[0]
    used = {i for op in graph.operators for i in (*op.inputs, *op.outputs)}
    return [tuple(t.shape) for i, t in enumerate(graph.tensors) if i not in used]


def check(model: bytes, *, count: int) -> None:
    """Check that each call is bit-identical to TFLM, also after a reset."""
    interpreter = _core.Interpreter(model)
    rows = random_rows(interpreter.inputs[0].shape, count)
    first = [np.array(interpreter.invoke(row)[0]) for row in rows]
    assert len({y.tobytes() for y in first}) > 1, "the outputs do not depend on the input"
    interpreter.reset()
    np.testing.assert_array_equal(first, [interpreter.invoke(row)[0] for row in rows])
    assert_same(model, [[row] for row in rows], litert=False)
