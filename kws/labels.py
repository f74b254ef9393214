# SPDX-License-Identifier: Apache-2.0
"""Labels: the classes of a model, in the order of its outputs.

The order is silence, unknown, then the keywords as they were given. Other people's wake words may
have keywords alone.
"""

from __future__ import annotations

import re
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


def class_labels(keywords: Sequence[str]) -> tuple[str, ...]:
    """The labels of a model for these keywords, in the order of its outputs."""
    return (*RESERVED, *keywords)


def keywords_of(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels without silence and unknown."""
    return tuple(label for label in labels if label not in RESERVED)


def first_keyword(labels: Sequence[str]) -> int:
    """The place of the first keyword: 2, or 0 if the model has no silence and unknown."""
    return len(RESERVED) if tuple(labels[: len(RESERVED)]) == RESERVED else 0


def label_of(phrase: str) -> str:
    """The label of a phrase: small letters, `_` for spaces.

    Raises:
        UsageError: nothing is left.
    """
    label = re.sub(r"[\s_]+", "_", phrase.strip().lower()).strip("_")
    if not label:
        raise UsageError("an empty phrase; say what the device is to hear: kws wake 'hey marvin'")
    return label


def check_keywords(keywords: Sequence[str]) -> None:
    """Make sure that a model can be trained for these keywords.

    Raises:
        UsageError: there are none, one is given twice, or one is a class that every model has.
    """
    if not keywords:
        raise UsageError("no keywords; name at least one, such as --words yes,no")
    for word in keywords:
        if word in RESERVED:
            raise UsageError(f"{word!r} is a class that every model has; choose another keyword")
    twice = [word for word, count in Counter(keywords).items() if count > 1]
    if twice:
        raise UsageError(f"{twice[0]!r} is among the keywords twice; name each once")


def check_labels(labels: Sequence[str]) -> None:
    """Make sure that labels have the order and the form that the firmware requires.

    Raises:
        UsageError: they do not.
    """
    keywords = labels[first_keyword(labels) :]
    if not keywords or set(RESERVED) & set(keywords):
        raise UsageError(
            f"labels are {','.join(labels)}; they have to be {','.join(RESERVED)} and at least one "
            "keyword, or keywords alone, in the order of the model's outputs"
        )
    for label in labels:
        if not label or _NOT_IN_LABELS.search(label) or len(label.encode()) > MOST_BYTES:
            raise UsageError(
                f"label {label!r}: a label is one word of at most {MOST_BYTES} bytes without "
                "spaces, quotes, brackets, backslash and question mark"
            )
        if list(labels).count(label) > 1:
            raise UsageError(f"label {label!r} is there twice; each output needs its own")
