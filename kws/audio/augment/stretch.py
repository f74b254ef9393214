"""Speed and pitch of many clips at once.

Resampling changes both. To change the speed alone, overlapping pieces of the clip are laid closer
together or further apart. Each is taken from where it continues the one before best, so that the
periods of a voice stay whole (WSOLA: Verhelst and Roelands, ICASSP 1993).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import soxr

Sounds = npt.NDArray[np.float32]
"""float32[clips, samples], 16 kHz."""

_HOP = 320  # 20 ms; a piece has two hops and fades over one
_REACH = 160  # a piece may come from up to 10 ms before or after its place: 50 Hz and above
_STEP = 8  # places are compared at 2 kHz, where the periods of voices still show


def resample(batch: Sounds, factors: npt.NDArray[np.float64]) -> Sounds:
    """Each clip played `factors` times as fast, in the middle of its row; what is free is zero."""
    out = np.zeros_like(batch)
    samples = batch.shape[1]
    for row, clip, factor in zip(out, batch, factors.tolist(), strict=True):
        played = soxr.resample(clip, 16000 * factor, 16000, quality="QQ")
        extra = len(played) - samples
        if extra >= 0:
            row[:] = played[extra // 2 : extra // 2 + samples]
        else:
            row[-extra // 2 : -extra // 2 + len(played)] = played
    return out


def stretch(batch: Sounds, factors: npt.NDArray[np.float64]) -> Sounds:
    """Each clip `factors` times as fast at the pitch it has, in the middle of its row."""
    count, samples = batch.shape
    margin = samples // 2 + 2 * _HOP + 2 * _REACH
    padded = np.pad(batch, ((0, 0), (margin, margin)))
    coarse = padded.reshape(count, -1, _STEP).mean(axis=2)
    window = np.hanning(2 * _HOP + 1)[:-1].astype(np.float32)
    pieces = samples // _HOP + 1
    out = np.zeros((count, (pieces + 1) * _HOP), np.float32)
    rows = np.arange(count)[:, None]
    middle = samples / 2
    search = np.arange(-_REACH // _STEP, _REACH // _STEP + 1)
    overlap = np.arange(_HOP // _STEP)
    piece = np.arange(2 * _HOP)
    place = np.zeros(count, np.int64)
    for k in range(pieces):
        wanted = margin - _HOP + middle + ((k * _HOP) - middle) * factors
        start = np.round(wanted / _STEP).astype(np.int64)
        if k:
            follows = coarse[rows, (place + _HOP // _STEP)[:, None] + overlap]
            around = start[:, None] + np.arange(search[0], search[-1] + len(overlap))
            windows = np.lib.stride_tricks.sliding_window_view(
                coarse[rows, around], len(overlap), axis=1
            )
            start += search[np.argmax(np.einsum("csn,cn->cs", windows, follows), axis=1)]
        place = start
        out[:, k * _HOP : (k + 2) * _HOP] += padded[rows, (place * _STEP)[:, None] + piece] * window
    return out[:, _HOP : _HOP + samples]
