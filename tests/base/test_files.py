# SPDX-License-Identifier: Apache-2.0
"""Atomic writes: the old content or the new, never a part."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kws.errors import KwsError
from kws.files import (
    atomic_write,
    check_space,
    locked,
    make_directory,
    new_directory,
    replace_directory,
)


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def fail_replace(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """Let Path.replace fail, as on a read-only disk, if the source's name contains `when`."""
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if when in str(self):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)


@pytest.fixture
def tmp(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path


def test_write_makes_parents_and_replaces(tmp: Path) -> None:
    path = tmp / "a" / "b.bin"
    atomic_write(path, b"one")
    atomic_write(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(path.parent) == ["b.bin"]


def test_written_file_has_the_usual_permissions(tmp: Path) -> None:
    (tmp / "usual").write_bytes(b"")
    atomic_write(tmp / "ours", b"")
    assert (tmp / "ours").stat().st_mode == (tmp / "usual").stat().st_mode


def test_failed_write_keeps_the_old_file(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp / "b.bin"
    path.write_bytes(b"old")
    fail_replace(monkeypatch, ".b.bin")
    with pytest.raises(KwsError, match=r"b\.bin: cannot be written \(read-only file system\)"):
        atomic_write(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp) == ["b.bin"]


def test_full_disk_keeps_the_old_file(tmp: Path, full_disk: Path) -> None:
    path = full_disk / "old.bin"
    path.write_bytes(b"old")
    with pytest.raises(KwsError, match="no space left on device"):
        atomic_write(path, bytes(1 << 20))
    assert path.read_bytes() == b"old"
    assert names(full_disk) == ["old.bin"]


def test_read_only_folder_is_refused(read_only: Path) -> None:
    with pytest.raises(KwsError, match="cannot be written") as caught:
        atomic_write(read_only / "new.bin", b"x")
    assert "\n" not in str(caught.value)
    assert names(read_only) == []


def test_write_over_a_folder_is_refused(tmp: Path) -> None:
    (tmp / "folder").mkdir()
    with pytest.raises(KwsError, match="is a directory"):
        atomic_write(tmp / "folder", b"x")
    assert names(tmp) == ["folder"]


def test_directory_replaces_the_old_one(tmp: Path) -> None:
    for content in ("one", "two"):
        with new_directory(tmp / "d") as fresh:
            assert names(fresh) == []
            (fresh / content).write_text(content)
    assert names(tmp / "d") == ["two"]
    assert names(tmp) == ["d"]


def test_directory_that_fails_leaves_the_old_one(tmp: Path) -> None:
    (tmp / "d").mkdir()
    (tmp / "d" / "old").touch()
    with pytest.raises(ValueError, match="stop"), new_directory(tmp / "d") as fresh:
        (fresh / "new").touch()
        raise ValueError("stop")
    assert names(tmp / "d") == ["old"]
    assert names(tmp) == ["d"]


def test_directory_on_a_full_disk_leaves_the_old_one(full_disk: Path) -> None:
    (full_disk / "d").mkdir()
    (full_disk / "d" / "old").touch()
    with (
        pytest.raises(KwsError, match="no space left on device"),
        new_directory(full_disk / "d") as fresh,
    ):
        (fresh / "new").write_bytes(bytes(1 << 20))
    assert names(full_disk / "d") == ["old"]
    assert names(full_disk) == ["d"]


def test_directory_is_moved_back_when_the_rename_fails(
    tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp / "d").mkdir()
    (tmp / "d" / "old").touch()
    (tmp / "fresh").mkdir()
    fail_replace(monkeypatch, "fresh")
    with pytest.raises(KwsError, match="read-only file system"):
        replace_directory(tmp / "fresh", tmp / "d")
    assert names(tmp / "d") == ["old"]
    assert names(tmp) == ["d", "fresh"]


def test_make_directory_refuses_a_file_of_that_name(tmp: Path) -> None:
    (tmp / "f").touch()
    with pytest.raises(KwsError, match="cannot be written"):
        make_directory(tmp / "f")
    with pytest.raises(KwsError, match="cannot be written"):
        make_directory(tmp / "f" / "g")


HOLDS = """
import sys, time
from pathlib import Path
from kws.files import locked
with locked(Path(sys.argv[1])):
    print("has it", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:  # fmt: skip
        assert other.stdout
        assert other.stdout.readline() == "has it\n"
        with pytest.raises(KwsError, match=r"run: another kws command is using"), locked(folder):
            pass
        other.kill()
    with locked(folder):
        (folder / "file").write_text("kept")
    assert [path.name for path in folder.iterdir()] == ["file"], "the lock is not a file"


def test_an_empty_folder_that_a_lock_made_is_removed(tmp_path: Path) -> None:
    with pytest.raises(KwsError, match="no such word"), locked(tmp_path / "run"):
        raise KwsError("no such word")
    assert not (tmp_path / "run").exists()


def test_a_full_disk_is_detected_before_the_work(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    check_space(tmp_path / "new" / "deeper", free // 2, "the clips")
    with pytest.raises(KwsError, match=r"new: the clips may need .* MB, but the disk has .* left"):
        check_space(tmp_path / "new", 2 * free, "the clips")
