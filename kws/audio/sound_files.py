# SPDX-License-Identifier: Apache-2.0
"""Recordings on disk: read the usual formats as the PCM that the core takes, write 16-bit WAV."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from kws._core import SAMPLE_RATE
from kws.errors import AudioError
from kws.files import atomic_write

EXTENSIONS = frozenset({".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aif", ".aiff"})
"""Extensions, in lower case, of files that count as recordings."""

RATES = range(1_000, 768_001)
"""Sampling rates, in Hz; a header with another one is damaged."""


@dataclass(frozen=True)
class Recording:
    """A file's samples and what its header says."""

    pcm: npt.NDArray[np.int16]
    """16 kHz, mono."""

    rate: int
    """Samples per second in the file."""

    channels: int
    """Channels in the file."""

    subtype: str
    """libsndfile's name of the coding, such as PCM_16 or VORBIS."""


def load_clip(path: Path) -> npt.NDArray[np.int16]:
    """The samples of a recording: int16[n], n > 0, 16 kHz, mono.

    WAV, FLAC, Ogg, MP3 and AIFF, any sampling rate (resampled), any number of channels (averaged),
    any sample width. The samples of a 16 kHz, mono, 16-bit file are returned unchanged.

    Raises:
        AudioError: the file is missing, empty, damaged, of another kind, or holds no sound.
    """
    return read_recording(path).pcm


def read_recording(path: Path) -> Recording:
    """As `load_clip`, with what the file's header says.

    Raises:
        AudioError: the file is missing, empty, damaged, of another kind, or holds no sound.
    """
    check_file(path)
    try:
        with soundfile.SoundFile(path) as file:
            exact = file.subtype == "PCM_16" and file.channels == 1
            rate, channels, subtype = file.samplerate, file.channels, file.subtype
            promised = file.frames
            data = file.read(dtype="int16" if exact else "float32", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError, ValueError, MemoryError, OSError):
        raise unreadable(path) from None
    if len(data) < promised:
        raise AudioError(
            f"{path}: damaged, its header promises {promised} samples and {len(data)} are there; "
            "record or copy it again"
        )
    if len(data) == 0:
        raise AudioError(f"{path}: holds no samples; record it again or remove it")
    if rate not in RATES:
        raise AudioError(f"{path}: damaged, its header says {rate} Hz; record or copy it again")
    pcm = _to_pcm(data, rate)
    if pcm is None:
        raise AudioError(
            f"{path}: holds samples that are not numbers (NaN); record or convert it again"
        )
    if len(pcm) == 0:
        raise AudioError(f"{path}: too short to hold any sound at 16 kHz; record it again")
    return Recording(pcm, rate, channels, subtype)


def fit(pcm: npt.NDArray[np.int16], samples: int) -> npt.NDArray[np.int16]:
    """The first `samples` samples; if there are fewer, zeros follow."""
    out = np.zeros(samples, np.int16)
    part = pcm[:samples]
    out[: len(part)] = part
    return out


def wav_bytes(pcm: npt.NDArray[np.int16]) -> bytes:
    """A 16 kHz mono 16-bit WAV file of int16[n] samples."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(np.ascontiguousarray(pcm, "<i2").tobytes())
    return buffer.getvalue()


def write_clip(path: Path, pcm: npt.NDArray[np.int16]) -> None:
    """Write int16[n] samples as a 16 kHz mono 16-bit WAV file, whole or not at all.

    Raises:
        KwsError: the file could not be written; an old file of that name is untouched.
    """
    # Not flushed to the disk: thousands are written at a time, and each can be made again.
    atomic_write(path, wav_bytes(pcm), sync=False)


def check_file(path: Path) -> None:
    """Make sure that there is a file that is not empty.

    Raises:
        AudioError: it is missing, empty, a folder, or may not be read.
    """
    try:
        if path.is_dir():
            raise AudioError(f"{path}: is a folder; name a recording in it")
        if path.stat().st_size == 0:
            raise AudioError(f"{path}: empty file; record it again or remove it")
        with path.open("rb"):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise AudioError(f"{path}: {reason}; check the name and its permissions") from None


def unreadable(path: Path) -> AudioError:
    """The error for a file that libsndfile cannot read."""
    return AudioError(
        f"{path}: not a recording that can be read (WAV, FLAC, Ogg, MP3 or AIFF), or damaged; "
        "convert it to WAV or remove it"
    )


def _to_pcm(data: npt.NDArray[np.generic], rate: int) -> npt.NDArray[np.int16] | None:
    """The samples at 16 kHz: int16[n]; None if one is not a number.

    Args:
        data: [frames, channels], int16 or floats from -1 to 1.
        rate: its samples per second.
    """
    if data.dtype == np.int16 and rate == SAMPLE_RATE:
        return np.ascontiguousarray(data[:, 0], np.int16)
    if data.dtype == np.int16:
        mono = data[:, 0].astype(np.float32) / np.float32(32768)
    else:
        mono = data.mean(axis=1, dtype=np.float32)
    if not np.isfinite(mono).all():
        return None
    if rate != SAMPLE_RATE:
        mono = soxr.resample(mono, rate, SAMPLE_RATE)
    return to_int16(mono)


def to_int16(sound: npt.NDArray[np.float32]) -> npt.NDArray[np.int16]:
    """Samples from -1 to 1 as int16, rounded; overload is clipped."""
    scaled: npt.NDArray[np.float32] = np.rint(sound * np.float32(32768))
    return scaled.clip(-32768, 32767).astype(np.int16)
