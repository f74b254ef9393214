# SPDX-License-Identifier: Apache-2.0
"""Hits, wrong keywords and false alarms, from reports and the times of words."""

from __future__ import annotations

import pytest

from kws.model.evaluate.judge.hits import Report, match
from kws.model.evaluate.score.words import REACTION_MS, Word

KEYWORDS = ("yes", "no")


def report(label: str, time_ms: int) -> Report:
    return Report(label, 200, time_ms)


@pytest.mark.parametrize(
    ("time_ms", "hit"),
    [(999, False), (1000, False), (1001, True), (1500 + REACTION_MS, True), (3001, False)],
)
def test_hit_is_between_the_start_and_the_reaction_time_after_the_end(
    time_ms: int, hit: bool
) -> None:
    outcomes = match([Word("yes", 1000, 1500)], [report("yes", time_ms)], KEYWORDS)
    assert (outcomes.of_words[0].hit is not None) == hit
    assert len(outcomes.stray) == (not hit)


def test_first_report_of_the_word_is_the_hit_and_all_others_are_false_alarms() -> None:
    reports = [report("no", 1100), report("yes", 1200), report("yes", 2800)]
    (outcome,) = match([Word("yes", 1000, 1500)], reports, KEYWORDS).of_words
    assert outcome.hit == reports[1]
    assert outcome.wrong is None
    assert outcome.false_alarms == (reports[0], reports[2])


def test_without_a_hit_the_first_report_is_wrong() -> None:
    reports = [report("no", 1100), report("no", 2700)]
    (outcome,) = match([Word("yes", 1000, 1500)], reports, KEYWORDS).of_words
    assert outcome.hit is None
    assert outcome.wrong == reports[0]
    assert outcome.false_alarms == (reports[1],)


def test_reports_at_other_words_are_false_alarms() -> None:
    reports = [report("no", 1100)]
    for word in ("dog", "no"):  # the second is a keyword that is not selected
        (outcome,) = match([Word(word, 1000, 1500)], reports, ("yes",)).of_words
        assert (outcome.hit, outcome.wrong) == (None, None)
        assert outcome.false_alarms == tuple(reports)


def test_silence_and_unknown_are_neither_hits_nor_false_alarms() -> None:
    reports = [report("unknown", 500), report("unknown", 1100), report("silence", 1200)]
    outcomes = match([Word("yes", 1000, 1500)], reports, KEYWORDS)
    (outcome,) = outcomes.of_words
    assert outcomes.stray == ()
    assert outcome.reports == tuple(reports[1:])
    assert (outcome.hit, outcome.wrong, outcome.false_alarms) == (None, None, ())


def test_report_in_the_time_of_two_words_belongs_to_the_earlier() -> None:
    words = [Word("yes", 1000, 1500), Word("no", 2000, 2500)]
    outcomes = match(words, [report("no", 2900), report("no", 3100)], KEYWORDS)
    assert outcomes.of_words[0].wrong == report("no", 2900)
    assert outcomes.of_words[1].hit == report("no", 3100)
