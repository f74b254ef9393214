# SPDX-License-Identifier: Apache-2.0
"""Recordings are read to their end, whatever the header declares; missing parts are reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kws.audio.decoding import sources
from kws.audio.pcm import Pcm
from kws.audio.resampling import duration_of, read_blocks
from kws.audio.sound_files import load_clip, read_recording
from kws.errors import AudioError, UsageError
from tests.audio.encoded import (
    SECONDS,
    as_free_format,
    convert,
    encoded,
    in_wav,
    mp3,
    same_sound,
    speech,
    streamed_flac,
    with_picture,
    without_xing,
)

Make = Callable[[Path], bytes]


def original(seconds: float = SECONDS) -> Pcm:
    samples = speech(16000, seconds=seconds)[:, 0] * 32768
    return samples.clip(-32768, 32767).astype(np.int16)


def wav(subtype: str, rate: int = 16000, kind: str = "WAV", channels: int = 1) -> Make:
    return lambda _: encoded(speech(rate, channels), rate, kind, subtype)


def patched(data: bytes, mark: bytes, value: int) -> bytes:
    """A WAV file whose data chunk declares another length."""
    at = data.index(mark) + 4
    return data[:at] + value.to_bytes(4, "little") + data[at + 4 :]


WHOLE: dict[str, Make] = {
    "MP3 of constant rate": lambda _: mp3(),
    "MP3 of variable rate": lambda _: mp3(vbr=True),
    "MP3 in stereo": lambda _: mp3(44100, 2, vbr=True),
    "MP3 at 44.1 kHz without a Xing header": lambda p: without_xing(p, mp3(44100, 2)),
    "MP3 of variable rate without a Xing header": lambda p: without_xing(p, mp3(vbr=True)),
    "MP3 of variable rate in stereo without": lambda p: without_xing(p, mp3(44100, 2, vbr=True)),
    "MPEG 2 without": lambda p: without_xing(p, mp3(22050, vbr=True)),
    "MPEG 2.5 without": lambda p: without_xing(p, mp3(8000)),
    "MP3 after a picture": lambda _: with_picture(mp3(vbr=True)),
    "MP3 after a picture without": lambda p: with_picture(without_xing(p, mp3(vbr=True))),
    "MP3 in free format": lambda p: as_free_format(p, mp3(48000)),
    "MP3 in a WAV": lambda p: in_wav(without_xing(p, mp3(44100, 2, vbr=True)), 44100, 2),
    "FLAC": wav("PCM_24", kind="FLAC"),
    "FLAC of unknown length": lambda _: streamed_flac(speech(16000), 16000),
    "FLAC of unknown length in stereo": lambda _: streamed_flac(speech(44100, 2), 44100),
    "GSM 6.10": wav("GSM610", 8000),
    "IMA ADPCM": wav("IMA_ADPCM"),
    "Microsoft's ADPCM": wav("MS_ADPCM"),
    "A-law": wav("ALAW", 8000),
    "u-law": wav("ULAW", 8000),
    "double": wav("DOUBLE"),
    "32 bits": wav("PCM_32", 48000),
    "24 bits, six channels, extensible": wav("PCM_24", 48000, "WAVEX", 6),
    "AIFF": wav("PCM_16", 44100, "AIFF"),
    "AU": wav("PCM_16", kind="AU"),
    "CAF": wav("PCM_16", kind="CAF"),
    "RF64": wav("PCM_16", kind="RF64"),
    "W64": wav("PCM_16", kind="W64"),
    "NIST": wav("PCM_16", kind="NIST"),
    "Vorbis": wav("VORBIS", 44100, "OGG"),
    "Opus": wav("OPUS", 48000, "OGG"),
    "WAV from a pipe": lambda p: patched(wav("PCM_16")(p), b"data", 0xFFFFFFFF),
    "WAV from another pipe": lambda p: patched(wav("PCM_16")(p), b"data", 0x7FFFF000),
    "WAV whose program crashed": lambda p: patched(wav("PCM_16")(p), b"data", 0),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_recording_is_read_to_its_end(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "sound"
    path.write_bytes(WHOLE[kind](path))
    recording = read_recording(path)
    assert recording.notes == ()
    assert recording.seconds == pytest.approx(SECONDS, abs=0.13)
    assert same_sound(recording.pcm, original())
    np.testing.assert_array_equal(load_clip(path), recording.pcm)


@pytest.mark.parametrize("kind", WHOLE)
def test_parts_of_a_recording_join_to_the_whole(
    tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sound"
    path.write_bytes(WHOLE[kind](path))
    parts = [(0.0, 0.3), (0.3, 0.8), (0.8, 1.0)]
    blocks = np.concatenate([pcm for part in parts for pcm in read_blocks(path, 0.5, part)])
    whole = load_clip(path)
    assert duration_of(path) == pytest.approx(len(whole) / 16000, abs=0.001)
    assert len(blocks) == pytest.approx(len(whole), abs=4)
    assert same_sound(blocks, whole)
    assert "kws:" not in capfd.readouterr().err


def test_two_mp3s_in_one_file_are_both_read(tmp_path: Path) -> None:
    path = tmp_path / "two.mp3"
    path.write_bytes(mp3() + mp3())
    recording = read_recording(path)
    assert recording.notes == ()
    assert recording.seconds == pytest.approx(2 * SECONDS, abs=0.2)


def test_a_header_of_free_format_among_others_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    data = bytearray(without_xing(path, mp3()))
    data[480 * 30 + 2] &= 0x0D  # the 31st frame has no bitrate and no padding
    path.write_bytes(data)
    assert read_recording(path).seconds == pytest.approx(SECONDS, abs=0.2)


def test_an_mp3_starts_when_its_sound_does(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    click = np.zeros((48000, 1), np.float32)
    click[24000:24048] = 0.9
    for data in (twice := encoded(click, 48000, "MP3", "MPEG_LAYER_III"), twice + twice):
        path.write_bytes(data)
        assert int(np.abs(load_clip(path)[:16000]).argmax()) == pytest.approx(8000, abs=40)


CUT: dict[str, tuple[Make, str]] = {
    "CAF": (wav("PCM_16", kind="CAF"), "3.00 s, but it contains 2."),
    "WAV": (wav("PCM_16"), "3.00 s, but it contains 2.40 s"),
    "WAV of floats": (wav("FLOAT", 44100, channels=2), "3.00 s, but it contains 2.40 s"),
    "extensible WAV": (wav("PCM_24", kind="WAVEX"), "3.00 s, but it contains 2.40 s"),
    "GSM 6.10": (wav("GSM610", 8000), "3.01 s, but it contains 2.40 s"),
    "AIFF": (wav("PCM_16", kind="AIFF"), "3.00 s, but it contains 2.40 s"),
    "AU": (wav("PCM_16", kind="AU"), "3.00 s, but it contains 2.40 s"),
    "W64": (wav("PCM_16", kind="W64"), "3.00 s, but it contains 2.40 s"),
    "RF64": (wav("PCM_16", kind="RF64"), "3.00 s, but it contains 2.40 s"),
    "FLAC": (wav("PCM_16", kind="FLAC"), "declares 3.00 s, but it contains"),
    "Vorbis": (wav("VORBIS", 16000, "OGG"), "in the middle of a page"),
    "Opus": (wav("OPUS", 48000, "OGG"), "in the middle of a page"),
    "MP3": (lambda _: mp3(), "s, but it contains"),
    "MP3 of variable rate": (lambda _: mp3(44100, 2, vbr=True), "s, but it contains"),
    "MP3 without a Xing header": (
        lambda p: without_xing(p, mp3(vbr=True)),
        "in the middle of a frame",
    ),
}


@pytest.mark.parametrize("kind", CUT)
def test_a_file_cut_off_is_read_with_a_notice(
    tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    make, says = CUT[kind]
    path = tmp_path / "cut"
    data = make(path)
    path.write_bytes(data[: len(data) * 8 // 10])
    recording = read_recording(path)
    assert recording.damage
    assert says in recording.damage
    assert recording.notes == (f"{recording.damage}; the rest was read",)
    assert 0.3 * SECONDS < recording.seconds < 0.95 * SECONDS
    assert same_sound(recording.pcm, original()[: len(recording.pcm)])
    with pytest.raises(AudioError, match="cut: cut off") as caught:
        load_clip(path)
    assert str(caught.value) == f"{path}: {recording.damage}; record or copy it again"
    blocks = np.concatenate(list(read_blocks(path, 0.02)))
    # The last FLAC block is read in part.
    assert len(blocks) == pytest.approx(len(recording.pcm), abs=4096 if kind == "FLAC" else 2)
    assert f"kws: {path}: {recording.notes[0]}\n" in capfd.readouterr().err


@pytest.mark.parametrize("bytes_lost", [1, 8])
def test_a_few_miscounted_bytes_are_ignored(tmp_path: Path, bytes_lost: int) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav("PCM_16")(path)[:-bytes_lost])
    assert read_recording(path).notes == ()
    path.write_bytes(wav("PCM_16")(path) + b"LIST" + bytes(4))
    assert len(load_clip(path)) == SECONDS * 16000


def test_a_flac_is_read_up_to_its_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    data = bytearray(wav("PCM_16", kind="FLAC")(path))
    data[len(data) * 2 // 3 :] = b"\x55" * len(data[len(data) * 2 // 3 :])
    path.write_bytes(data)
    recording = read_recording(path)
    assert recording.damage
    assert len(recording.pcm) > 16000


@pytest.fixture
def a_wav(tmp_path: Path) -> Path:
    path = tmp_path / "source.wav"
    path.write_bytes(wav("PCM_16", 48000, channels=2)(path))
    return path


FOREIGN: dict[str, tuple[str, tuple[str, ...]]] = {
    "m4a": ("m4a", ("-c:a", "aac")),
    "webm renamed": ("wav", ("-c:a", "libopus", "-f", "webm")),
    "MPEG": ("mpeg", ("-c:a", "mp2")),
    "Speex": ("spx", ("-c:a", "libspeex", "-ar", "16000")),
    "Speex renamed": ("ogg", ("-c:a", "libspeex", "-ar", "16000", "-f", "ogg")),
    "AAC": ("aac", ()),
    "Windows Media": ("wma", ()),
    "Matroska": ("mka", ()),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_ffmpeg_decodes_what_libsndfile_does_not(tmp_path: Path, kind: str, a_wav: Path) -> None:
    ending, options = FOREIGN[kind]
    path = tmp_path / f"sound.{ending}"
    convert(a_wav, path, *options)
    recording = read_recording(path)
    assert recording.notes == ()
    assert recording.subtype == "FFMPEG"
    assert recording.seconds == pytest.approx(SECONDS, abs=0.13)
    assert same_sound(recording.pcm, original())
    tail = np.concatenate(list(read_blocks(path, 0.5, (0.5, 1.0))))
    assert len(tail) == pytest.approx(len(recording.pcm) / 2, abs=4)


@pytest.mark.parametrize("kind", ["m4a", "webm renamed", "Speex renamed"])
def test_without_ffmpeg_the_kind_is_named(
    tmp_path: Path, kind: str, a_wav: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending, options = FOREIGN[kind]
    path = tmp_path / f"sound.{ending}"
    convert(a_wav, path, *options)
    monkeypatch.setattr(sources, "ffmpeg", lambda: None)
    with pytest.raises(AudioError, match=r"sound\.\w+: .*needs ffmpeg, which is not installed"):
        load_clip(path)


def test_a_file_without_sound_for_ffmpeg_gives_a_one_line_error(
    tmp_path: Path, a_wav: Path
) -> None:
    path = tmp_path / "cut.m4a"
    convert(a_wav, path, "-c:a", "aac")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])  # its index comes last
    with pytest.raises(AudioError, match=r"cut\.m4a: ffmpeg finds no sound in it \(.+\)") as caught:
        load_clip(path)
    assert "\n" not in str(caught.value)


def test_a_missing_channel_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav("PCM_16", channels=2)(path))
    for read in (lambda: read_recording(path, 3), lambda: list(read_blocks(path, 1, channel=3))):
        with pytest.raises(UsageError, match=r"a\.wav: no channel 3; it has 2 channels"):
            read()
