# SPDX-License-Identifier: Apache-2.0
"""The same words by somebody with another register: a woman's in place of a man's, and back.

Few voice files have women and men of one accent, and a model that has learned a word from men
alone may miss women. Praat changes pitch and formants apart from each other, as people's differ.
"""

from __future__ import annotations

import threading

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.tts.engines.speech import Sound
from kws.extras import require

_SEARCH_HZ = (75.0, 400.0)  # where a voice's pitch is looked for
_MIDDLE_HZ = 165.0  # men's medians lie below, women's above
_HIGH_HZ = (180.0, 310.0)
_LOW_HZ = (85.0, 150.0)
_FORMANTS = (1.05, 1.25)  # how much shorter a woman's vocal tract is
_RANGES = (0.8, 1.5)  # how far the pitch moves, in place of 1

_DRAWING = threading.Lock()
"""Praat draws what it does to hisses from numbers that the whole process shares."""


def other_register(sound: Sound, rng: np.random.Generator) -> Sound:
    """High in place of low, or the other way round; the duration stays, and so does the peak.

    Args:
        sound: float32[n] at 16 kHz. Without a pitch in it, it comes back as it is.
        rng: draws pitch, formants, and how lively the pitch is.

    Raises:
        ToolError: the package praat-parselmouth is missing.
    """
    praat = require("parselmouth", "voices", "voices of another register")
    voice = praat.Sound(sound.astype(np.float64), SAMPLE_RATE)
    heard = voice.to_pitch(pitch_floor=_SEARCH_HZ[0], pitch_ceiling=_SEARCH_HZ[1])
    tones = heard.selected_array["frequency"]
    if not (tones > 0).any():
        return sound
    low = float(np.median(tones[tones > 0])) < _MIDDLE_HZ
    formants = rng.uniform(*_FORMANTS)
    pitch, liveliness = rng.uniform(*(_HIGH_HZ if low else _LOW_HZ)), rng.uniform(*_RANGES)
    with _DRAWING:
        praat.praat.run(f"random_initializeWithSeedUnsafelyButPredictably({rng.integers(1 << 30)})")
        changed = praat.praat.call(
            *(voice, "Change gender", *_SEARCH_HZ, formants if low else 1 / formants),
            *(pitch, liveliness, 1.0),
        ).values[0]
    peak = float(np.abs(changed).max())
    scaled: Sound = (changed * (float(np.abs(sound).max()) / max(peak, 1e-9))).astype(np.float32)
    return scaled
