# SPDX-License-Identifier: Apache-2.0
"""Chooses the recognizer's settings: fewest misses within the allowed false alarms per hour.

The streams are made from the validation split: words in a quiet room, in noise and over talk, and
hours of talk without a keyword. For each average window, the core's recognizer runs over the scores
at every threshold. Two rates have their own limits:

- false alarms per hour of talk;
- false alarms per hour with `OTHER_WORDS` single non-keywords, in a quiet room and in
  noise.

The rate in talk is extrapolated from the highest scores (`statistics.expected_alarms`), because
half an hour without a false alarm does not mean a rate of 0. For single words, and where talk has
few false alarms, half a false alarm is added to the count. Both rates are multiplied by `MARGIN`,
because other speakers cause more. Two-fold cross-validation over speakers measures how many more:
if the other half exceeds the requested rate, false alarms at words are multiplied by that ratio.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws import config
from kws.bundle.bundle import LOOK_METRICS, Bundle
from kws.bundle.device import Device
from kws.bundle.recognizer_settings import NEVER, RecognizerSettings
from kws.bundle.rules import Rules
from kws.bundle.second_look import LookSettings
from kws.errors import DataError, KwsError
from kws.model.evaluate.judge.stream_metrics import (
    THRESHOLDS,
    FalseAlarm,
    StreamMetrics,
    measure_traces,
)
from kws.model.evaluate.judge.threshold_costs import (
    OPTIONS,
    Rates,
    ThresholdCosts,
    costs_of,
)
from kws.model.evaluate.score.streams import Kind, played_at
from kws.model.evaluate.score.traces import Progress, Trace
from kws.parallel import on_all_cores

WINDOWS_MS = (300, 400, 500, 600, 700, 800, 900)
"""Average windows to try. With a longer one the mean would still be high when suppression ends, and
the same word would be reported twice."""

MARGIN = 1.5
"""Smallest factor of the rates: speakers outside calibration cause more false alarms."""

MOST_MARGIN = 4.0
"""Largest factor of the rates: half of a few speakers says little about the other half."""

_LOOSE = 4.0
"""False alarms to distribute among the keywords, as a multiple of the requested rate."""

_LOOSE_ALARMS = 5.0
"""Minimum number of false alarms in talk to distribute, so that one passage, played at three paces,
does not decide the thresholds."""

_WINDOW_RESULTS = 2
"""Minimum number of averaged scores: a single one may be chance."""

PROPOSALS = (40, 60, 80, 100, 120, 140, 155, 170, 185, 200)
"""Values of `LookSettings.proposal` to try."""

_MOST_LOOKS = 600.0
"""Maximum number of second looks per hour of talk. A look costs as much as several inferences."""

_PLACES = 5
"""Maximum number of passages of talk to name for a keyword."""

_MOST_PLACES = 10
"""Maximum number for all keywords, but each has at least one."""

_SAME_PASSAGE_S = 2.0
"""False alarms this close in a recording are one passage: a lower threshold is exceeded earlier."""

_LOWER = (0, 5, 10, 20, 40)
"""How far to lower the thresholds for them."""

_PRICES = (0.0, *np.geomspace(0.03, 1000, 28).tolist())
"""Prices of a false alarm, in misses, to try for each of the two rates."""


@dataclass(frozen=True)
class AlarmPlace:
    """A passage of talk that causes a false alarm, or is the next to cause one."""

    label: str
    path: Path
    seconds: float
    """The middle of the model's window in the recording."""

    score: int
    """Of the report, 0 to 255: when a threshold is exceeded, so its peak may be higher."""

    def to_json(self) -> dict[str, Any]:
        """The place, as values for JSON."""
        return {**vars(self), "path": str(self.path)}


