# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals, and the curves that a threshold gives; nothing here knows of models."""

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
_RESAMPLES = 2000
_BINS = 10

_TAIL_ALARMS = 30
"""How many of the highest false alarms the tail is fitted to: about ten places of talk, each heard
at three paces."""

_FEWEST_ALARMS = 4
"""No tail is fitted to this many false alarms or fewer."""


def wilson(hits: int, total: int) -> Interval:
    """Wilson's 95 % interval of a share, 0 to 1; (0, 1) if nothing was counted.

    Raises:
        ToolError: SciPy is not installed.
    """
    if total == 0:
        return 0.0, 1.0
    interval = _scipy_stats().binomtest(hits, total).proportion_ci(_CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def wilson_of_share(share: float, size: int) -> Interval:
    """Wilson's 95 % interval of a share that so many independent cases gave, 0 to 1.

    Args:
        share: 0 to 1; not only a multiple of 1 / `size`.
        size: how many cases; with 0 the interval is (0, 1).
    """
    if size == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)
    centre = share + z**2 / (2 * size)
    half = z * math.sqrt(share * (1 - share) / size + (z / (2 * size)) ** 2)
    scale = 1 + z**2 / size
    return max((centre - half) / scale, 0.0), min((centre + half) / scale, 1.0)


def poisson(count: int) -> Interval:
    """The exact 95 % interval of the mean of a count, from the chi-square distribution.

    Source: F. Garwood, Biometrika 28 (1936) 437.

    Raises:
        ToolError: SciPy is not installed.
    """
    chi2, tail = _scipy_stats().chi2, (1 - _CONFIDENCE) / 2
    low = chi2.ppf(tail, 2 * count) / 2 if count else 0.0
    return float(low), float(chi2.isf(tail, 2 * count + 2) / 2)


def expected_alarms(counted: Floats, levels: Floats) -> Floats | None:
    """How many false alarms to expect at each level, in as much talk as was heard.

    Of two hours of talk a single place may score far above all others. A threshold above it misses
    many words, and one below it has had a false alarm in two hours; counting says nothing in
    between. So the highest peaks of many places are used: above a high level they are taken to
    fall off exponentially.

    Source: peaks over threshold with shape 0, as in Coles, An Introduction to Statistical Modeling
    of Extreme Values, chapter 4.

    Args:
        counted: float64[n], false alarms at each level.
        levels: float64[n], rising: thresholds on the scale of log odds (`log_odds`), where scores
            near 255 are not crowded together, or what is added to several such thresholds.

    Returns:
        float64[n]: above the level that only the highest ones exceed, what these say; else
        `counted`. None where there are too few of them.
    """
    falling = np.minimum.accumulate(counted)
    # A false alarm that is gone at a level had its peak between this and the one before.
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
    """Scores of 0 to 255 as log odds; of 255 it is finite."""
    odds: Floats = np.log((scores + 0.5) / (255.5 - scores))
    return odds


def _scipy_stats() -> ModuleType:
    return require("scipy.stats", "evaluate", "a confidence interval")


def bootstrap_recall(
    right: npt.NDArray[np.bool_], truth: Counts, groups: Sequence[Hashable], seed: int = 0
) -> Interval:
    """The bootstrap's 95 % interval of the mean recall of the classes, 0 to 1.

    The clips of one speaker go wrong together, so whole speakers are resampled, not clips. A
    resample is a weight per speaker, so one matrix product counts the clips of all resamples;
    SciPy's bootstrap knows no groups.

    Args:
        right: bool[n], whether a clip was recognized.
        truth: int64[n], its class.
        groups: n names of speakers; clips with the same name stay together.
        seed: of the resampling.
    """
    names = {name: index for index, name in enumerate(dict.fromkeys(groups))}
    classes = int(truth.max()) + 1
    cells = np.array([names[name] for name in groups]) * classes + truth
    size = len(names) * classes
    total = np.bincount(cells, minlength=size).reshape(-1, classes)
    hits = np.bincount(cells, weights=right, minlength=size).reshape(-1, classes)
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(names), [1 / len(names)] * len(names), _RESAMPLES)
    drawn, drawn_hits = weights @ total, weights @ hits
    recall = np.where(drawn > 0, drawn_hits / np.maximum(drawn, 1), np.nan)
    means = np.nanmean(recall[:, total.sum(axis=0) > 0], axis=1)
    low, high = np.quantile(means, ((1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2))
    return float(low), float(high)


@dataclass(frozen=True)
class Roc:
    """The receiver operating characteristic of one score.

    A clip is accepted if its score is at least the threshold.
    """

    thresholds: Floats
    """Falling; the first is above all scores."""

    false_positive: Floats
    """Share of the clips of other classes that are accepted, 0 to 1."""

    true_positive: Floats
    """Share of the class's clips that are accepted, 0 to 1."""

    @property
    def area(self) -> float:
        """Area under the curve: the chance that a clip of the class outscores another clip."""
        return float(np.trapezoid(self.true_positive, self.false_positive))

    @property
    def equal_error(self) -> float:
        """The error rate at which misses and false positives are equally frequent, 0 to 1."""
        miss = 1 - self.true_positive
        above = int(np.argmax(self.false_positive >= miss))
        if above == 0:
            return float(self.false_positive[0])
        # Between two thresholds the curve is a line.
        gap = self.false_positive - miss
        part = gap[above - 1] / (gap[above - 1] - gap[above])
        ends = self.false_positive[above - 1], self.false_positive[above]
        return float(ends[0] + part * (ends[1] - ends[0]))


def roc(scores: npt.NDArray[np.generic], positive: npt.NDArray[np.bool_]) -> Roc:
    """The curve of one score.

    Args:
        scores: shape (n,), of any type.
        positive: bool[n], whether a clip is of the class; some have to be and some not.
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
    """How often a model is right, by its confidence."""

    confidence: Floats
    """Mean score of the answers in each bin, 0 to 1; NaN in empty bins."""

    accuracy: Floats
    """Share of the right answers in each bin, 0 to 1; NaN in empty bins."""

    counts: Counts

    @property
    def error(self) -> float:
        """Expected calibration error: mean difference of confidence and accuracy, 0 to 1."""
        filled = self.counts > 0
        gaps = np.abs(self.confidence - self.accuracy)[filled] * self.counts[filled]
        return float(gaps.sum() / max(int(self.counts.sum()), 1))


def reliability(confidence: Floats, right: npt.NDArray[np.bool_]) -> Reliability:
    """Sort answers into ten bins by confidence.

    Args:
        confidence: float[n], scores of the answers, 0 to 1.
        right: bool[n], whether the answers are right.
    """
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    sizes = np.where(counts > 0, counts, np.nan)
    return Reliability(
        np.bincount(bins, weights=confidence, minlength=_BINS) / sizes,
        np.bincount(bins, weights=right, minlength=_BINS) / sizes,
        counts,
    )
