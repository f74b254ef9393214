# SPDX-License-Identifier: Apache-2.0
"""Misses and false alarms of each keyword at each threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kws.model.evaluate.judge.statistics import expected_alarms, log_odds
from kws.model.evaluate.judge.stream_metrics import THRESHOLDS, StreamMetrics
from kws.model.evaluate.score.streams import Kind
from kws.model.evaluate.score.words import Word

OTHER_WORDS = 180
"""Other words that count as an hour for false alarms at words: three per minute."""

_UNSEEN = 0.5
"""False alarms that are added to a count, because a count of 0 may be chance."""

Rates = npt.NDArray[np.float64]

_COUNTED: tuple[tuple[set[Kind], Callable[[StreamMetrics], float]], ...] = (
    ({Kind.TALK}, lambda m: m.hours),
    (
        {Kind.QUIET, Kind.NOISE, Kind.OTHER_WORDS, Kind.RECORDING},
        # Without other words, use the hours.
        lambda m: m.other_words / OTHER_WORDS if m.other_words else m.hours,
    ),
)
"""The kinds of streams that count for each rate, and a function for the hours of a stream."""

OPTIONS = (*THRESHOLDS, 255)
"""Thresholds of a keyword; 255 is never exceeded."""

_RAISES = np.arange(-120, 121) / 20
"""Steps to add to the log odds of all thresholds: from many false alarms in talk to none."""

_FIRST_RAISE = -0.5
"""The smallest of `_RAISES` that may be chosen."""

_OWN_SHARE = 0.5
"""Share of the distance between a keyword's threshold and the mean that is kept."""


@dataclass(frozen=True)
class ThresholdCosts:
    """Misses and false alarms of each keyword at each of `OPTIONS`."""

    misses: Rates
    """float64[keywords, options]: misses."""

    alarms: Rates
    """float64[2, keywords, options]: false alarms in talk, and at words."""

    units: Rates
    """float64[2]: hours of talk, and hours with `OTHER_WORDS` other words."""

    @property
    def rates(self) -> Rates:
        """False alarms per hour, 0 if there are no hours: float64[2, keywords, options]."""
        hours = np.where(self.units > 0, self.units, np.inf)
        rates: Rates = self.alarms / hours[:, None, None]
        return rates

    @property
    def unseen(self) -> Rates:
        """The added false alarms (`_UNSEEN`) per hour: float64[2]."""
        unseen: Rates = _UNSEEN / np.where(self.units > 0, self.units, np.inf)
        return unseen

    def raised(self, places: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Rates] | None:
        """Raise all thresholds together in steps; returns the expected false alarms of each step.

        Steps are on the scale of log odds. First each threshold is moved halfway to their mean,
        because half of its difference is due to the few hours of sound, not to the keyword. In
        talk, the rate of rare false alarms is extrapolated from the highest ones; at words, half a
        false alarm is added to the count.

        Args:
            places: index into `OPTIONS` for each keyword; 255 stays.

        Returns:
            Indices int64[steps, keywords], and false alarms per hour float64[2, steps]; None if
            talk has too few false alarms for the extrapolation.
        """
        odds = log_odds(np.array(OPTIONS))
        reported = places < len(OPTIONS) - 1
        mean = odds[places[reported]].mean() if reported.any() else 0.0
        drawn = mean + _OWN_SHARE * (odds[places] - mean)
        raised = np.searchsorted(odds[:-1], drawn + _RAISES[:, None] - 1e-9)
        raised[:, ~reported] = len(OPTIONS) - 1
        in_talk, at_words = self.alarms[:, np.arange(len(places)), raised].sum(axis=-1)
        expected = expected_alarms(in_talk, _RAISES)
        if expected is None:
            return None
        hours = np.where(self.units > 0, self.units, np.inf)
        rates = np.stack([expected, at_words + _UNSEEN]) / hours[:, None]
        up = _RAISES >= _FIRST_RAISE
        return raised[up], rates[:, up]


def costs_of(
    keywords: Sequence[str],
    by_threshold: Sequence[dict[Kind, StreamMetrics]],
    speakers: set[str] | None = None,
    share: float = 1.0,
) -> ThresholdCosts:
    """Count misses and false alarms at each of `OPTIONS`.

    Args:
        keywords: the keywords.
        by_threshold: metrics by kind of stream, for each of `THRESHOLDS`.
        speakers: only words of these speakers count; None for all.
        share: share of the other words by these speakers, 0 to 1.
    """

    def counts(word: Word | None) -> bool:
        return speakers is None or (word is not None and word.speaker in speakers)

    misses = np.zeros((len(keywords), len(OPTIONS)))
    alarms = np.zeros((2, len(keywords), len(OPTIONS)))
    rows = {word: row for row, word in enumerate(keywords)}
    for option, metrics in enumerate(by_threshold):
        for kind, of_kind in metrics.items():
            for word in of_kind.missed:
                misses[rows[word.label], option] += counts(word)
            for place, (kinds, _) in enumerate(_COUNTED):
                for alarm in of_kind.false_alarms if kind in kinds else ():
                    alarms[place, rows[alarm.report.label], option] += counts(alarm.near)
    first = by_threshold[0]
    misses[:, -1] = [sum(m.said[word] for m in first.values()) for word in keywords]
    if speakers is not None:  # the other options count only half of the speakers
        misses[:, -1] /= 2
    units = [sum(per(m) for k, m in first.items() if k in kinds) for kinds, per in _COUNTED]
    return ThresholdCosts(misses, alarms, np.array(units) * share)
