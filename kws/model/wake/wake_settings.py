# SPDX-License-Identifier: Apache-2.0
"""What `kws wake` is set to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kws.audio.tts.engines.languages import check_letters
from kws.audio.tts.synth_settings import ENGLISH
from kws.bundle.checks import check_name, name_from
from kws.config import check_range, check_settings, setting
from kws.features.frontend_settings import LONGEST_WINDOW_MS, SHORTEST_WINDOW_MS
from kws.labels import check_keywords

AT_WORDS = 40.0
"""False alarms allowed in an hour with 180 of the words that sound alike: nobody says so many."""

WINDOW_HELP = (
    f"How much sound the model sees, {SHORTEST_WINDOW_MS} to {LONGEST_WINDOW_MS} ms. The default "
    "is a second, or what slow voices need for a longer phrase."
)

STREAMING_HELP = (
    "Make a streaming model: a quarter of the cycles, heard sooner, more misses in noise and over "
    "talk."
)


@dataclass(frozen=True)
class WakeSettings:
    """What a bundle for a phrase is made with."""

    words: tuple[str, ...]
    """The keywords as `label_of` writes them."""

    spoken_as: Mapping[str, str] = field(default_factory=dict)
    """What is said for a keyword that has another name."""

    name: str = ""
    """The bundle's; if empty, the first keyword is the name."""

    accents: tuple[str, ...] = ENGLISH
    """espeak-ng's language codes."""

    voices: int = setting(120, 3, 100_000, "How many voices speak, at most.")
    takes: int = setting(3, 1, 1000, "Takes of each keyword by each voice.")
    alike: int = setting(8, 0, 1000, "Words per keyword that sound like it, spoken as unknown.")
    epochs: int = setting(
        20,
        1,
        100_000,
        "Passes over the clips in each training; the last one has twice as many, --streaming four "
        "times.",
    )
    false_alarms_per_hour: float = setting(
        0.5, 0, 1000, "False alarms per hour of talk for which the thresholds are chosen."
    )
    seed: int = setting(0, 0, 2**31, "Another seed gives other clips and other weights.")
    window_ms: int | None = None
    """How much sound the model sees; None for what the phrase needs."""

    streaming: bool = False
    """Whether the last model takes each frame once."""

    @property
    def bundle_name(self) -> str:
        """The bundle's name, of letters that every serial line and compiler takes."""
        return self.name or name_from(self.words[0])

    def __post_init__(self) -> None:
        """Refuse values out of range, and what no bundle could be called, before any work."""
        check_settings(self)
        check_keywords(self.words)
        check_letters([self.spoken_as.get(word, word) for word in self.words], self.accents)
        check_name(self.bundle_name)
        if self.window_ms is not None:
            check_range("window_ms", self.window_ms, SHORTEST_WINDOW_MS, LONGEST_WINDOW_MS)
