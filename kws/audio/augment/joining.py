# SPDX-License-Identifier: Apache-2.0
"""Nonsense words, each made of two words."""

from __future__ import annotations

import numpy as np

from kws.audio.pcm import BLOCK, Pcm

_FADE = BLOCK  # samples of the crossfade


def join(first: Pcm, second: Pcm) -> Pcm:
    """The first half of each clip in `first`, then the second half of its partner in `second`.

    Each is cut at its energy midpoint. The second half starts where the first one is cut.
    """
    out = np.zeros_like(first)
    samples = first.shape[1]
    ramp = np.linspace(0, 1, _FADE, dtype=np.float32)
    for row, head, tail in zip(out, first, second, strict=True):
        cut, resume = (min(max(_middle(clip), _FADE), samples - _FADE) for clip in (head, tail))
        row[:cut] = head[:cut]
        rest = min(samples - cut, samples - resume)
        row[cut : cut + rest] = tail[resume : resume + rest]
        row[cut - _FADE : cut] = head[cut - _FADE : cut] * ramp[::-1] + (
            tail[resume - _FADE : resume] * ramp
        )
    return out


def _middle(clip: Pcm) -> int:
    energy = np.cumsum(np.square(clip.astype(np.float32)))
    return int(np.searchsorted(energy, energy[-1] / 2))
