# SPDX-License-Identifier: Apache-2.0
"""An incremental model is bit-identical to the whole model at every step."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kws import _core
from kws.convert.incremental.model import candidates, make_incremental
from kws.convert.model_table import pack
from kws.errors import ConversionError
from kws.host.emulate.inference import Job, on_board
from tests.convert.incremental.random_graphs import RandomGraph
from tests.convert.incremental.stepping import (
    assert_same_bits,
    step_calls,
    stepped_frames,
    window_calls,
    with_first_values,
)
from tests.paths import ROOT
from tests.runtime.oracles import run_core, run_litert, run_tflm
from tests.runtime.strategies import SEEDS
from tests.small_models import dense_model

FRAMES = 49
MODELS = ROOT / "tests" / "data" / "models"
ASSETS = ROOT / "kws" / "assets"


def random_model(seed: int, layers: int) -> tuple[bytes, int, list[str]]:
    """A model, the number of frames in its window, and its layers."""
    graph = RandomGraph(np.random.default_rng(seed))
    model = graph.build(layers)
    return model, graph.shape_of(graph.source)[1], graph.layers


def assert_twins(model: bytes, frames: int, step: int, seed: int) -> int:
    """Check that a model's incremental models, up to any operator, are bit-identical to it."""
    count = 0
    for small in candidates(model, step):
        assert_same_bits(model, pack(small.table), frames, step, seed)
        count += small.share < 1
    return count


@given(seed=SEEDS, layers=st.integers(1, 5), step=st.integers(1, 4))
@settings(max_examples=60)
def test_random_graphs(seed: int, layers: int, step: int) -> None:
    model, frames, _ = random_model(seed, layers)
    assert_twins(model, frames, step, seed)


@pytest.mark.slow
def test_many_random_graphs_gain_with_every_kind_of_layer() -> None:
    gained: Counter[str] = Counter()
    for seed in range(400):
        model, frames, layers = random_model(seed, 1 + seed % 5)
        if assert_twins(model, frames, 1 + seed % 3, seed):
            gained.update(layers)
    assert len(gained) == 17, gained
    assert min(gained.values()) > 5, gained


@pytest.mark.parametrize(
    ("name", "step", "share"),
    [
        ("tests/data/models/tiny_conv.tflite", 2, 0.32),
        ("tests/data/models/ds_cnn.tflite", 2, 0.47),
        ("tests/data/models/ds_cnn.tflite", 4, 0.55),
        ("tests/data/models/bc_resnet.tflite", 1, 0.3),
        ("tests/data/models/bc_resnet.tflite", 5, 0.4),
        ("tests/data/models/crnn.tflite", 8, 0.85),
        ("kws/assets/tiny/model.tflite", 2, 0.32),
        ("kws/assets/yes_no/model.tflite", 2, 0.61),
        ("kws/assets/ten_words/model.tflite", 6, 0.65),
    ],
)
def test_known_models_gain(name: str, step: int, share: float) -> None:
    model = (ROOT / name).read_bytes()
    small = make_incremental(model, step)
    assert small.share < share
    # For some noise, a model returns the maximum score for silence at each step.
    assert max(assert_same_bits(model, small.model, FRAMES, step, seed) for seed in range(2)) > 1


@pytest.mark.parametrize("name", ["ds_cnn", "tiny_conv", "bc_resnet"])
def test_other_runtimes_are_bit_identical(name: str) -> None:
    model, step = (MODELS / f"{name}.tflite").read_bytes(), 2
    *_, last = candidates(model, step)
    small = pack(last.table)
    source, shape = _core.Interpreter(model).inputs[0], _core.Interpreter(small).inputs[0].shape
    elements = int(np.prod(source.shape)) // FRAMES
    frames = stepped_frames(np.random.default_rng(3), FRAMES, step, elements)
    calls = [[x] for x in step_calls(frames, step, shape)]
    windows = [[x] for x in window_calls(frames, FRAMES, step, source.shape)]
    core = run_core(small, calls)
    for core_answer, theirs in zip(core, run_tflm(small, calls), strict=True):
        np.testing.assert_array_equal(core_answer[0], theirs[0].reshape(core_answer[0].shape))
    # LiteRT rounds some sums differently, so LiteRT's results are compared with each other.
    litert = run_litert(with_first_values(last.table), calls)[-len(windows) :]
    for core_answer, whole in zip(litert, run_litert(model, windows), strict=True):
        np.testing.assert_array_equal(core_answer[0], whole[0])


@pytest.mark.usefixtures("board_tools")
def test_the_board_is_bit_identical_to_the_whole_model() -> None:
    """The board has different loops for short and for long images."""
    model, step = (MODELS / "ds_cnn.tflite").read_bytes(), 2
    small = make_incremental(model, step).model
    whole, shape = _core.Interpreter(model), _core.Interpreter(small).inputs[0].shape
    frames = stepped_frames(np.random.default_rng(5), FRAMES, step, 10)
    steps = np.stack(step_calls(frames, step, shape))
    windows = window_calls(frames, FRAMES, step, whole.inputs[0].shape)
    expected = np.stack([np.array(whole.invoke(x)[0]) for x in windows])
    (outcome,) = on_board("qemu", [Job(small, (steps,))])
    np.testing.assert_array_equal(
        outcome.outputs[0][-len(windows) :].reshape(expected.shape), expected
    )
    assert len(np.unique(expected, axis=0)) > 1


@pytest.mark.parametrize(
    ("name", "step", "message"),
    [
        ("mixed_net", 3, r"already keeps state between calls \(READ_VARIABLE\)"),
        ("low_latency_svdf", 1, r"between calls \(SVDF\)"),
        ("lstm", 2, r"between calls \(UNIDIRECTIONAL_SEQUENCE_LSTM\)"),
        ("tiny_conv", 3, r"CONV_2D \(op 0\) sees the whole window: its stride over time \(2\)"),
        ("tiny_conv", 48, "saves too little"),
        ("tiny_conv", 49, "a step of 49 replaces all 49 frames of .*; use a smaller step"),
    ],
)
def test_models_that_cannot_gain_give_the_reason(name: str, step: int, message: str) -> None:
    with pytest.raises(ConversionError, match=message) as caught:
        make_incremental((MODELS / f"{name}.tflite").read_bytes(), step)
    assert "\n" not in str(caught.value)


def test_float_models_and_dense_layers_are_refused() -> None:
    with pytest.raises(ConversionError, match=r"input is float32; .* full integer quantization"):
        make_incremental(_float_model(), 2)
    with pytest.raises(ConversionError, match=r"FULLY_CONNECTED .* it mixes all rows"):
        make_incremental(dense_model(), 2)


def _float_model() -> bytes:
    from tests.runtime.model_builder import ModelBuilder

    m = ModelBuilder()
    x, y = m.tensor((1, 49, 40), "float32"), m.tensor((1, 49, 40), "int8", 0.1, 0)
    m.op("QUANTIZE", [x], [y], "QuantizeOptions")
    return m.build([x], [y])


def test_the_conversion_is_reproducible() -> None:
    model = (ASSETS / "tiny" / "model.tflite").read_bytes()
    assert make_incremental(model, 2) == make_incremental(model, 2)
