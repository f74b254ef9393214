# SPDX-License-Identifier: Apache-2.0
"""Locks of files, also where only Windows' kind exists."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from kws import file_locks
from kws.errors import KwsError
from kws.file_locks import lock, try_lock
from kws.files import locked


def windows_locking(number: int, mode: int, size: int) -> None:
    """msvcrt.locking: locks bytes from the current position, or fails with EACCES."""
    assert (mode, size) == (2, 1)
    assert os.lseek(number, 0, os.SEEK_CUR) == 0
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


def hide_fcntl(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    monkeypatch.setattr(file_locks, "fcntl", None)
    msvcrt = SimpleNamespace(LK_NBLCK=2, locking=windows_locking)
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)


def keep_fcntl(_: pytest.MonkeyPatch) -> None:
    """As on Linux and macOS."""


@pytest.fixture(params=[keep_fcntl, hide_fcntl])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare: Callable[[pytest.MonkeyPatch], None] = request.param
    prepare(monkeypatch)


@pytest.mark.usefixtures("system")
def test_one_file_has_one_lock(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    with file.open("a") as first, file.open("a") as second:
        assert try_lock(first.fileno())
        assert not try_lock(second.fileno())
        first.close()
        lock(second.fileno())
        with file.open("a") as third:
            assert not try_lock(third.fileno())


def test_the_lock_is_waited_for_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide_fcntl(monkeypatch)
    file = tmp_path / "file"
    with file.open("a") as first, file.open("a") as second:
        lock(first.fileno())
        waits: list[float] = []

        def wait(seconds: float) -> None:
            waits.append(seconds)
            first.close()

        monkeypatch.setattr(time, "sleep", wait)
        lock(second.fileno())
        assert len(waits) == 1


def test_a_drive_without_locks_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with (tmp_path / "file").open("a") as file, pytest.raises(OSError, match="No locks"):
        try_lock(file.fileno())
    with locked(tmp_path / "folder"):  # not locked, but usable
        assert (tmp_path / "folder").is_dir()


@pytest.mark.usefixtures("system")
def test_a_folder_is_locked_and_nothing_stays(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    for _ in range(2):
        with locked(folder):
            with pytest.raises(KwsError, match="another kws command"), locked(folder):
                pass
            (folder / "result").write_text("")
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]
    assert [path.name for path in folder.iterdir()] == ["result"]
