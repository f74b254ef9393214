# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: RUF001 - letters of the phonetic alphabet
"""Phonetic similarity of words: the edit distance between their phonemes.

Vowels have closeness and backness; consonants have place, manner and voicing: the axes of the
International Phonetic Alphabet's chart (revised to 2020). The weights were chosen for this project.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Closeness (1 close, 0 open) and backness (1 back, 0 front).
# fmt: off
_VOWELS = {
    "i": (1.0, 0.0), "y": (1.0, 0.1), "ɪ": (0.85, 0.15), "ᵻ": (0.85, 0.3), "ʏ": (0.85, 0.2),
    "e": (0.7, 0.0), "ø": (0.7, 0.15), "ɛ": (0.4, 0.0), "œ": (0.4, 0.15), "æ": (0.15, 0.0),
    "a": (0.0, 0.2), "ɐ": (0.15, 0.5), "ə": (0.5, 0.5), "ɜ": (0.4, 0.5), "ɨ": (1.0, 0.5),
    "ʌ": (0.3, 0.7), "ɑ": (0.0, 1.0), "ɒ": (0.1, 1.0), "ɔ": (0.4, 1.0), "o": (0.7, 1.0),
    "ʊ": (0.85, 0.85), "u": (1.0, 1.0), "ʉ": (1.0, 0.5), "ɤ": (0.7, 1.0), "ɯ": (1.0, 1.0),
}
# fmt: on

# Place (0 lips, 1 throat), manner, voiced (1). A tap counts as a d.
# fmt: off
_CONSONANTS = {
    "p": (0.0, "stop", 0), "b": (0.0, "stop", 1), "m": (0.0, "nasal", 1),
    "f": (0.1, "fricative", 0), "v": (0.1, "fricative", 1), "w": (0.1, "glide", 1),
    "θ": (0.2, "fricative", 0), "ð": (0.2, "fricative", 1), "t": (0.3, "stop", 0),
    "d": (0.3, "stop", 1), "ɾ": (0.3, "stop", 1), "n": (0.3, "nasal", 1),
    "s": (0.3, "fricative", 0), "z": (0.3, "fricative", 1), "l": (0.3, "liquid", 1),
    "ɹ": (0.4, "liquid", 1), "r": (0.35, "liquid", 1), "ʃ": (0.4, "fricative", 0),
    "ʒ": (0.4, "fricative", 1), "tʃ": (0.4, "affricate", 0), "dʒ": (0.4, "affricate", 1),
    "ts": (0.3, "affricate", 0), "pf": (0.05, "affricate", 0), "j": (0.55, "glide", 1),
    "ç": (0.55, "fricative", 0), "ɲ": (0.55, "nasal", 1), "ʎ": (0.55, "liquid", 1),
    "k": (0.75, "stop", 0), "ɡ": (0.75, "stop", 1), "ŋ": (0.75, "nasal", 1),
    "x": (0.75, "fricative", 0), "ɣ": (0.75, "fricative", 1), "ʁ": (0.85, "fricative", 1),
    "h": (1.0, "fricative", 0), "ʔ": (1.0, "stop", 0),
}
# fmt: on

# Distance between two manners; 1 for other pairs.
_MANNERS = {
    frozenset(("stop", "affricate")): 0.5,
    frozenset(("affricate", "fricative")): 0.5,
    frozenset(("stop", "fricative")): 0.8,
    frozenset(("stop", "nasal")): 0.7,
    frozenset(("nasal", "liquid")): 0.6,
    frozenset(("liquid", "glide")): 0.5,
}

_VOWEL_ADDED, _CONSONANT_ADDED = 0.9, 0.6

_UNIT = re.compile(f"[{''.join(_VOWELS)}]+|{'|'.join(c for c in _CONSONANTS if len(c) > 1)}|\\w")


def units(ipa: str) -> tuple[str, ...]:
    """The sounds of a word in IPA (phonemes separated by `_`), without stress and length.

    A diphthong is one sound; an r after a vowel is a separate sound.
    """
    # espeak-ng marks changes of language: (en), (fr).
    ipa = re.sub(r"\([a-z-]+\)", "", ipa)
    plain = re.sub(r"[ˈˌː\u0300-\u036fʲʰ]", "", ipa).replace("ɚ", "əɹ").replace("ɝ", "ɜɹ")
    return tuple(unit for part in re.split(r"[\s_]+", plain) for unit in _UNIT.findall(part))


def distance(one: Sequence[str], other: Sequence[str]) -> float:
    """Distance between two words from `units`: edit cost per sound of the longer word.

    0 for the same sounds, about 0.1 for no and low, up to 1.5 for words with nothing in common.
    """
    row = [0.0]
    for sound in other:
        row.append(row[-1] + _added(sound))
    for first in one:
        above, row = row, [row[0] + _added(first)]
        for column, second in enumerate(other):
            row.append(
                min(
                    above[column] + _changed(first, second),
                    above[column + 1] + _added(first),
                    row[-1] + _added(second),
                )
            )
    return row[-1] / max(len(one), len(other), 1)


def is_part_of(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether a word's sounds are a contiguous part of another word's, like no in snow."""
    size = len(part)
    return any(
        tuple(whole[i : i + size]) == tuple(part) for i in range(max(len(whole) - size + 1, 0))
    )


def syllables(sounds: Sequence[str]) -> int:
    """Number of syllables of a word from `units`: one per vowel or diphthong, at least 1."""
    return max(1, sum(sound[0] in _VOWELS for sound in sounds))


def _added(sound: str) -> float:
    return _VOWEL_ADDED if sound[0] in _VOWELS else _CONSONANT_ADDED


def _changed(one: str, other: str) -> float:
    if one == other:
        return 0.0
    if one[0] in _VOWELS and other[0] in _VOWELS:
        ends = ((one[0], other[0]), (one[-1], other[-1]))
        return 0.05 + sum(_vowels_differ(a, b) for a, b in ends) / 2
    if one in _CONSONANTS and other in _CONSONANTS:
        (place, manner, voice), (place2, manner2, voice2) = _CONSONANTS[one], _CONSONANTS[other]
        manners = 0.0 if manner == manner2 else _MANNERS.get(frozenset((manner, manner2)), 1.0)
        return 0.4 * min(2 * abs(place - place2), 1) + 0.4 * manners + 0.2 * abs(voice - voice2)
    return 1.0 if one[0] not in _VOWELS and other[0] not in _VOWELS else 1.5


def _vowels_differ(one: str, other: str) -> float:
    (close, back), (close2, back2) = _VOWELS[one], _VOWELS[other]
    return 0.9 * abs(close - close2) + 0.6 * abs(back - back2)
