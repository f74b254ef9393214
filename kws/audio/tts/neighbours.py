# SPDX-License-Identifier: Apache-2.0
"""Words and phrases whose sounds are near those of a keyword.

A keyword is spelled like a label: `hey_marvin`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, zip_longest

from kws.audio.tts.engines.espeak import pronounce
from kws.audio.tts.lexicon import common_words
from kws.audio.tts.phonemes import distance
from kws.errors import ToolError

CARELESS = 0.1
"""Careless speakers pronounce the keyword (computer) like a word nearer than this (commuter). A
model that learns the word as unknown would miss them."""

CARELESS_PHRASE = 0.15
"""The same for phrases, which are slurred more: *hi marvin* and *he marvin* for *hey marvin*."""

Sounds = dict[str, tuple[str, ...]]


def pronounced(words: Sequence[str], accent: str, way_out: str = "") -> Sounds:
    """The sounds of each word.

    Args:
        words: words or phrases.
        accent: a language code of espeak-ng.
        way_out: another remedy, which ends the error message.

    Raises:
        ToolError: espeak-ng, which provides the pronunciations, is missing or failed.
    """
    sounds = pronounce(words, accent)
    if words and not sounds:
        raise ToolError(
            "espeak-ng, which provides pronunciations, was not found; install it, for example "
            f"with: apt install espeak-ng{way_out}"
        )
    return sounds


def candidates_for(keywords: Sequence[str], accent: str) -> list[str]:
    """The single words of the phrases, and common words of the language, without the keywords."""
    parts = [part for keyword in keywords for part in parts_of(keyword)]
    words = dict.fromkeys([*parts, *common_words(accent)])
    return [word for word in words if word not in keywords]


def parts_of(keyword: str) -> list[str]:
    """The words of a phrase such as `turn_on`; empty for a single word."""
    parts = [part for part in keyword.split("_") if part]
    return parts if len(parts) > 1 else []


def by_sound(
    word: str, candidates: Iterable[str], sounds: Sounds, at_least: float = 0.0
) -> dict[str, float]:
    """The candidates' distances from a word, nearest first, without those below `at_least`."""
    distances = {other: distance(sounds[word], sounds[other]) for other in candidates}
    far = [other for other in distances if distances[other] >= at_least]
    return {other: distances[other] for other in sorted(far, key=lambda other: distances[other])}


def near_phrases(
    parts: Sequence[str],
    candidates: Sequence[str],
    sounds: Sounds,
    each: int,
    *,
    word_at_least: float,
    phrase_at_least: float,
) -> dict[str, float]:
    """Phrases with one word replaced by a similar one, and their distances from the phrase.

    First the last word is replaced, then the others, in turn; nearest words first.

    Args:
        parts: the words of the phrase.
        candidates: words that may replace one.
        sounds: the sounds of parts and candidates.
        each: phrases wanted per word. There are more, because some are rejected later.
        word_at_least: lowest distance between a word and its replacement.
        phrase_at_least: lowest distance between the phrase and a new phrase.
    """
    own = phrase_sounds("_".join(parts), sounds)
    words = [word for word in candidates if word not in parts]
    changed = []
    for place, part in reversed(list(enumerate(parts))):
        phrases = (
            "_".join((*parts[:place], word, *parts[place + 1 :]))
            for word in by_sound(part, words, sounds, word_at_least)
        )
        distances = ((it, distance(own, phrase_sounds(it, sounds))) for it in phrases)
        far = (pair for pair in distances if pair[1] >= phrase_at_least)
        changed.append(list(islice(far, 2 * each + 3)))
    return dict(pair for turn in zip_longest(*changed) for pair in turn if pair)


def phrase_sounds(phrase: str, sounds: Sounds) -> tuple[str, ...]:
    """The sounds of a phrase's words, one after the other."""
    return tuple(sound for part in parts_of(phrase) for sound in sounds[part])
