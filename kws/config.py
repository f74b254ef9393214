# SPDX-License-Identifier: Apache-2.0
"""Settings as frozen dataclasses: declaring them, checking ranges, TOML in and out."""

from __future__ import annotations

import dataclasses
import tomllib
from typing import TYPE_CHECKING, Any, TypeVar

import tomli_w

from kws.errors import KwsError

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")


def setting(default: Any, low: float | None, high: float | None, help: str) -> Any:  # noqa: A002
    """A field of a settings dataclass, with its range and help text.

    They are in the field's metadata as "low", "high" and "help", where the command line, the docs
    and `check_settings` read them.

    Args:
        default: the default value.
        low: smallest value; None if the setting has no range.
        high: largest value; None if the setting has no range.
        help: one or two plain sentences with the effect and the unit.
    """
    return dataclasses.field(default=default, metadata={"low": low, "high": high, "help": help})


def check_settings(settings: Any) -> None:
    """Raises KwsError if a field made by `setting` is out of range."""
    for field in dataclasses.fields(settings):
        if field.metadata.get("low") is not None:
            value = getattr(settings, field.name)
            check_range(field.name, value, field.metadata["low"], field.metadata["high"])


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raise KwsError unless `low <= value <= high`."""
    if not low <= value <= high:
        raise KwsError(f"{name} is {value}; it must be between {low} and {high}")


def to_dict(settings: Any) -> dict[str, Any]:
    """A dataclass as a plain dict for TOML, without None and empty tables."""
    return {k: v for k, v in dataclasses.asdict(settings).items() if v is not None and v != {}}


def from_dict(kind: type[T], table: dict[str, Any], where: str) -> T:
    """A `kind` from a TOML table.

    Raises:
        KwsError: an unknown or missing key, or a value out of range.
    """
    known = {f.name for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    extra = sorted(set(table) - known)
    if extra:
        raise KwsError(
            f"{where}: unknown setting {extra[0]!r}; choose from {', '.join(sorted(known))}"
        )
    try:
        return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in table.items()})
    except TypeError as error:
        raise KwsError(f"{where}: {error}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
        KwsError: the file is missing, unreadable or not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise KwsError(f"{path}: {reason}") from None


def dump_toml(table: dict[str, Any]) -> str:
    """TOML text of nested dicts."""
    return tomli_w.dumps(table)
