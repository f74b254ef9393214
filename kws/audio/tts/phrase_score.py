# SPDX-License-Identifier: Apache-2.0
"""Judges wake phrases by their sounds, before a model is trained.

The verdict follows the figures in docs/own_words.md:

- Words of one syllable are hard: 41 and 44 % of *left* and *stop* are missed in a quiet room (two
  seeds, no false alarms in 0.6 h of talk).
- A word that differs from a common word by about one sound (commuter for computer) is not learned
  as unknown, because careless speakers pronounce the keyword like it. It may wake the device.
- A word inside a longer one (no in snow) is recognized before the longer one ends.
- A phrase of several words is rarely said by accident.

======================  ============================================  =======
length                  no common word is near                        else
======================  ============================================  =======
1 syllable              fair; poor if it has at most two sounds       poor
2 syllables             fair                                          fair
3 syllables or more     good                                          fair
======================  ============================================  =======

A common word is near if it contains the keyword's sounds, or if its distance is less than
`CARELESS`. Phrases with one word replaced (hi marvin) are listed as neighbours but do not change
the verdict, because the word lists do not tell which phrases people say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import combinations
from typing import Any

from kws.audio.tts.engines.espeak import spoken_form
from kws.audio.tts.engines.languages import check_letters, language
from kws.audio.tts.lexicon import common_words
from kws.audio.tts.neighbours import (
    CARELESS,
    CARELESS_PHRASE,
    Sounds,
    by_sound,
    candidates_for,
    near_phrases,
    parts_of,
    phrase_sounds,
    pronounced,
)
from kws.audio.tts.phonemes import distance, is_part_of, syllables
from kws.audio.tts.spoken_length import median_length
from kws.audio.tts.synth_settings import ENGLISH
from kws.errors import UsageError
from kws.labels import check_keywords, label_of

_ALIKE = 0.2
"""Words nearer than this sound alike, such as *yes* and *guess*."""

_DIFFERENT = 0.001
"""Lowest distance between phrases that differ in a sound."""

_MOST = 6  # neighbours of a phrase, and words in one reason

_LONG = 3  # syllables

_FEW = 2  # sounds

_ONE_SYLLABLE = (
    "1 syllable: more than 40 % of 'left' and 'stop' were missed in a quiet room, with no false "
    "alarm in 0.6 h of talk"
)
"""See docs/research/left_and_stop_streams.csv."""

_GREETINGS = {"en": "hey", "de": "hallo", "fr": "dis", "es": "oye"}
"""By language: a word that makes a phrase of a word."""


class Verdict(StrEnum):
    """How well a phrase suits a wake word, best first."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"


@dataclass(frozen=True)
class Neighbour:
    """A word or phrase that sounds like a keyword."""

    word: str
    """As it is written, with spaces."""

    distance: float
    """0 for the same sounds, to three decimals; see `kws.audio.tts.phonemes.distance`."""


@dataclass(frozen=True)
class PhraseScore:
    """The judgement of one word or phrase."""

    phrase: str
    """The phrase as it is spoken, with spaces."""

    label: str
    """Its label in a model."""

    sounds: tuple[str, ...]
    """Its sounds in IPA, as in `kws.audio.tts.phonemes.units`."""

    syllables: int
    """Number of vowels; a diphthong counts as one."""

    milliseconds: int | None
    """Median length by the installed voices at their usual rate; None without voices."""

    neighbours: tuple[Neighbour, ...]
    """Common words, and phrases with one word replaced, that sound like it: nearest first. Of words
    that sound the same, one is listed."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """Reasons for the verdict: short lines."""

    advice: str
    """What to do; empty for a good phrase."""

    def to_json(self) -> dict[str, Any]:
        """All fields as JSON values."""
        return {
            **vars(self),
            "sounds": list(self.sounds),
            "neighbours": [vars(it) for it in self.neighbours],
            "verdict": self.verdict.value,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True)
class Pair:
    """Two keywords that sound alike."""

    words: tuple[str, str]
    """As they are spoken."""

    distance: float
    """As in `Neighbour`. It may be high if one word is a part of the other."""


@dataclass(frozen=True)
class PhraseScores:
    """The judgement of all keywords of a model."""

    phrases: tuple[PhraseScore, ...]
    pairs: tuple[Pair, ...]
    """Keywords that a model may confuse."""

    def to_json(self) -> dict[str, Any]:
        """The output of `kws phrase --json`."""
        return {
            "phrases": [phrase.to_json() for phrase in self.phrases],
            "pairs": [{"words": list(it.words), "distance": it.distance} for it in self.pairs],
        }


@dataclass(frozen=True)
class _Rivals:
    """Common words, and phrases, that may wake the device instead of a keyword; nearest first."""

    same: Sequence[str]
    """Words with the same sounds."""

    careless: Sequence[str]
    """Words nearer than `CARELESS`."""

    longer: Sequence[str]
    """Words that contain the keyword's sounds."""

    phrases: Sequence[str]
    """Phrases with one word replaced, nearer than `CARELESS_PHRASE`."""

    @property
    def common(self) -> bool:
        """Whether there are common words among them."""
        return bool(self.same or self.careless or self.longer)


