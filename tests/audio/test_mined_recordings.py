# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import Split
from kws.audio.long_recordings import open_recordings
from kws.audio.mined_recordings import MinedClip, add_clip, context_of, file_name
from kws.errors import DataError, KwsError


def clip(name: str) -> MinedClip:
    return MinedClip(f"mined/{name}", Split.TRAIN, "anna, at home", "microphone", 1.5, "yes", 204)


PCM = np.arange(48000, dtype=np.int16)


def test_clips_are_added_one_by_one_and_read_as_mined(tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        assert add_clip(tmp_path / "hard", clip(name), PCM) == tmp_path / "hard" / "mined" / name
    recordings = open_recordings([tmp_path / "hard"], Split.TRAIN, "speech")
    assert [(r.path.name, r.source, r.speaker, r.part) for r in recordings] == [
        (name, "mined", "anna, at home", (0.0, 1.0)) for name in ("a.wav", "b.wav")
    ]


def test_a_clip_that_the_user_deleted_is_ignored(tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        add_clip(tmp_path, clip(name), PCM)
    (tmp_path / "mined" / "a.wav").unlink()
    assert [r.path.name for r in open_recordings([tmp_path], Split.TRAIN, "speech")] == ["b.wav"]


def test_a_manifest_without_a_final_newline_is_extended(tmp_path: Path) -> None:
    add_clip(tmp_path, clip("a.wav"), PCM)
    manifest = tmp_path / "manifest.csv"
    manifest.write_text(manifest.read_text().rstrip("\n"))
    add_clip(tmp_path, clip("b.wav"), PCM)
    assert len(open_recordings([tmp_path], Split.TRAIN, "speech")) == 2


@pytest.mark.parametrize("content", [b"file,kind\nx.wav,noise\n", b"\xff\xfe\x00"])
def test_another_data_set_is_not_touched(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.csv").write_bytes(content)
    with pytest.raises(DataError, match="choose another folder"):
        add_clip(tmp_path, clip("a.wav"), PCM)
    assert (tmp_path / "manifest.csv").read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.csv"]


def test_a_full_disk_leaves_no_unlisted_clip(full_disk: Path) -> None:
    add_clip(full_disk, clip("a.wav"), PCM)
    with contextlib.suppress(OSError):
        (full_disk / "filler").write_bytes(bytes(1 << 20))
    before = (full_disk / "manifest.csv").read_bytes()
    with pytest.raises(KwsError, match="cannot be written"):
        add_clip(full_disk, clip("b.wav"), PCM)
    assert [path.name for path in (full_disk / "mined").iterdir()] == ["a.wav"]
    assert (full_disk / "manifest.csv").read_bytes() == before


def test_the_context_ends_with_the_recording() -> None:
    np.testing.assert_array_equal(context_of(PCM, 2600, 2700), PCM[1600:])
    assert len(context_of(PCM, 1000, 1000)) == 24000


def test_characters_that_a_system_does_not_allow_are_replaced() -> None:
    assert file_name("2026-11-27 17:30", "a\\b") == "2026-11-27 17-30_a-b.wav"
    assert file_name("kitchen", "0001", "on/off") == "kitchen_0001_on-off.wav"
