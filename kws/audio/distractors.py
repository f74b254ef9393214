"""Which words teach a model what is *not* one of its keywords."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from kws.audio.voices import phonemes

# Words that sound different from each other; the first ones are taken for any keywords.
_GENERAL = (
    "up down left right stop go happy seven three house bird marvin wow off visual tree "
    "water morning yellow banana window music"
)

# Short common words among which those that sound like a keyword are looked for.
_SHORT = (
    "yet yell chess guess less mess best west dress wes jet yak use year young yard "
    "now not note nose low go so snow slow show know toe row bow mow noon gnome nod knot nine new "
    "on own one won off of oh owe up cup pup down town gone dawn noun left lift let laugh lend "
    "right write light night bite ride stop step shop top start star store stay "
    "hey hay hello hollow yellow help hi high how who home house horse "
    "cat cut cap bat back bed bad bird word dog dock god fog tree three free tea "
    "two to true too zoo four for floor fall five fire fine fight six sick sits seven heaven "
    "eleven eight ate late wait zero hero sir ten tan pen light lamp on out door more "
    "open over play pay place pause cause close clothes last fast first next text "
    "red green blue glue black white wide big pig begin gate game name same save "
    "marvin martin sheila she happy apple learn turn visual vision follow forward backward "
)


def choose_distractors(keywords: Sequence[str], count: int = 12, alike: int = 2) -> tuple[str, ...]:
    """Words for the unknown class of these keywords.

    For each keyword the `alike` nearest by sound, then general ones up to `count` in all. A word
    that sounds just as a keyword does (know and no) is never chosen.
    """
    general = _GENERAL.split()
    candidates = list(dict.fromkeys([*_SHORT.split(), *general]))
    sounds = phonemes([*candidates, *keywords]) or {w: w for w in [*candidates, *keywords]}
    taken = {sounds[word] for word in keywords}
    chosen: list[str] = []

    def take(word: str) -> bool:
        if word in keywords or word in chosen or sounds[word] in taken:
            return False
        taken.add(sounds[word])
        chosen.append(word)
        return True

    for keyword in keywords:
        by_likeness = sorted(candidates, key=lambda word: -_likeness(sounds[keyword], sounds[word]))
        left = alike
        for word in by_likeness:
            left -= take(word)
            if left == 0:
                break
    for word in general:
        if len(chosen) >= count:
            break
        take(word)
    return tuple(chosen)


def same_sound(words: Sequence[str], keywords: Sequence[str]) -> tuple[str, str] | None:
    """A word and a keyword that sound just the same, if there are such."""
    sounds = phonemes([*words, *keywords])
    for word in words:
        for keyword in keywords:
            if word != keyword and sounds.get(word, word) == sounds.get(keyword, keyword):
                return word, keyword
    return None


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
