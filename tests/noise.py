"""Noise in which models detect words."""

from __future__ import annotations

import numpy as np

from kws.audio.pcm import Pcm


def changing_noise(seconds: int) -> Pcm:
    """Noise that changes level three times per second."""
    rng = np.random.default_rng(6)
    levels = np.repeat(10 ** rng.uniform(1, 4, 3 * seconds), 16000 // 3 + 1)[: 16000 * seconds]
    return (rng.standard_normal(len(levels)) * levels).clip(-32768, 32767).astype(np.int16)
