# SPDX-License-Identifier: Apache-2.0
"""Metrics of long recordings: hits, misses, false alarms per hour, latency.

The core's recognizer runs over the scores of a trace, once per settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kws.audio.tts.voices import voice_of
from kws.bundle.rules import Rules
from kws.labels import first_keyword, keywords_of
from kws.model.evaluate.judge.hits import Report, match
from kws.model.evaluate.judge.statistics import Interval, poisson, recall_interval
from kws.model.evaluate.score.traces import Progress, Trace
from kws.model.evaluate.score.words import Word
from kws.parallel import on_all_cores

THRESHOLDS = (*range(30, 80, 10), *range(80, 240, 5), 240, 244, 247, 249, 251, 252, 253, 254)
"""Thresholds to try, denser near the scores of saturated models."""


@dataclass(frozen=True)
class FalseAlarm:
    """A report of a keyword that was not spoken."""

    stream: int  # its index
    report: Report
    near: Word | None
    """The word that was spoken at that time; None if there was none."""


@dataclass(frozen=True)
class StreamMetrics:
    """Words and reports of streams."""

    keywords: tuple[str, ...]
    hours: float
    said: dict[str, int]
    """Number of times each keyword was spoken."""

    hits: dict[str, int]
    """Number of hits per keyword."""

    wrong: dict[str, int]
    """Number of times another keyword was reported instead, per keyword."""

    false_alarms: tuple[FalseAlarm, ...]
    latencies_ms: tuple[int, ...]
    """Time from the end of the voice to the report, per hit; negative if the report is earlier."""

    other_words: int
    """Number of spoken words that are not keywords."""

    missed: tuple[Word, ...] = ()
    """Keywords without a hit."""

    skipped_share: float = 0.0
    """Share of the inferences that the bundle's gate skipped, 0 to 1."""

    spoken: tuple[Word, ...] = ()
    """Keywords that were spoken."""

    heard: tuple[bool, ...] = ()
    """Whether each of `spoken` had a hit."""

    @property
    def total_said(self) -> int:
        """Number of spoken keywords."""
        return sum(self.said.values())

    @property
    def total_hits(self) -> int:
        """Number of hits."""
        return sum(self.hits.values())

    @property
    def miss_share(self) -> float:
        """Share of keywords without a hit, 0 to 1."""
        return 1 - self.total_hits / self.total_said if self.total_said else 0.0

    @property
    def false_alarms_per_hour(self) -> float:
        """False alarms per hour, for all keywords combined."""
        return len(self.false_alarms) / self.hours if self.hours else 0.0

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speaker of each of `spoken`; empty for a user's recording. A voice counts once."""
        return tuple(voice_of(word.speaker) for word in self.spoken)

    @property
    def miss_share_95(self) -> Interval | None:
        """The 95 % interval of `miss_share` for other speakers; None with fewer than two."""
        return recall_interval(~np.array(self.heard, bool), self.speakers)

    def false_alarms_per_hour_95(self, keyword: str = "") -> Interval:
        """The exact 95 % interval of the false alarms per hour, of one keyword or of all."""
        count = self.false_alarms_of(keyword) if keyword else len(self.false_alarms)
        low, high = poisson(count)
        return low / self.hours, high / self.hours

    def latency_ms(self, share: float) -> float | None:
        """The latency that this share of the hits does not exceed; None without hits."""
        return float(np.quantile(self.latencies_ms, share)) if self.latencies_ms else None

    def false_alarms_of(self, keyword: str) -> int:
        """Number of false alarms of one keyword."""
        return sum(alarm.report.label == keyword for alarm in self.false_alarms)

    def to_json(self) -> dict[str, Any]:
        """All figures; shares are 0 to 1, keys that end in `_95` hold 95 % intervals."""
        missed = self.total_said - self.total_hits
        return {
            "hours": self.hours,
            **({"skipped_share": self.skipped_share} if self.skipped_share else {}),
            "keywords_said": self.total_said,
            "other_words_said": self.other_words,
            "hits": self.total_hits,
            "wrong": sum(self.wrong.values()),
            "missed": missed - sum(self.wrong.values()),
            "miss_share": self.miss_share,
            "miss_share_95": self.miss_share_95,
            "false_alarms": len(self.false_alarms),
            "false_alarms_an_hour": self.false_alarms_per_hour,
            "false_alarms_an_hour_95": self.false_alarms_per_hour_95(),
            "latency_ms": {
                name: self.latency_ms(point)
                for name, point in (("median", 0.5), ("p95", 0.95))
                if self.latencies_ms
            },
            "keywords": {
                word: {
                    "said": self.said[word],
                    "hits": self.hits[word],
                    "wrong": self.wrong[word],
                    "missed": self.said[word] - self.hits[word] - self.wrong[word],
                    "false_alarms": self.false_alarms_of(word),
                    "false_alarms_an_hour": self.false_alarms_of(word) / self.hours,
                    "false_alarms_an_hour_95": self.false_alarms_per_hour_95(word),
                }
                for word in self.keywords
            },
        }


