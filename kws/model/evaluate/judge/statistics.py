# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals, and curves over thresholds, independent of models."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from types import ModuleType

import numpy as np
import numpy.typing as npt

from kws.extras import require

Interval = tuple[float, float]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)
_FEWEST_SPEAKERS = 2
_ADDED = 2  # speakers that are always recognized, and as many that never are
_BINS = 10

_TAIL_ALARMS = 30
"""Number of the highest false alarms to which the tail is fitted: about ten passages of talk, each
played at three paces."""

_FEWEST_ALARMS = 4
"""At most this number of false alarms is too few to fit a tail."""


def wilson(hits: int, total: int) -> Interval:
    """Wilson's 95 % interval for a share of independent cases, 0 to 1; (0, 1) without cases.

    Raises:
        ToolError: SciPy is not installed.
    """
    if total == 0:
        return 0.0, 1.0
    interval = _scipy_stats().binomtest(hits, total).proportion_ci(_CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def poisson(count: int) -> Interval:
    """The exact 95 % interval for the mean of a count, from the chi-square distribution.

    Source: F. Garwood, Biometrika 28 (1936) 437.

    Raises:
        ToolError: SciPy is not installed.
    """
    chi2, tail = _scipy_stats().chi2, (1 - _CONFIDENCE) / 2
    low = chi2.ppf(tail, 2 * count) / 2 if count else 0.0
    return float(low), float(chi2.isf(tail, 2 * count + 2) / 2)


def expected_alarms(counted: Floats, levels: Floats) -> Floats | None:
    """Expected number of false alarms at each level, in an equal amount of other talk.

    In two hours of talk, one passage may score far above all others. A threshold above its score
    misses many words, a threshold below it means a false alarm in two hours, and counting does not
    help to choose between them. So the highest peaks of many passages are used, assuming that their
    number decreases exponentially above a high level.

    Source: peaks over threshold with shape 0, as in Coles, An Introduction to Statistical Modeling
    of Extreme Values, chapter 4.

    Args:
        counted: float64[n], false alarms at each level.
        levels: float64[n], ascending: thresholds as log odds (`log_odds`), which spread scores near
            255, or a number that is added to several such thresholds.

    Returns:
        float64[n]: the fitted tail above the level that only the highest peaks exceed, and
        `counted` below it. None if there are too few false alarms.
    """
    falling = np.minimum.accumulate(counted)
    # A false alarm that ends at a level had its peak between this level and the one before.
    peaks = np.repeat(levels[:-1], (falling[:-1] - falling[1:]).astype(int))[::-1]
    if len(peaks) <= _FEWEST_ALARMS:
        return None
    number = min(_TAIL_ALARMS, len(peaks) - 1)
    level = peaks[number]
    mean_excess = max(float(np.mean(peaks[:number] - level)), 1e-3)
    tail = number * np.exp(-np.maximum(levels - level, 0) / mean_excess)
    expected: Floats = np.where(levels > level, tail, counted)
    return expected


def log_odds(scores: npt.NDArray[np.int64]) -> Floats:
    """Scores of 0 to 255 as log odds, which are finite even for 255."""
    odds: Floats = np.log((scores + 0.5) / (255.5 - scores))
    return odds


def _scipy_stats() -> ModuleType:
    return require("scipy.stats", "evaluate", "a confidence interval")


def recall_interval(
    right: npt.NDArray[np.bool_], speakers: Sequence[Hashable], truth: Counts | None = None
) -> Interval | None:
    """The 95 % interval, for other speakers, of a share or of the classes' mean recall, 0 to 1.

    The clips of one speaker are not independent, so the cases are speakers, not clips: many clips
    of few voices say little about others. Four speakers are added, each with the mean number of
    clips: two are always right, two never. This keeps the interval valid with few speakers, and if
    all clips are recognized.

    Source: A. Agresti and B. A. Coull, The American Statistician 52 (1998) 119, with speakers as
    cases; with the variance of a ratio, as in W. G. Cochran, Sampling Techniques, chapter 6.

    Args:
        right: bool[n], whether a clip was recognized.
        speakers: n names, one per clip.
        truth: int64[n], the clips' classes; None if all clips have the same class.

    Returns:
        None if a class has fewer than two speakers: one speaker tells nothing about others.
    """
    if not len(right):
        return None
    names = {name: index for index, name in enumerate(dict.fromkeys(speakers))}
    classes = np.zeros(len(right), np.int64) if truth is None else truth
    width = int(classes.max()) + 1
    cells = np.array([names[name] for name in speakers]) * width + classes
    clips = np.bincount(cells, minlength=len(names) * width).reshape(-1, width)
    hits = np.bincount(cells, weights=right, minlength=len(names) * width).reshape(-1, width)
    said = clips.sum(axis=0) > 0
    clips, hits = clips[:, said], hits[:, said]
    count = (clips > 0).sum(axis=0)
    if count.min() < _FEWEST_SPEAKERS:
        return None
    added = clips.sum(axis=0) / count
    clips = np.concatenate([clips, np.tile(added, (2 * _ADDED, 1))])
    hits = np.concatenate([hits, np.tile(added, (_ADDED, 1)), np.zeros((_ADDED, len(added)))])
    total = clips.sum(axis=0)
    recall = hits.sum(axis=0) / total
    # Influence of each speaker on the mean recall.
    moved = ((hits - recall * clips) / total).mean(axis=1)
    cases = int(count.min()) + 2 * _ADDED
    half = _Z * math.sqrt(cases / (cases - 1) * float((moved**2).sum()))
    mean = float(recall.mean())
    return max(mean - half, 0.0), min(mean + half, 1.0)


def interval_text(interval: Interval | None) -> str:
    """An interval of shares in percent; `1 speaker` for None."""
    return f"{interval[0]:.1%} to {interval[1]:.1%}" if interval else "1 speaker"


@dataclass(frozen=True)
class Roc:
    """The receiver operating characteristic of one score.

    A clip is accepted if its score is at least the threshold.
    """

    thresholds: Floats
    """Descending; the first is above all scores."""

    false_positive: Floats
    """Share of the clips of other classes that are accepted, 0 to 1."""

    true_positive: Floats
    """Share of the class's clips that are accepted, 0 to 1."""

    @property
    def area(self) -> float:
        """Area under the curve: probability that a clip of the class scores above another clip."""
        return float(np.trapezoid(self.true_positive, self.false_positive))

    @property
    def equal_error(self) -> float:
        """The error rate at which misses and false positives are equally frequent, 0 to 1."""
        miss = 1 - self.true_positive
        above = int(np.argmax(self.false_positive >= miss))
        if above == 0:
            return float(self.false_positive[0])
        # Between two thresholds the curve is a straight line.
        gap = self.false_positive - miss
        part = gap[above - 1] / (gap[above - 1] - gap[above])
        ends = self.false_positive[above - 1], self.false_positive[above]
        return float(ends[0] + part * (ends[1] - ends[0]))


def roc(scores: npt.NDArray[np.generic], positive: npt.NDArray[np.bool_]) -> Roc:
    """The curve of one score.

    Args:
        scores: shape (n,), of any type.
        positive: bool[n], whether a clip is of the class; both values have to occur.
    """
    order = np.argsort(scores, kind="stable")[::-1]
    ranked, hits = scores[order].astype(np.float64), positive[order]
    last = np.flatnonzero(np.append(np.diff(ranked) != 0, True))  # of each run of equal scores
    true = np.cumsum(hits)[last]
    false = 1 + last - true
    return Roc(
        np.concatenate([[math.inf], ranked[last]]),
        np.concatenate([[0.0], false / max(int(false[-1]), 1)]),
        np.concatenate([[0.0], true / max(int(true[-1]), 1)]),
    )


@dataclass(frozen=True)
class Reliability:
    """Share of correct answers by confidence."""

    confidence: Floats
    """Mean score of the answers in each bin, 0 to 1; NaN in empty bins."""

    accuracy: Floats
    """Share of correct answers in each bin, 0 to 1; NaN in empty bins."""

    counts: Counts

    @property
    def error(self) -> float:
        """Expected calibration error: mean difference between confidence and accuracy, 0 to 1."""
        filled = self.counts > 0
        gaps = np.abs(self.confidence - self.accuracy)[filled] * self.counts[filled]
        return float(gaps.sum() / max(int(self.counts.sum()), 1))


def reliability(confidence: Floats, right: npt.NDArray[np.bool_]) -> Reliability:
    """Group answers into ten bins by confidence.

    Args:
        confidence: float[n], scores of the answers, 0 to 1.
        right: bool[n], whether the answers are correct.
    """
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    sizes = np.where(counts > 0, counts, np.nan)
    return Reliability(
        np.bincount(bins, weights=confidence, minlength=_BINS) / sizes,
        np.bincount(bins, weights=right, minlength=_BINS) / sizes,
        counts,
    )
