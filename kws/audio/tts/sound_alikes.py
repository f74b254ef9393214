# SPDX-License-Identifier: Apache-2.0
"""Chooses words for the unknown class: words that sound like the keywords, and others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kws.audio.tts.engines.espeak import pronounce
from kws.audio.tts.lexicon import distinct_words
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
from kws.audio.tts.phonemes import is_part_of


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
    candidates = candidates_for(keywords, accent)
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
    candidates = candidates_for(keywords, accent)
    way_out = "; or pass words with --unknown"
    sounds = pronounced([*candidates, *keywords], accent, way_out)
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


def _choose(
    keywords: Sequence[str], candidates: Sequence[str], sounds: Sounds, each: int
) -> list[str]:
    """The sound-alikes of each keyword. Adds the sounds of new phrases to `sounds`."""
    chosen: list[str] = []
    for keyword in keywords:
        parts = parts_of(keyword)
        if parts:
            phrases = near_phrases(
                parts,
                candidates,
                sounds,
                each,
                word_at_least=CARELESS,
                phrase_at_least=CARELESS_PHRASE,
            )
            backward = "_".join(parts[::-1])
            sounds |= {it: phrase_sounds(it, sounds) for it in (*phrases, backward)}
            chosen += _fresh([*parts, backward], keywords, chosen, sounds)
            chosen += _fresh(phrases, keywords, chosen, sounds)[:each]
        else:
            near = by_sound(keyword, candidates, sounds, CARELESS)
            chosen += _fresh(near, keywords, chosen, sounds)[:each]
    return chosen


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