def recognize(rules: Rules, trace: Trace) -> tuple[Report, ...]:
    """The reports of keywords by the core's recognizer for a stream's scores."""
    labels = rules.labels
    rows = rules.core_recognizer().run(trace.scores, trace.times_ms, trace.looks)
    # Filter before objects are made: most results are silence.
    rows = rows[rows[:, 1] >= first_keyword(labels)]
    return tuple(Report(labels[k], score, time_ms) for time_ms, k, score in rows.tolist())


def measure_traces(
    rules: Rules, traces: Sequence[Trace], keywords: Sequence[str] = ()
) -> StreamMetrics:
    """Metrics of a model with these rules.

    Args:
        rules: the model's labels and settings.
        traces: the model's scores for streams.
        keywords: keywords to report; if empty, all of the model. The model's other keywords count
            as other words.
    """
    keywords = tuple(keywords or keywords_of(rules.labels))
    said, hits, wrong = (dict.fromkeys(keywords, 0) for _ in range(3))
    alarms: list[FalseAlarm] = []
    latencies: list[int] = []
    missed: list[Word] = []
    spoken: list[Word] = []
    heard: list[bool] = []
    other_words = 0
    for number, trace in enumerate(traces):
        outcomes = match(trace.words, recognize(rules, trace), keywords)
        near = [FalseAlarm(number, report, None) for report in outcomes.stray]
        for outcome in outcomes.of_words:
            word = outcome.word
            near += [FalseAlarm(number, report, word) for report in outcome.false_alarms]
            if word.label not in said:
                other_words += 1
                continue
            said[word.label] += 1
            spoken.append(word)
            heard.append(outcome.hit is not None)
            if outcome.hit:
                hits[word.label] += 1
                latencies.append(outcome.hit.time_ms - word.end_ms)
            else:
                wrong[word.label] += outcome.wrong is not None
                missed.append(word)
        alarms += sorted(near, key=lambda alarm: alarm.report.time_ms)
    return StreamMetrics(
        keywords,
        sum(trace.hours for trace in traces),
        said,
        hits,
        wrong,
        tuple(alarms),
        tuple(latencies),
        other_words,
        tuple(missed),
        sum(trace.skipped for trace in traces) / max(sum(len(t.times_ms) for t in traces), 1),
        tuple(spoken),
        tuple(heard),
    )


@dataclass(frozen=True)
class OperatingPoint:
    """Misses and false alarms with one threshold for all keywords."""

    threshold: int
    missed: int
    """Number of keywords without a hit."""

    miss_share: float
    """0 to 1."""

    miss_share_95: Interval | None
    """95 % interval for other speakers; None with fewer than two."""

    false_alarms: int
    false_alarms_per_hour: float
    false_alarms_per_hour_95: Interval


def threshold_curve(
    rules: Rules,
    traces: Sequence[Trace],
    keywords: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> tuple[OperatingPoint, ...]:
    """An operating point per value of `THRESHOLDS`, set for these keywords (if empty, all)."""

    def point(threshold: int) -> OperatingPoint:
        metrics = measure_traces(rules.with_threshold(threshold, keywords), traces, keywords)
        progress(1)
        return OperatingPoint(
            threshold,
            metrics.total_said - metrics.total_hits,
            metrics.miss_share,
            metrics.miss_share_95,
            len(metrics.false_alarms),
            metrics.false_alarms_per_hour,
            metrics.false_alarms_per_hour_95(),
        )

    return tuple(on_all_cores(point, THRESHOLDS))
