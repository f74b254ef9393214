# SPDX-License-Identifier: Apache-2.0
"""Changes the speed and pitch of many clips at once.

Resampling changes both. To change only the speed, overlapping sections of the clip are moved closer
together or further apart. Each section starts where it best continues the previous one, so that the
pitch periods stay intact (WSOLA: Verhelst and Roelands, ICASSP 1993).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import soxr

from kws._core import SAMPLE_RATE
from kws.audio.pcm import BLOCK, Sounds

_OVERLAP = 2 * BLOCK  # 20 ms; a section is twice as long
_REACH = BLOCK  # a section may start up to 10 ms earlier or later: 50 Hz and above
_STEP = 8  # sections are compared at 2 kHz, enough to show pitch periods


def resample(batch: Sounds, factors: npt.NDArray[np.float64]) -> Sounds:
    """Play each clip `factors` times as fast, centred in its row and padded with zeros."""
    out = np.zeros_like(batch)
    samples = batch.shape[1]
    for row, clip, factor in zip(out, batch, factors.tolist(), strict=True):
        played = soxr.resample(clip, SAMPLE_RATE * factor, SAMPLE_RATE, quality="QQ")
        extra = len(played) - samples
        if extra >= 0:
            row[:] = played[extra // 2 : extra // 2 + samples]
        else:
            row[-extra // 2 : -extra // 2 + len(played)] = played
    return out


def stretch(batch: Sounds, factors: npt.NDArray[np.float64]) -> Sounds:
    """Play each clip `factors` times as fast at the same pitch, centred in its row."""
    count, samples = batch.shape
    margin = samples // 2 + 2 * _OVERLAP + 2 * _REACH
    padded = np.pad(batch, ((0, 0), (margin, margin)))
    coarse = padded.reshape(count, -1, _STEP).mean(axis=2)
    window = np.hanning(2 * _OVERLAP + 1)[:-1].astype(np.float32)
    sections = samples // _OVERLAP + 1
    out = np.zeros((count, (sections + 1) * _OVERLAP), np.float32)
    rows = np.arange(count)[:, None]
    middle = samples / 2
    search = np.arange(-_REACH // _STEP, _REACH // _STEP + 1)
    overlap = np.arange(_OVERLAP // _STEP)
    section = np.arange(2 * _OVERLAP)
    place = np.zeros(count, np.int64)
    for k in range(sections):
        wanted = margin - _OVERLAP + middle + ((k * _OVERLAP) - middle) * factors
        start = np.round(wanted / _STEP).astype(np.int64)
        if k:
            follows = coarse[rows, (place + _OVERLAP // _STEP)[:, None] + overlap]
            around = start[:, None] + np.arange(search[0], search[-1] + len(overlap))
            windows = np.lib.stride_tricks.sliding_window_view(
                coarse[rows, around], len(overlap), axis=1
            )
            start += search[np.argmax(np.einsum("csn,cn->cs", windows, follows), axis=1)]
        place = start
        cut = padded[rows, (place * _STEP)[:, None] + section]
        out[:, k * _OVERLAP : (k + 2) * _OVERLAP] += cut * window
    return out[:, _OVERLAP : _OVERLAP + samples]
