# SPDX-License-Identifier: Apache-2.0
"""Optional packages, installed by the extras of kws."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from kws.errors import ToolError


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module that is not in the base install.

    Args:
        module: its full name, such as "matplotlib.figure".
        extra: the extra of kws that installs its package, such as "plots".
        purpose: subject of the error message, such as "a picture of the memory plan".

    Raises:
        ToolError: the package is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise
        raise ToolError(
            f"{purpose} needs {package}, which is not installed; pip install 'kws[{extra}]'"
        ) from None


def is_installed(module: str) -> bool:
    """Whether a module could be imported, without importing it."""
    return importlib.util.find_spec(module) is not None
