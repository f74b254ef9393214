# SPDX-License-Identifier: Apache-2.0
"""Labels: the classes of a model, and their spelling.

The order is silence, unknown, then the keywords as given. Imported wake words may have only
keywords.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from kws.errors import UsageError

SILENCE = "silence"
"""First class of every model that kws trains: no speech."""

UNKNOWN = "unknown"
"""Second class: any other word."""

RESERVED = (SILENCE, UNKNOWN)
"""Both, in order; a keyword cannot have these names."""

MOST_BYTES = 32
"""Maximum length of a label in UTF-8."""

_NOT_IN_LABELS = re.compile(r'[\s"\\()?\x00-\x1f\x7f]')

_SENTENCE_MARKS = re.compile("[.,;:!?¡¿…。，、！？।]")  # noqa: RUF001 - full-width marks

_IN_WORDS = frozenset("'-_\u200c\u200d")
"""Allowed besides letters, marks and digits. The last two join letters in Indian scripts."""


def class_labels(keywords: Sequence[str]) -> tuple[str, ...]:
    """The labels of a model for these keywords, in the order of its outputs."""
    return (*RESERVED, *keywords)


def keywords_of(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels without silence and unknown."""
    return tuple(label for label in labels if label not in RESERVED)


def first_keyword(labels: Sequence[str]) -> int:
    """Index of the first keyword: 2, or 0 if the model has no silence and unknown."""
    return len(RESERVED) if tuple(labels[: len(RESERVED)]) == RESERVED else 0


def word_of(text: str) -> str:
    """The normalized spelling of a word or folder name.

    Letters and marks are composed (macOS separates them in file names), an apostrophe is `'`, and
    spaces are `_`. silence and unknown may have capitals and `_` around them, as in other tools.
    """
    text = unicodedata.normalize("NFC", text.strip()).replace("\u2019", "'")
    plain = text.strip("_").lower()
    return plain if plain in RESERVED else re.sub(r"\s+", "_", text)


def label_of(phrase: str) -> str:
    """The label of a phrase: `word_of` in lower case, without punctuation.

    Raises:
        UsageError: the label is empty.
    """
    # lower() turns the Turkish capital I into i with a second dot.
    small = _SENTENCE_MARKS.sub(" ", phrase.replace("\u0130", "i").lower())
    label = re.sub(r"_+", "_", word_of(small)).strip("_")
    if not label:
        raise UsageError("an empty phrase; pass the wake word, such as kws wake 'hey marvin'")
    return label


def keyword_labels(words: Sequence[str], phrase: str, name: str | None) -> tuple[str, ...]:
    """The labels of some keywords, or of one phrase, which may have another name.

    Raises:
        UsageError: a phrase is empty, or cannot be a label.
    """
    labels = tuple(label_of(text) for text in words or (name or phrase,))
    for label in labels:
        check_keyword(label, "choose another word" if words else "name it with --name")
    return labels


def check_word(word: str, way_out: str = "choose another word") -> None:
    """Check that a word can be a folder's name and be spoken by a voice.

    Args:
        word: as `word_of` spells it.
        way_out: the remedy, which ends the error message.

    Raises:
        UsageError: it is a class that every model has, it does not begin with a letter or a digit,
            or it has characters other than letters, digits, `'`, `-` and `_`.
    """
    if word in RESERVED:
        raise UsageError(f"{word!r} is a class that every model has; {way_out}")
    wrong = [letter for letter in word if letter not in _IN_WORDS and not _is_letter(letter)]
    if not word or wrong or word[0] in _IN_WORDS:
        raise UsageError(
            f"{word!r} cannot be a word: it must begin with a letter or a digit and contain only "
            f"letters, digits, ', - or _ (which stands for a space); {way_out}"
        )


def check_keyword(word: str, way_out: str = "choose another word") -> None:
    """Check that a word can be a label.

    Raises:
        UsageError: it cannot be a word, or is too long for a label.
    """
    check_word(word, way_out)
    size = len(word.encode())
    if size > MOST_BYTES:
        raise UsageError(
            f"{word!r} cannot be a label: it has {size} bytes, but the limit is {MOST_BYTES}; "
            f"{way_out}"
        )


def check_keywords(keywords: Sequence[str]) -> None:
    """Check that a model can be trained for these keywords.

    Raises:
        UsageError: no keywords, a duplicate, or one that cannot be a label.
    """
    if not keywords:
        raise UsageError("no keywords; pass at least one, such as --words yes,no")
    for word in keywords:
        check_keyword(word)
    twice = [word for word, count in Counter(keywords).items() if count > 1]
    if twice:
        raise UsageError(f"keyword {twice[0]!r} is given twice; give each once")


def class_order(labels: Sequence[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Normalize a model's labels to the order and spelling of kws.

    Args:
        labels: one per output of the model, in the order of the outputs, in any spelling that
            `word_of` accepts.

    Returns:
        silence, unknown, then the keywords; and the output index of each label, empty if the order
        is the same.
    """
    spelled = tuple(word_of(label) for label in labels)
    if not set(RESERVED) <= set(spelled):
        return spelled, ()
    places = sorted(range(len(spelled)), key=lambda i: _rank(spelled[i]))
    ordered = tuple(spelled[place] for place in places)
    return ordered, () if ordered == spelled else tuple(places)


def check_labels(labels: Sequence[str]) -> None:
    """Raises UsageError unless labels have the order and form that the firmware requires."""
    keywords = labels[first_keyword(labels) :]
    if not keywords or set(RESERVED) & set(keywords):
        raise UsageError(
            f"labels are {','.join(labels)}; they must be silence and unknown (or _silence_ and "
            "_unknown_) and at least one keyword, or only keywords, in the order of the model's "
            "outputs"
        )
    for label in labels:
        if not label or _NOT_IN_LABELS.search(label) or len(label.encode()) > MOST_BYTES:
            raise UsageError(
                f"label {label!r}: a label is one word of at most {MOST_BYTES} bytes without "
                "spaces, quotes, brackets, backslashes or question marks"
            )
        if list(labels).count(label) > 1:
            raise UsageError(f"duplicate label {label!r}; each output needs its own")


def _rank(label: str) -> int:
    return RESERVED.index(label) if label in RESERVED else len(RESERVED)


def _is_letter(letter: str) -> bool:
    """Whether it is a letter, mark or digit of any script."""
    return unicodedata.category(letter)[0] in "LMN"
