# SPDX-License-Identifier: Apache-2.0
"""Sound as a stream: a recording read block by block, and any rate resampled to the core's.

The memory that is used does not depend on the length of a recording.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm
from kws.audio.sound_files import RATES, check_file, to_int16, unreadable
from kws.errors import AudioError

Samples = npt.NDArray[np.float32]


class Resampler:
    """One stream of any rate, fed in parts, as 16 kHz mono 16-bit samples."""

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
            last: also return what the filter still holds; nothing may be fed afterwards.

        Raises:
            AudioError: a sample is not a number.
        """
        mono: Samples = samples.mean(axis=1, dtype=np.float32)
        if not np.isfinite(mono).all():
            raise AudioError("it gives samples that are not numbers (NaN)")
        if self._stream is not None:
            mono = self._stream.resample_chunk(mono, last=last)
        return to_int16(mono)


def read_blocks(
    path: Path, seconds: float, part: tuple[float, float] = (0.0, 1.0)
) -> Generator[Pcm]:
    """A recording as `load_clip` gives it, in blocks of about so many seconds.

    Args:
        path: the recording.
        seconds: length of a block.
        part: start and end of what is read, as shares of the recording.

    Raises:
        AudioError: the file is missing, empty, damaged, of another kind, or holds no sound. Damage
            in its middle is found when it is reached.
    """
    check_file(path)
    try:
        with soundfile.SoundFile(path) as file:
            rate = file.samplerate
            if rate not in RATES:
                raise AudioError(
                    f"{path}: damaged, its header says {rate} Hz; record or copy it again"
                )
            exact = file.subtype == "PCM_16" and file.channels == 1 and rate == SAMPLE_RATE
            start, promised = (round(share * file.frames) for share in part)
            end = promised if part[1] < 1 else sys.maxsize  # a header may promise too little
            if start:
                file.seek(start)
            yield from _read(file, exact, max(1, round(seconds * rate)), end)
            read = file.tell()
    except (soundfile.LibsndfileError, RuntimeError, ValueError, MemoryError, OSError):
        raise unreadable(path) from None
    except AudioError as error:
        at = "" if str(error).startswith(str(path)) else f"{path}: "
        raise AudioError(f"{at}{error}") from None
    if read < promised:
        raise AudioError(
            f"{path}: damaged, its header promises {promised} samples and {read} are there; "
            "record or copy it again"
        )
    if read == 0:
        raise AudioError(f"{path}: holds no samples; record it again or remove it")


def _read(file: soundfile.SoundFile, exact: bool, samples: int, end: int) -> Iterator[Pcm]:
    resampler = Resampler(file.samplerate)
    kind = "int16" if exact else "float32"
    while len(data := file.read(min(samples, end - file.tell()), dtype=kind, always_2d=True)):
        yield np.ascontiguousarray(data[:, 0]) if exact else resampler.feed(data)
    if not exact and file.tell():
        yield resampler.feed(np.zeros((0, 1), np.float32), last=True)
