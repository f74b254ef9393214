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
    "low toe go so not note nose snow slow show know now row bow mow noon gnome nod knot nine new "
    "on own one won off up cup pup down town gone dawn noun left lift let laugh lend "
    "right write light night bite ride stop step shop top start star store stay "
    "hey hay hello hollow yellow help hi high how who home house horse "
    "cat cut cap bat back bed bad bird word dog dock god fog tree three free tea "
    "two to true too zoo four for floor fall five fire fine fight six sick sits seven heaven "
    "eleven eight ate late wait zero hero sir ten tan pen light lamp on out door more "
    "open over play pay place pause cause close clothes last fast first next text "
    "red green blue glue black white wide big pig begin gate game name same save "
    "marvin martin sheila she happy apple learn turn visual vision follow forward backward "
)


def choose_distractors(keywords: Sequence[str], count: int = 10, alike: int = 1) -> tuple[str, ...]:
    """Words for the unknown class of these keywords.

    For each keyword the `alike` nearest by sound, then general ones up to `count` in all. A word
    in which a keyword is heard (know, note and snow for no) is never chosen: in a stream the model
    hears the keyword before it can hear that the word goes on.
    """
    general = _GENERAL.split()
    candidates = list(dict.fromkeys([*_SHORT.split(), *general]))
    sounds = phonemes([*candidates, *keywords]) or {w: w for w in [*candidates, *keywords]}
    taken: set[str] = set()
    chosen: list[str] = []

    def take(word: str) -> bool:
        sound = sounds[word]
        if sound in taken or any(sounds[keyword] in sound for keyword in keywords):
            return False
        taken.add(sound)
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
