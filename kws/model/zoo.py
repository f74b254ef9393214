"""The models that `kws train` knows, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kws.config import FrontendSettings
from kws.errors import UsageError
from kws.model import tiny_conv
from kws.model.backend import import_tensorflow

MODELS: dict[str, Callable[[int, int, int], Any]] = {
    "tiny_conv": tiny_conv.build,
}
"""Name to function of (frames, channels, classes) that gives a Keras model with logits."""


def build_model(name: str, classes: int, seed: int) -> Any:
    """An untrained Keras model: float[n, 49, 40, 1] to logits float[n, classes].

    Args:
        name: a key of MODELS.
        classes: number of labels.
        seed: what the first weights are drawn with.

    Raises:
        UsageError: there is no such model.
        ToolError: TensorFlow is not installed.
    """
    check_model(name)
    import_tensorflow()
    import keras  # noqa: PLC0415 - slow, for training only

    keras.utils.set_random_seed(seed)
    frontend = FrontendSettings()
    return MODELS[name](frontend.frames, frontend.channels, classes)


def check_model(name: str) -> None:
    """Make sure that there is a model of this name.

    Raises:
        UsageError: there is none.
    """
    if name not in MODELS:
        raise UsageError(f"no model {name!r}; there are {', '.join(sorted(MODELS))}")
