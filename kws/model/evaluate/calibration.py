# SPDX-License-Identifier: Apache-2.0
"""Chooses the recognizer's settings: fewest misses within the false alarms per hour allowed.

It uses validation clips only. Each average window and suppression is tried; for each, the core's
recognizer runs over the scores at every threshold. The false alarms and misses of a keyword hardly
depend on the thresholds of the others. So the best thresholds follow from the counts of each
keyword, by dynamic programming over the false alarms. The chosen settings then run as they are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from kws import config
from kws.bundle.bundle import Bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import DataError, KwsError
from kws.features.frontend_settings import HOP_MS
from kws.model.evaluate.stream_metrics import (
    THRESHOLDS,
    Progress,
    StreamMetrics,
    Trace,
    measure_traces,
    with_threshold,
)

WINDOWS_MS = (200, 300, 400, 500, 600, 800, 1000)
SUPPRESSIONS_MS = (750, 1000, 1500)

MARGIN = 1.5
"""Calibration divides the false alarms asked for by this: speakers whose clips it did not use cause
more of them."""

_WINDOW_RESULTS = 2
"""Fewest scores that are averaged: a single one may be an accident."""


@dataclass(frozen=True)
class Calibration:
    """The settings chosen, and their metrics on the validation clips."""

    asked: float
    """False alarms per hour that were asked for."""

    settings: RecognizerSettings
    expected: StreamMetrics

    def metrics(self) -> dict[str, Any]:
        """Figures for the bundle."""
        return {
            "asked_false_alarms_an_hour": self.asked,
            "hours": self.expected.hours,
            "keywords_said": self.expected.total_said,
            "other_words_said": self.expected.other_words,
            "miss_share": self.expected.miss_share,
            "false_alarms": len(self.expected.false_alarms),
        }

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "asked_false_alarms_an_hour": self.asked,
            "recognizer": config.to_dict(self.settings),
            "expected": self.expected.to_json(),
        }


def count_runs(bundle: Bundle) -> int:
    """How often `calibrate` calls its progress."""
    windows = len(_windows(bundle))
    return (windows + len(SUPPRESSIONS_MS) - 1) * len(THRESHOLDS)


def calibrate(
    bundle: Bundle,
    traces: Sequence[Trace],
    false_alarms_per_hour: float,
    keywords: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> Calibration:
    """The best settings for a bundle's model.

    Args:
        bundle: the model; its own recognizer settings do not matter.
        traces: the model's scores for streams of validation clips, with keywords and without.
        false_alarms_per_hour: how many are allowed, all keywords together.
        keywords: the keywords to be reported; without any, all. The others never are.
        progress: called with 1 after each run of the recognizer.

    Raises:
        DataError: no keyword is said in the streams.
    """
    keywords = keywords or bundle.keywords
    if not any(word.label in keywords for trace in traces for word in trace.words):
        raise DataError("nobody says a keyword in the streams; calibration needs some")
    hours = sum(trace.hours for trace in traces)
    budget = round(false_alarms_per_hour * hours / MARGIN)
    longest = SUPPRESSIONS_MS[-1]
    candidates = [
        _choose(bundle, _settings(bundle, keywords, window, longest), traces, budget, progress)
        for window in _windows(bundle)
    ]
    best = min(candidates, key=_cost)
    # The shortest suppression that costs nothing: while it lasts, a user cannot repeat the word.
    for suppression in SUPPRESSIONS_MS[:-1]:
        settings = _settings(bundle, keywords, best.settings.average_window_ms, suppression)
        candidate = _choose(bundle, settings, traces, budget, progress)
        if _cost(candidate) <= _cost(best):
            best = candidate
            break
    return replace(best, asked=false_alarms_per_hour)


def _cost(candidate: Calibration) -> tuple[int, int, int]:
    metrics = candidate.expected
    misses = metrics.total_said - metrics.total_hits
    return misses, len(metrics.false_alarms), candidate.settings.average_window_ms


def _windows(bundle: Bundle) -> list[int]:
    """Average windows that hold enough results, and not more than the core can store."""
    shortest = (_WINDOW_RESULTS - 1) * HOP_MS * bundle.inference_stride
    fitting = []
    for window in WINDOWS_MS:
        try:
            replace(bundle, recognizer=_settings(bundle, bundle.keywords, window, 0)).pipeline()
        except KwsError:
            continue
        if window >= shortest:
            fitting.append(window)
    return fitting or [bundle.recognizer.average_window_ms]


def _settings(
    bundle: Bundle, keywords: Sequence[str], window: int, suppression: int
) -> RecognizerSettings:
    count = min(_WINDOW_RESULTS, 1 + window // (HOP_MS * bundle.inference_stride))
    never = {word: 255 for word in bundle.keywords if word not in keywords}
    return RecognizerSettings(
        window, suppression_ms=suppression, minimum_count=count, thresholds=never
    )


def _choose(
    bundle: Bundle,
    settings: RecognizerSettings,
    traces: Sequence[Trace],
    budget: int,
    progress: Progress,
) -> Calibration:
    """The best thresholds for one window and suppression; `settings.thresholds` stay."""
    labels = bundle.labels
    keywords = [word for word in bundle.keywords if word not in settings.thresholds]

    def measure(threshold: int) -> StreamMetrics:
        tried = with_threshold(settings, labels, threshold, keywords)
        metrics = measure_traces(tried, labels, traces, keywords)
        progress(1)
        return metrics

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        by_threshold = list(pool.map(measure, THRESHOLDS))
    # The keywords are not quite independent: if together they give too many, allow fewer.
    for allowed in range(budget, -1, -1):
        thresholds = _share_out(keywords, by_threshold, allowed)
        chosen = dict(zip(keywords, thresholds, strict=True))
        tried = replace(settings, thresholds={**settings.thresholds, **chosen})
        expected = measure_traces(tried, labels, traces, keywords)
        if len(expected.false_alarms) <= budget:
            break
    return Calibration(0.0, tried, expected)


def _share_out(
    keywords: Sequence[str], by_threshold: Sequence[StreamMetrics], budget: int
) -> list[int]:
    """A threshold for each keyword: fewest misses together, with at most `budget` false alarms.

    A keyword that has too many false alarms at every threshold gets 255: it is never reported.

    Args:
        keywords: the keywords.
        by_threshold: metrics with each of `THRESHOLDS`.
        budget: false alarms allowed, all keywords together.
    """
    # False alarms to the fewest misses with them, and the thresholds of the keywords so far.
    best: dict[int, tuple[int, list[int]]] = {0: (0, [])}
    for word in keywords:
        counts = [(m.false_alarms_of(word), m.said[word] - m.hits[word]) for m in by_threshold]
        options = [*zip(THRESHOLDS, counts, strict=True), (255, (0, by_threshold[0].said[word]))]
        extended: dict[int, tuple[int, list[int]]] = {}
        for alarms, (misses, thresholds) in best.items():
            for threshold, (more_alarms, more_misses) in options:
                total = alarms + more_alarms
                if total > budget:
                    continue
                candidate = (misses + more_misses, [*thresholds, threshold])
                # Of equal candidates the later one: its threshold is higher.
                if total not in extended or candidate[0] <= extended[total][0]:
                    extended[total] = candidate
        best = extended
    return min((misses, alarms, thresholds) for alarms, (misses, thresholds) in best.items())[2]
