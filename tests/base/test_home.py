# SPDX-License-Identifier: Apache-2.0
"""Users without a home folder."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from kws.audio.tts.engines.voice_files import voices_folder
from kws.errors import DataError, KwsError
from kws.home import ensure_home


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.delenv("KWS_VOICES", raising=False)
    return folder


def test_an_existing_home_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    ensure_home()
    assert os.environ["HOME"] == str(tmp_path)


@pytest.mark.parametrize("home", ["/nonexistent", "", "~"])
def test_without_a_home_there_is_a_private_folder(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    if home == "" and os.access("/", os.W_OK):
        pytest.skip("an empty HOME is /, which root can write")
    monkeypatch.setenv("HOME", home)
    for _ in range(2):
        ensure_home()
        folder = Path.home()
        assert folder.parent == temporary
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        monkeypatch.setenv("HOME", home)


def test_another_users_folder_is_not_used(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")
    (temporary / "elsewhere").mkdir()
    (temporary / f"kws-{os.getuid()}").symlink_to(temporary / "elsewhere")
    with pytest.raises(KwsError, match="set HOME"):
        ensure_home()


def test_no_home_gives_a_one_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", none)
    with pytest.raises(DataError, match="KWS_VOICES"):
        voices_folder()


def test_without_user_numbers_there_is_a_folder(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.delattr(os, "getuid")
    ensure_home()
    assert Path.home() == temporary / "kws"
