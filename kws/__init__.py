# SPDX-License-Identifier: Apache-2.0
"""kws: from spoken words to a microcontroller that hears them."""

import importlib
from importlib.metadata import version
from typing import Any

__version__ = version("kws")

_API = ("Hit", "Model", "Scores", "evaluate", "load", "microphone", "spectrogram")


def __getattr__(name: str) -> Any:
    """The names of `kws.api`, which is imported only when one of them is used."""
    if name in _API:
        return getattr(importlib.import_module("kws.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*globals(), *_API])
