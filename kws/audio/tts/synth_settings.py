# SPDX-License-Identifier: Apache-2.0
"""Settings of `kws synth`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kws.config import setting

ENGLISH = (
    "en-us",
    "en-gb",
    "en-gb-scotland",
    "en-us-nyc",
    "en-gb-x-rp",
    "en-029",
    "en-gb-x-gbclan",
    "en-gb-x-gbcwmd",
)
"""espeak-ng's English accents."""


@dataclass(frozen=True)
class SynthSettings:
    """Words, voices and takes of a synthetic data set."""

    words: tuple[str, ...]
    """The keywords."""

    unknown: tuple[str, ...] | None = None
    """Words for the unknown class; None chooses them to suit the keywords."""

    alike: int = setting(
        3, 0, None, "Words per keyword that are chosen because they sound like it."
    )

    recorded_keywords: tuple[str, ...] = ()
    """Keywords with recordings: only words that sound like them are spoken."""

    voices: int = setting(200, 3, None, "Maximum number of voices. This machine may have fewer.")
    people: int = setting(
        2, 0, 100,
        "Other people that each voice is changed into, with different size, pitch and pace, if "
        "praat-parselmouth is installed (extra voices).",
    )  # fmt: skip
    takes: int = setting(3, 1, None, "Takes of each keyword by each voice.")

    unknown_takes: int = 1
    """Takes of each other word by each voice."""

    seed: int = setting(0, 0, None, "A different seed gives different clips.")

    clip_ms: int = setting(1000, 520, 3020, "Length of a clip, in milliseconds; words must fit.")

    spoken_as: Mapping[str, str] = field(default_factory=dict)
    """The spoken text of words that are not pronounced as written."""

    accents: tuple[str, ...] = ENGLISH
    """espeak-ng's language codes. Piper's voices for these languages are used too; flite and Kokoro
    are used if all are English."""

    engines: tuple[str, ...] = ()
    """Engines to use: piper, kokoro, flite, espeak; empty for all that are installed."""

    without: tuple[str, ...] = ()
    """Piper voices to leave out, by their names in `kws voices`."""

    unheard: bool = False
    """Whether one engine is held out for validation, if possible (`unheard_engine`)."""
