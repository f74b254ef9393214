# SPDX-License-Identifier: Apache-2.0
"""What `kws synth` is set to."""

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
    """What is to be spoken."""

    words: tuple[str, ...]
    """The keywords."""

    unknown: tuple[str, ...] | None = None
    """Words for the unknown class; None chooses some that suit the keywords."""

    alike: int = setting(
        3, 0, None, "Words per keyword that are chosen because they sound like it."
    )

    recorded_keywords: tuple[str, ...] = ()
    """Keywords that people recorded: only words that sound like them are spoken."""

    voices: int = setting(
        200, 3, None, "How many voices speak, at most. This machine may have fewer."
    )
    people: int = setting(
        2, 0, 100,
        "Other people whom each voice is changed into, of other size, pitch and pace, if "
        "praat-parselmouth is installed (extra voices).",
    )  # fmt: skip
    takes: int = setting(3, 1, None, "Takes of each keyword by each voice.")

    unknown_takes: int = 1
    """Takes of each other word by each voice."""

    seed: int = setting(0, 0, None, "Another seed gives other clips.")

    clip_ms: int = setting(1000, 520, 3020, "Length of a clip, in milliseconds; a word has to fit.")

    spoken_as: Mapping[str, str] = field(default_factory=dict)
    """What is said for a word that is not spoken as it is written."""

    accents: tuple[str, ...] = ENGLISH
    """espeak-ng's language codes. Piper's voices of these languages speak too; flite and Kokoro
    speak if all are English."""

    engines: tuple[str, ...] = ()
    """Which engines speak, of piper, kokoro, flite and espeak; all that are there if empty."""

    unheard: bool = False
    """Whether all voices of one engine validate, if one can be spared (`unheard_engine`)."""
