# SPDX-License-Identifier: Apache-2.0
"""`kws features`: a recording's spectrogram as a NumPy file and a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws import _core
from kws.audio.sound_files import load_clip, write_clip
from kws.cli.main import main
from kws.features.spectrogram import spectrogram


def kws(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["kws", *map(str, arguments)])
    try:
        main()
    except SystemExit as leaving:
        return int(leaving.code or 0)
    return 0


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    write_clip(tmp_path / "clip.wav", rng.integers(-9000, 9000, 16000).astype(np.int16))
    return tmp_path / "clip.wav"


def test_writes_the_cores_frames(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clip: Path
) -> None:
    # The name is unchanged; NumPy would add an extension.
    assert kws(monkeypatch, "features", clip, "--out", tmp_path / "out.data") == 0
    frames = np.load(tmp_path / "out.data")
    assert frames.dtype == np.int8
    assert frames.shape == (49, 40)
    np.testing.assert_array_equal(frames, _core.features(load_clip(clip)[None])[0])


def test_draws_a_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clip: Path) -> None:
    png = tmp_path / "pictures" / "clip.png"
    assert kws(monkeypatch, "features", clip, "--out", tmp_path / "x.npy", "--png", png) == 0
    assert png.read_bytes().startswith(b"\x89PNG")
    assert {p.name for p in tmp_path.iterdir()} == {"clip.wav", "x.npy", "pictures"}


def test_any_rate_and_length(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wave = 0.3 * np.sin(np.arange(44100 * 3) * 0.05)
    soundfile.write(tmp_path / "long.ogg", np.stack([wave, wave], 1), 44100)
    assert kws(monkeypatch, "features", tmp_path / "long.ogg", "--out", tmp_path / "x.npy") == 0
    assert np.load(tmp_path / "x.npy").shape == (149, 40)


@pytest.mark.parametrize("kind", ["missing", "folder", "text", "30 ms short of a frame"])
def test_bad_clip_gives_one_line_and_no_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    clip = tmp_path / "clip.wav"
    if kind == "folder":
        clip.mkdir()
    elif kind == "text":
        clip.write_text("hello")
    elif kind != "missing":
        write_clip(clip, np.zeros(479, np.int16))
    assert kws(monkeypatch, "features", clip, "--out", tmp_path / "x.npy") == 1
    err = capsys.readouterr().err
    assert err.startswith(f"kws: {clip}: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "x.npy").exists()


def test_read_only_folder(
    monkeypatch: pytest.MonkeyPatch, clip: Path, read_only: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kws(monkeypatch, "features", clip, "--out", read_only / "x.npy") == 1
    assert "x.npy: cannot be written" in capsys.readouterr().err


def test_spectrogram_streams_like_the_device() -> None:
    pcm = np.random.default_rng(1).integers(-9000, 9000, 16000).astype(np.int16)
    frontend = _core.Frontend()
    parts = [frontend.process(pcm[start : start + 320]) for start in range(0, 16000, 320)]
    np.testing.assert_array_equal(np.concatenate(parts), spectrogram(pcm))
