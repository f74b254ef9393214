"""Every model of the zoo, untrained: it converts, runs in the core, and with TFLM's bits."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core, config
from kws.convert.quantize import quantize
from kws.errors import UsageError
from kws.features.spectrogram import to_float
from kws.model import zoo
from kws.model.train.run_folder import settings_for
from kws.model.zoo import MODELS, build_model, find_model
from tests.runtime.families import random_rows
from tests.runtime.oracles import assert_same

CLASSES = 12

SIZES = {
    "single_fc": 25,
    "tiny_conv": 51,
    "conv": 562,
    "low_latency_conv": 882,
    "low_latency_svdf": 684,
    "tiny_embedding_conv": 9,
    "ds_cnn_s": 41,
    "ds_cnn_m": 178,
    "ds_cnn_l": 484,
    "ds_resnet": 54,
    "tc_resnet8": 74,
    "tcs_resnet": 58,
    "tcs_resnet_wide": 163,
    "tcs_resnet_fine": 301,
    "bc_resnet_1": 35,
    "bc_resnet_2": 59,
    "crnn": 76,
    "mixednet": 53,
}
"""Thousands of bytes of the .tflite files for twelve classes."""


FILES = sorted(Path(zoo.__file__).parent.glob("*.py"))


def noise(count: int) -> NDArray[np.int8]:
    """As quiet as spectrograms are."""
    rng = np.random.default_rng(3)
    return np.clip(rng.normal(-40, 40, (count, 49, 40)), -128, 127).astype(np.int8)


def lively(model: Any, spectrograms: NDArray[np.int8]) -> Any:
    """The model, its normalizations set to what they see, as training would, so that something
    reaches the end."""
    import keras

    for layer in model.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            layer.momentum = 0.0
    model(to_float(spectrograms), training=True)
    return model


def test_every_size_is_known() -> None:
    assert list(SIZES) == list(MODELS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Statistics for quantized inputs")
@pytest.mark.parametrize("name", MODELS)
def test_model_converts_and_runs_with_tflms_bits(name: str) -> None:
    clips = noise(8)
    model = lively(build_model(name, CLASSES, seed=1), clips)
    data = quantize(model, clips)
    assert len(data) == pytest.approx(1000 * SIZES[name], rel=0.1)
    interpreter = _core.Interpreter(data)
    shape = interpreter.inputs[0].shape
    rows = random_rows(shape, 2 * 1960 // int(np.prod(shape)))
    answers = {interpreter.invoke(row)[0].tobytes() for row in rows}
    assert len(answers) > 1, "the model says the same of everything"
    assert_same(data, [[row] for row in rows], litert=False)


def test_same_seed_gives_the_same_weights() -> None:
    first, again, other = (build_model("tiny_conv", 4, seed).get_weights() for seed in (1, 1, 2))
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first[0], other[0])


def test_missing_model_is_named_beside_those_that_exist() -> None:
    with pytest.raises(UsageError, match="no model 'huge'; there are single_fc, tiny_conv, "):
        find_model("huge")


@pytest.mark.parametrize(
    "file", sorted(Path(zoo.__file__).parent.glob("*.py")), ids=lambda f: f.stem
)
def test_model_files_are_not_tied_to_tensorflow(file: Path) -> None:
    """So that KERAS_BACKEND may be jax or torch while a model trains."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    assert not names & {"tensorflow", "jax", "torch"}


@pytest.mark.parametrize("name", MODELS)
def test_each_model_says_where_it_is_from_and_how_it_is_trained(name: str) -> None:
    entry = MODELS[name]
    assert entry.summary
    assert entry.source
    settings = settings_for(("a",), name)
    for key, value in entry.recipe.items():
        assert config.to_dict(settings)[key] == value
    assert settings_for(("a",), name, epochs=7).epochs == 7
