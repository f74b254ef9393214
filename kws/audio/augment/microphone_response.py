# SPDX-License-Identifier: Apache-2.0
"""Poor microphones, which lose bass and treble."""

from __future__ import annotations

import math

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.augment.room import ROOMS
from kws.audio.pcm import Sounds

_BASS_HZ = (50, 400)
_TREBLE_HZ = (2500, 8000)

_NARROW_HZ = (3400, 7000)
_SLOPE_HZ = 200  # width of a narrow band's edge
_GRID = 4096  # FFTs are fast for multiples of this length
_RINGING = SAMPLE_RATE // 2  # zeros after a clip for the filter's ringing: transforms are periodic


def through_microphones(clips: Sounds, rng: np.random.Generator) -> Sounds:
    """Each clip as recorded by its own random microphone, with second-order slopes and zero phase.

    Bass rolls off below 50 to 400 Hz, treble above 2.5 to 8 kHz.
    """
    count, samples = clips.shape
    size = -(-(samples + _RINGING) // _GRID) * _GRID
    rng.integers(0, ROOMS, count)  # unused; keeps the clips of each seed unchanged
    lowest, highest = map(math.log, _BASS_HZ)
    bass = np.exp(rng.uniform(lowest, highest, (count, 1))).astype(np.float32)
    treble = rng.uniform(*_TREBLE_HZ, size=(count, 1)).astype(np.float32)
    hertz = np.fft.rfftfreq(size, 1 / SAMPLE_RATE).astype(np.float32)
    spectra = np.fft.rfft(clips, size)
    spectra /= 1 + (bass / (hertz + 1)) ** 2
    spectra /= 1 + (hertz / treble) ** 4
    out: Sounds = np.fft.irfft(spectra, size).astype(np.float32, copy=False)
    return out[:, :samples]


def narrow_bands(clips: Sounds, rng: np.random.Generator) -> Sounds:
    """Each clip low-passed at its own random cutoff of 3.4 to 7 kHz."""
    count, samples = clips.shape
    size = -(-(samples + _RINGING) // _GRID) * _GRID
    edge = rng.uniform(*_NARROW_HZ, size=(count, 1)).astype(np.float32)
    hertz = np.fft.rfftfreq(size, 1 / SAMPLE_RATE).astype(np.float32)
    spectra = np.fft.rfft(clips, size)
    spectra *= np.clip(1 - (hertz - edge) / _SLOPE_HZ, 0, 1)
    out: Sounds = np.fft.irfft(spectra, size).astype(np.float32, copy=False)
    return out[:, :samples]
