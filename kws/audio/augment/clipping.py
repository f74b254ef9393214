# SPDX-License-Identifier: Apache-2.0
"""Too much gain: clipped peaks."""

from __future__ import annotations

import numpy as np

from kws.audio.augment.level import amplitudes
from kws.audio.pcm import Sounds

_DEPTH_DB = (3, 15)


def clip_peaks(clips: Sounds, rng: np.random.Generator) -> Sounds:
    """Each clip with its peaks cut off 3 to 15 dB below the highest one."""
    peaks = np.abs(clips).max(axis=1, keepdims=True)
    peaks *= amplitudes(-rng.uniform(*_DEPTH_DB, len(peaks)))
    return np.clip(clips, -peaks, peaks)
