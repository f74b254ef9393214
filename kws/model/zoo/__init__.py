# SPDX-License-Identifier: Apache-2.0
"""The model zoo: architectures that `kws train` knows by name.

Each file in this folder with a table `MODELS` adds its architectures.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kws.convert.backend import import_tensorflow
from kws.errors import UsageError, did_you_mean
from kws.features.frontend_settings import FrontendSettings
from kws.model.zoo import user_model
from kws.model.zoo.entry import ZooModel


def collect_models() -> Mapping[str, ZooModel]:
    """The architectures of all files in this folder by name, in the order of the files."""
    models: dict[str, ZooModel] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        models |= getattr(importlib.import_module(f"{__name__}.{module}"), "MODELS", {})
    return models


MODELS = collect_models()
"""The architectures by name."""


def build_model(arch: str, classes: int, seed: int, frames: int | None = None) -> Any:
    """An untrained Keras model: float[n, frames, 40, 1] to logits float[n, classes].

    Args:
        arch: a key of MODELS, or a Python file (see kws.model.zoo.user_model).
        classes: number of labels.
        seed: seed of the initial weights.
        frames: frames of the spectrogram; None for one second.

    Raises:
        UsageError: there is no such architecture, or the file's model does not fit.
        ToolError: TensorFlow is not installed.
    """
    entry = find_model(arch)
    import_tensorflow()
    import keras  # noqa: PLC0415 - slow, for training only

    keras.utils.set_random_seed(seed)
    frontend = FrontendSettings()
    return entry.build(frames or frontend.frames, frontend.channels, classes)


def find_model(arch: str) -> ZooModel:
    """The architecture with this name, or of this Python file.

    Raises:
        UsageError: it does not exist, or the file's model does not fit.
        ToolError: it is a file, and TensorFlow is not installed.
    """
    if user_model.is_own(arch):
        return user_model.load(Path(arch))
    if arch not in MODELS:
        raise UsageError(
            f"no architecture {arch!r}{did_you_mean(arch, MODELS)}; choose from "
            f"{', '.join(MODELS)}, or pass a .py file"
        )
    return MODELS[arch]
