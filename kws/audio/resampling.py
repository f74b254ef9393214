# SPDX-License-Identifier: Apache-2.0
"""Sound as a stream: recordings block by block, resampled to 16 kHz, in constant memory."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soxr

from kws._core import SAMPLE_RATE
from kws.audio.decoding.mixing import SEARCHED_SECONDS, Mix, choose_mix
from kws.audio.decoding.sources import (
    Source,
    check_channel,
    count_frames,
    open_source,
    unreadable,
)
from kws.audio.pcm import Pcm
from kws.audio.sound_files import to_int16
from kws.errors import AudioError
from kws.progress import notice

Samples = npt.NDArray[np.float32]


class Resampler:
    """Converts one stream of any rate, fed in parts, to 16 kHz mono 16-bit samples."""

    def __init__(self, rate: int) -> None:
        """`rate`: samples per second of the input."""
        self._stream: Any = None
        if rate != SAMPLE_RATE:
            self._stream = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32")

    def feed(self, samples: Samples, *, last: bool = False) -> Pcm:
        """The 16 kHz samples of the next part of the stream: int16[m].

        Channels are averaged, and overload is clipped.

        Args:
            samples: float32[n, channels], from -1 to 1.
            last: also flush the filter; nothing may be fed afterwards.

        Raises:
            AudioError: a sample is NaN.
        """
        mono: Samples = samples.mean(axis=1, dtype=np.float32)
        if not np.isfinite(mono).all():
            raise AudioError("has samples that are not numbers (NaN)")
        if self._stream is not None:
            mono = self._stream.resample_chunk(mono, last=last)
        return to_int16(mono)


def read_blocks(
    path: Path,
    seconds: float,
    part: tuple[float, float] = (0.0, 1.0),
    channel: int | None = None,
) -> Generator[Pcm]:
    """A recording as `read_recording` decodes it, in blocks.

    A truncated recording is read as far as possible, with a notice.

    Args:
        path: the recording.
        seconds: approximate length of a block.
        part: start and end of the part to read, as shares of the recording.
        channel: channel to use, from 1; None to choose one.

    Raises:
        AudioError: the file is missing, empty, damaged from its start, not a recording, or holds
            no sound.
        UsageError: it has no such channel.
    """
    mix = _mix_of(path, channel)
    with open_source(path) as source:
        start, end = _edges(path, source, part)
        source.skip(start)
        for note in () if start else mix.notes:
            notice(f"{path}: {note}")
        try:
            read = yield from _read(source, mix, max(1, round(seconds * source.rate)), end - start)
        except AudioError as error:
            raise AudioError(f"{path}: {error}") from None
        if not read and not start:  # a later part may lie beyond the end of a truncated file
            if source.damage():
                raise unreadable(path)
            raise AudioError(f"{path}: contains no samples; record it again or remove it")
        if read < end - start and (damage := source.damage()):
            notice(f"{path}: {damage}; the rest was read")


def duration_of(path: Path) -> float:
    """Length of a recording in seconds; decodes it if the header has no length.

    Raises:
        AudioError: see `read_blocks`.
    """
    with open_source(path) as source:
        rate = int(source.rate)
    return count_frames(path) / rate


def _mix_of(path: Path, channel: int | None) -> Mix:
    """How to mix a recording, from its first part."""
    with open_source(path) as source:
        check_channel(path, source, channel)
        whole_numbers = source.subtype.startswith(("PCM_", "ULAW", "ALAW"))
        if source.channels == 1 and whole_numbers:
            return Mix(1)
        return choose_mix(source.read(SEARCHED_SECONDS * source.rate), source.rate, channel)


def _edges(path: Path, source: Source, part: tuple[float, float]) -> tuple[int, int]:
    """First and last sample of a part; a whole recording ends where its decoder ends."""
    if part == (0.0, 1.0):
        return 0, sys.maxsize
    frames = count_frames(path) if source.frames is None else source.frames
    start, end = (round(share * frames) for share in part)
    return start, end if part[1] < 1 else sys.maxsize


def _read(source: Source, mix: Mix, samples: int, count: int) -> Generator[Pcm, None, int]:
    """Blocks of at most the next `count` samples; returns how many were read."""
    same = source.exact and source.rate == SAMPLE_RATE
    resampler = Resampler(source.rate)
    read = 0
    while len(data := source.read(min(samples, count - read))):
        read += len(data)
        if same:
            yield np.ascontiguousarray(data[:, 0])
        else:
            yield resampler.feed(mix.apply(data)[:, None])
    if read and not same:
        yield resampler.feed(np.zeros((0, 1), np.float32), last=True)
    return read
