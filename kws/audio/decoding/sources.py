# SPDX-License-Identifier: Apache-2.0
"""Recordings as blocks of samples, read to the end of the data.

The length in a header is never a limit, since it may be an estimate or missing. If it is exact, a
shorter file counts as damaged.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from kws.audio.decoding import mp3_frames
from kws.audio.decoding.containers import cut_caf, ends_within_page, riff_data, shortfall
from kws.audio.decoding.ffmpeg_stream import FfmpegStream
from kws.audio.decoding.file_kinds import ffmpeg, foreign_kind, may_be_mp3
from kws.audio.decoding.joined_bytes import JoinedBytes
from kws.errors import AudioError, UsageError, os_reason

Samples = npt.NDArray[Any]

RATES = range(1_000, 768_001)
"""Valid sampling rates, in Hz; another rate in a header means damage."""

_BLOCK = 1 << 16
_FLAC_BLOCK = 4096  # a damaged block is lost as a whole
_MOST_FRAMES = 2**62  # libsndfile reports more if the number is unknown
_MISSING = 0.01
"""A smaller missing share is ignored: editors miscount some bytes."""

_DAMAGE = (soundfile.LibsndfileError, RuntimeError, ValueError, MemoryError, OSError)


class _SoundFile(soundfile.SoundFile):  # type: ignore[misc]  # it is untyped
    """A file that is read to its end, regardless of the length in its header."""

    def seekable(self) -> bool:
        """False: soundfile would trust the header, and seek in GSM 6.10, which is not seekable."""
        return False

    @property
    def can_seek(self) -> bool:
        """Whether libsndfile can seek in it."""
        return bool(super().seekable())


class SndfileSource:
    """A recording that libsndfile decodes."""

    def __init__(self, path: Path, *, is_mp3: bool) -> None:
        """Open the file; raises one of `_DAMAGE`."""
        self._bytes: JoinedBytes | None = None
        self._damage: str | None = None
        stream = mp3_frames.read_stream(path) if is_mp3 else None
        caf = cut_caf(path)
        if caf:
            self._bytes = JoinedBytes(caf.head, path, len(caf.head), path.stat().st_size)
        self._file = self._open_mp3(path, stream) if stream else _SoundFile(self._bytes or path)
        try:
            self.rate, self.channels = self._file.samplerate, self._file.channels
            self.subtype = self._file.subtype
            self.exact = self.subtype == "PCM_16" and self.channels == 1
            self._promised = None if self.subtype.startswith("MPEG") else self.frames
            if caf:
                self._promised = round((self.frames or 0) * caf.promised / max(caf.there, 1))
            self._look_closer(path)
        except BaseException:
            self.close()
            raise
        self._block = _FLAC_BLOCK if self._file.format == "FLAC" else _BLOCK
        self._read = 0
        self._broken = False

    @property
    def frames(self) -> int | None:
        """Expected samples per channel; None if unknown before the end."""
        frames = int(self._file.frames)
        return frames if frames < _MOST_FRAMES else None

    @property
    def is_whole(self) -> bool:
        """Whether the file is known without decoding to be complete and free of NaN."""
        plain = self.subtype.startswith(("PCM_", "ULAW", "ALAW")) and self._file.format != "FLAC"
        return plain and 0 < (self._promised or 0) <= (self.frames or 0)

    def read(self, frames: int) -> Samples:
        """The next samples, [n, channels]: int16 if `exact`, else float32; none at the end."""
        kind = "int16" if self.exact else "float32"
        parts: list[Samples] = []
        missing = frames
        while missing and not self._broken:
            try:
                data = self._file.read(min(missing, self._block), dtype=kind, always_2d=True)
            except soundfile.LibsndfileError:
                self._broken = True
                break
            if not len(data):
                break
            parts.append(data)
            missing -= len(data)
        self._read += frames - missing
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.zeros((0, self.channels), kind)

    def skip(self, frames: int) -> None:
        """Skip samples; only before the first read."""
        if frames and self.frames is not None and self._file.can_seek:
            try:
                self._read = self._file.seek(frames)
            except soundfile.LibsndfileError:
                self._broken, self._promised = True, None
                self._read = frames
        else:
            _read_over(self, frames)

    def damage(self) -> str | None:
        """Description of missing parts after everything is read; None if nothing is missing."""
        there = f"{self._read / self.rate:.2f} s"
        if self._promised and self._read < self._promised * (1 - _MISSING):
            return _promise_text(self._promised / self.rate, self._read / self.rate)
        return f"cut off or damaged before {there}" if self._broken else self._damage

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        if self._bytes:
            self._bytes.close()

    def _look_closer(self, path: Path) -> None:
        """Determine the file's length from its bytes, and whether it is cut off."""
        kind = self._file.format
        in_wav = kind in {"WAV", "WAVEX"}
        if in_wav and self.subtype.startswith("MPEG"):
            if stream := mp3_frames.read_stream(path, *riff_data(path)):
                self._file.close()
                self._file = self._open_mp3(path, stream)
        elif kind == "OGG" and ends_within_page(path):
            self._damage = "cut off: it ends in the middle of a page"
        elif in_wav and self.frames == 0:
            self._read_unfinished(path)
        elif short := shortfall(kind, self._file.extra_info):
            promised, there = short
            self._promised = round((self.frames or 0) * promised / max(there, 1))

    def _open_mp3(self, path: Path, stream: mp3_frames.Mp3Stream) -> _SoundFile:
        """Open an MP3 with the right frame count for libsndfile."""
        seconds = stream.frame_samples / stream.rate
        if stream.promised and stream.frames < stream.promised * (1 - _MISSING):
            self._damage = _promise_text(stream.promised * seconds, stream.frames * seconds)
        elif stream.cut:
            self._damage = "cut off: it ends in the middle of a frame"
        if stream.layer != 3:
            return _SoundFile(path)
        head = mp3_frames.counted_head(stream)
        self._bytes = JoinedBytes(head, path, stream.start, stream.end)
        return _SoundFile(self._bytes)

    def _read_unfinished(self, path: Path) -> None:
        """Open a WAV file whose writer stopped before storing the length: the rest is audio."""
        start, _ = riff_data(path)
        size = path.stat().st_size
        if start and start < size:
            with path.open("rb") as file:
                head = file.read(start - 4)
            self._file.close()
            self._bytes = JoinedBytes(
                head + (size - start).to_bytes(4, "little"), path, start, size
            )
            self._file = _SoundFile(self._bytes)
            self._promised = self.frames


