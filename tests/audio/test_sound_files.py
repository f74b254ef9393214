# SPDX-License-Identifier: Apache-2.0
"""Every kind of recording is read as 16 kHz mono int16, or gives a one-line error."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from kws.audio.sound_files import fit, load_clip, write_clip
from kws.errors import AudioError, KwsError

Sound = npt.NDArray[np.float64]


def tone(rate: int, seconds: float = 0.5, hertz: float = 440, level: float = 0.5) -> Sound:
    time = np.arange(int(rate * seconds)) / rate
    wave: Sound = level * np.sin(2 * np.pi * hertz * time)
    return wave


def pitch(pcm: npt.NDArray[np.int16]) -> float:
    spectrum = np.abs(np.fft.rfft(pcm * np.hanning(len(pcm))))
    return float(np.argmax(spectrum)) * 16000 / len(pcm)


@pytest.mark.parametrize("ending", ["wav", "flac"])
def test_16_bit_mono_at_16_khz_is_bit_exact(tmp_path: Path, ending: str) -> None:
    pcm = np.random.default_rng(0).integers(-32768, 32768, 16000).astype(np.int16)
    pcm[:2] = [-32768, 32767]
    soundfile.write(tmp_path / f"a.{ending}", pcm, 16000, subtype="PCM_16")
    loaded = load_clip(tmp_path / f"a.{ending}")
    assert loaded.dtype == np.int16
    np.testing.assert_array_equal(loaded, pcm)


@pytest.mark.parametrize(
    ("subtype", "step"),
    [("PCM_U8", 1 / 128), ("PCM_24", 1 / 32768), ("PCM_32", 1 / 32768), ("FLOAT", 1 / 32768)],
)
def test_other_sample_widths(tmp_path: Path, subtype: str, step: float) -> None:
    wave = tone(16000)
    soundfile.write(tmp_path / "a.wav", wave, 16000, subtype=subtype)
    error = load_clip(tmp_path / "a.wav") / 32768 - wave
    assert np.abs(error).max() <= step


def test_float_beyond_full_scale_clips_and_does_not_wrap(tmp_path: Path) -> None:
    wave = np.array([1.5, -1.5, 1.0, -1.0, 0.0] * 100, np.float32)
    soundfile.write(tmp_path / "a.wav", wave, 16000, subtype="FLOAT")
    assert load_clip(tmp_path / "a.wav")[:5].tolist() == [32767, -32768, 32767, -32768, 0]


def test_stereo_is_averaged(tmp_path: Path) -> None:
    first, second = tone(16000, level=0.4), tone(16000, hertz=1000, level=0.2)
    soundfile.write(tmp_path / "a.wav", np.stack([first, second], 1), 16000, subtype="PCM_16")
    expected = (first + second) / 2 * 32768
    # libsndfile truncates fractions.
    assert np.abs(load_clip(tmp_path / "a.wav") - expected).max() <= 2


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000])
def test_other_rates_are_resampled(tmp_path: Path, rate: int) -> None:
    soundfile.write(tmp_path / "a.wav", tone(rate), rate)
    pcm = load_clip(tmp_path / "a.wav")
    assert abs(len(pcm) - 8000) <= 1
    assert abs(pitch(pcm) - 440) < 3
    middle = pcm[2000:6000].astype(np.float64) / 32768
    assert abs(np.sqrt(2 * np.mean(middle**2)) - 0.5) < 0.01


def test_ogg(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.ogg", tone(44100), 44100, format="OGG", subtype="VORBIS")
    pcm = load_clip(tmp_path / "a.ogg")
    assert abs(len(pcm) - 8000) <= 1
    assert abs(pitch(pcm) - 440) < 3


def corrupt_flac(path: Path) -> None:
    noise = np.random.default_rng(0).integers(-9000, 9000, 16000).astype(np.int16)
    soundfile.write(path, noise, 16000, format="FLAC")
    path.write_bytes(path.read_bytes()[:9000])


def nan_wav(path: Path) -> None:
    soundfile.write(path, np.array([0, np.nan, 0.1], np.float32), 16000, "FLOAT", format="WAV")


def header_only(path: Path) -> None:
    soundfile.write(path, np.zeros(0, np.int16), 16000, format="WAV")


def one_sample(path: Path) -> None:
    soundfile.write(path, np.zeros(1, np.int16), 192000, format="WAV")


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "no such file"),
    "empty": (lambda path: path.touch(), "empty file"),
    "text": (lambda path: path.write_text("not sound at all, " * 20), "not a readable recording"),
    "bytes": (lambda path: path.write_bytes(bytes(range(256)) * 9), "not a readable recording"),
    "cut header": (
        lambda path: path.write_bytes(b"RIFF\x24\x00\x00\x00WAVE"),
        "not a readable recording",
    ),
    "folder": (lambda path: path.mkdir(), "is a folder"),
    "zero length": (header_only, "contains no samples"),
    "truncated": (corrupt_flac, "damaged"),
    "NaN": (nan_wav, "NaN"),
    "too short": (one_sample, "too short"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_file_gives_one_line_with_its_path(tmp_path: Path, kind: str) -> None:
    make, says = BAD[kind]
    path = tmp_path / "bad.wav"
    make(path)
    with pytest.raises(AudioError, match=re.escape(says)) as caught:
        load_clip(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message


@pytest.mark.parametrize("cut", [5, 30, 44, 45, 1001, 2043])
def test_truncated_wav_never_crashes(tmp_path: Path, cut: int) -> None:
    write_clip(tmp_path / "a.wav", np.arange(1000, dtype=np.int16))
    (tmp_path / "b.wav").write_bytes((tmp_path / "a.wav").read_bytes()[:cut])
    try:
        pcm = load_clip(tmp_path / "b.wav")
    except AudioError as error:
        assert str(error).startswith(str(tmp_path / "b.wav"))
    else:
        np.testing.assert_array_equal(pcm, np.arange(len(pcm)))


def test_written_clip_reads_back(tmp_path: Path) -> None:
    pcm = np.random.default_rng(1).integers(-32768, 32768, 4000).astype(np.int16)
    write_clip(tmp_path / "word" / "a.wav", pcm)
    np.testing.assert_array_equal(load_clip(tmp_path / "word" / "a.wav"), pcm)
    assert soundfile.info(tmp_path / "word" / "a.wav").subtype == "PCM_16"


def test_full_disk_leaves_no_partial_clip(full_disk: Path) -> None:
    with pytest.raises(KwsError, match="no space left on device"):
        write_clip(full_disk / "a.wav", np.zeros(1 << 20, np.int16))
    assert list(full_disk.iterdir()) == []


def test_read_only_folder(read_only: Path) -> None:
    with pytest.raises(KwsError, match=r"a\.wav: cannot be written"):
        write_clip(read_only / "a.wav", np.zeros(100, np.int16))


def test_fit_cuts_and_pads_at_the_end() -> None:
    pcm = np.arange(1, 6, dtype=np.int16)
    assert fit(pcm, 3).tolist() == [1, 2, 3]
    assert fit(pcm, 7).tolist() == [1, 2, 3, 4, 5, 0, 0]
