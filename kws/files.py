# SPDX-License-Identifier: Apache-2.0
"""Atomic writes of files and folders: a reader sees the old or the new one, never a part.

Data is written next to its destination, flushed, and renamed. If the disk is full, the folder is
read-only or the process is killed, the old file or folder is unchanged.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kws.errors import KwsError, UsageError, os_reason
from kws.file_locks import can_lock_folders, try_lock

# Reading the umask means setting it, which affects other threads, so it is read once, here.
_UMASK = os.umask(0o077)
os.umask(_UMASK)


def atomic_write(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Write `data` to `path`, replacing an old file. Creates missing parent folders.

    `sync` flushes the data to the disk before the rename, so that even a power cut leaves no
    partial file. Without it, writing many small files is much faster.

    Raises:
        KwsError: it could not be written (full disk, read-only folder, a folder of that name);
            an old file is unchanged, and no temporary file is left.
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
    """Yield a new, empty folder that replaces `path` at the end of the block.

    If the block raises, the folder is removed and `path` is unchanged.

    Raises:
        KwsError: the folder could not be created or renamed, or the block raised an OSError.
    """
    temporary: Path | None = None
    try:
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        # Named before it is created, so that Ctrl-C in between leaves nothing.
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
    """Move the folder `temporary` to `destination`, on the same file system.

    An old folder is renamed first and removed last. If the second rename fails, the first is
    undone. If the process is killed between the two, the old folder remains next to `destination`,
    in a folder whose name starts with a dot.

    Raises:
        KwsError: it failed; `destination` is unchanged.
    """
    try:
        destination = destination.resolve()
        if not destination.is_dir():
            temporary.replace(destination)
            return
        # In its own folder, so that the name is free and one call removes it.
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
    """Create the folder `path` and its parents, if they are missing.

    Raises:
        KwsError: it could not be created, or a file has its name.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from None


def check_replaceable(folder: Path, marker: str, what: str) -> None:
    """Check that writing `folder` would replace only an earlier result.

    Args:
        folder: the destination.
        marker: name of a file that every such folder has.
        what: noun for such a folder in the error message, such as "a bundle".

    Raises:
        UsageError: `folder` is a file, or a folder that contains something else.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: this is a file; choose another folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / marker).is_file():
        raise UsageError(f"{folder}: this folder contains files other than {what}; choose another")


def descriptor(stream: Any) -> int | None:
    """The file descriptor of stdin, stdout or stderr; None if it is closed or not a file."""
    try:
        return int(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder for this process until the block ends.

    A missing folder is created, and removed if it is empty at the end. The system releases the lock
    when the process ends. Network drives without such locks are not locked. On Windows, which locks
    only files, a file beside the folder is locked.

    Raises:
        KwsError: another process has the lock, or the folder cannot be created.
    """
    is_new = not folder.exists()
    make_directory(folder)
    beside = None if can_lock_folders() else _lock_file(folder.resolve())
    handle = os.open(beside, os.O_RDWR | os.O_CREAT) if beside else os.open(folder, os.O_RDONLY)
    try:
        is_free = True
        with contextlib.suppress(OSError):  # a drive without locks
            is_free = try_lock(handle)
        if not is_free:
            raise KwsError(
                f"{folder}: another kws command is using this folder; wait until it has ended, "
                "or choose another folder"
            )
        yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()  # only if it is empty
        os.close(handle)
        if beside:
            with contextlib.suppress(OSError):  # another process has it open
                beside.unlink()


def _lock_file(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.lock")


def check_space(path: Path, needed: int, purpose: str) -> None:
    """Check for enough disk space before long work.

    Args:
        path: a file or folder on the disk, which need not exist.
        needed: estimated bytes to write.
        purpose: subject of the error message, such as "the clips".

    Raises:
        KwsError: there is too little space.
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
            f"{path}: {purpose} may need {_megabytes(needed)}, but the disk has {_megabytes(free)} "
            "left; free some disk space or choose another place"
        )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _cannot_write(path: Path, error: OSError) -> KwsError:
    return KwsError(
        f"{path}: cannot be written ({os_reason(error)}); free some disk space "
        "or choose another place"
    )
