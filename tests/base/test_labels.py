# SPDX-License-Identifier: Apache-2.0
"""Labels: order of classes, valid labels, valid keywords."""

from __future__ import annotations

import unicodedata

import pytest

from kws.errors import UsageError
from kws.labels import (
    check_keywords,
    check_labels,
    check_word,
    class_labels,
    class_order,
    keywords_of,
    label_of,
    word_of,
)


def test_classes_are_silence_unknown_and_the_keywords_as_given() -> None:
    labels = class_labels(["yes", "no"])
    assert labels == ("silence", "unknown", "yes", "no")
    assert keywords_of(labels) == ("yes", "no")
    check_labels(labels)


@pytest.mark.parametrize("keywords", [[], ["yes", "silence"], ["unknown"], ["yes", "no", "yes"]])
def test_invalid_keywords_are_refused(keywords: list[str]) -> None:
    with pytest.raises(UsageError):
        check_keywords(keywords)


@pytest.mark.parametrize(
    "labels",
    [
        ("unknown", "silence", "yes"),
        ("silence", "unknown"),
        ("silence", "unknown", ""),
        ("silence", "unknown", "two words"),
        ("silence", "unknown", "why?"),
        ("silence", "unknown", "a(b)"),
        ("silence", "unknown", "ä" * 17),
        ("silence", "unknown", "yes", "yes"),
    ],
)
def test_labels_that_the_firmware_cannot_use_are_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        check_labels(labels)


@pytest.mark.parametrize(
    "word", ["नमस्ते", "বাংলা", "தமிழ்", "สวัสดี", "what's_up", "größer", "7", "x-ray"]
)
def test_words_of_any_script_can_be_keywords(word: str) -> None:
    check_keywords([word])
    check_labels(class_labels([word]))


@pytest.mark.parametrize(
    "word", ["", "-v", "_x", "a/b", "..", "why?", 'a"b', "two words", "a,b", "क" * 11]
)
def test_an_invalid_keyword_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        check_keywords([word])


def test_a_word_too_long_for_a_label_may_be_a_folder() -> None:
    check_word("a" * 33)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (unicodedata.normalize("NFD", "größer"), unicodedata.normalize("NFC", "größer")),
        ("hey  marvin", "hey_marvin"),
        ("what\u2019s up", "what's_up"),
        ("_unknown_", "unknown"),
        ("_silence_", "silence"),
        ("Silence", "silence"),
        ("Marvin", "Marvin"),
        ("_yes_", "_yes_"),
    ],
)
def test_one_spelling_of_a_word(text: str, word: str) -> None:
    assert word_of(text) == word


@pytest.mark.parametrize(
    ("phrase", "label"),
    [("İstanbul", "istanbul"), ("Hey Marvin", "hey_marvin"), ("GRÖßER", "größer")],
)
def test_label_of_a_phrase_in_lower_case(phrase: str, label: str) -> None:
    assert label_of(phrase) == unicodedata.normalize("NFC", label)
    check_keywords([label_of(phrase)])


@pytest.mark.parametrize(
    ("given", "labels", "order"),
    [
        ("silence,unknown,yes", "silence,unknown,yes", ()),
        ("unknown,yes,silence", "silence,unknown,yes", (2, 0, 1)),
        ("Down,Go,Silence,Unknown", "silence,unknown,Down,Go", (2, 3, 0, 1)),
        ("hey_jarvis", "hey_jarvis", ()),
        ("no,yes", "no,yes", ()),
    ],
)
def test_order_of_classes(given: str, labels: str, order: tuple[int, ...]) -> None:
    assert class_order(given.split(",")) == (tuple(labels.split(",")), order)


def test_a_label_of_32_bytes_is_accepted() -> None:
    check_labels(("silence", "unknown", "ä" * 16))
