# SPDX-License-Identifier: Apache-2.0
"""Changes a spoken word to other speakers: small and tall people, women and men.

A machine has few voices per accent, often of one sex, and a model trained only on these misses
other speakers. Praat changes pitch, formants and pace independently.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.tts.engines.speech import Sound
from kws.extras import is_installed, require

_SEARCH_HZ = (75.0, 400.0)  # search range of the pitch
_PITCHES_HZ = (85.0, 320.0)  # medians, from a low man's to a child's
_FORMANTS = (0.82, 1.25)  # a longer and a shorter vocal tract
_DRIFT = 0.08  # standard deviation of a person's pitch from take to take
_RANGES = (0.6, 1.7)  # factor on the pitch range within the word
_PACES = (0.86, 1.35)  # factor on the duration
_SILENT = 1e-6  # highest peak of a sound that counts as silence

_DRAWING = threading.Lock()
"""Praat has one random generator per process."""


@dataclass(frozen=True)
class Person:
    """Target speaker for voice conversion."""

    pitch_hz: float
    formants: float
    """Factor for the formant frequencies."""


def person(rng: np.random.Generator) -> Person:
    """A random person: size and pitch are drawn independently."""
    low, high = np.log(_PITCHES_HZ)
    formants = np.exp(rng.uniform(*np.log(_FORMANTS)))
    return Person(float(np.exp(rng.uniform(low, high))), float(formants))


def can_change() -> bool:
    """Whether the package that changes voices is installed."""
    return is_installed("parselmouth")


def said_by(who: Person, sound: Sound, rng: np.random.Generator) -> Sound:
    """Change a spoken word to another speaker, with the same peak.

    Args:
        who: the target speaker.
        sound: float32[n] at 16 kHz.
        rng: source of this take's pitch, pitch range and pace.

    Returns:
        float32[0.86 n to 1.35 n]; `sound` itself if it has no steady pitch.

    Raises:
        ToolError: the package praat-parselmouth is missing.
    """
    praat = require("parselmouth", "voices", "voice conversion")
    voice = praat.Sound(sound.astype(np.float64), SAMPLE_RATE)
    heard = voice.to_pitch(pitch_floor=_SEARCH_HZ[0], pitch_ceiling=_SEARCH_HZ[1])
    if not (heard.selected_array["frequency"] > 0).any():
        return sound
    pitch = who.pitch_hz * float(np.exp(rng.normal(0, _DRIFT)))
    liveliness = rng.uniform(*_RANGES)
    pace = float(np.exp(rng.uniform(*np.log(_PACES))))
    with _DRAWING, warnings.catch_warnings():
        warnings.simplefilter("ignore", praat.PraatWarning)  # no voiced part in a word
        praat.praat.run(f"random_initializeWithSeedUnsafelyButPredictably({rng.integers(1 << 30)})")
        try:
            changed = praat.praat.call(
                voice, "Change gender", *_SEARCH_HZ, who.formants, pitch, liveliness, pace
            ).values[0]
        except praat.PraatError:  # the part with a pitch is too short
            return sound
    peak = float(np.abs(changed).max())
    # Widening the jumping pitch of a hoarse voice can reach 0 Hz, and Praat returns silence.
    if not peak > _SILENT:
        return sound
    scaled: Sound = (changed * (float(np.abs(sound).max()) / peak)).astype(np.float32)
    return scaled
