# SPDX-License-Identifier: Apache-2.0
"""The bundles that come with kws."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

from kws.bundle.layout import SETTINGS_FILE


def default_bundle_path() -> Path:
    """The bundle that commands use by default: yes and no."""
    return _assets() / "yes_no"


def bundle_path(text: str) -> Path:
    """The file or folder that `text` names, or the built-in bundle: yes_no, ten_words or tiny."""
    path = Path(text)
    built_in = _assets() / text
    return built_in if not path.exists() and is_built_in(built_in) else path


def built_in_names() -> list[str]:
    """The names of the bundles that come with kws."""
    return sorted(file.parent.name for file in _assets().glob(f"*/{SETTINGS_FILE}"))


def is_built_in(path: Path) -> bool:
    """Whether a folder is a bundle that comes with kws."""
    return path.is_dir() and path.resolve().parent == _assets().resolve()


def _assets() -> Path:
    return Path(str(importlib.resources.files("kws") / "assets"))
