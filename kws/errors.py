# SPDX-License-Identifier: Apache-2.0
"""The errors that a user of kws can meet.

Every message is one line: what happened, where, and what to do. The command line prints it and
exits with the class's `exit_code`; anything else that escapes is a bug.
"""


class KwsError(Exception):
    """The work failed; `str()` is the line that the user reads."""

    exit_code = 1


class UsageError(KwsError):
    """What was asked for makes no sense, before any work began."""

    exit_code = 2


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
