"""Cutting and checking recordings of single words."""

from __future__ import annotations

import numpy as np

from kws.audio.files import SAMPLE_RATE, fit
from kws.audio.pieces import Pcm

_STEP = SAMPLE_RATE // 100  # energies are taken each 10 ms


def loudest_second(pcm: Pcm) -> Pcm:
    """The second of `pcm` (int16[n]) that holds most energy; zeros at the end if it is shorter.

    Of the seconds that are as good, the one in whose middle the sound is.
    """
    if len(pcm) <= SAMPLE_RATE:
        return fit(pcm, SAMPLE_RATE)
    steps = pcm[: len(pcm) // _STEP * _STEP].reshape(-1, _STEP).astype(np.float64)
    energy = np.maximum(steps.var(axis=1), 1.0)
    sums = np.convolve(energy, np.ones(SAMPLE_RATE // _STEP), "valid")
    good = np.flatnonzero(sums >= 0.98 * sums.max())
    start = int(good[len(good) // 2]) * _STEP
    return pcm[start : start + SAMPLE_RATE]
