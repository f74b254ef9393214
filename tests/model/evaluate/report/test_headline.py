# SPDX-License-Identifier: Apache-2.0
"""The report's first lines: misses and false alarms together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.verdict import Hears, Verdict
from kws.model.evaluate.report.headline import headline, sentence
from tests.model.evaluate.report.made_evaluation import made_evaluation


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return made_evaluation()


def test_the_verdict_comes_first(evaluation: Evaluation) -> None:
    verdict = Verdict(Hears.SOME, "missed yes 5 of 10 times", (("few speakers", "record more"),))
    lines = headline(evaluation, verdict)
    assert lines.title == "It hears the words sometimes"
    assert lines.details == ("Missed yes 5 of 10 times.",)
    assert lines.causes == (("Few speakers.", "Record more."),)
    assert lines.hears == "some"


def test_misses_and_false_alarms_are_named_together(evaluation: Evaluation) -> None:
    lines = headline(evaluation, None)
    assert evaluation.stream
    talk = evaluation.stream.by_kind[-1].metrics
    rate = f"{talk.false_alarms_per_hour:.2f} false alarms per hour of talk"
    assert "% of keywords missed in a quiet room, " in lines.title
    assert lines.title.endswith(rate)
    assert [text.partition(":")[0] for text in lines.details] == ["Missed", "False alarms"]
    assert all("95 %: " in text for text in lines.details)
    assert not lines.hears


def test_what_was_not_measured_is_named(evaluation: Evaluation) -> None:
    assert evaluation.stream
    talk = evaluation.stream.by_kind[-1:]
    only_talk = replace(evaluation, clips=None, stream=replace(evaluation.stream, by_kind=talk))
    assert "Misses were not measured" in headline(only_talk, None).details[-1]
    only_clips = headline(replace(evaluation, stream=None), None)
    assert only_clips.title.startswith("Accuracy on clips: ")
    assert "False alarms per hour were not measured" in only_clips.details[-1]


def test_lines_of_the_terminal_become_sentences() -> None:
    assert [sentence(text) for text in ("", "missed", "Who?")] == [".", "Missed.", "Who?"]
