# SPDX-License-Identifier: Apache-2.0
"""Chooses the recognizer's settings: fewest misses within the false alarms per hour allowed.

It hears words in a quiet room, in noise and over talk, and hours of talk in which nobody says a
keyword, all of the validation split. For each average window the core's recognizer runs over the
scores at every threshold. Two rates have to stay within what is allowed, each by itself:

- false alarms per hour of talk;
- false alarms per hour with `OTHER_WORDS` single words that are no keywords, in a quiet room and in
  noise.

A few false alarms say little of the next hours. Where fewer than `_FEW` were counted, the rate
follows from those at lower thresholds: far out, rates fall by about the same factor for each step
of a score's log odds. Rates are multiplied by `MARGIN`, because other speakers cause more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kws import config
from kws.bundle.bundle import Bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import DataError, KwsError
from kws.features.frontend_settings import HOP_MS
from kws.model.evaluate.statistics import poisson, wilson
from kws.model.evaluate.stream_metrics import (
    THRESHOLDS,
    Progress,
    StreamMetrics,
    Trace,
    measure_traces,
    with_threshold,
)
from kws.model.evaluate.streams import Kind

WINDOWS_MS = (300, 400, 500, 600, 700, 800, 900, 1000)
SUPPRESSIONS_MS = (750, 1000, 1500)

OTHER_WORDS = 180
"""Other words in an hour for which false alarms at words are counted: three per minute."""

MARGIN = 1.5
"""Rates count so many times: speakers whose clips calibration did not use cause more."""

_FEW = 8
"""Fewer false alarms than this are not taken for a rate."""

_WINDOW_RESULTS = 2
"""Fewest scores that are averaged: a single one may be an accident."""

_PRICES = (0.0, *np.geomspace(0.01, 1000, 41).tolist())
"""What a false alarm costs in misses, tried for each of the two rates."""

Rates = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """The settings chosen, and their metrics on the validation split."""

    asked: float
    """False alarms per hour that were asked for."""

    settings: RecognizerSettings
    expected: StreamMetrics
    """Of all streams together."""

    by_kind: dict[Kind, StreamMetrics]

    @property
    def has_talk(self) -> bool:
        """Whether talk without keywords was heard."""
        return Kind.TALK in self.by_kind

    def metrics(self) -> dict[str, Any]:
        """Figures for the bundle: what to expect, with 95 % intervals."""
        return {
            "asked_false_alarms_an_hour": self.asked,
            "keywords_said": self.expected.total_said,
            "other_words_said": self.expected.other_words,
            "miss_share": self.expected.miss_share,
            **{kind.replace(" ", "_"): _facts(m) for kind, m in self.by_kind.items()},
        }

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "asked_false_alarms_an_hour": self.asked,
            "recognizer": config.to_dict(self.settings),
            "expected": self.expected.to_json(),
            "kinds": {kind: metrics.to_json() for kind, metrics in self.by_kind.items()},
        }


def _facts(metrics: StreamMetrics) -> dict[str, Any]:
    alarms = len(metrics.false_alarms)
    low, high = poisson(alarms)
    facts: dict[str, Any] = {
        "hours": metrics.hours,
        "false_alarms": alarms,
        "false_alarms_an_hour_95": [low / metrics.hours, high / metrics.hours],
    }
    if metrics.total_said:
        missed = metrics.total_said - metrics.total_hits
        facts |= {
            "keywords_said": metrics.total_said,
            "missed": missed,
            "miss_share_95": list(wilson(missed, metrics.total_said)),
        }
    return facts


def count_runs(bundle: Bundle) -> int:
    """How often `calibrate` calls its progress."""
    return (len(_windows(bundle)) + len(SUPPRESSIONS_MS) - 1) * len(THRESHOLDS)


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
        traces: the model's scores for streams of the validation split, with keywords and without,
            and for talk.
        false_alarms_per_hour: how many are allowed, all keywords together.
        keywords: the keywords to be reported; without any, all. The others never are.
        progress: called with 1 after each run of the recognizer.

    Raises:
        DataError: no keyword is said in the streams.
    """
    keywords = keywords or bundle.keywords
    if not any(word.label in keywords for trace in traces for word in trace.words):
        raise DataError("nobody says a keyword in the streams; calibration needs some")
    longest = SUPPRESSIONS_MS[-1]
    allowed = false_alarms_per_hour / MARGIN
    candidates = [
        _choose(bundle, _settings(bundle, keywords, window, longest), traces, allowed, progress)
        for window in _windows(bundle)
    ]
    best = min(candidates, key=_cost)
    # The shortest suppression that costs nothing: while it lasts, a user cannot repeat the word.
    for suppression in SUPPRESSIONS_MS[:-1]:
        settings = _settings(bundle, keywords, best.settings.average_window_ms, suppression)
        candidate = _choose(bundle, settings, traces, allowed, progress)
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
    allowed: float,
    progress: Progress,
) -> Calibration:
    """The best thresholds for one window and suppression; `settings.thresholds` stay.

    Args:
        bundle: the model.
        settings: window, suppression, and keywords that are never reported.
        traces: the model's scores.
        allowed: false alarms per hour, of talk and of words.
        progress: called with 1 after each run of the recognizer.
    """
    keywords = [word for word in bundle.keywords if word not in settings.thresholds]
    groups = _by_kind(traces)

    def measure(threshold: int) -> dict[Kind, StreamMetrics]:
        tried = with_threshold(settings, bundle.labels, threshold, keywords)
        metrics = {k: measure_traces(tried, bundle.labels, t, keywords) for k, t in groups.items()}
        progress(1)
        return metrics

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        by_threshold = list(pool.map(measure, THRESHOLDS))
    thresholds = dict(zip(keywords, _share_out(keywords, by_threshold, allowed), strict=True))
    tried = replace(settings, thresholds={**settings.thresholds, **thresholds})
    return Calibration(
        0.0,
        tried,
        measure_traces(tried, bundle.labels, traces, keywords),
        {k: measure_traces(tried, bundle.labels, t, keywords) for k, t in groups.items()},
    )


