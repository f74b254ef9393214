# SPDX-License-Identifier: Apache-2.0
"""Shifts clips in time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws.audio.pcm import Sounds


def shift(clips: Sounds, shifts: npt.NDArray[np.int64]) -> Sounds:
    """Shift each clip later (positive) or earlier (negative) by its number of samples.

    Zeros fill the gap; samples beyond the edge are lost.
    """
    samples = clips.shape[1]
    out = np.zeros_like(clips)
    for clip, moved, by in zip(clips, out, shifts.tolist(), strict=True):
        if by >= 0:
            moved[by:] = clip[: samples - by]
        else:
            moved[:by] = clip[-by:]
    return out


def energies(clips: Sounds) -> npt.NDArray[np.float32]:
    """The energy of each clip: the sum of its squared samples, float32[n]."""
    sums: npt.NDArray[np.float32] = np.einsum("cs,cs->c", clips, clips)
    return sums
