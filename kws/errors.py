# SPDX-License-Identifier: Apache-2.0
"""The errors that a user of kws can meet.

Every message is one line: what happened, where, and what to do. The command line prints it and
exits with the class's `exit_code`; anything else that escapes is a bug.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What follows a mistyped name in a message: ` (did you mean 'yes'?)`, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


class KwsError(Exception):
    """The work failed; `str()` is the line that the user reads."""

    exit_code = 1


class UsageError(KwsError):
    """What was asked for makes no sense, before any work began."""

    exit_code = 2


class StoppedError(KwsError):
    """The user pressed Ctrl-C; `str()` says what is kept."""

    exit_code = 130


class AudioError(KwsError):
    """A recording could not be read, or holds nothing that can be used."""


class DataError(KwsError):
    """A data set cannot do what was asked of it."""


class ModelError(KwsError):
    """A model is damaged, of the wrong kind, or uses what the runtime does not know."""


class ConversionError(ModelError):
    """A model cannot become one that kws runs, however it is trained."""


class BundleError(KwsError):
    """A bundle is missing a part, or its parts contradict each other."""


class ToolError(KwsError):
    """A program that kws calls is missing or failed."""


class BoardError(KwsError):
    """A board, real or emulated, did not do what it should."""


@contextmanager
def located(file: Path) -> Iterator[None]:
    """Put a file's name in front of a ModelError or a UsageError of this block."""
    try:
        yield
    except (ModelError, UsageError) as error:
        raise type(error)(f"{file}: {error}") from None
