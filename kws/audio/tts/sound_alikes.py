# SPDX-License-Identifier: Apache-2.0
"""Which words teach a model what is *not* one of its keywords."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kws.audio.tts.lexicon import read_words
from kws.audio.tts.phonemes import distance, is_part_of
from kws.audio.tts.voices import pronounce
from kws.errors import ToolError

Sounds = Mapping[str, tuple[str, ...]]


def choose_distractors(
    keywords: Sequence[str], count: int = 10, alike: int = 3, accent: str = "en-us"
) -> tuple[str, ...]:
    """Words for the unknown class of these keywords.

    For each keyword the `alike` nearest words by sound (by spelling if espeak-ng is missing), then
    words that sound different from each other, up to `count` in all.

    Raises:
        ToolError: espeak-ng failed.
    """
    distinct = [word for word in read_words("distinct") if word not in keywords]
    candidates = _candidates(keywords)
    spelled = {word: tuple(word) for word in (*candidates, *distinct, *keywords)}
    sounds = pronounce(list(spelled), accent) or spelled
    chosen = _choose(keywords, candidates, sounds, alike)
    for word in distinct:
        if len(chosen) >= count:
            break
        chosen += _fresh([word], keywords, chosen, sounds)[:1]
    return tuple(chosen)


def sound_alikes(keywords: Sequence[str], each: int = 3, accent: str = "en-us") -> tuple[str, ...]:
    """For each keyword the `each` words that sound most like it, the nearest first.

    The parts of a keyword of several words (`turn_on`) are always among them. A word that contains
    a keyword's sounds (know, note and snow for no) never is: in a stream the model recognizes the
    keyword before the word goes on.

    Raises:
        ToolError: espeak-ng, which knows how words sound, is missing or failed.
    """
    candidates = _candidates(keywords)
    sounds = pronounce([*candidates, *keywords], accent)
    if not sounds:
        raise ToolError(
            "espeak-ng was not found, which knows how words sound; install it, such as with: "
            "apt install espeak-ng; or name words with --unknown"
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


def _candidates(keywords: Sequence[str]) -> list[str]:
    parts = [part for keyword in keywords for part in _parts(keyword)]
    return [
        word for word in dict.fromkeys([*parts, *read_words("english")]) if word not in keywords
    ]


def _parts(keyword: str) -> list[str]:
    """The words of `turn_on`; none of a single word."""
    parts = [part for part in keyword.split("_") if part]
    return parts if len(parts) > 1 else []


def _choose(
    keywords: Sequence[str], candidates: Sequence[str], sounds: Sounds, each: int
) -> list[str]:
    chosen: list[str] = []
    for keyword in keywords:
        parts = _parts(keyword)
        by_sound = sorted(
            (word for word in candidates if word not in parts),
            key=lambda word: distance(sounds[keyword], sounds[word]),
        )
        chosen += _fresh(parts, keywords, chosen, sounds)
        chosen += _fresh(by_sound, keywords, chosen, sounds)[:each]
    return chosen


def _fresh(
    words: Iterable[str], keywords: Sequence[str], chosen: Sequence[str], sounds: Sounds
) -> list[str]:
    """Words without a keyword's sounds in them that sound like no word chosen before."""
    taken = {sounds[word] for word in chosen}
    fresh = []
    for word in words:
        sound = sounds[word]
        contains_keyword = any(is_part_of(sounds[keyword], sound) for keyword in keywords)
        if word not in keywords and sound not in taken and not contains_keyword:
            taken.add(sound)
            fresh.append(word)
    return fresh
