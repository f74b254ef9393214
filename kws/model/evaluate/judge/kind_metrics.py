# SPDX-License-Identifier: Apache-2.0
"""Metrics by kind of stream: in a quiet room, in noise, over talk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kws.bundle.bundle import Bundle
from kws.model.evaluate.judge.excerpts import Excerpt
from kws.model.evaluate.judge.stream_metrics import (
    THRESHOLDS,
    FalseAlarm,
    OperatingPoint,
    StreamMetrics,
    measure_traces,
    threshold_curve,
)
from kws.model.evaluate.score.streams import TITLES, Kind
from kws.model.evaluate.score.traces import Progress, Trace


@dataclass(frozen=True)
class KindMetrics:
    """Metrics of the streams of one kind."""

    kind: Kind
    metrics: StreamMetrics
    """Metrics with the bundle's settings."""

    curve: tuple[OperatingPoint, ...]
    """Metrics by threshold, the same for all keywords."""

    by_source: dict[str, StreamMetrics]
    """Metrics of each source of talk, most false alarms per hour first; else empty."""

    @property
    def title(self) -> str:
        """The kind's name in tables."""
        return TITLES[self.kind]

    def to_json(self) -> dict[str, Any]:
        """All figures; misses only if keywords were spoken."""
        sources = {source: _facts(metrics) for source, metrics in self.by_source.items()}
        return _facts(self.metrics) | ({"by_source": sources} if sources else {})


@dataclass(frozen=True)
class StreamResult:
    """Metrics of streams."""

    about: dict[str, Any]
    """Description of the streams."""

    total: StreamMetrics
    """Metrics of all streams except talk without keywords, or of that talk if there are no
    others."""

    by_kind: tuple[KindMetrics, ...]
    excerpts: tuple[Excerpt, ...]
    """Sounds of false alarms, the highest peak first, then of missed words."""

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            **self.about,
            "by_kind": {str(result.kind): result.to_json() for result in self.by_kind},
            **_facts(self.total),
            "curve": [
                {
                    "threshold": threshold,
                    **{
                        str(result.kind): _point(point, bool(result.metrics.total_said))
                        for result, point in zip(self.by_kind, points, strict=True)
                    },
                }
                for threshold, *points in zip(
                    THRESHOLDS, *(result.curve for result in self.by_kind), strict=True
                )
            ],
            "worst_false_alarms": [
                {
                    "reported": excerpt.event.report.label,
                    "score": excerpt.event.report.score,
                    "peak": excerpt.peak,
                    "kind": str(excerpt.kind),
                    "source": excerpt.source or None,
                    "file": str(excerpt.file) if excerpt.file else None,
                    "seconds": excerpt.seconds,
                    "word_said": excerpt.event.near.label if excerpt.event.near else None,
                }
                for excerpt in self.excerpts
                if isinstance(excerpt.event, FalseAlarm)
            ],
        }


def measure_kinds(
    bundle: Bundle,
    traces: Sequence[Trace],
    keywords: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> tuple[KindMetrics, ...]:
    """Metrics of each kind of stream that occurs, in the order of `TITLES`.

    Args:
        bundle: the model and its recognizer's settings.
        traces: its scores for the streams.
        keywords: keywords to report; if empty, all of the bundle.
        progress: called with 1 after each run of the recognizer; see `count_kind_runs`.
    """
    results = []
    for kind in TITLES:
        group = [trace for trace in traces if trace.kind == kind]
        if not group:
            continue
        metrics = measure_traces(bundle.rules, group, keywords)
        curve = threshold_curve(bundle.rules, group, keywords, progress)
        results.append(KindMetrics(kind, metrics, curve, _by_source(bundle, group, keywords)))
    return tuple(results)


def miss_range(metrics: StreamMetrics) -> str:
    """Misses in percent with their 95 % interval for other speakers; - if no keyword was spoken."""
    if not metrics.total_said:
        return "-"
    share = f"{100 * metrics.miss_share:.1f}"
    interval = metrics.miss_share_95
    if interval is None:
        return f"{share} (1 speaker)" if any(metrics.speakers) else share
    low, high = interval
    return f"{share} ({100 * low:.1f}-{100 * high:.1f})"


def rate_range(metrics: StreamMetrics, keyword: str = "") -> str:
    """False alarms per hour of a keyword, or of all, with the 95 % interval."""
    count = metrics.false_alarms_of(keyword) if keyword else len(metrics.false_alarms)
    low, high = metrics.false_alarms_per_hour_95(keyword)
    return f"{rate_text(count / metrics.hours)} ({rate_text(low)}-{rate_text(high)})"


def rate_text(rate: float) -> str:
    """False alarms per hour, with fewer decimals for higher rates."""
    return f"{rate:.{2 if rate < 9.995 else 1 if rate < 99.95 else 0}f}"


def count_kind_runs(traces: Sequence[Trace]) -> int:
    """Number of calls that `measure_kinds` makes to `progress`."""
    return len({trace.kind for trace in traces}) * len(THRESHOLDS)


def _by_source(
    bundle: Bundle, traces: Sequence[Trace], keywords: Sequence[str]
) -> dict[str, StreamMetrics]:
    groups: dict[str, list[Trace]] = {}
    for trace in traces:
        if trace.source:
            groups.setdefault(trace.source, []).append(trace)
    metrics = {
        source: measure_traces(bundle.rules, group, keywords) for source, group in groups.items()
    }
    worst_first = sorted(metrics, key=lambda source: -metrics[source].false_alarms_per_hour)
    return {source: metrics[source] for source in worst_first}


def _point(point: OperatingPoint, has_keywords: bool) -> dict[str, Any]:
    return {
        "missed": point.missed if has_keywords else None,
        "miss_share": point.miss_share if has_keywords else None,
        "miss_share_95": point.miss_share_95 if has_keywords else None,
        "false_alarms": point.false_alarms,
        "alarms_an_hour": point.false_alarms_per_hour,
        "alarms_an_hour_95": point.false_alarms_per_hour_95,
    }


def _facts(metrics: StreamMetrics) -> dict[str, Any]:
    facts = metrics.to_json()
    if not metrics.total_said:
        for name in ("hits", "wrong", "missed", "miss_share", "miss_share_95", "latency_ms"):
            del facts[name]
    return facts
