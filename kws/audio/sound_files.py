# SPDX-License-Identifier: Apache-2.0
"""Recordings on disk: reads the usual formats as 16 kHz mono PCM, writes 16-bit WAV."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soxr

from kws._core import SAMPLE_RATE
from kws.audio.decoding.mixing import SEARCHED_SECONDS, Mix, choose_mix
from kws.audio.decoding.sources import Samples, Source, check_channel, open_source, unreadable
from kws.errors import AudioError
from kws.files import atomic_write
from kws.progress import notice

Pcm = npt.NDArray[np.int16]

FULL_SCALE = 32767
"""Smallest magnitude that counts as full scale."""


@dataclass(frozen=True)
class Recording:
    """A file's samples and properties."""

    pcm: Pcm
    """16 kHz, mono."""

    rate: int
    """Samples per second in the file."""

    subtype: str
    """libsndfile's name of the coding, such as PCM_16 or VORBIS; FFMPEG if ffmpeg decoded it."""

    mix: Mix
    """How the channels were mixed."""

    damage: str | None = None
    """Description of missing parts; None if the file is complete."""

    @property
    def channels(self) -> int:
        """Channels in the file."""
        return self.mix.channels

    @property
    def seconds(self) -> float:
        """Length of the decoded sound."""
        return len(self.pcm) / SAMPLE_RATE

    @property
    def peak(self) -> float:
        """Largest magnitude, 0 to 1 (full scale)."""
        return max(int(self.pcm.max()), -int(self.pcm.min())) / 32768

    @property
    def rms(self) -> float:
        """Root of the mean square, 0 to 1 (full scale)."""
        return float(np.sqrt(np.mean(np.square(self.pcm, dtype=np.float64)))) / 32768

    @property
    def clipped(self) -> int:
        """Number of samples at full scale."""
        return int(np.count_nonzero((self.pcm >= FULL_SCALE) | (self.pcm == -32768)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines for the user about anything unusual in the file."""
        rest = (f"{self.damage}; the rest was read",) if self.damage else ()
        return (*self.mix.notes, *rest)


def load_clip(path: Path) -> Pcm:
    """The samples of a whole recording: int16[n], n > 0, 16 kHz, mono.

    Reads WAV, FLAC, Ogg, MP3, AIFF and more, and anything that an installed ffmpeg decodes, with
    any sampling rate (resampled), number of channels (see `kws.audio.decoding.mixing`) and sample
    width. The samples of a 16 kHz, mono, 16-bit file are returned unchanged.

    Raises:
        AudioError: the file is missing, empty, damaged, cut off, not a recording, or contains no
            sound.
    """
    recording = read_recording(path)
    if recording.damage:
        raise AudioError(f"{path}: {recording.damage}; record or copy it again")
    return recording.pcm


def read_recording(path: Path, channel: int | None = None) -> Recording:
    """Read a recording, even if the file is cut off.

    Args:
        path: the file; see `load_clip`.
        channel: channel to use, from 1; None to choose one.

    Raises:
        AudioError: the file is missing, empty, damaged from its start, not a recording, or holds
            no sound.
        UsageError: it has no such channel.
    """
    with open_source(path) as source:
        check_channel(path, source, channel)
        data = _read_all(source)
        damage = source.damage()
    if len(data) == 0:
        if damage:
            raise unreadable(path)
        raise AudioError(f"{path}: contains no samples; record it again or remove it")
    mix = Mix(1)
    if not source.exact:
        mix = choose_mix(data[: SEARCHED_SECONDS * source.rate], source.rate, channel)
    pcm = _to_pcm(data, source.rate, mix)
    if pcm is None:
        raise AudioError(
            f"{path}: contains samples that are not numbers (NaN); record or convert it again"
        )
    if len(pcm) == 0:
        raise AudioError(f"{path}: too short to contain any sound at 16 kHz; record it again")
    return Recording(pcm, source.rate, source.subtype, mix, damage)


def hear(path: Path, channel: int | None = None) -> Recording:
    """Read a recording and print its notes on stderr; see `read_recording`."""
    recording = read_recording(path, channel)
    for note in recording.notes:
        notice(f"{path}: {note}")
    return recording


def _read_all(source: Source) -> Samples:
    blocks = []
    while len(block := source.read(1 << 20)):
        blocks.append(block)
    if len(blocks) == 1:
        return blocks[0]
    return np.concatenate(blocks) if blocks else np.zeros((0, source.channels), np.float32)


def fit(pcm: npt.NDArray[np.int16], samples: int) -> npt.NDArray[np.int16]:
    """The first `samples` samples, padded with zeros."""
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
    """Write int16[n] samples as a 16 kHz mono 16-bit WAV file, atomically.

    Raises:
        KwsError: the file could not be written; an old file is unchanged.
    """
    # No fsync: thousands are written at a time, and each can be recreated.
    atomic_write(path, wav_bytes(pcm), sync=False)


def _to_pcm(data: Samples, rate: int, mix: Mix) -> Pcm | None:
    """The samples [frames, channels], int16 or floats, at 16 kHz: int16[n]; None if one is NaN."""
    if data.dtype == np.int16 and rate == SAMPLE_RATE:
        return np.ascontiguousarray(data[:, 0], np.int16)
    mono = mix.apply(data)
    if not np.isfinite(mono).all():
        return None
    if rate != SAMPLE_RATE:
        mono = soxr.resample(mono, rate, SAMPLE_RATE)
    return to_int16(mono)


def to_int16(sound: npt.NDArray[np.float32]) -> npt.NDArray[np.int16]:
    """Samples from -1 to 1 as int16, rounded; overload is clipped."""
    scaled: npt.NDArray[np.float32] = np.rint(sound * np.float32(32768))
    return scaled.clip(-32768, 32767).astype(np.int16)
