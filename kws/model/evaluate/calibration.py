"""Chooses the recognizer's settings: fewest misses at no more false alarms an hour than asked for.

Only validation audio is heard. Window and suppression are tried one by one; for each, the core's
recognizer runs over the scores at every threshold. What a keyword's threshold costs hardly depends
on the other keywords', so the best thresholds together follow from the counts of each keyword
(exactly, by dynamic programming over the false alarms), and what was chosen is then run as it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from kws import config
from kws.bundle.bundle import Bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import DataError, KwsError
from kws.features.frontend_settings import HOP_MS
from kws.model.evaluate.stream_metrics import THRESHOLDS, Hearing, Trace, listen, with_threshold

WINDOWS_MS = (200, 300, 400, 500, 600, 800, 1000)
SUPPRESSIONS_MS = (750, 1000, 1500)

MARGIN = 1.5
"""It aims at so many times fewer false alarms than asked for: other speakers than those of the
validation clips, for whom the settings were not chosen, bring more."""

_WINDOW_RESULTS = 2
"""Scores that are averaged at least: a single one may be an accident."""


Progress = Callable[[int], object]


@dataclass(frozen=True)
class Calibration:
    """The settings that were chosen, and what they gave on the validation audio."""

    asked: float
    """False alarms an hour that were asked for."""

    settings: RecognizerSettings
    expected: Hearing

    def metrics(self) -> dict[str, Any]:
        """For the bundle."""
        found = self.expected
        return {
            "asked_false_alarms_an_hour": self.asked,
            "hours": found.hours,
            "keywords_said": found.total_said,
            "other_words_said": found.others,
            "miss_share": found.miss_share,
            "false_alarms": len(found.alarms),
        }

    def to_json(self) -> dict[str, Any]:
        """What a script wants to know."""
        return {
            "asked_false_alarms_an_hour": self.asked,
            "recognizer": config.to_dict(self.settings),
            "expected": self.expected.to_json(),
        }


def runs(bundle: Bundle) -> int:
    """How often `calibrate` calls its progress."""
    windows = len(_windows(bundle))
    return (windows + len(SUPPRESSIONS_MS) - 1) * len(THRESHOLDS)


def calibrate(
    bundle: Bundle,
    traces: Sequence[Trace],
    rate: float,
    words: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> Calibration:
    """The best settings for a bundle's model.

    Args:
        bundle: the model; its own recognizer settings do not matter.
        traces: what it made of streams of the validation clips, with keywords and without.
        rate: false alarms an hour that are allowed, all keywords together.
        words: the keywords to be heard; without any, all. The others are never reported.
        progress: called with 1 after each run of the recognizer.

    Raises:
        DataError: the streams hold no keyword.
    """
    words = words or bundle.keywords
    if not any(word.label in words for found in traces for word in found.words):
        raise DataError("nobody says a keyword in the streams; calibration needs some")
    hours = sum(found.hours for found in traces)
    budget = round(rate * hours / MARGIN)
    longest = SUPPRESSIONS_MS[-1]
    found = [
        _best(bundle, _settings(bundle, words, window, longest), traces, budget, progress)
        for window in _windows(bundle)
    ]
    best = min(found, key=_cost)
    # Not longer than it helps: while it lasts, a user cannot repeat the word.
    for suppression in SUPPRESSIONS_MS[:-1]:
        shorter = _settings(bundle, words, best.settings.average_window_ms, suppression)
        other = _best(bundle, shorter, traces, budget, progress)
        if _cost(other) <= _cost(best):
            best = other
            break
    return replace(best, asked=rate)


def _cost(found: Calibration) -> tuple[int, int, int]:
    heard = found.expected
    return heard.total_said - heard.total_hits, len(heard.alarms), found.settings.average_window_ms


def _windows(bundle: Bundle) -> list[int]:
    """Those that hold enough results, and not more than the core can."""
    least = (_WINDOW_RESULTS - 1) * HOP_MS * bundle.inference_stride
    fits = []
    for window in WINDOWS_MS:
        try:
            replace(bundle, recognizer=_settings(bundle, bundle.keywords, window, 0)).pipeline()
        except KwsError:
            continue
        if window >= least:
            fits.append(window)
    return fits or [bundle.recognizer.average_window_ms]


def _settings(
    bundle: Bundle, words: Sequence[str], window: int, suppression: int
) -> RecognizerSettings:
    count = min(_WINDOW_RESULTS, 1 + window // (HOP_MS * bundle.inference_stride))
    never = {word: 255 for word in bundle.keywords if word not in words}
    return RecognizerSettings(
        window, suppression_ms=suppression, minimum_count=count, thresholds=never
    )


def _best(
    bundle: Bundle,
    settings: RecognizerSettings,
    traces: Sequence[Trace],
    budget: int,
    progress: Progress,
) -> Calibration:
    """The best thresholds for one window and suppression, but for keywords that have one."""
    labels = bundle.labels
    words = [word for word in bundle.keywords if word not in settings.thresholds]

    def at(threshold: int) -> Hearing:
        tried = with_threshold(settings, labels, threshold, words)
        heard = listen(tried, labels, traces, words)
        progress(1)
        return heard

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        heard = list(pool.map(at, THRESHOLDS))
    # The keywords are not quite independent: where together they give too many, allow fewer.
    for allowed in range(budget, -1, -1):
        chosen = dict(zip(words, _share_out(words, heard, allowed), strict=True))
        tried = replace(settings, thresholds={**settings.thresholds, **chosen})
        expected = listen(tried, labels, traces, words)
        if len(expected.alarms) <= budget:
            break
    return Calibration(0.0, tried, expected)


def _share_out(keywords: Sequence[str], heard: Sequence[Hearing], budget: int) -> list[int]:
    """A threshold a keyword: fewest misses together with at most `budget` false alarms.

    A keyword of which no threshold is quiet enough gets 255: it is never reported.
    """
    # best[alarms]: (misses, thresholds) of the keywords so far with so many false alarms.
    best: dict[int, tuple[int, list[int]]] = {0: (0, [])}
    for word in keywords:
        options = [(h.alarms_of(word), h.said[word] - h.hits[word]) for h in heard]
        choices = [*zip(THRESHOLDS, options, strict=True), (255, (0, heard[0].said[word]))]
        grown: dict[int, tuple[int, list[int]]] = {}
        for before, (misses, thresholds) in best.items():
            for threshold, (alarms, more) in choices:
                total = before + alarms
                if total > budget:
                    continue
                candidate = (misses + more, [*thresholds, threshold])
                # Of equals the later, which is the higher threshold.
                if total not in grown or candidate[0] <= grown[total][0]:
                    grown[total] = candidate
        best = grown
    return min((misses, alarms, found) for alarms, (misses, found) in best.items())[2]
