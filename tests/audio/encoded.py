# SPDX-License-Identifier: Apache-2.0
"""Recordings in many formats, and damaged files."""

from __future__ import annotations

import io
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.decoding.mp3_frames import read_stream

SECONDS = 3.0


def speech(rate: int, channels: int = 1, seconds: float = SECONDS) -> np.ndarray:
    """Bursts of tones over faint noise, float32[n, channels].

    The first third is quiet, so that an estimate from the first frames' bitrate is wrong.
    """
    time = np.arange(round(rate * seconds)) / rate
    loud = (np.sin(2 * np.pi * 3 * time) > 0) & (time > seconds / 3)
    noise = np.random.default_rng(1).normal(0, 1e-4, len(time))
    tones = sum(np.sin(2 * np.pi * hertz * time) for hertz in (310, 740, 1730, 2900))
    mono = 0.15 * tones * loud + noise
    return np.repeat(mono[:, None], channels, axis=1).astype(np.float32)


def encoded(samples: np.ndarray, rate: int, kind: str, subtype: str, **options: object) -> bytes:
    """The bytes of a file written by libsndfile."""
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, rate, format=kind, subtype=subtype, **options)
    return buffer.getvalue()


def mp3(rate: int = 48000, channels: int = 1, *, vbr: bool = False) -> bytes:
    """An MP3 with a Xing or Info header, as LAME writes it."""
    mode = "VARIABLE" if vbr else "CONSTANT"
    return encoded(
        speech(rate, channels),
        rate,
        "MP3",
        "MPEG_LAYER_III",
        compression_level=0.5,
        bitrate_mode=mode,
    )


def without_xing(path: Path, data: bytes) -> bytes:
    """The MP3 stream without the frame that holds the frame count."""
    path.write_bytes(data)
    stream = read_stream(path)
    assert stream is not None
    assert stream.promised == stream.frames
    return data[stream.start :]


def in_wav(frames: bytes, rate: int, channels: int) -> bytes:
    """MP3 frames in a WAV (format 0x55)."""
    form = struct.pack("<HHIIHHHHIHHH", 0x55, channels, rate, 8000, 1, 0, 12, 1, 2, 384, 1, 1393)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form
    chunks += b"data" + struct.pack("<I", len(frames)) + frames
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def as_free_format(path: Path, data: bytes) -> bytes:
    """A stream of constant bitrate with free-format headers."""
    frames = bytearray(without_xing(path, data))
    at, size = 0, 480  # 24 ms at 160 kbit/s
    while at < len(frames):
        assert frames[at] == 0xFF
        frames[at + 2] &= 0x0F
        at += size
    return bytes(frames)


def with_picture(data: bytes) -> bytes:
    """An MP3 after a tag with a 300 kB picture that contains false frame headers."""
    picture = b"\x00image/png\x00\x03\x00" + b"\xff\xfb\x90\x64\xff\xe3\x18\xc4" * 37_500
    body = b"APIC" + struct.pack(">I", len(picture)) + b"\x00\x00" + picture
    size = bytes(len(body) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x03\x00\x00" + size + body + data + b"TAG".ljust(128, b"\x00")


def streamed_flac(samples: np.ndarray, rate: int) -> bytes:
    """A FLAC file without a length in its header, as from a streaming encoder."""
    data = bytearray(encoded(samples, rate, "FLAC", "PCM_16"))
    data[21] &= 0xF0
    data[22:26] = bytes(4)
    return bytes(data)


def program(name: str) -> str:
    """The path of a program; the test is skipped without it."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def convert(source: Path, target: Path, *options: str) -> None:
    """Convert a file with ffmpeg."""
    command = [program("ffmpeg"), "-v", "error", "-y", "-i", str(source), *options, str(target)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this ffmpeg cannot write {target.suffix}: {done.stderr.strip()[-200:]}")


def same_sound(pcm: np.ndarray, wanted: np.ndarray, most: float = 0.12) -> bool:
    """Whether two recordings have similar levels per 100 ms; one may be shifted by 80 ms."""

    def levels(sound: np.ndarray) -> np.ndarray:
        parts = sound[: len(sound) // 1600 * 1600].reshape(-1, 1600).astype(np.float64)
        return np.asarray(np.sqrt((parts**2).mean(axis=1)) / 32768)

    def difference(shift: int) -> float:
        a, b = levels(pcm[max(0, shift) :]), levels(wanted[max(0, -shift) :])
        size = min(len(a), len(b))
        return float(np.abs(a[:size] - b[:size]).mean() / b.max())

    return any(difference(shift) < most for shift in range(-1280, 1281, 160))
