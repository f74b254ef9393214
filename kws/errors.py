# SPDX-License-Identifier: Apache-2.0
"""The errors that kws reports.

Every message is one line: what happened, where, and what to do. The command line prints it and
exits with the class's `exit_code`; any other exception is a bug.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion to append to a message: ` (did you mean 'yes'?)`, or empty."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def os_reason(error: Exception) -> str:
    """The system's description of an error, in lower case, for the middle of a message."""
    return str(getattr(error, "strerror", None) or error).lower()


class KwsError(Exception):
    """The command failed; `str()` returns the line for the user."""

    exit_code = 1


class UsageError(KwsError):
    """The request is invalid; no work was started."""

    exit_code = 2


class StoppedError(KwsError):
    """The user pressed Ctrl-C; `str()` names the kept files."""

    exit_code = 130


class AudioError(KwsError):
    """A recording is unreadable or unusable."""


class DataError(KwsError):
    """A data set is unsuitable or damaged."""


class ModelError(KwsError):
    """A model is damaged, of the wrong kind, or not supported by the runtime."""


class ConversionError(ModelError):
    """A model's architecture cannot be converted for kws."""


class BundleError(KwsError):
    """A bundle is incomplete or inconsistent."""


class ToolError(KwsError):
    """A program that kws calls is missing or failed."""


class BoardError(KwsError):
    """A real or emulated board failed."""


@contextmanager
def located(file: Path) -> Iterator[None]:
    """Put a file's name in front of a ModelError or a UsageError of this block."""
    try:
        yield
    except (ModelError, UsageError) as error:
        raise type(error)(f"{file}: {error}") from None
