# SPDX-License-Identifier: Apache-2.0
"""A user's own model: errors are reported before training."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kws.audio.dataset import DataSet
from kws.errors import ConversionError, UsageError
from kws.model.train.named_settings import settings_for
from kws.model.train.run_folder import claim
from kws.model.train.training import train
from kws.model.train.training_job import TrainingJob
from kws.model.zoo import build_model, find_model
from tests.model.conftest import SETTINGS

pytestmark = pytest.mark.tensorflow  # a user's file may import Keras, which needs TensorFlow

HEAD = """
from keras import Input, Sequential, layers

RECIPE = {"learning_rate": 0.002, "mixup": 0.1}

def build(frames, channels, classes):
"""
GOOD = HEAD + (
    "    return Sequential([Input((frames, channels, 1)), layers.AveragePooling2D((7, 8)),\n"
    "                       layers.Flatten(), layers.Dense(classes)])\n"
)

SOFTMAX = GOOD.removeprefix(HEAD).replace("Dense(classes)", "Dense(classes, activation='softmax')")


def write(folder: Path, text: str) -> str:
    file = folder / "mine.py"
    file.write_text(text)
    return str(file)


def test_own_model_is_built_and_trained_with_its_recipe(tmp_path: Path) -> None:
    name = write(tmp_path, GOOD)
    assert build_model(name, 5, seed=0).output_shape == (None, 5)
    settings = settings_for(("a",), name, {})
    assert (settings.learning_rate, settings.mixup) == (0.002, 0.1)


@pytest.mark.slow
def test_own_model_trains_to_a_bundle(tmp_path: Path, tones: DataSet) -> None:
    settings = replace(SETTINGS, arch=write(tmp_path, GOOD), epochs=1)
    result = train(TrainingJob(tones, tmp_path / "run", settings))
    assert "AVERAGE_POOL_2D" in result.bundle.ops
    assert result.bundle.metrics["training"]["arch"].endswith("mine.py")


def test_a_streaming_model_may_have_any_number_of_frames(tmp_path: Path) -> None:
    body = (
        "    source = Input((None, channels, 1))\n"
        "    x = layers.GlobalAveragePooling2D()({})\n"
        "    return Model(source, layers.Dense(classes)(x))\n"
    )
    head = "from keras import Model\nfrom kws.convert.streaming import Window\n" + HEAD
    streaming = write(tmp_path, head + body.format("Window(frames - 1, pad=False)(source)"))
    assert build_model(streaming, 5, seed=0).input_shape == (None, None, 40, 1)
    with pytest.raises(UsageError, match="the model's input is"):
        build_model(write(tmp_path, head + body.format("source")), 5, seed=0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def builds(): pass", "no function build; write build"),
        ("build = 3", "no function build"),
        ("import keras_of_tomorrow", "it does not run .ModuleNotFoundError: No module"),
        ("def build(:", "it does not run .SyntaxError"),
        (GOOD + "RECIPE = 3", "RECIPE is not a dict"),
    ],
)
def test_files_without_a_model_are_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=f"mine.py: {says}"):
        find_model(write(tmp_path, text))


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"away\.py: no such file or directory; pass a model"):
        find_model(str(tmp_path / "away.py"))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("    return 3\n", "returned a int; it must return a Keras model"),
        ("    return channels / 0\n", r"build\(49, 40, 4\) failed .ZeroDivisionError"),
        (
            "    return Sequential([Input((frames, channels, 1)), layers.Dense(classes)])\n",
            r"output is \(None, 49, 40, 4\); it must be \(None, 4\)",
        ),
        (
            "    return Sequential([Input((10, 4)), layers.Flatten(), layers.Dense(classes)])\n",
            r"input is \(None, 10, 4\); it must be \(None, 49, 40, 1\)",
        ),
        (
            SOFTMAX,
            "ends with a softmax; return logits",
        ),
    ],
)
def test_models_that_do_not_fit_are_refused(tmp_path: Path, body: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        build_model(write(tmp_path, HEAD + body), 4, seed=0)


@pytest.mark.slow
def test_op_that_kws_lacks_is_named_before_training(tmp_path: Path, tones: DataSet) -> None:
    body = (
        "    return Sequential([Input((frames, channels, 1)), layers.Flatten(),\n"
        "                       layers.Dense(classes, activation='elu'), layers.Dense(classes)])\n"
    )
    settings = replace(SETTINGS, arch=write(tmp_path, HEAD + body))
    with pytest.raises(ConversionError, match=r"ELU, an op that kws does not have"):
        train(TrainingJob(tones, tmp_path / "run", settings))
    assert not (tmp_path / "run").exists()


def test_run_of_a_changed_file_is_not_resumed(tmp_path: Path, tones: DataSet) -> None:
    settings = replace(SETTINGS, arch=write(tmp_path, GOOD))
    claim(tmp_path / "run", settings, tones)
    claim(tmp_path / "run", settings, tones)
    write(tmp_path, GOOD + "# another")
    with pytest.raises(UsageError, match="another version of the model's Python file"):
        claim(tmp_path / "run", settings, tones)
