# SPDX-License-Identifier: Apache-2.0
"""Unusable files in a folder are skipped, counted and named by all commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import load_pcm, open_dataset
from kws.audio.decoding import file_kinds, left_out
from kws.audio.layout.usable_clips import open_usable
from kws.audio.long_recordings import load_recordings, open_recordings
from kws.audio.sound_files import write_clip
from kws.audio.stats import collect
from kws.errors import AudioError, DataError
from tests.audio.encoded import convert, encoded, mp3, speech

Run = Callable[..., tuple[int, str, str]]


def sound(path: Path, seed: int = 0) -> Path:
    pcm = np.random.default_rng(seed).integers(-9000, 9000, 16000).astype(np.int16)
    write_clip(path, pcm)
    return path


def cut(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data[: len(data) * 8 // 10])
    return path


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """Complete clips, one of each kind truncated to 80 %, and an empty file."""
    root = tmp_path / "words"
    for number in range(3):
        sound(root / "yes" / f"anna{number}_nohash_0.wav", number)
    wave = sound(tmp_path / "a.wav").read_bytes()
    cut(root / "yes" / "ben_nohash_0.wav", wave)
    cut(root / "yes" / "ben_nohash_1.flac", encoded(speech(16000), 16000, "FLAC", "PCM_16"))
    cut(root / "yes" / "ben_nohash_2.ogg", encoded(speech(16000), 16000, "OGG", "VORBIS"))
    cut(root / "no" / "ben_nohash_3.mp3", mp3())
    cut(root / "_background_noise_" / "hum.wav", wave)
    sound(root / "no" / "anna_nohash_0.wav", 8)
    (root / "no" / "empty_nohash_0.wav").touch()
    return root


@pytest.fixture
def no_ffmpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (file_kinds, left_out):
        monkeypatch.setattr(module, "ffmpeg", lambda: None)


def test_clips_cut_off_are_skipped_counted_and_named(
    words: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = open_usable(words)
    assert len(dataset.clips) == 4
    assert dataset.backgrounds == ()
    assert load_pcm(dataset.clips).any(axis=1).all()
    assert (
        f"kws: {words}: skipped 6 files (empty, cut off or damaged: no/ben_nohash_3.mp3, "
        "no/empty_nohash_0.wav, yes/ben_nohash_0.wav, yes/ben_nohash_1.flac and 2 more); "
        "record or copy again\n"
    ) in capsys.readouterr().err


def test_stats_counts_and_names_unusable_files(words: Path) -> None:
    problems = {problem.kind: problem for problem in collect(open_dataset(words)).problems}
    assert len(problems["unreadable"].where) == 6
    assert "cut off" in problems["unreadable"].what


def test_a_data_set_without_a_usable_clip_gives_the_reason(tmp_path: Path) -> None:
    wave = sound(tmp_path / "a.wav").read_bytes()
    path = cut(tmp_path / "words" / "yes" / "ben_nohash_0.wav", wave)
    with pytest.raises(AudioError, match=r"declares 1\.00 s, but it contains 0\.80 s") as caught:
        open_usable(tmp_path / "words")
    assert str(caught.value).startswith(str(path))


def test_files_that_need_ffmpeg_are_counted_by_kind(
    words: Path, no_ffmpeg: None, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(8):
        (words / "yes" / f"cleo{number}_nohash_0.m4a").write_bytes(b"....ftypM4A ")
    (words / "yes" / "dan_nohash_0.AMR").write_bytes(b"#!AMR")
    (words / "no" / "eve").mkdir()
    (words / "no" / "eve" / "1.webm").write_bytes(b"....")
    (words / "no" / "raw.pcm").write_bytes(bytes(32000))
    (words / "README.txt").write_text("not sound")
    line = (
        f"{words}: skipped 11 files (1 .webm, 8 .m4a, 1 .amr: install ffmpeg, or convert with "
        "ffmpeg -i FILE FILE.wav; 1 .pcm: unknown sampling rate, convert with "
        "ffmpeg -f s16le -ar RATE -ac 1 -i FILE FILE.wav)"
    )
    assert line in open_dataset(words).notes
    assert line in collect(open_dataset(words)).notes
    open_usable(words)
    assert f"kws: {line}\n" in capsys.readouterr().err


def test_a_data_set_with_only_such_files_names_ffmpeg(tmp_path: Path, no_ffmpeg: None) -> None:
    (tmp_path / "yes").mkdir()
    (tmp_path / "yes" / "a.m4a").write_bytes(b"....ftypM4A ")
    with pytest.raises(DataError, match=r"skipped 1 file \(1 \.m4a: install ffmpeg"):
        open_dataset(tmp_path)


def test_with_ffmpeg_such_files_are_ordinary_clips(words: Path, tmp_path: Path) -> None:
    convert(sound(tmp_path / "b.wav", 9), words / "yes" / "cleo_nohash_0.m4a", "-c:a", "aac")
    dataset = open_usable(words)
    clip = next(clip for clip in dataset.clips if clip.path.suffix == ".m4a")
    assert (clip.speaker, clip.word) == ("cleo", "yes")
    assert load_pcm([clip]).any()
    assert not any(".m4a" in note for note in dataset.notes)


def test_unusable_long_recordings_are_skipped_too(
    tmp_path: Path, no_ffmpeg: None, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "talk"
    sound(folder / "whole.wav")
    cut(folder / "cut.wav", (folder / "whole.wav").read_bytes())
    (folder / "none.flac").write_bytes(b"no sound")
    (folder / "film.mp4").write_bytes(b"....ftypmp42")
    recordings = open_recordings([folder], None, "speech")
    assert [recording.path.name for recording in recordings] == ["cut.wav", "whole.wav"]
    assert [len(pcm) for pcm in load_recordings(recordings)] == [12_795, 16_000]
    err = capsys.readouterr().err
    assert f"kws: {folder}: skipped 1 file (1 .mp4: install ffmpeg" in err
    assert (
        f"kws: {folder}: skipped 1 file (empty, cut off or damaged: none.flac); "
        "record or copy again\n"
    ) in err
    assert (
        f"kws: {folder / 'cut.wav'}: cut off or damaged: its header declares 1.00 s, but it" in err
    )
    open_recordings([folder], None, "speech")
    assert capsys.readouterr().err == "", "each line is printed once"


def test_a_folder_without_a_readable_file_gives_the_reason(tmp_path: Path) -> None:
    (tmp_path / "b.wav").write_bytes(b"not a readable recording")
    with pytest.raises(AudioError, match=r"b\.wav: not a readable recording"):
        open_recordings([tmp_path], None, "speech")
