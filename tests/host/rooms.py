"""A clip in a quiet room, as heard by a device that listens before and after the clip."""

from __future__ import annotations

import numpy as np

from kws.audio.background_noises import quiet_room
from kws.audio.pcm import Pcm

SECOND = 16000  # samples


def between_silence(clip: Pcm) -> Pcm:
    """A clip with a second of a quiet room before and after it."""
    return np.concatenate([quiet_room(SECOND), clip, quiet_room(SECOND, seed=1)])
