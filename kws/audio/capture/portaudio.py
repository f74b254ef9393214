# SPDX-License-Identifier: Apache-2.0
"""Loads PortAudio, the library for microphones, and explains its errors."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType

from kws.errors import ToolError
from kws.extras import require
from kws.files import descriptor

_WAIT_SECONDS = 0.1
_DEVICE_UNAVAILABLE = -9985  # paDeviceUnavailable


def portaudio() -> ModuleType:
    """The sounddevice module, which loads PortAudio.

    Raises:
        ToolError: the module or the library is missing.
    """
    # Loading starts the sound system, which may never answer. In a thread, Ctrl-C still works.
    loading = threading.Thread(target=_load, daemon=True)
    loading.start()
    while loading.is_alive():
        loading.join(_WAIT_SECONDS)
    try:
        return require("sounddevice", "live", "a microphone")
    except OSError:
        raise ToolError(
            "the library PortAudio was not found; microphones need it: "
            "on Debian or Ubuntu, apt-get install libportaudio2"
        ) from None


def _load() -> None:
    with contextlib.suppress(ImportError, OSError):
        importlib.import_module("sounddevice")


def reason_of(error: Exception) -> str:
    """The meaning of a PortAudio error, and what to do."""
    # The binding returns a text, PortAudio's code, and the sound system's (API, code, text).
    text, code, system = (tuple(error.args) + ("", 0, None)[len(error.args) :])[:3]
    number = -system[1] if system else 0
    if code == _DEVICE_UNAVAILABLE or number == errno.EBUSY:
        return "it is busy; close the program that uses it"
    if number in (errno.EACCES, errno.EPERM):
        return "no permission; add yourself to the group audio and log in again"
    if number in (errno.ENODEV, errno.ENOENT, errno.EIO, errno.ECONNREFUSED):
        return "not found; plug it in, or check that the sound server is running"
    detail = system[2] if system and system[2] else str(text)
    detail = detail.removeprefix("Error opening InputStream: ")
    return f"it cannot be used ({detail.lower()}); choose another with --device"


@contextlib.contextmanager
def libraries_silent(permanently: Callable[[], bool]) -> Iterator[None]:
    """Discard the output of PortAudio and ALSA on file descriptor 2 in this block.

    Python's own sys.stderr still works.

    Args:
        permanently: whether to discard it after the block too. A hanging library thread writes
            endlessly, and would block the process if nobody reads the output.
    """
    try:
        saved = os.dup(2)
    except OSError:  # there is no stderr
        yield
        return
    python_stderr = os.fdopen(saved, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
    stderr, nothing = sys.stderr, os.open(os.devnull, os.O_WRONLY)
    is_two = descriptor(stderr) == 2
    os.dup2(nothing, 2)
    os.close(nothing)
    if is_two:
        sys.stderr = python_stderr
    try:
        yield
    finally:
        if not permanently():
            if is_two:
                sys.stderr = stderr
            os.dup2(saved, 2)
            python_stderr.close()
