# SPDX-License-Identifier: Apache-2.0
"""Writing files and folders so that a reader sees the old one or the new one, never a part.

Everything is written in the folder of its destination, flushed, and then renamed. If the disk is
full, the folder is read-only or the process is killed, the old file or folder stays whole.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kws.errors import KwsError

# The umask can only be read by setting it, which other threads would notice: read once, here.
_UMASK = os.umask(0o077)
os.umask(_UMASK)


def atomic_write(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Write `data` to `path`, replacing what is there. Missing parent folders are made.

    With `sync` the data is on the disk before the file gets its name, so that not even a power cut
    leaves a part of it. Without, many small files are written much faster.

    Raises:
        KwsError: it could not be written (full disk, read-only folder, a folder of that name);
            the old file, if any, is untouched, and no temporary file stays.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_UMASK)
        temporary.replace(path)
        temporary = None
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """Fill a folder that becomes `path` when the block ends well.

    Yields a new, empty folder on the same file system. At the end of the block it replaces `path`.
    If the block raises, it is removed and `path` is untouched.

    Raises:
        KwsError: the folder could not be made or put in place, or a write in the block failed with
            an OSError.
    """
    temporary: Path | None = None
    try:
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        # Named before it is made: Ctrl-C between the two leaves nothing.
        temporary = path.parent / f".{path.name}.{secrets.token_hex(6)}"
        temporary.mkdir()
        yield temporary
        replace_directory(temporary, path)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def replace_directory(temporary: Path, destination: Path) -> None:
    """Put the folder `temporary` at `destination`; both are on the same file system.

    An old folder is renamed first and removed afterwards. If the second rename fails, it gets its
    name back. If the process is killed between the two renames, the old folder stays whole, next to
    `destination`, in a folder whose name starts with a dot.

    Raises:
        KwsError: it could not be done; `destination` is as it was.
    """
    try:
        destination = destination.resolve()
        if not destination.is_dir():
            temporary.replace(destination)
            return
        # Inside a folder of its own, so that the name is free and one call removes it.
        aside = Path(tempfile.mkdtemp(dir=destination.parent, prefix=f".{destination.name}."))
        old = aside / destination.name
        try:
            destination.replace(old)
            temporary.replace(destination)
        except BaseException:
            if old.exists() and not destination.exists():
                old.replace(destination)
            if not old.exists():
                aside.rmdir()
            raise
    except OSError as error:
        raise _cannot_write(destination, error) from None
    shutil.rmtree(aside, ignore_errors=True)


def make_directory(path: Path) -> None:
    """Make the folder `path` and its parents, if they are missing.

    Raises:
        KwsError: it could not be made, or something that is not a folder has its name.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from None


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep a folder for this process until the block ends.

    It is made if it is missing, and then removed if nothing was put into it.
    The kernel holds the lock, which ends with the process, however that ends. Nothing is written.
    On a network drive without such locks nothing is kept.

    Raises:
        KwsError: another process has it, or the folder cannot be made.
    """
    is_new = not folder.exists()
    make_directory(folder)
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise KwsError(
                    f"{folder}: another kws command works in this folder now; wait until it has "
                    "ended, or name another folder"
                ) from None
        yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()  # nothing was put into it
        os.close(handle)


def check_space(path: Path, needed: int, purpose: str) -> None:
    """Make sure that a disk has room before long work begins.

    Args:
        path: a file or folder on it, which need not exist.
        needed: bytes that will be written, by estimate.
        purpose: what takes them, such as "the clips".

    Raises:
        KwsError: it has less.
    """
    place = path.absolute()
    while not place.exists():
        place = place.parent
    try:
        free = shutil.disk_usage(place).free
    except OSError:
        return
    if free < needed:
        raise KwsError(
            f"{path}: {purpose} may take {_megabytes(needed)}, and the disk has {_megabytes(free)} "
            "left; make room or name another place"
        )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _cannot_write(path: Path, error: OSError) -> KwsError:
    reason = error.strerror or str(error)
    return KwsError(
        f"{path}: cannot be written ({reason.lower()}); make room or name another place"
    )
