# SPDX-License-Identifier: Apache-2.0
"""Clips of the silence class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kws.audio.augment.level import amplitudes
from kws.audio.augment.noise import coloured, cut_backgrounds
from kws.audio.pcm import Pcm, Sounds

_FAINT = 8.0
"""Highest level of microphone noise in a quiet room, in steps of int16."""


def silence(count: int, samples: int, backgrounds: Sequence[Pcm], rng: np.random.Generator) -> Pcm:
    """Excerpts of backgrounds at volumes drawn from [0, 1), for validation and test.

    Returns:
        int16[count, samples]; zeros without backgrounds.

    Raises:
        DataError: a background is not longer than a clip.
    """
    if not backgrounds:
        return np.zeros((count, samples), np.int16)
    noise = cut_backgrounds(backgrounds, count, samples, rng)
    return (noise * rng.random(count).astype(np.float32)[:, None]).astype(np.int16)


def training_silence(
    count: int, samples: int, backgrounds: Sequence[Pcm], rng: np.random.Generator
) -> Sounds:
    """Backgrounds at every level, coloured noise and silence: float32[count, samples].

    A twentieth is digital silence, and another twentieth is microphone noise in a quiet room.
    """
    if not backgrounds:
        noise = np.zeros((count, samples), np.float32)
    else:
        noise = cut_backgrounds(backgrounds, count, samples, rng).astype(np.float32)
    noise *= rng.random((count, 1), np.float32)
    kind = rng.random(count)
    computed = kind < 0.2
    if computed.any():
        noise[computed] = coloured(int(computed.sum()), samples, rng)
        noise[computed] *= amplitudes(rng.uniform(-80, -15, int(computed.sum()))) * 32768
    faint = kind > 0.95
    noise[faint] = rng.standard_normal((int(faint.sum()), samples), np.float32)
    noise[faint] *= rng.uniform(0, _FAINT, (int(faint.sum()), 1)).astype(np.float32)
    noise[kind < 0.05] = 0
    return noise