@dataclass(frozen=True)
class Calibration:
    """The chosen settings, and their metrics on the validation split."""

    asked: tuple[float, float]
    """Requested false alarms per hour: of talk, and with `OTHER_WORDS` other words."""

    settings: RecognizerSettings
    """Of listening without a second look."""

    expected: StreamMetrics
    """Metrics of all streams together."""

    by_kind: dict[Kind, StreamMetrics]
    margin_at_words: float = MARGIN
    """Factor by which false alarms at words were multiplied."""

    look: LookSettings | None = None
    """Settings of the second look, if there is one."""

    looks_per_hour: float = 0.0
    """Second looks per hour of talk, or of all streams if there is no talk."""

    limiting_talk: tuple[AlarmPlace, ...] = ()
    """A few passages, highest score first. With these thresholds or slightly lower ones they cause
    false alarms."""

    @property
    def has_talk(self) -> bool:
        """Whether there was talk without keywords."""
        return Kind.TALK in self.by_kind

    def applied_to(self, bundle: Bundle, facts: Mapping[str, Any]) -> Bundle:
        """The bundle with these settings.

        Args:
            bundle: the bundle, with or without its second look.
            facts: what to expect of them, for its metrics; see `metrics`.
        """
        if bundle.second_look is None or self.look is None:
            metrics = {**bundle.metrics, "calibration": facts}
            return replace(bundle, recognizer=self.settings, metrics=metrics)
        look = replace(bundle.second_look, settings=self.look)
        metrics = {**bundle.metrics, LOOK_METRICS: facts}
        return replace(bundle, second_look=look, metrics=metrics)

    @property
    def deciding(self) -> Mapping[str, int]:
        """The thresholds that decide: of the second look, if there is one."""
        return self.look.thresholds if self.look else self.settings.thresholds

    def metrics(self) -> dict[str, Any]:
        """Figures for the bundle: what to expect, with 95 % intervals."""
        return {
            "asked_false_alarms_an_hour": self.asked[0],
            "asked_false_alarms_at_words": self.asked[1],
            "margin_at_words": self.margin_at_words,
            "keywords_said": self.expected.total_said,
            "other_words_said": self.expected.other_words,
            "miss_share": self.expected.miss_share,
            **{kind.replace(" ", "_"): _facts(m) for kind, m in self.by_kind.items()},
        }

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "asked_false_alarms_an_hour": self.asked[0],
            "asked_false_alarms_at_words": self.asked[1],
            "margin_at_words": self.margin_at_words,
            "recognizer": config.to_dict(self.settings),
            **({"second_look": config.to_dict(self.look)} if self.look else {}),
            "expected": self.expected.to_json(),
            "kinds": {kind: metrics.to_json() for kind, metrics in self.by_kind.items()},
            "limiting_talk": [place.to_json() for place in self.limiting_talk],
        }


def _facts(metrics: StreamMetrics) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "hours": metrics.hours,
        "false_alarms": len(metrics.false_alarms),
        "false_alarms_an_hour_95": list(metrics.false_alarms_per_hour_95()),
    }
    if metrics.total_said:
        facts |= {
            "keywords_said": metrics.total_said,
            "missed": metrics.total_said - metrics.total_hits,
            **({"miss_share_95": list(interval)} if (interval := metrics.miss_share_95) else {}),
        }
    return facts


def count_runs(bundle: Bundle) -> int:
    """Number of calls that `calibrate` makes to `progress`."""
    return len(_candidates(bundle, bundle.keywords)) * len(THRESHOLDS)


def calibrate(
    bundle: Bundle,
    traces: Sequence[Trace],
    false_alarms_per_hour: float,
    keywords: Sequence[str] = (),
    progress: Progress = lambda _: None,
    *,
    at_words: float | None = None,
) -> Calibration:
    """Find the best settings for a bundle's model.

    Args:
        bundle: the model; its own recognizer settings do not matter.
        traces: the model's scores for streams of the validation split, with keywords and without,
            and for talk.
        false_alarms_per_hour: the allowed rate, all keywords together.
        keywords: keywords to report; if empty, all. Others are never reported.
        progress: called with 1 after each run of the recognizer.
        at_words: allowed false alarms in an hour with `OTHER_WORDS` other words; None for
            `false_alarms_per_hour`.

    Raises:
        DataError: the streams contain no keyword.
    """
    keywords = keywords or bundle.keywords
    if not any(word.label in keywords for trace in traces for word in trace.words):
        raise DataError("the streams contain no keyword; calibration needs some")
    asked = (false_alarms_per_hour, false_alarms_per_hour if at_words is None else at_words)
    candidates = [
        _choose(rules, traces, asked, keywords, progress) for rules in _candidates(bundle, keywords)
    ]
    if bundle.second_look:
        rested = [c for c in candidates if c.looks_per_hour <= _MOST_LOOKS]
        candidates = rested or [min(candidates, key=lambda c: c.looks_per_hour)]
    best = min(candidates, key=_cost)
    return replace(best, limiting_talk=_limiting_talk(best, bundle, traces, keywords))


