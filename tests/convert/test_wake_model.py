# SPDX-License-Identifier: Apache-2.0
"""Models for ESPHome's micro_wake_word: the right ops, and the probability of one word."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.convert.incremental.window_graph import WindowGraph
from kws.convert.model_table import unpack
from kws.convert.wake_model import MOST_VARIABLES, OPS, arena_bytes, streaming_model_of, wake_model
from kws.errors import UsageError
from tests.oracle_data import BUILT_IN, model_file
from tests.paths import ROOT
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same, run_core, run_tflm
from tests.small_models import LABELS, dense_model

FEATURES = ("int8", 1 / 256, -128)


def streaming_model(classes: int = 4, variables: int = 1, *, per_output: bool = False) -> bytes:
    """Keeps two frames, with CALL_ONCE and SPLIT; the softmax is not its last op."""
    rng = np.random.default_rng(classes)
    m = ModelBuilder()
    x = m.tensor((1, 2, 40, 1), *FEATURES)
    once = m.add_graph()
    m.op("CALL_ONCE", [], [], "CallOnceOptions", initSubgraphIndex=once)
    handles = []
    for number in range(variables):
        name: dict[str, Any] = {"container": "", "sharedName": f"frames_{number}"}
        first = m.tensor((1,), "resource", graph=once)
        silence = np.full((1, 2, 40, 1), -128)
        zeros = m.tensor(silence.shape, *FEATURES, data=silence, graph=once)
        m.op("VAR_HANDLE", [], [first], "VarHandleOptions", graph=once, **name)
        m.op("ASSIGN_VARIABLE", [first, zeros], [], "AssignVariableOptions", graph=once)
        handles.append(m.tensor((1,), "resource"))
        m.op("VAR_HANDLE", [], [handles[-1]], "VarHandleOptions", **name)
    old = m.tensor((1, 2, 40, 1), *FEATURES)
    m.op("READ_VARIABLE", [handles[0]], [old], "ReadVariableOptions")
    window = m.tensor((1, 4, 40, 1), *FEATURES)
    m.op("CONCATENATION", [old, x], [window], "ConcatenationOptions", axis=1)
    parts = [m.tensor((1, 4, 20, 1), *FEATURES) for _ in range(2)]
    axis = m.tensor((), "int32", data=np.array(2))
    m.op("SPLIT", [axis, window], parts, "SplitOptions", numSplits=2)
    both = m.tensor((1, 4, 20, 1), "int8", 1 / 128, -128)
    m.op("ADD", parts, [both], "AddOptions")
    scales: float | list[float] = [0.08] * classes if per_output else 0.08
    matrix = m.tensor((classes, 80), "int8", scales, data=rng.integers(-40, 41, (classes, 80)))
    bias = m.tensor((classes,), "int32", 0.08 / 128, data=np.zeros(classes))
    logits = m.tensor((1, classes), "int8", 0.1, 3)
    m.op("FULLY_CONNECTED", [both, matrix, bias], [logits], "FullyConnectedOptions")
    scores = m.tensor((1, classes), *FEATURES)
    m.op("SOFTMAX", [logits], [scores], "SoftmaxOptions", beta=1.0)
    for handle in handles:
        m.op("ASSIGN_VARIABLE", [handle, x], [], "AssignVariableOptions")
    return m.build([x], [scores], ([], []))


def frames_of(model: bytes, count: int) -> list[NDArray[np.int8]]:
    """Random frames of varying loudness in the shape of the model's input."""
    rng = np.random.default_rng(5)
    shape = _core.Interpreter(model).inputs[0].shape
    levels = rng.integers(-127, 128, count)
    return [rng.integers(-128, level + 1, shape).astype(np.int8) for level in levels]


def values(model: bytes, calls: list[NDArray[np.int8]]) -> NDArray[np.int64]:
    """Raw outputs of the core: int[calls, outputs]."""
    results = run_core(model, [[call] for call in calls])
    return np.array([result[0].ravel() for result in results], np.int64)


