# SPDX-License-Identifier: Apache-2.0
"""Synthetic background noises (rooms, streets, machines) and a quiet room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE

Sound = npt.NDArray[np.float32]

_ROOM_LEVEL = 4  # of 32768


def quiet_room(samples: int, seed: int = 0) -> npt.NDArray[np.int16]:
    """Noise of a quiet room: int16[samples], at most 4 of 32768 steps, determined by the seed.

    Not zeros, because no microphone outputs zeros: after a second of them the frontend has no noise
    estimate and treats the first faint hiss as loud.
    """
    # The bit generator's raw numbers are the same in every version of NumPy.
    raw = np.random.PCG64(seed).random_raw(samples)
    return (raw % np.uint64(2 * _ROOM_LEVEL + 1)).astype(np.int16) - np.int16(_ROOM_LEVEL)


def room_after(window_ms: int) -> npt.NDArray[np.int16]:
    """Quiet-room noise to append to a recording, so that a word at the end is detected: int16[n].

    Args:
        window_ms: the model's window. The noise lasts as long, but at least a second.
    """
    return quiet_room(max(window_ms, 1000) * SAMPLE_RATE // 1000, seed=1)


def make_noises(seconds: float, seed: int) -> dict[str, npt.NDArray[np.int16]]:
    """Six kinds of noise by name: int16[n] at 16 kHz, RMS a tenth of full scale."""
    samples = int(seconds * SAMPLE_RATE)
    out = {}
    for index, (name, make) in enumerate(_KINDS.items()):
        sound = make(samples, np.random.default_rng([seed, index]))
        sound -= sound.mean()
        sound *= 0.1 / float(np.sqrt(np.mean(sound**2)))
        out[name] = np.rint(sound.clip(-1, 1) * 32767).astype(np.int16)
    return out


def _noise_of_slope(samples: int, rng: np.random.Generator, slope: float) -> Sound:
    """Gaussian noise whose power falls as 1 / f**slope."""
    spectrum = np.fft.rfft(rng.standard_normal(samples))
    hertz = np.fft.rfftfreq(samples, 1 / SAMPLE_RATE)
    spectrum *= np.maximum(hertz, 20.0) ** (-slope / 2)
    return np.fft.irfft(spectrum, samples).astype(np.float32)


def _white(samples: int, rng: np.random.Generator) -> Sound:
    return _noise_of_slope(samples, rng, 0.0)


def _pink(samples: int, rng: np.random.Generator) -> Sound:
    return _noise_of_slope(samples, rng, 1.0)


def _brown(samples: int, rng: np.random.Generator) -> Sound:
    return _noise_of_slope(samples, rng, 2.0)


def _mains_hum(samples: int, rng: np.random.Generator) -> Sound:
    """50 Hz and its harmonics over a little pink noise."""
    time = np.arange(samples) / SAMPLE_RATE
    hum = np.zeros(samples)
    for harmonic in range(1, 20):
        hum += np.sin(2 * np.pi * (50 * harmonic * time + rng.random())) * rng.random() / harmonic
    rustle = _pink(samples, rng)
    hum += 0.3 * rustle / rustle.std()
    return hum.astype(np.float32)


def _fan(samples: int, rng: np.random.Generator) -> Sound:
    """Pink noise modulated by the blades, and the motor's tone."""
    time = np.arange(samples) / SAMPLE_RATE
    air = _pink(samples, rng)
    blades = 1 + 0.4 * np.sin(2 * np.pi * 23 * time)
    motor = np.sin(2 * np.pi * 310 * time + 2 * np.sin(2 * np.pi * 0.7 * time))
    sound: npt.NDArray[np.float64] = air / air.std() * blades + 0.3 * motor
    return sound.astype(np.float32)


def _crackle(samples: int, rng: np.random.Generator) -> Sound:
    """Short knocks and crackles at random times over quiet brown noise."""
    out = _brown(samples, rng)
    out /= 4 * out.std()
    for _ in range(samples // 1600):
        length = int(rng.integers(30, 600))
        start = int(rng.integers(0, samples - length))
        decay = np.exp(-np.arange(length) / (length / 5))
        out[start : start + length] += rng.normal(0, 2 * rng.random(), length) * decay
    return out


_KINDS: dict[str, Callable[[int, np.random.Generator], Sound]] = {
    "white_noise": _white,
    "pink_noise": _pink,
    "brown_noise": _brown,
    "mains_hum": _mains_hum,
    "fan": _fan,
    "crackle": _crackle,
}
