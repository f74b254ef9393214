# SPDX-License-Identifier: Apache-2.0
"""What each threshold costs each keyword: misses, and false alarms in talk and at words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kws.audio.dataset import speaker_of
from kws.model.evaluate.hits import Word
from kws.model.evaluate.stream_metrics import THRESHOLDS, StreamMetrics
from kws.model.evaluate.streams import Kind

OTHER_WORDS = 180
"""Other words in an hour for which false alarms at words are counted: three per minute."""

_UNSEEN = 0.5
"""False alarms that count although none was counted."""

_TAIL_EVENTS = 10
"""Places in talk, for each keyword, from which the rate at higher thresholds is estimated."""

_SHORTEST_TAIL = 5.0
"""By how much the threshold has to rise, at the least, for a rate to fall to 37 %."""

Rates = npt.NDArray[np.float64]

_COUNTED: tuple[tuple[set[Kind], Callable[[StreamMetrics], float]], ...] = (
    ({Kind.TALK}, lambda m: m.hours),
    (
        {Kind.QUIET, Kind.NOISE, Kind.OTHER_WORDS, Kind.RECORDING},
        # Without other words, hours count.
        lambda m: m.other_words / OTHER_WORDS if m.other_words else m.hours,
    ),
)
"""Kinds of streams whose false alarms make a rate, and the hours of such a stream."""

OPTIONS = (*THRESHOLDS, 255)
"""Thresholds of a keyword; 255 is never exceeded."""


@dataclass(frozen=True)
class ThresholdCosts:
    """What each of `OPTIONS` costs each keyword."""

    misses: Rates
    """float64[keywords, options]."""

    alarms: Rates
    """float64[2, keywords, options]: false alarms in talk, and at words."""

    units: Rates
    """float64[2]: hours of talk, and hours with `OTHER_WORDS` other words."""

    @property
    def rates(self) -> Rates:
        """False alarms per hour to expect, 0 where there are no hours.

        In talk, what comes at high thresholds is estimated from what comes at lower ones. Returns
        float64[2, keywords, options].
        """
        hours = np.where(self.units > 0, self.units, np.inf)
        alarms = np.stack([[tail_of(counts) for counts in self.alarms[0]], self.alarms[1]])
        rates: Rates = alarms / hours[:, None, None]
        return rates

    @property
    def unseen(self) -> Rates:
        """Per hour, what counts although nothing was counted: float64[2]."""
        unseen: Rates = _UNSEEN / np.where(self.units > 0, self.units, np.inf)
        return unseen


def costs_of(
    keywords: Sequence[str],
    by_threshold: Sequence[dict[Kind, StreamMetrics]],
    speakers: set[str] | None = None,
    share: float = 1.0,
) -> ThresholdCosts:
    """What each of `OPTIONS` costs.

    Args:
        keywords: the keywords.
        by_threshold: metrics by kind of stream, with each of `THRESHOLDS`.
        speakers: without these, words of all speakers count; otherwise theirs alone.
        share: theirs of the other words, 0 to 1.
    """

    def counts(word: Word | None) -> bool:
        return speakers is None or (word is not None and speaker_in(word) in speakers)

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
    if speakers is not None:  # of a half, a keyword that nobody hears costs as much in proportion
        misses[:, -1] /= 2
    units = [sum(per(m) for k, m in first.items() if k in kinds) for kinds, per in _COUNTED]
    return ThresholdCosts(misses, alarms, np.array(units) * share)


def speaker_in(word: Word) -> str:
    """Who says a word of a data set; nobody without its clip."""
    return speaker_of(word.file.stem, word.label) if word.file else ""


def tail_of(counts: Rates) -> Rates:
    """Counts in which those of high thresholds are estimates: float64[options].

    The highest places in a little talk are chance, and a threshold just above them lets as many
    through in other talk. So from the highest threshold on that `_TAIL_EVENTS` exceed, the counts
    fall exponentially, by the mean excess of those places (peaks over threshold).

    Args:
        counts: with each of `OPTIONS`.
    """
    thresholds = np.array(OPTIONS, np.float64)
    enough = np.flatnonzero(counts >= min(_TAIL_EVENTS, counts.max()))
    start = int(enough[-1])
    if not counts[start]:
        return counts
    steps = np.diff(thresholds[start:])
    excess = float((counts[start + 1 :] * steps).sum() / counts[start]) + _SHORTEST_TAIL / 2
    beyond = thresholds[start:] - thresholds[start]
    estimated = counts.copy()
    estimated[start:] = counts[start] * np.exp(-beyond / max(excess, _SHORTEST_TAIL))
    estimated[-1] = 0.0
    return estimated
