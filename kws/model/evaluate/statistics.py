"""How sure a figure is, and the curves that a threshold gives: nothing here knows of models."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Interval = tuple[float, float]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_Z = 1.959964  # the normal distribution's 97.5 % point
_RESAMPLES = 2000
_BINS = 10


def wilson(hits: int, total: int) -> Interval:
    """The 95 % interval of a share by Wilson's score, 0 to 1; (0, 1) where nothing was counted.

    Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209.
    """
    if total == 0:
        return 0.0, 1.0
    share, z2 = hits / total, _Z**2
    middle = share + z2 / (2 * total)
    half = _Z * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    scale = 1 + z2 / total
    return max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)


def poisson(count: int) -> Interval:
    """The exact 95 % interval of the mean of a count (Garwood 1936)."""

    def at_most(seen: int, mean: float) -> float:
        """Chance to see no more than so many."""
        term = total = math.exp(-mean)
        for k in range(1, seen + 1):
            term *= mean / k
            total += term
        return total

    def solve(chance: Callable[[float], float]) -> float:
        """Where a chance that falls with the mean is 2.5 %."""
        low, high = 0.0, 2 * count + 20.0
        for _ in range(80):
            mean = (low + high) / 2
            low, high = (mean, high) if chance(mean) > 0.025 else (low, mean)
        return low

    if count > 500:  # the sums would run out of digits; the normal approximation is close
        half = _Z * math.sqrt(count)
        return count - half, count + half
    upper = solve(lambda mean: at_most(count, mean))
    if count == 0:
        return 0.0, upper
    low, high = 0.0, float(count)
    for _ in range(80):
        mean = (low + high) / 2
        low, high = (mean, high) if 1 - at_most(count - 1, mean) < 0.025 else (low, mean)
    return low, upper


def bootstrap_recall(
    right: npt.NDArray[np.bool_], truth: Counts, groups: Sequence[Hashable], seed: int = 0
) -> Interval:
    """The 95 % interval of the mean recall of the classes, 0 to 1, over other speakers.

    Clips of one speaker are alike, so whole speakers are drawn again, not clips.

    Args:
        right: bool[n], whether a clip was recognized.
        truth: int64[n], its class.
        groups: n names; clips of the same name stay together.
        seed: where chance comes from.
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
    low, high = np.quantile(np.nanmean(recall[:, total.sum(axis=0) > 0], axis=1), (0.025, 0.975))
    return float(low), float(high)


@dataclass(frozen=True)
class Roc:
    """What each threshold on one score would give; a score has to reach it."""

    thresholds: Floats
    """Falling; the first is above all scores."""

    false_positive: Floats
    """Share of the clips of other classes that reach it, 0 to 1."""

    true_positive: Floats
    """Share of the class's clips that reach it, 0 to 1."""

    @property
    def area(self) -> float:
        """Area under the curve: the chance that a clip of the class scores above another."""
        return float(np.trapezoid(self.true_positive, self.false_positive))

    @property
    def equal_error(self) -> float:
        """The share of errors where both kinds are as frequent, 0 to 1."""
        miss = 1 - self.true_positive
        above = int(np.argmax(self.false_positive >= miss))
        if above == 0:
            return float(self.false_positive[0])
        # The curve between two thresholds is a line.
        gap = self.false_positive - miss
        part = gap[above - 1] / (gap[above - 1] - gap[above])
        ends = self.false_positive[above - 1], self.false_positive[above]
        return float(ends[0] + part * (ends[1] - ends[0]))


def roc(scores: npt.NDArray[np.generic], positive: npt.NDArray[np.bool_]) -> Roc:
    """The curve of one score; both kinds of clips have to be there."""
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
    """How often a model is right when it is so sure, bin by bin."""

    confidence: Floats
    """Mean score of what it said in each bin, 0 to 1; NaN in empty bins."""

    accuracy: Floats
    """Share of these clips in which it was right; NaN in empty bins."""

    counts: Counts

    @property
    def error(self) -> float:
        """Expected calibration error: mean difference of the two, 0 to 1."""
        filled = self.counts > 0
        gaps = np.abs(self.confidence - self.accuracy)[filled] * self.counts[filled]
        return float(gaps.sum() / max(int(self.counts.sum()), 1))


def reliability(confidence: Floats, right: npt.NDArray[np.bool_]) -> Reliability:
    """Clips in ten bins by the score of what the model said.

    Args:
        confidence: float[n], 0 to 1.
        right: bool[n].
    """
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    some = np.where(counts > 0, counts, np.nan)
    return Reliability(
        np.bincount(bins, weights=confidence, minlength=_BINS) / some,
        np.bincount(bins, weights=right, minlength=_BINS) / some,
        counts,
    )
