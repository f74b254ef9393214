# SPDX-License-Identifier: Apache-2.0
"""Places a spoken word in a clip, as if recorded by a microphone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.audio.pcm import BLOCK
from kws.audio.tts.engines.speech import Sound

_QUIET = 10 ** (-40 / 20)  # 40 dB below the loudest 10 ms: before or after the word
_PEAK_DB = (-18.0, -2.0)  # of full scale
_FLOOR_DB = (-80.0, -60.0)


def trim(sound: Sound) -> Sound:
    """The spoken part of a recording, with a small margin."""
    blocks = sound[: len(sound) // BLOCK * BLOCK].reshape(-1, BLOCK)
    if not len(blocks):
        return sound[:0]
    levels = np.sqrt(np.mean(blocks**2, axis=1))
    loud = np.flatnonzero(levels > max(float(levels.max()) * _QUIET, 1e-4))
    if not len(loud):
        return sound[:0]
    return sound[max(loud[0] - 2, 0) * BLOCK : (loud[-1] + 3) * BLOCK]


def place(
    word: Sound, rng: np.random.Generator, samples: int = SAMPLE_RATE
) -> npt.NDArray[np.int16]:
    """A clip with the whole word at a random place: int16[samples].

    Microphone colour, level, noise floor and sometimes a room are random.
    """
    coloured = word.copy()
    coloured[1:] += np.float32(rng.uniform(-0.4, 0.6)) * word[:-1]
    ramp = np.minimum(1, np.arange(len(word), dtype=np.float32) / 80)  # 5 ms; avoids clicks
    clip = np.zeros(samples, np.float32)
    start = int(rng.uniform(0, samples - len(word)))
    clip[start : start + len(word)] = coloured * ramp * ramp[::-1]
    if rng.random() < 0.25:
        clip = _in_room(clip, rng)
    peak, floor = (10 ** (rng.uniform(*decibels) / 20) for decibels in (_PEAK_DB, _FLOOR_DB))
    clip *= np.float32(peak) / np.abs(clip).max()
    clip += np.float32(floor) * rng.standard_normal(samples, np.float32)
    scaled: Sound = np.rint(clip.clip(-1, 1) * 32767)
    return scaled.astype(np.int16)


def _in_room(clip: Sound, rng: np.random.Generator) -> Sound:
    """The clip with a decaying echo of a small room (60 dB in 0.1 to 0.4 s)."""
    seconds = rng.uniform(0.1, 0.4)
    time = np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    echo = rng.standard_normal(len(time)) * 10 ** (-3 * time / seconds)
    echo *= rng.uniform(0.1, 0.5) / np.sqrt(np.sum(echo**2))
    echo[0] = 1.0
    size = 1 << (len(clip) + len(echo)).bit_length()
    wet = np.fft.irfft(np.fft.rfft(clip, size) * np.fft.rfft(echo, size), size)
    out: Sound = wet[: len(clip)].astype(np.float32)
    return out
