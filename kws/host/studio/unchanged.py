# SPDX-License-Identifier: Apache-2.0
"""When files were changed, and values that are read again only once their file has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_values: dict[tuple[Path, Callable[[Path], Any]], tuple[int, Any]] = {}


def changed_at(file: Path, otherwise: float = 0.0) -> float:
    """When a file was changed, in seconds since 1970; `otherwise` if it does not exist."""
    try:
        return file.stat().st_mtime
    except OSError:
        return otherwise


def read_changed(file: Path, read: Callable[[Path], T]) -> T | None:
    """`read(file)`, or its last result if the file has not changed; None without a file."""
    try:
        changed = file.stat().st_mtime_ns
    except OSError:
        return None
    known = _values.get((file, read))
    if known is None or known[0] != changed:
        known = _values[file, read] = (changed, read(file))
    value: T = known[1]
    return value