def _limiting_talk(
    best: Calibration, bundle: Bundle, traces: Sequence[Trace], keywords: Sequence[str]
) -> tuple[AlarmPlace, ...]:
    """A few false alarms of each keyword in talk, then those that lower thresholds would add.

    Thresholds may be just above the highest scores, which then cause no false alarm. A keyword that
    is never reported gets the highest threshold instead.
    """
    talk = traces_by_kind(traces).get(Kind.TALK, [])
    chosen = best.applied_to(bundle, {}).rules
    each = min(_PLACES, max(_MOST_PLACES // len(keywords), 1))
    found: dict[str, list[AlarmPlace]] = {word: [] for word in keywords}
    for step in _LOWER:
        rules = chosen
        for word in keywords:
            threshold = min(best.deciding[word], THRESHOLDS[-1]) - step
            rules = rules.with_threshold(max(threshold, THRESHOLDS[0]), [word])
        alarms = measure_traces(rules, talk, keywords).false_alarms
        for place in _places(alarms, talk, bundle.frontend.clip_ms // 2):
            known = found[place.label]
            if len(known) < each and not any(_are_one_passage(place, it) for it in known):
                known.append(place)
        if all(len(places) == each for places in found.values()):
            break
    return tuple(place for places in found.values() for place in places)


def _are_one_passage(a: AlarmPlace, b: AlarmPlace) -> bool:
    """Also if it was played at two paces."""
    return a.path == b.path and abs(a.seconds - b.seconds) <= _SAME_PASSAGE_S


def _places(
    alarms: Iterable[FalseAlarm], talk: Sequence[Trace], before_ms: int
) -> Iterator[AlarmPlace]:
    """Where false alarms are in the recordings, highest score first."""
    for alarm in sorted(alarms, key=lambda alarm: -alarm.report.score):
        report = alarm.report
        time_ms = max(report.time_ms - before_ms, 0)
        if played := played_at(talk[alarm.stream].played, time_ms):
            seconds = round(played.seconds_at(time_ms), 1)
            yield AlarmPlace(report.label, played.path, seconds, report.score)


def _cost(candidate: Calibration) -> tuple[int, int, float, int]:
    metrics = candidate.expected
    misses = metrics.total_said - metrics.total_hits
    window = candidate.settings.average_window_ms
    return misses, len(metrics.false_alarms), candidate.looks_per_hour, window


def _candidates(bundle: Bundle, keywords: Sequence[str]) -> list[Rules]:
    """Rules to try; the thresholds that decide are chosen for each.

    With a second look these are its thresholds.
    """
    if bundle.second_look:
        never = {word: NEVER for word in bundle.keywords if word not in keywords}
        look = replace(bundle.second_look.settings, thresholds=never)
        return [replace(bundle.rules, look=replace(look, proposal=p)) for p in PROPOSALS]
    return [
        replace(bundle.rules, alone=_settings(bundle, keywords, window))
        for window in _windows(bundle)
    ]


def _windows(bundle: Bundle) -> list[int]:
    """Average windows with enough results, but no more than the core can store."""
    shortest = (_WINDOW_RESULTS - 1) * bundle.every_ms
    fitting = []
    for window in WINDOWS_MS:
        try:
            settings = _settings(bundle, bundle.keywords, window)
            Device(replace(bundle, recognizer=settings)).pipeline()
        except KwsError:
            continue
        if window >= shortest:
            fitting.append(window)
    return fitting or [bundle.recognizer.average_window_ms]


def _settings(bundle: Bundle, keywords: Sequence[str], window: int) -> RecognizerSettings:
    count = min(_WINDOW_RESULTS, 1 + window // (bundle.every_ms))
    never = {word: NEVER for word in bundle.keywords if word not in keywords}
    return replace(
        bundle.recognizer,
        average_window_ms=window,
        minimum_count=count,
        detection_threshold=RecognizerSettings.detection_threshold,
        thresholds=never,
    )


def _choose(
    rules: Rules,
    traces: Sequence[Trace],
    asked: tuple[float, float],
    keywords: Sequence[str],
    progress: Progress,
) -> Calibration:
    """Find the best thresholds for a candidate; those of other keywords are kept.

    Args:
        rules: the window or the threshold of proposals, and keywords that are never reported.
        traces: the model's scores.
        asked: requested false alarms per hour of talk, and with `OTHER_WORDS` other words.
        keywords: the keywords that are reported.
        progress: called with 1 after each run of the recognizer.
    """
    groups = traces_by_kind(traces)

    def measure(threshold: int) -> dict[Kind, StreamMetrics]:
        tried = rules.with_threshold(threshold, keywords)
        metrics = {k: measure_traces(tried, t, keywords) for k, t in groups.items()}
        progress(1)
        return metrics

    by_threshold = list(on_all_cores(measure, THRESHOLDS))
    margin = _margin_at_words(keywords, by_threshold, traces, asked)
    places = _raised(costs_of(keywords, by_threshold), asked, margin)
    tried = rules
    for word, place in zip(keywords, places, strict=True):
        tried = tried.with_threshold(OPTIONS[place], [word])
    return Calibration(
        asked,
        tried.alone,
        measure_traces(tried, traces, keywords),
        {k: measure_traces(tried, t, keywords) for k, t in groups.items()},
        margin,
        tried.look,
        _looks_per_hour(tried, groups.get(Kind.TALK, traces)),
    )


def _looks_per_hour(rules: Rules, traces: Sequence[Trace]) -> float:
    if rules.look is None:
        return 0.0
    looks = 0
    for trace in traces:
        recognizer = rules.core_recognizer()
        recognizer.run(trace.scores, trace.times_ms, trace.looks)
        looks += recognizer.looks
    return looks / sum(trace.hours for trace in traces)


def traces_by_kind(traces: Sequence[Trace]) -> dict[Kind, list[Trace]]:
    """The traces of each kind of stream, in the order of first occurrence."""
    groups: dict[Kind, list[Trace]] = {}
    for trace in traces:
        groups.setdefault(trace.kind, []).append(trace)
    return groups


def _margin_at_words(
    keywords: Sequence[str],
    by_threshold: Sequence[dict[Kind, StreamMetrics]],
    traces: Sequence[Trace],
    asked: tuple[float, float],
) -> float:
    """Ratio of false alarms at words of other speakers to the requested number.

    Measured by two-fold cross-validation over speakers.
    """
    said = [word for trace in traces for word in trace.words if word.file]
    speakers = sorted({word.speaker for word in said})
    others = [word.speaker for word in said if word.label not in keywords]
    halves = []
    for half in (set(speakers[::2]), set(speakers[1::2])):
        share = sum(speaker in half for speaker in others) / max(len(others), 1)
        halves.append(costs_of(keywords, by_threshold, half, share))
    heard = expected = 0.0
    for here, there in (halves, halves[::-1]):
        if not (here.units[1] and there.units[1]):
            return MARGIN
        chosen = _share_out(here, (np.inf, asked[1]), 1.0)
        heard += there.alarms[1, np.arange(len(keywords)), chosen].sum()
        expected += asked[1] * there.units[1]
    return float(np.clip(heard / max(expected, 1.0), MARGIN, MOST_MARGIN))


def _raised(
    costs: ThresholdCosts, asked: tuple[float, float], margin: float
) -> npt.NDArray[np.int64]:
    """Choose thresholds for more false alarms than requested, raised together until few are left.

    Thresholds that allow more false alarms depend less on single passages. If talk has too few
    false alarms to extrapolate the rate of rare ones, they are only counted.

    Args:
        costs: misses and false alarms at the thresholds.
        asked: requested false alarms per hour of talk, and with `OTHER_WORDS` other words.
        margin: factor of false alarms at words; the factor of talk is `MARGIN`.

    Returns:
        Indices into `OPTIONS`: int64[keywords].
    """
    hours = costs.units[0]
    in_talk = max(_LOOSE * asked[0], _LOOSE_ALARMS / hours if hours else 0)
    steps = costs.raised(_share_out(costs, (in_talk, _LOOSE * asked[1]), margin))
    if steps is None:
        return _share_out(costs, asked, margin)
    places, expected = steps
    allowed = np.array(asked) / (MARGIN, margin)
    allowed[1] = max(allowed[1], costs.unseen[1])
    within = (expected <= allowed[:, None] + 1e-9).all(axis=0)
    lowest: npt.NDArray[np.int64] = places[np.argmax(within) if within.any() else -1]
    return lowest


def _share_out(
    costs: ThresholdCosts, asked: tuple[float, float], margin: float
) -> npt.NDArray[np.int64]:
    """Choose a threshold per keyword: fewest misses in total, with both rates within the request.

    For every pair of prices of a false alarm in talk and at a word, each keyword gets its cheapest
    threshold. Of the pairs that keep both rates, the one with the fewest misses wins. Then
    individual thresholds are lowered while both rates are kept, because prices cannot select
    thresholds with more misses than a mixture of a higher and a lower one. A keyword that is too
    expensive at every threshold gets 255: it is never reported.

    Args:
        costs: misses and false alarms at the thresholds.
        asked: requested false alarms per hour of talk, and with `OTHER_WORDS` other words.
        margin: factor of false alarms at words; the factor of talk is `MARGIN`.

    Returns:
        Indices into `OPTIONS`: int64[keywords].
    """
    rates, allowed = costs.rates, np.array(asked) / (MARGIN, margin)
    # If there are too few hours to measure such a low rate, no false alarm in them suffices.
    too_few = costs.unseen > allowed + 1e-9
    allowed = np.maximum(allowed, costs.unseen)
    misses = np.where((rates[too_few] > 0).any(axis=0), np.inf, costs.misses)
    # float64[pairs of prices, keywords, options]
    prices = np.array(list(itertools.product(_PRICES, _PRICES)))
    chosen = _middle_of_lowest(misses + np.einsum("pr,rko->pko", prices, rates))
    every = np.arange(len(misses))
    both = np.stack([rate[every, chosen].sum(axis=1) for rate in rates], axis=1) + costs.unseen
    within = np.flatnonzero((both <= allowed + 1e-9).all(axis=1))
    places: npt.NDArray[np.int64]
    if len(within):
        missed = misses[every, chosen].sum(axis=1)
        places = chosen[min(within, key=lambda pair: (missed[pair], both[pair].sum()))]
    else:
        places = _middle_of_lowest(np.where(rates.sum(axis=0) > 0, np.inf, misses))
    return _refined(places, misses, rates, allowed - costs.unseen)


def _refined(
    places: npt.NDArray[np.int64], misses: Rates, rates: Rates, allowed: Rates
) -> npt.NDArray[np.int64]:
    """Move individual thresholds to where fewer words are missed and both rates are still kept.

    Args:
        places: index into `OPTIONS` for each keyword.
        misses: float64[keywords, options].
        rates: float64[2, keywords, options].
        allowed: float64[2], of all keywords together.
    """
    places = places.copy()
    every = np.arange(len(misses))
    while True:
        now = rates[:, every, places]
        others = now.sum(axis=1, keepdims=True) - now
        fits = (rates + others[..., None] <= allowed[:, None, None] + 1e-9).all(axis=0)
        cost = np.where(fits, misses, np.inf)
        gains = misses[every, places] - cost.min(axis=1)
        best = int(np.argmax(gains))
        if gains[best] <= 0:
            return places
        places[best] = _middle_of_lowest(cost[best])


def _middle_of_lowest(cost: Rates) -> npt.NDArray[np.int64]:
    """Index of the lowest value on the last axis: the middle of equal neighbours.

    This leaves a margin on both sides if false alarms and misses are the same.
    """
    first = np.argmin(cost, axis=-1)
    last = cost.shape[-1] - 1 - np.argmin(cost[..., ::-1], axis=-1)
    middle = (first + last) // 2
    lowest = np.take_along_axis(cost, first[..., None], -1)
    at_middle = np.take_along_axis(cost, middle[..., None], -1)
    places: npt.NDArray[np.int64] = np.where((at_middle <= lowest)[..., 0], middle, first)
    return places
