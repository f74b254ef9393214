# SPDX-License-Identifier: Apache-2.0
"""The spoken length of a phrase, and the window it needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.tts.engines.espeak import spoken_form
from kws.audio.tts.engines.speech import USUAL_RATE, Draws, Voice
from kws.audio.tts.placement import trim
from kws.audio.tts.synth import RATES
from kws.audio.tts.synth_settings import ENGLISH
from kws.audio.tts.voices import find_voices, speak
from kws.errors import ToolError
from kws.parallel import on_all_cores

_VOICES = 16

_SHARE = 0.9  # of slow voices that fit into the window

_STEP_MS = 100


def window_for(phrases: Sequence[str], accents: Sequence[str] = ENGLISH) -> int:
    """The window for the longest of these phrases, in milliseconds: 1000, or more in steps of 100.

    Args:
        phrases: the spoken phrases; `_` may stand for a space.
        accents: language codes of espeak-ng.

    Raises:
        ToolError: no text-to-speech is installed, or it failed.
    """
    longest = max(phrases, key=len)
    spoken_ms = _spoken_ms(longest, find_voices(_VOICES, accents), RATES[0])
    needed = float(np.quantile(spoken_ms, _SHARE))
    return max(1000, -(-round(needed) // _STEP_MS) * _STEP_MS)


def median_length(phrase: str, accents: Sequence[str] = ENGLISH) -> int | None:
    """The median length of a phrase by the installed voices at their usual rate.

    Args:
        phrase: the spoken phrase; `_` may stand for a space.
        accents: language codes of espeak-ng.

    Returns:
        Milliseconds, in steps of 10; None if no voice speaks the language.

    Raises:
        ToolError: a text-to-speech program failed.
    """
    try:
        voices = find_voices(_VOICES, accents)
    except ToolError:
        return None
    lengths = [length for length in _spoken_ms(phrase, voices, USUAL_RATE) if length]
    return 10 * round(float(np.median(lengths)) / 10) if lengths else None


def _spoken_ms(phrase: str, voices: Sequence[Voice], words_per_minute: float) -> list[float]:
    """The length of a phrase by each voice; 0 if a voice produces no sound."""
    draws = Draws(words_per_minute, 50.0)
    sounds = on_all_cores(lambda voice: trim(speak(voice, spoken_form(phrase), draws)), voices)
    return [1000 * len(sound) / SAMPLE_RATE for sound in sounds]