Source = SndfileSource | FfmpegStream


@contextlib.contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open the decoder of a recording.

    Raises:
        AudioError: the file is missing, empty, not a recording, or damaged from its start; or only
            ffmpeg can read it, and ffmpeg is not installed.
    """
    check_file(path)
    with path.open("rb") as file:
        head = file.read(256)
    kind = foreign_kind(path, head)
    try:
        source: Source = (
            _foreign(path, kind) if kind else SndfileSource(path, is_mp3=may_be_mp3(path, head))
        )
    except _DAMAGE:
        raise unreadable(path) from None
    with contextlib.closing(source):
        if source.rate not in RATES:
            raise AudioError(
                f"{path}: damaged: its header declares {source.rate} Hz; record or copy it again"
            )
        yield source


def count_frames(path: Path) -> int:
    """Samples per channel of a recording; decodes it if the header has no length.

    Raises:
        AudioError: see `open_source`.
    """
    with open_source(path) as source:
        return source.frames if source.frames is not None else _read_over(source, None)


def check_channel(path: Path, source: Source, channel: int | None) -> None:
    """Raises UsageError if a recording does not have this channel (from 1)."""
    if channel is not None and not 1 <= channel <= source.channels:
        has = "1 channel" if source.channels == 1 else f"{source.channels} channels"
        raise UsageError(f"{path}: no channel {channel}; it has {has}")


def check_file(path: Path) -> None:
    """Check that a file exists and is not empty.

    Raises:
        AudioError: it is missing, empty, a folder, or unreadable.
    """
    try:
        if path.is_dir():
            raise AudioError(f"{path}: is a folder; pass a recording in it")
        if path.stat().st_size == 0:
            raise AudioError(f"{path}: empty file; record it again or remove it")
        with path.open("rb"):
            pass
    except OSError as error:
        raise AudioError(f"{path}: {os_reason(error)}; check the name and permissions") from None


def unreadable(path: Path) -> AudioError:
    """The error for a file that libsndfile cannot read."""
    return AudioError(
        f"{path}: not a readable recording (WAV, FLAC, Ogg, MP3 or AIFF), or damaged; "
        "convert it to WAV or remove it"
    )


def _foreign(path: Path, kind: str) -> FfmpegStream:
    program = ffmpeg()
    if program is None:
        raise AudioError(
            f"{path}: {kind} needs ffmpeg, which is not installed; install it, or convert the file "
            "to WAV"
        )
    return FfmpegStream(path, program)


def _read_over(source: Source, frames: int | None) -> int:
    """Decode and discard this many samples, or all; returns their number."""
    done = 0
    while frames is None or done < frames:
        data = source.read(_BLOCK if frames is None else min(_BLOCK, frames - done))
        if not len(data):
            break
        done += len(data)
    return done


def _promise_text(promised: float, there: float) -> str:
    return (
        f"cut off or damaged: its header declares {promised:.2f} s, but it contains {there:.2f} s"
    )
