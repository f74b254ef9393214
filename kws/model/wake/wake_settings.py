# SPDX-License-Identifier: Apache-2.0
"""Settings of `kws wake`."""

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
"""Allowed false alarms in an hour with 180 similar words, which is more than in normal speech."""

WINDOW_HELP = (
    f"Window of the model, {SHORTEST_WINDOW_MS} to {LONGEST_WINDOW_MS} ms. The default is a "
    "second, or more if slow voices need it for the phrase."
)

STREAMING_HELP = (
    "Make a streaming model: a quarter of the cycles, lower latency, more misses in noise and over "
    "talk."
)

VERIFY_HELP = (
    "Also train a second look: a second model that checks each word before it is reported. The "
    "first one then runs half as often, unless it streams. With the speech embedding as teacher, "
    "the two miss far more words than the first one alone."
)

SELLABLE_HELP = (
    "Leave out the speech embedding and voices whose licence restricts a sale, such as those for "
    "research, and refuse such folders and base models. docs/own_words.md has the rules."
)


@dataclass(frozen=True)
class WakeSettings:
    """Settings for a bundle that hears phrases."""

    words: tuple[str, ...]
    """The keywords, as returned by `label_of`."""

    spoken_as: Mapping[str, str] = field(default_factory=dict)
    """The spoken text of keywords whose label differs from it."""

    name: str = ""
    """The bundle's name; if empty, the first keyword."""

    accents: tuple[str, ...] = ENGLISH
    """espeak-ng's language codes."""

    voices: int = setting(120, 3, 100_000, "Maximum number of voices.")
    takes: int = setting(3, 1, 1000, "Takes of each keyword by each voice.")
    alike: int = setting(8, 0, 1000, "Words per keyword that sound similar, spoken as unknown.")
    sentences: int = setting(
        800,
        0,
        100_000,
        "Sentences of random words that voices speak as talk if there is no --negatives; 0: none.",
    )
    epochs: int = setting(
        20,
        1,
        100_000,
        "Passes over the clips in each training run; the last one has twice as many, --streaming "
        "four times.",
    )
    false_alarms_per_hour: float = setting(
        0.5, 0, 1000, "False alarms per hour of talk for which the thresholds are chosen."
    )
    seed: int = setting(0, 0, 2**31, "Seed: a different one gives different clips and weights.")
    window_ms: int | None = None
    """Window of the model; None for a window that fits the phrase."""

    streaming: bool = False
    """Whether to make a streaming model."""

    verify: bool = False
    """Whether to train a second look, too."""

    sellable: bool = False
    """Whether to use only sources whose licences let anybody sell the result."""

    @property
    def bundle_name(self) -> str:
        """The bundle's name, limited to characters that serial lines and compilers allow."""
        return self.name or name_from(self.words[0])

    def __post_init__(self) -> None:
        """Refuse values out of range and invalid bundle names before any work."""
        check_settings(self)
        check_keywords(self.words)
        check_letters([self.spoken_as.get(word, word) for word in self.words], self.accents)
        check_name(self.bundle_name)
        if self.window_ms is not None:
            check_range("window_ms", self.window_ms, SHORTEST_WINDOW_MS, LONGEST_WINDOW_MS)