@pytest.mark.parametrize("classes", [2, 3, 4, 12])
def test_the_probability_is_the_softmax(classes: int) -> None:
    source = streaming_model(classes)
    calls = frames_of(source, 400)
    scores = values(source, calls) + 128
    frames = [call.reshape(1, 2, 40) for call in calls]
    words = range(classes)
    made = np.hstack([values(wake_model(source, word), frames) for word in words])
    assert {int(score) // 50 for score in scores.ravel()} == {0, 1, 2, 3, 4, 5}
    error = made - scores
    rounding = 1 if classes == 2 else 2 if classes < 5 else 4
    assert error.max() <= rounding
    assert error[scores >= 220].min() >= -2.7 - rounding
    if classes == 2:
        assert error.min() >= -rounding
    # With many equal competitors the product is exp(1 - 1 / softmax).
    bound = 256 * np.exp(1 - 256 / np.maximum(scores, 1))
    assert (made >= bound - rounding - 1).all()


def test_a_certain_word_has_the_highest_probability() -> None:
    """Also with twelve classes, although a sigmoid of int8 is at most 255/256."""
    source = streaming_model(12)
    calls = frames_of(source, 400)
    scores = values(source, calls) + 128
    word = int(scores.max(axis=0).argmax())
    made = values(wake_model(source, word), [call.reshape(1, 2, 40) for call in calls])[:, 0]
    assert (scores[:, word] == 255).any()
    assert (made[scores[:, word] == 255] >= 254).all()


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_models_run_in_tflm_with_the_same_bits(name: str) -> None:
    bundle = load_bundle(ROOT / "kws" / "assets" / name)
    model = wake_model(streaming_model_of(bundle), 2)
    assert_same(model, [[frames] for frames in frames_of(model, 60)], litert=False)


def test_a_streaming_model_runs_in_tflm_and_litert_with_the_same_bits() -> None:
    model = wake_model(streaming_model(), 3)
    assert_same(model, [[frames] for frames in frames_of(model, 60)])


@pytest.mark.parametrize(
    "source",
    [streaming_model(), *(model_file(name) for name in BUILT_IN)],
    ids=["streaming", *BUILT_IN],
)
def test_esphome_accepts_the_model(source: Any) -> None:
    """The checks of streaming_model.cpp: ops, shapes, types and the number of variables."""
    if not isinstance(source, bytes):
        source = streaming_model_of(load_bundle(source.parent))
    model = wake_model(source, 2)
    table = unpack(model)
    graph = WindowGraph(table)
    assert {op.name for op in graph.ops} <= OPS
    codes = [op.opcodeIndex for part in table.subgraphs for op in part.operators]
    assert sorted(set(codes)) == list(range(len(table.operatorCodes))), "no unused op codes"
    assert sum(op.name == "VAR_HANDLE" for op in graph.ops) <= MOST_VARIABLES
    (x,), (y,) = (_core.Interpreter(model).inputs, _core.Interpreter(model).outputs)
    assert (len(x.shape), x.shape[0], x.shape[2], x.dtype) == (3, 1, 40, "int8")
    assert (tuple(y.shape), y.dtype, y.scale, y.zero_point) == ((1, 1), "uint8", 1 / 256, 0)


def test_esphome_has_as_many_ops_as_its_resolver() -> None:
    assert len(OPS) == 20


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_arena_is_enough_for_tflm(name: str) -> None:
    """Without the bytes for the copy of a filter, which TFLM's own kernels do not need."""
    from tflite_micro.python.tflite_micro import runtime

    model = wake_model(streaming_model_of(load_bundle(ROOT / "kws" / "assets" / name)), 2)
    graph = WindowGraph(unpack(model))
    filters = [graph.shape(op.inputs[1]) for op in graph.ops if op.name == "CONV_2D"]
    copies = max((math.prod(shape) for shape in filters), default=0)
    (frames,) = frames_of(model, 1)
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=arena_bytes(model) - copies)
    interpreter.set_input(frames, 0)
    interpreter.invoke()
    assert interpreter.get_output(0).ravel() == run_tflm(model, [[frames]])[0][0].ravel()


def test_a_model_that_saves_no_work_streams_as_well() -> None:
    bundle = make_bundle(dense_model(), LABELS, name="dense")
    model = wake_model(streaming_model_of(bundle), 2)
    rng = np.random.default_rng(3)
    frames = rng.integers(-128, 128, (2 * 40, 40)).astype(np.int8)
    made = values(model, list(frames.reshape(-1, 1, 2, 40)))[-1, 0]
    whole = values(bundle.model, [frames[-49:].reshape(1, 1960)])[0, 2] + 128
    assert abs(made - whole) <= 3


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (model_file("mixed_net").read_bytes(), "the model ends with LOGISTIC"),
        (model_file("low_latency_svdf").read_bytes(), "has no SVDF"),
        (streaming_model(per_output=True), r"FULLY_CONNECTED \(op 7\) has a scale per output"),
        (streaming_model(variables=21), "keeps 21 variables, but ESPHome at most 20"),
    ],
    ids=["no softmax", "unknown op", "per output", "variables"],
)
def test_other_models_are_refused(source: bytes, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        wake_model(source, 0)
    assert "\n" not in str(refused.value)
