# SPDX-License-Identifier: Apache-2.0
"""A user's own model: a Python file with a function `build(frames, channels, classes)`."""

from __future__ import annotations

import functools
import hashlib
import runpy
from pathlib import Path
from typing import Any

from kws.convert.backend import import_tensorflow
from kws.errors import UsageError, os_reason
from kws.model.zoo.entry import ZooModel

FUNCTION = "build"


def is_own(name: str) -> bool:
    """Whether `--arch` names a file instead of a model of the zoo."""
    return name.endswith(".py")


def fingerprint(file: str) -> str:
    """Hash of the file's content.

    Raises:
        UsageError: the file cannot be read.
    """
    return hashlib.sha256(_read(Path(file))).hexdigest()[:16]


def load(file: Path) -> ZooModel:
    """The model in a file, with its settings from `RECIPE` if there is one.

    Raises:
        UsageError: the file is missing, does not run, or has no function `build`.
        ToolError: TensorFlow is not installed.
    """
    _read(file)
    import_tensorflow()  # before the file imports Keras, which would print messages
    try:
        names = runpy.run_path(str(file))
    except Exception as error:  # noqa: BLE001 - a user's program may raise anything
        raise UsageError(f"{file}: it does not run ({_reason(error)}); correct it") from None
    build = names.get(FUNCTION)
    if not callable(build):
        raise UsageError(
            f"{file}: no function {FUNCTION}; write {FUNCTION}(frames, channels, classes) that "
            "returns a Keras model with logits"
        )
    recipe = names.get("RECIPE", {})
    if not isinstance(recipe, dict):
        raise UsageError(f'{file}: RECIPE is not a dict; write RECIPE = {{"learning_rate": 0.003}}')
    return ZooModel(
        functools.partial(_checked, file, build), "a model of your own", str(file), recipe
    )


def _checked(file: Path, build: Any, frames: int, channels: int, classes: int) -> Any:
    """The result of `build`, if training can use it."""
    import keras  # noqa: PLC0415 - slow, for training only

    try:
        model = build(frames, channels, classes)
    except Exception as error:  # noqa: BLE001 - a user's program may raise anything
        raise UsageError(
            f"{file}: {FUNCTION}({frames}, {channels}, {classes}) failed ({_reason(error)}); "
            "correct it"
        ) from None
    if not isinstance(model, keras.Model):
        raise UsageError(
            f"{file}: {FUNCTION} returned a {type(model).__name__}; it must return a Keras model"
        )
    from kws.convert.streaming import streams  # noqa: PLC0415 - imports Keras

    taken = getattr(model, "input_shape", None)
    if streams(model) and taken == (None, None, channels, 1):
        taken = (None, frames, channels, 1)  # of any length, because it streams
    for what, shape, wanted in (
        ("input", taken, (None, frames, channels, 1)),
        ("output", getattr(model, "output_shape", None), (None, classes)),
    ):
        if shape != wanted:
            raise UsageError(f"{file}: the model's {what} is {shape}; it must be {wanted}")
    last = model.layers[-1]
    activation = getattr(getattr(last, "activation", None), "__name__", "")
    if activation == "softmax" or isinstance(last, keras.layers.Softmax):
        raise UsageError(
            f"{file}: the model ends with a softmax; return logits, because kws adds the softmax"
        )
    return model


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{file}: {os_reason(error)}; pass a model of the zoo or a Python file with a function "
            f"{FUNCTION}"
        ) from None


def _reason(error: Exception) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:200]
