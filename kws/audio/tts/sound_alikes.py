# SPDX-License-Identifier: Apache-2.0
"""Chooses words for the unknown class: words that sound like the keywords, and others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, zip_longest

from kws.audio.tts.engines.espeak import pronounce
from kws.audio.tts.lexicon import common_words, distinct_words
from kws.audio.tts.phonemes import distance, is_part_of
from kws.errors import ToolError

_TOO_NEAR = 0.1
"""Careless speakers pronounce the keyword (computer) like a word nearer than this (commuter). A
model that learns the word as unknown would miss them."""

_PHRASE_TOO_NEAR = 0.15
"""The same for phrases, which are slurred more: *hi marvin* and *he marvin* for *hey marvin*."""

Sounds = dict[str, tuple[str, ...]]


def choose_distractors(
    keywords: Sequence[str], count: int = 10, alike: int = 3, accent: str = "en-us"
) -> tuple[str, ...]:
    """Words for the unknown class of these keywords.

    The `sound_alikes` of each keyword (by spelling if espeak-ng is missing), then words that sound
    different from each other, up to `count` in total.

    Raises:
        ToolError: espeak-ng failed.
    """
    distinct = [word for word in distinct_words(accent) if word not in keywords]
    candidates = _candidates(keywords, accent)
    spelled = {word: tuple(word) for word in (*candidates, *distinct, *keywords)}
    sounds = pronounce(list(spelled), accent) or spelled
    chosen = _choose(keywords, candidates, sounds, alike)
    for word in distinct:
        if len(chosen) >= count:
            break
        chosen += _fresh([word], keywords, chosen, sounds)[:1]
    return tuple(chosen)


def sound_alikes(keywords: Sequence[str], each: int = 3, accent: str = "en-us") -> tuple[str, ...]:
    """For each keyword the `each` words that sound most like it, nearest first.

    For a phrase (`hey_marvin`) these are its single words, its words in reverse order, and `each`
    phrases with one word replaced by a similar one (`hey_marble`, `state_marvin`), but not careless
    pronunciations (`he_marvin`). Words that contain a keyword's sounds (know, note and snow for no)
    are excluded: in a stream the model recognizes the keyword before the word ends.

    Raises:
        ToolError: espeak-ng, which provides the pronunciations, is missing or failed.
    """
    candidates = _candidates(keywords, accent)
    sounds = pronounce([*candidates, *keywords], accent)
    if not sounds:
        raise ToolError(
            "espeak-ng, which provides pronunciations, was not found; install it, for example "
            "with: apt install espeak-ng; or pass words with --unknown"
        )
    return tuple(_choose(keywords, candidates, sounds, each))


def same_sound(
    words: Sequence[str], keywords: Sequence[str], accent: str = "en-us"
) -> tuple[str, str] | None:
    """A word and a keyword that sound exactly the same; None if there is no such pair."""
    sounds = pronounce([*words, *keywords], accent)
    for word in words:
        for keyword in keywords:
            if word != keyword and sounds and sounds[word] == sounds[keyword]:
                return word, keyword
    return None


def _candidates(keywords: Sequence[str], accent: str) -> list[str]:
    parts = [part for keyword in keywords for part in _parts(keyword)]
    words = dict.fromkeys([*parts, *common_words(accent)])
    return [word for word in words if word not in keywords]


def _parts(keyword: str) -> list[str]:
    """The words of a phrase such as `turn_on`; empty for a single word."""
    parts = [part for part in keyword.split("_") if part]
    return parts if len(parts) > 1 else []


def _choose(
    keywords: Sequence[str], candidates: Sequence[str], sounds: Sounds, each: int
) -> list[str]:
    """The sound-alikes of each keyword. Adds the sounds of new phrases to `sounds`."""
    chosen: list[str] = []
    for keyword in keywords:
        parts = _parts(keyword)
        if parts:
            phrases = _near_phrases(parts, candidates, sounds, each)
            backward = "_".join(parts[::-1])
            sounds |= {it: _phrase_sounds(it, sounds) for it in (*phrases, backward)}
            chosen += _fresh([*parts, backward], keywords, chosen, sounds)
            chosen += _fresh(phrases, keywords, chosen, sounds)[:each]
        else:
            near = _by_sound(keyword, candidates, sounds)
            chosen += _fresh(near, keywords, chosen, sounds)[:each]
    return chosen


def _by_sound(word: str, candidates: Iterable[str], sounds: Sounds) -> list[str]:
    """The candidates sorted by distance from a word, excluding those that are too close."""
    distances = {other: distance(sounds[word], sounds[other]) for other in candidates}
    far = [other for other in distances if distances[other] >= _TOO_NEAR]
    return sorted(far, key=lambda other: distances[other])


def _near_phrases(
    parts: Sequence[str], candidates: Sequence[str], sounds: Sounds, each: int
) -> list[str]:
    """Phrases with one word replaced by a similar one: the last word, then the others, in turn.

    More than `each` per word, because some are rejected later.
    """
    own = _phrase_sounds("_".join(parts), sounds)
    words = [word for word in candidates if word not in parts]
    changed = []
    for place, part in reversed(list(enumerate(parts))):
        phrases = (
            "_".join((*parts[:place], word, *parts[place + 1 :]))
            for word in _by_sound(part, words, sounds)
        )
        far = (
            phrase
            for phrase in phrases
            if distance(own, _phrase_sounds(phrase, sounds)) >= _PHRASE_TOO_NEAR
        )
        changed.append(list(islice(far, 2 * each + 3)))
    return [it for turn in zip_longest(*changed) for it in turn if it]


def _phrase_sounds(phrase: str, sounds: Sounds) -> tuple[str, ...]:
    return tuple(sound for part in _parts(phrase) for sound in sounds[part])


def _fresh(
    words: Iterable[str], keywords: Sequence[str], chosen: Sequence[str], sounds: Sounds
) -> list[str]:
    """Words that do not contain a keyword's sounds and sound unlike those already chosen."""
    taken = {sounds[word] for word in chosen}
    fresh = []
    for word in words:
        sound = sounds[word]
        contains_keyword = any(is_part_of(sounds[keyword], sound) for keyword in keywords)
        if word not in keywords and sound not in taken and not contains_keyword:
            taken.add(sound)
            fresh.append(word)
    return fresh
