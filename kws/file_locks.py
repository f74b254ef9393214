# SPDX-License-Identifier: Apache-2.0
"""Locks on open files. The system releases them when the file is closed or the process ends."""

from __future__ import annotations

import errno
import os
import time
from importlib import import_module

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_HELD = (errno.EAGAIN, errno.EACCES)  # flock's and Windows' errors if another process has the lock
_PAUSE_S = 0.1


def can_lock_folders() -> bool:
    """Whether a folder can be opened and locked; Windows locks only files."""
    return fcntl is not None


def lock(number: int, *, shared: bool = False) -> None:
    """Wait for the lock of an open file; `number` is its descriptor.

    Several processes may hold a `shared` lock. On Windows it excludes others like any lock.

    Raises:
        OSError: the file system has no locks.
    """
    if fcntl is not None:
        fcntl.flock(number, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        return
    while not try_lock(number):
        time.sleep(_PAUSE_S)


def try_lock(number: int) -> bool:
    """Lock an open file without waiting; False if another process has the lock.

    Raises:
        OSError: the file system has no locks.
    """
    try:
        if fcntl is not None:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            msvcrt = import_module("msvcrt")
            os.lseek(number, 0, os.SEEK_SET)  # it locks bytes from the current position
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True
