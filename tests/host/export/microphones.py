# SPDX-License-Identifier: Apache-2.0
"""A microphone's output for a recording."""

from __future__ import annotations

import numpy as np

from kws.audio.pcm import Pcm


def inmp441(sound: Pcm) -> bytes:
    """Slots of an INMP441 at a shift of 13: 24 bits, the last 5 of them noise, and 8 zeros."""
    noise = np.random.default_rng(0).integers(0, 1 << 13, len(sound)) & ~0xFF
    return (sound.astype(np.int32) * (1 << 13) + noise).astype(np.int32).tobytes()
