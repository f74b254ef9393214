# SPDX-License-Identifier: Apache-2.0
"""Silence before and after a clip that is played to a device."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE

Pcm = npt.NDArray[np.int16]

PAUSE_SECONDS = 1
"""Silence before and after each clip."""

_ROOM_LEVEL = 4  # of 32768


def silence(samples: int, seed: int = 0) -> Pcm:
    """A quiet room: int16[samples] of noise, 4 steps of 32768 at most, the same each time.

    Not zeros, because no microphone gives those: after a second of zeros the frontend has no
    estimate of the noise, and the first faint hiss sounds to it like a loud one.
    """
    # The bit generator's raw numbers are the same in every version of NumPy.
    raw = np.random.PCG64(seed).random_raw(samples)
    return (raw % np.uint64(2 * _ROOM_LEVEL + 1)).astype(np.int16) - np.int16(_ROOM_LEVEL)


def between_silence(clip: Pcm) -> Pcm:
    """A clip with a second of silence before and after it."""
    pause = PAUSE_SECONDS * SAMPLE_RATE
    return np.concatenate([silence(pause), clip, silence(pause, seed=1)])