def score_phrases(
    words: Sequence[str],
    spoken_as: Mapping[str, str] | None = None,
    accents: Sequence[str] = ENGLISH,
) -> PhraseScores:
    """Judge the keywords of a model.

    Args:
        words: their labels.
        spoken_as: the spoken text of labels that are not pronounced as written.
        accents: language codes of espeak-ng. The first one provides the pronunciations.

    Raises:
        UsageError: no words, a duplicate, one that cannot be a label, or one that the accents
            cannot say.
        ToolError: espeak-ng, which provides the pronunciations, is missing or failed.
        DataError: a voice file is not a voice.
    """
    check_keywords(words)
    if not accents:
        raise UsageError("no language; pass one, such as en")
    said = [label_of((spoken_as or {}).get(word, word)) for word in words]
    check_letters(said, accents)
    parts = [part for text in said for part in parts_of(text)]
    own = pronounced([*said, *parts], accents[0])
    for text in said:
        if not own[text]:
            raise UsageError(
                f"{accents[0]} voices cannot say {spoken_form(text)!r}; write it in words, or "
                "pass its language, such as --language de"
            )
    sounds = _common_sounds(accents[0]) | own
    candidates = candidates_for(said, accents[0])
    scores = [
        _score(word, text, candidates, sounds, accents, alone=len(words) == 1)
        for word, text in zip(words, said, strict=True)
    ]
    return PhraseScores(tuple(scores), tuple(_pairs(said, sounds)))


@cache
def _common_sounds(accent: str) -> Sounds:
    return pronounced(common_words(accent), accent)


def _score(
    word: str,
    said: str,
    candidates: Sequence[str],
    sounds: Sounds,
    accents: Sequence[str],
    *,
    alone: bool,
) -> PhraseScore:
    own, parts = sounds[said], parts_of(said)
    words = _one_per_sound(by_sound(said, candidates, sounds), sounds)
    phrases = _changed_phrases(parts, candidates, sounds)
    rivals = _Rivals(
        same=[it for it in words if words[it] == 0],
        careless=[it for it in words if 0 < words[it] < CARELESS],
        longer=[it for it in words if words[it] >= CARELESS and is_part_of(own, sounds[it])],
        phrases=[it for it in phrases if phrases[it] < CARELESS_PHRASE],
    )
    count = syllables(own)
    verdict = _verdict(count, len(own), rivals)
    return PhraseScore(
        phrase=spoken_form(said),
        label=word,
        sounds=own,
        syllables=count,
        milliseconds=median_length(said, accents),
        neighbours=_neighbours(words | phrases),
        verdict=verdict,
        reasons=tuple(_reasons(count, len(own), len(parts), rivals)),
        advice=_advice(verdict, count, said, language(accents[0]), alone=alone),
    )


def _changed_phrases(
    parts: Sequence[str], candidates: Sequence[str], sounds: Sounds
) -> dict[str, float]:
    """Phrases with one word replaced, nearest first. Adds their sounds to `sounds`."""
    if not parts:
        return {}
    phrases = near_phrases(
        parts, candidates, sounds, _MOST, word_at_least=0, phrase_at_least=_DIFFERENT
    )
    sounds |= {phrase: phrase_sounds(phrase, sounds) for phrase in phrases}
    return _one_per_sound(dict(sorted(phrases.items(), key=lambda item: item[1])), sounds)


def _one_per_sound(distances: Mapping[str, float], sounds: Sounds) -> dict[str, float]:
    """The distances without words that sound the same as an earlier one."""
    first: dict[tuple[str, ...], str] = {}
    for word in distances:
        first.setdefault(sounds[word], word)
    return {word: distances[word] for word in first.values()}


def _neighbours(distances: Mapping[str, float]) -> tuple[Neighbour, ...]:
    """Those that sound alike, nearest first."""
    near = sorted((apart, word) for word, apart in distances.items() if apart < _ALIKE)
    return tuple(Neighbour(spoken_form(word), round(apart, 3)) for apart, word in near[:_MOST])


def _verdict(count: int, sounds: int, rivals: _Rivals) -> Verdict:
    """The table at the top of this file."""
    if count >= _LONG:
        return Verdict.FAIR if rivals.common else Verdict.GOOD
    if count == 1 and (rivals.common or sounds <= _FEW):
        return Verdict.POOR
    return Verdict.FAIR


def _reasons(count: int, sounds: int, words: int, rivals: _Rivals) -> list[str]:
    if count == 1:
        lines = [_ONE_SYLLABLE]
    else:
        lines = [f"{'short' if count < _LONG else 'long enough'}: {count} syllables"]
    if sounds <= _FEW:
        lines.append(f"only {sounds} sound{'' if sounds == 1 else 's'}")
    if words:
        lines.append(f"{words} words: rarely said by accident")
    if rivals.same:
        lines.append(f"other words with the same sounds: {_listed(rivals.same)}")
    if rivals.careless:
        lines.append(f"so near that it may wake the device: {_listed(rivals.careless)}")
    if rivals.longer:
        lines.append(f"inside other words: {_listed(rivals.longer)}")
    if rivals.phrases:
        lines.append(f"spoken carelessly, {spoken_form(rivals.phrases[0])!r} may wake the device")
    return lines


def _advice(verdict: Verdict, count: int, said: str, code: str, *, alone: bool) -> str:
    if verdict == Verdict.GOOD:
        return ""
    if not alone:
        return "use it only after a wake word (--then), or choose a longer word"
    if parts_of(said) and count < _LONG:
        return f"replace a word with a longer one, so that the phrase has {_LONG} syllables or more"
    if parts_of(said):
        return "choose other words, or add recordings of people (--recordings)"
    example = f", such as '{_GREETINGS[code]} {said}'" if code in _GREETINGS else ""
    return f"a phrase of two or more words is rarely said by accident{example}"


def _pairs(said: Sequence[str], sounds: Sounds) -> list[Pair]:
    pairs = []
    for one, other in combinations(said, 2):
        short, long = sorted((sounds[one], sounds[other]), key=len)
        apart = distance(short, long)
        if apart < _ALIKE or is_part_of(short, long):
            pairs.append(Pair((spoken_form(one), spoken_form(other)), round(apart, 3)))
    return pairs


def _listed(words: Sequence[str]) -> str:
    return ", ".join(map(spoken_form, words[:_MOST]))
