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
_Z = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)
_FEWEST_SPEAKERS = 2
_ADDED = 2  # speakers who are always right, and who never are
_BINS = 10

_TAIL_ALARMS = 30
"""How many of the highest false alarms the tail is fitted to: about ten places of talk, each heard
at three paces."""

_FEWEST_ALARMS = 4
"""No tail is fitted to this many false alarms or fewer."""


def wilson(hits: int, total: int) -> Interval:
    """Wilson's 95 % interval of a share of independent cases, 0 to 1; (0, 1) without any.

    Raises:
        ToolError: SciPy is not installed.
    """
    if total == 0:
        return 0.0, 1.0
    interval = _scipy_stats().binomtest(hits, total).proportion_ci(_CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


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


def recall_interval(
    right: npt.NDArray[np.bool_], speakers: Sequence[Hashable], truth: Counts | None = None
) -> Interval | None:
    """The 95 % interval, for other speakers, of a share or of the mean recall of classes, 0 to 1.

    The clips of one speaker go wrong together, so a speaker is a case, not a clip: many clips of
    few voices say little of others. Four speakers are added, each with as many clips as the mean
    speaker: two are always right, two are never. That keeps the interval true with few speakers,
    and where all are right.

    Source: A. Agresti and B. A. Coull, The American Statistician 52 (1998) 119, with speakers as
    cases; the variance is that of a ratio, as in W. G. Cochran, Sampling Techniques, chapter 6.

    Args:
        right: bool[n], whether a clip was recognized.
        speakers: n names; clips with the same name stay together.
        truth: int64[n], the clips' classes; None if all are of one.

    Returns:
        None if a class has fewer than two speakers: nothing is known of others.
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
    # What each speaker moves the mean recall by.
    moved = ((hits - recall * clips) / total).mean(axis=1)
    cases = int(count.min()) + 2 * _ADDED
    half = _Z * math.sqrt(cases / (cases - 1) * float((moved**2).sum()))
    mean = float(recall.mean())
    return max(mean - half, 0.0), min(mean + half, 1.0)


def interval_text(interval: Interval | None) -> str:
    """An interval of shares in percent; says why there is none."""
    return f"{interval[0]:.1%} to {interval[1]:.1%}" if interval else "1 speaker"


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
