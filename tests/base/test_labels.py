# SPDX-License-Identifier: Apache-2.0
"""What a label is: the order of classes, the form of a label, which keywords can be trained."""

from __future__ import annotations

import pytest

from kws.errors import UsageError
from kws.labels import check_keywords, check_labels, class_labels, keywords_of


def test_classes_are_silence_unknown_and_the_keywords_as_given() -> None:
    labels = class_labels(["yes", "no"])
    assert labels == ("silence", "unknown", "yes", "no")
    assert keywords_of(labels) == ("yes", "no")
    check_labels(labels)


@pytest.mark.parametrize("keywords", [[], ["yes", "silence"], ["unknown"], ["yes", "no", "yes"]])
def test_keywords_that_no_model_can_have_are_refused(keywords: list[str]) -> None:
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


def test_a_label_of_32_bytes_is_accepted() -> None:
    check_labels(("silence", "unknown", "ä" * 16))
