# SPDX-License-Identifier: Apache-2.0
"""The first lines of the report: the verdict, or the main figures in one sentence."""

from __future__ import annotations

from dataclasses import dataclass

from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.kind_metrics import StreamResult, rate_text
from kws.model.evaluate.judge.statistics import Interval, poisson
from kws.model.evaluate.judge.verdict import Hears, Verdict
from kws.model.evaluate.report.page_figures import counted_kinds
from kws.model.evaluate.score.streams import Kind

_TITLES = {
    Hears.WELL: "It hears the {words} well",
    Hears.SOME: "It hears the {words} sometimes",
    Hears.NOTHING: "It hears nothing",
}


@dataclass(frozen=True)
class Headline:
    """The most important result."""

    title: str
    details: tuple[str, ...]
    """Sentences."""

    hears: str = ""
    """A value of `Hears`; empty without a verdict."""

    causes: tuple[tuple[str, str], ...] = ()
    """Reasons for misses, each with a remedy, as sentences."""


def headline(evaluation: Evaluation, verdict: Verdict | None) -> Headline:
    """The verdict if there is one, else misses and false alarms together."""
    if verdict:
        words = "word" if len(evaluation.bundle.keywords) == 1 else "words"
        return Headline(
            _TITLES[verdict.hears].format(words=words),
            (sentence(verdict.evidence),),
            str(verdict.hears),
            tuple((sentence(why), sentence(cure)) for why, cure in verdict.causes),
        )
    if evaluation.stream:
        return _of_streams(evaluation.stream)
    if evaluation.clips:
        clips = evaluation.clips
        details = [_interval_of_accuracy(clips.interval)]
        details.append("False alarms per hour were not measured: add talk with --negatives.")
        return Headline(f"Accuracy on clips: {_percent(clips.matrix.accuracy)}", tuple(details))
    return Headline("Nothing was measured", ())


def sentence(text: str) -> str:
    """A line of the terminal as a sentence."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def _of_streams(stream: StreamResult) -> Headline:
    counted = counted_kinds(stream.by_kind)
    count = sum(len(row.metrics.false_alarms) for row in counted)
    hours = sum(row.metrics.hours for row in counted)
    low, high = poisson(count)
    where = "talk" if counted[0].kind == Kind.TALK else "these streams"
    rate = f"{rate_text(count / hours)} false alarms per hour of {where}"
    of_alarms = (
        f"False alarms: {count} in {hours:.2f} hours "
        f"(95 %: {rate_text(low / hours)} to {rate_text(high / hours)} per hour)."
    )
    spoken = [row for row in stream.by_kind if row.metrics.total_said]
    if not spoken:
        missing = "Misses were not measured: give a data set with --data, and --stream."
        return Headline(rate, (of_alarms, missing))
    first = spoken[0]
    metrics = first.metrics
    missed = metrics.total_said - metrics.total_hits
    interval = metrics.miss_share_95
    range_text = f" (95 %: {_percent(interval[0])} to {_percent(interval[1])})" if interval else ""
    place = {Kind.QUIET: " in a quiet room", Kind.NOISE: " in noise", Kind.OVER_TALK: " over talk"}
    title = f"{_percent(metrics.miss_share)} of keywords missed{place.get(first.kind, '')}, {rate}"
    of_misses = f"Missed: {missed} of {metrics.total_said}{range_text}."
    return Headline(title, (of_misses, of_alarms))


def _interval_of_accuracy(interval: Interval | None) -> str:
    if interval is None:
        return "There is no interval, because a class has only one speaker."
    return f"95 % interval for other speakers: {_percent(interval[0])} to {_percent(interval[1])}."


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
