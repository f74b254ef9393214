# SPDX-License-Identifier: Apache-2.0
"""A spoken word as other people would say it: smaller and taller ones, women and men.

A machine has few voices of one accent, often of one sex, and a model that has learned a word from
these alone misses who is not among them. Praat changes pitch, formants and pace apart from each
other, as people's differ.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.tts.engines.speech import Sound
from kws.extras import is_installed, require

_SEARCH_HZ = (75.0, 400.0)  # where a voice's pitch is looked for
_PITCHES_HZ = (85.0, 320.0)  # medians, from a low man's to a child's
_FORMANTS = (0.82, 1.25)  # a longer and a shorter vocal tract
_DRIFT = 0.08  # how far a person's pitch differs from take to take (standard deviation)
_RANGES = (0.6, 1.7)  # how far the pitch moves within the word, in place of 1
_PACES = (0.86, 1.35)  # how long the word takes, in place of 1
_SILENT = 1e-6  # highest peak of a sound that counts as silence

_DRAWING = threading.Lock()
"""Praat draws what it does to hisses from numbers that the whole process shares."""


@dataclass(frozen=True)
class Person:
    """Somebody whom a voice is changed into."""

    pitch_hz: float
    formants: float
    """Their frequencies, in place of 1."""


def person(rng: np.random.Generator) -> Person:
    """Somebody: size and pitch drawn apart from each other."""
    low, high = np.log(_PITCHES_HZ)
    formants = np.exp(rng.uniform(*np.log(_FORMANTS)))
    return Person(float(np.exp(rng.uniform(low, high))), float(formants))


def can_change() -> bool:
    """Whether the package that changes voices is installed."""
    return is_installed("parselmouth")


def said_by(who: Person, sound: Sound, rng: np.random.Generator) -> Sound:
    """A word that a voice has said, as somebody else says it, with the same peak.

    Args:
        who: who says it.
        sound: float32[n] at 16 kHz.
        rng: draws pitch and pace of this take, and how far the pitch moves.

    Returns:
        float32[0.86 n to 1.35 n]; that as it is if it has no pitch, or one that jumps.

    Raises:
        ToolError: the package praat-parselmouth is missing.
    """
    praat = require("parselmouth", "voices", "voices changed into other people's")
    voice = praat.Sound(sound.astype(np.float64), SAMPLE_RATE)
    heard = voice.to_pitch(pitch_floor=_SEARCH_HZ[0], pitch_ceiling=_SEARCH_HZ[1])
    if not (heard.selected_array["frequency"] > 0).any():
        return sound
    pitch = who.pitch_hz * float(np.exp(rng.normal(0, _DRIFT)))
    liveliness = rng.uniform(*_RANGES)
    pace = float(np.exp(rng.uniform(*np.log(_PACES))))
    with _DRAWING, warnings.catch_warnings():
        # Praat warns if it finds no voiced part in a word. The user can do nothing about it.
        warnings.simplefilter("ignore", praat.PraatWarning)
        praat.praat.run(f"random_initializeWithSeedUnsafelyButPredictably({rng.integers(1 << 30)})")
        try:
            changed = praat.praat.call(
                voice, "Change gender", *_SEARCH_HZ, who.formants, pitch, liveliness, pace
            ).values[0]
        except praat.PraatError:  # too little of it has a pitch
            return sound
    peak = float(np.abs(changed).max())
    # Where a hoarse voice's pitch jumps by octaves, a livelier one would fall below zero, and Praat
    # gives silence.
    if not peak > _SILENT:
        return sound
    scaled: Sound = (changed * (float(np.abs(sound).max()) / peak)).astype(np.float32)
    return scaled
