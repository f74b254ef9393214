# SPDX-License-Identifier: Apache-2.0
"""Labels: the classes of a model, and how words become labels.

The order is silence, unknown, then the keywords as they were given. Other people's wake words may
have keywords alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from kws.errors import UsageError

SILENCE = "silence"
"""First class of every model that kws trains: nothing is said."""

UNKNOWN = "unknown"
"""Its second class: a word that is none of the keywords."""

RESERVED = (SILENCE, UNKNOWN)
"""Both, in order; no keyword may be called like one of them."""

MOST_BYTES = 32
"""Length of the longest label in UTF-8."""

_NOT_IN_LABELS = re.compile(r'[\s"\\()?\x00-\x1f\x7f]')

_SENTENCE_MARKS = re.compile("[.,;:!?¡¿…。，、！？।]")  # noqa: RUF001 - full-width marks

_IN_WORDS = frozenset("'-_\u200c\u200d")
"""Besides letters, their marks and digits. The last two join letters in Indian languages."""


def class_labels(keywords: Sequence[str]) -> tuple[str, ...]:
    """The labels of a model for these keywords, in the order of its outputs."""
    return (*RESERVED, *keywords)


def keywords_of(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels without silence and unknown."""
    return tuple(label for label in labels if label not in RESERVED)


def first_keyword(labels: Sequence[str]) -> int:
    """The place of the first keyword: 2, or 0 if the model has no silence and unknown."""
    return len(RESERVED) if tuple(labels[: len(RESERVED)]) == RESERVED else 0


def word_of(text: str) -> str:
    """A word or a folder's name as kws spells it, so that the same word is the same text.

    Letters and their marks are composed (macOS has them apart in file names), an apostrophe is
    `'`, and spaces between words are `_`. silence and unknown may have `_` around them, and
    capitals, as other tools write them.
    """
    text = unicodedata.normalize("NFC", text.strip()).replace("\u2019", "'")
    plain = text.strip("_").lower()
    return plain if plain in RESERVED else re.sub(r"\s+", "_", text)


def label_of(phrase: str) -> str:
    """The label of a phrase: `word_of` it in small letters, without a sentence's marks.

    Raises:
        UsageError: nothing is left.
    """
    # The small letter of a Turkish capital is i with a second dot above.
    small = _SENTENCE_MARKS.sub(" ", phrase.replace("\u0130", "i").lower())
    label = re.sub(r"_+", "_", word_of(small)).strip("_")
    if not label:
        raise UsageError("an empty phrase; say what the device is to hear: kws wake 'hey marvin'")
    return label


def keyword_labels(words: Sequence[str], phrase: str, name: str | None) -> tuple[str, ...]:
    """The labels of some keywords, or of one phrase, which may have another name.

    Raises:
        UsageError: nothing is said, or what cannot be a label.
    """
    labels = tuple(label_of(text) for text in words or (name or phrase,))
    for label in labels:
        check_keyword(label, "choose another word" if words else "name it with --name")
    return labels


def check_word(word: str, way_out: str = "choose another word") -> None:
    """Make sure that a word can be a folder, and what a voice is asked to say.

    Args:
        word: as `word_of` spells it.
        way_out: what to do if it cannot.

    Raises:
        UsageError: it is a class that every model has, it does not begin with a letter or a digit,
            or it holds something else than letters, digits, `'`, `-` and `_`.
    """
    if word in RESERVED:
        raise UsageError(f"{word!r} is a class that every model has; {way_out}")
    wrong = [letter for letter in word if letter not in _IN_WORDS and not _is_letter(letter)]
    if not word or wrong or word[0] in _IN_WORDS:
        raise UsageError(
            f"{word!r} cannot be a word: it has to begin with a letter or a digit and go on with "
            f"letters, digits, ', - or _ (which stands for a space); {way_out}"
        )


def check_keyword(word: str, way_out: str = "choose another word") -> None:
    """The same for a word that is to be a label.

    Raises:
        UsageError: it cannot be a word, or it is too long for a label.
    """
    check_word(word, way_out)
    size = len(word.encode())
    if size > MOST_BYTES:
        raise UsageError(
            f"{word!r} cannot be a label: it has {size} bytes, and a label at most {MOST_BYTES}; "
            f"{way_out}"
        )


def check_keywords(keywords: Sequence[str]) -> None:
    """Make sure that a model can be trained for these keywords.

    Raises:
        UsageError: there are none, one is given twice, or one cannot be a label.
    """
    if not keywords:
        raise UsageError("no keywords; name at least one, such as --words yes,no")
    for word in keywords:
        check_keyword(word)
    twice = [word for word, count in Counter(keywords).items() if count > 1]
    if twice:
        raise UsageError(f"{twice[0]!r} is among the keywords twice; name each once")


def class_order(labels: Sequence[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The labels of a model in the order of kws, whatever order and spelling they were given in.

    Args:
        labels: one for each output of the model, in the order of the outputs. silence and unknown
            may be spelled as `word_of` knows them.

    Returns:
        silence, unknown, then the keywords; and which output each of them is, empty if the order is
        that of the outputs.
    """
    spelled = tuple(word_of(label) for label in labels)
    if not set(RESERVED) <= set(spelled):
        return spelled, ()
    places = sorted(range(len(spelled)), key=lambda i: _rank(spelled[i]))
    ordered = tuple(spelled[place] for place in places)
    return ordered, () if ordered == spelled else tuple(places)


def check_labels(labels: Sequence[str]) -> None:
    """Make sure that labels have the order and the form that the firmware requires.

    Raises:
        UsageError: they do not.
    """
    keywords = labels[first_keyword(labels) :]
    if not keywords or set(RESERVED) & set(keywords):
        raise UsageError(
            f"labels are {','.join(labels)}; they have to be silence and unknown (or _silence_ and "
            "_unknown_) and at least one keyword, or keywords alone, in the order of the model's "
            "outputs"
        )
    for label in labels:
        if not label or _NOT_IN_LABELS.search(label) or len(label.encode()) > MOST_BYTES:
            raise UsageError(
                f"label {label!r}: a label is one word of at most {MOST_BYTES} bytes without "
                "spaces, quotes, brackets, backslash and question mark"
            )
        if list(labels).count(label) > 1:
            raise UsageError(f"label {label!r} is there twice; each output needs its own")


def _rank(label: str) -> int:
    return RESERVED.index(label) if label in RESERVED else len(RESERVED)


def _is_letter(letter: str) -> bool:
    """Whether it is a letter, a mark of one, or a digit, of any script."""
    return unicodedata.category(letter)[0] in "LMN"
