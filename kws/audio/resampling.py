"""Sound as it comes: a recording read piece by piece, and any rate made the core's.

Memory does not grow with the length of a recording.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from kws._core import SAMPLE_RATE
from kws.audio.sound_files import check_file, unreadable
from kws.errors import AudioError

Pcm = npt.NDArray[np.int16]
Samples = npt.NDArray[np.float32]

_RATES = range(1_000, 768_001)  # beyond these a header is damaged


class Resampler:
    """Takes pieces of one stream in order; gives as much of 16 kHz, mono, 16 bits as they make."""

    def __init__(self, rate: int) -> None:
        """`rate`: samples a second of what comes in."""
        self._stream: Any = None
        if rate != SAMPLE_RATE:
            self._stream = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32")

    def feed(self, samples: Samples, *, last: bool = False) -> Pcm:
        """int16[m] from float32[n, channels] of +-1; channels are averaged, what is over is cut.

        `last` also gives what the filter still holds; nothing may be fed afterwards.

        Raises:
            AudioError: a sample is no number.
        """
        mono: Samples = samples.mean(axis=1, dtype=np.float32)
        if not np.isfinite(mono).all():
            raise AudioError("it gives samples that are no numbers (NaN)")
        if self._stream is not None:
            mono = self._stream.resample_chunk(mono, last=last)
        scaled: Samples = np.rint(mono * np.float32(32768))
        return scaled.clip(-32768, 32767).astype(np.int16)


def read_pieces(path: Path, seconds: float) -> Iterator[Pcm]:
    """A recording as `load_clip` gives it, in pieces of about so many seconds.

    Raises:
        AudioError: the file is missing, empty, damaged, of another kind, or holds no sound. Damage
            in its middle is found when it is reached.
    """
    check_file(path)
    try:
        with soundfile.SoundFile(path) as file:
            rate, promised = file.samplerate, file.frames
            if rate not in _RATES:
                raise AudioError(
                    f"{path}: damaged, its header says {rate} Hz; record or copy it again"
                )
            exact = file.subtype == "PCM_16" and file.channels == 1 and rate == SAMPLE_RATE
            yield from _read(file, exact, max(1, round(seconds * rate)))
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


def _read(file: soundfile.SoundFile, exact: bool, samples: int) -> Iterator[Pcm]:
    resampler = Resampler(file.samplerate)
    kind = "int16" if exact else "float32"
    while len(data := file.read(samples, dtype=kind, always_2d=True)):
        yield np.ascontiguousarray(data[:, 0]) if exact else resampler.feed(data)
    if not exact and file.tell():
        yield resampler.feed(np.zeros((0, 1), np.float32), last=True)