def _by_kind(traces: Sequence[Trace]) -> dict[Kind, list[Trace]]:
    groups: dict[Kind, list[Trace]] = {}
    for trace in traces:
        groups.setdefault(trace.kind, []).append(trace)
    return groups


def _share_out(
    keywords: Sequence[str], by_threshold: Sequence[dict[Kind, StreamMetrics]], allowed: float
) -> list[int]:
    """A threshold for each keyword: fewest misses together, with both rates within `allowed`.

    For every pair of prices of a false alarm in talk and at a word, each keyword takes the
    threshold that is cheapest for it. Of the pairs that keep both rates, that of the fewest misses
    wins. A keyword that pays at no threshold gets 255: it is never reported.

    Args:
        keywords: the keywords.
        by_threshold: metrics by kind of stream, with each of `THRESHOLDS`.
        allowed: false alarms per hour.
    """
    options = [*THRESHOLDS, 255]
    misses = np.zeros((len(keywords), len(options)))
    rates = np.zeros((2, len(keywords), len(options)))
    for row, word in enumerate(keywords):
        said = sum(metrics.said[word] for metrics in by_threshold[0].values())
        hits = [sum(m.hits[word] for m in kinds.values()) for kinds in by_threshold]
        misses[row] = [*(said - n for n in hits), said]
        for place, (kinds, per) in enumerate(_COUNTED):
            counts = [
                sum(m.false_alarms_of(word) for k, m in metrics.items() if k in kinds)
                for metrics in by_threshold
            ]
            unit = sum(per(m) for k, m in by_threshold[0].items() if k in kinds)
            if unit:
                rates[place, row] = [*(_smoothed(counts) / unit), 0.0]
    best: tuple[float, float, tuple[int, ...]] | None = None
    every = np.arange(len(keywords))
    for talk_price in _PRICES:
        for word_price in _PRICES:
            cost = misses + talk_price * rates[0] + word_price * rates[1]
            # Of equal thresholds the last: the highest.
            chosen = cost.shape[1] - 1 - np.argmin(cost[:, ::-1], axis=1)
            both = rates[:, every, chosen].sum(axis=1)
            if (both <= allowed + 1e-9).all():
                candidate = (float(misses[every, chosen].sum()), float(both.sum()), tuple(chosen))
                best = min(best, candidate) if best else candidate
    chosen_options = best[2] if best else (len(options) - 1,) * len(keywords)
    return [options[place] for place in chosen_options]


_COUNTED: tuple[tuple[set[Kind], Callable[[StreamMetrics], float]], ...] = (
    ({Kind.TALK}, lambda m: m.hours),
    (
        {Kind.QUIET, Kind.NOISE, Kind.OTHER_WORDS, Kind.RECORDING},
        # Without other words, hours count.
        lambda m: m.other_words / OTHER_WORDS if m.other_words else m.hours,
    ),
)
"""Kinds of streams whose false alarms make a rate, and the hours of such a stream."""


def _smoothed(counts: Sequence[int]) -> Rates:
    """False alarms at each of `THRESHOLDS`, as they would be on average: float64[n].

    Where enough were counted, the count stands. Beyond, it falls exponentially over the log odds of
    the threshold, by the mean excess of what was counted.
    """
    expected = np.array(counts, np.float64)
    enough = np.flatnonzero(expected >= _FEW)
    start = int(enough[-1]) if len(enough) else 0
    if not expected[start]:
        return expected
    odds = np.log((np.array(THRESHOLDS) + 1.0) / (256.0 - np.array(THRESHOLDS)))
    beyond = expected[start:]
    steps = np.diff(odds[start:], append=odds[-1] + 0.5)
    excess = max(float((beyond * steps).sum() / beyond[0]), 0.05)
    fitted = beyond[0] * np.exp(-(odds[start:] - odds[start]) / excess)
    # Where false alarms were counted, there are not fewer.
    expected[start:] = np.maximum(fitted, np.where(beyond >= _FEW / 2, beyond, 0))
    return expected
