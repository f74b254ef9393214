# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.metrics import det_curve, roc_auc_score, roc_curve

from kws.errors import ToolError
from kws.model.evaluate.judge.statistics import (
    expected_alarms,
    interval_text,
    log_odds,
    poisson,
    recall_interval,
    reliability,
    roc,
    wilson,
)


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(
    hits: int, total: int, low: float, high: float
) -> None:
    # R. G. Newcombe, Statistics in Medicine 17 (1998) 857, table I, method 3.
    assert wilson(hits, total) == pytest.approx((low, high), abs=5e-5)


def test_zero_trials_give_the_whole_range() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [
        (0, 0.0, 3.689),
        (1, 0.025, 5.572),
        (2, 0.242, 7.225),
        (5, 1.623, 11.668),
        (10, 4.795, 18.390),
    ],
)
def test_poisson_gives_the_published_exact_intervals(count: int, low: float, high: float) -> None:
    # F. Garwood, Biometrika 28 (1936) 437; also in tables of exact Poisson limits.
    assert poisson(count) == pytest.approx((low, high), abs=6e-4)


def test_poisson_is_exact_for_large_counts() -> None:
    """Checked by coverage: each tail of the distribution has 2.5 %."""
    from scipy.stats import poisson as distribution

    for count in (501, 3000):
        low, high = poisson(count)
        assert distribution.sf(count - 1, low) == pytest.approx(0.025, rel=1e-6)
        assert distribution.cdf(count, high) == pytest.approx(0.025, rel=1e-6)


def test_missing_scipy_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(ToolError, match=r"kws\[evaluate\]"):
        wilson(1, 2)
    with pytest.raises(ToolError, match=r"kws\[evaluate\]"):
        poisson(1)


@pytest.mark.parametrize("seed", range(5))
def test_curves_equal_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    positive = rng.random(300) < 0.3
    scores = np.clip(rng.normal(40 * positive, 40), -128, 127).astype(np.int8)
    curve = roc(scores, positive)
    false, true, thresholds = roc_curve(positive, scores, drop_intermediate=False)
    np.testing.assert_allclose(curve.false_positive, false)
    np.testing.assert_allclose(curve.true_positive, true)
    np.testing.assert_array_equal(curve.thresholds[1:], thresholds[1:])
    assert curve.area == pytest.approx(roc_auc_score(positive, scores))
    false, miss, _ = det_curve(positive, scores)
    crossing = int(np.argmin(np.abs(false - miss)))
    assert curve.equal_error == pytest.approx((false[crossing] + miss[crossing]) / 2, abs=0.01)


def test_perfect_and_useless_scores() -> None:
    positive = np.array([True, True, False, False])
    perfect = roc(np.array([9, 8, 1, 0]), positive)
    assert (perfect.area, perfect.equal_error) == (1.0, 0.0)
    useless = roc(np.array([5, 5, 5, 5]), positive)
    assert (useless.area, useless.equal_error) == (0.5, 0.5)


def test_expected_calibration_error_by_hand() -> None:
    # Two clips with confidence 0.95, one of them right; one with 0.55, right.
    bins = reliability(np.array([0.95, 0.95, 0.55]), np.array([True, False, True]))
    assert bins.counts.tolist() == [0] * 5 + [1] + [0] * 3 + [2]
    assert bins.error == pytest.approx((2 * 0.45 + 0.45) / 3)
    assert reliability(np.array([1.0]), np.array([True])).error == 0.0


def test_one_speaker_gives_no_interval() -> None:
    assert recall_interval(np.array([True] * 9 + [False] * 3), ["anna"] * 12) is None
    assert recall_interval(np.zeros(0, bool), []) is None
    assert interval_text(None) == "1 speaker"
    # A class with one voice has no interval, even if the other classes have more.
    right, truth = np.ones(6, bool), np.array([0, 0, 0, 2, 2, 2])
    assert recall_interval(right, ["a", "b", "c", "a", "a", "a"], truth) is None
    assert recall_interval(right, ["a", "b", "c", "a", "b", "c"], truth) is not None


@pytest.mark.parametrize("clips", [1, 100])
def test_more_clips_of_the_same_speakers_do_not_narrow_the_interval(clips: int) -> None:
    right = np.repeat([True, True, True, False], clips)
    speakers = np.repeat(["a", "b", "c", "d"], clips).tolist()
    # By hand: (3 + 2) / 8 speakers are always right, with two added right and two added wrong.
    share = 5 / 8
    half = 1.959964 * np.sqrt(8 / 7 * (5 * (1 - share) ** 2 + 3 * share**2) / 64)
    assert recall_interval(right, speakers) == pytest.approx((share - half, share + half))


def test_one_clip_per_speaker_gives_nearly_wilsons_interval() -> None:
    right = np.arange(400) < 300
    assert recall_interval(right, list(range(400))) == pytest.approx(wilson(300, 400), abs=0.003)


def test_interval_is_wider_if_a_speakers_clips_fail_together() -> None:
    rng = np.random.default_rng(0)
    speakers = (np.arange(400) // 8).tolist()  # eight clips each
    together = np.repeat(rng.random(50) < 0.9, 8)
    apart = rng.permutation(together)
    wide, narrow = recall_interval(together, speakers), recall_interval(apart, speakers)
    assert wide
    assert narrow
    assert wide[1] - wide[0] > 1.4 * (narrow[1] - narrow[0])
    assert wide[0] < together.mean() < wide[1]


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 5, 20])
@pytest.mark.parametrize("mean", [0.1, 0.5, 0.98])
def test_interval_covers_other_speakers_in_95_of_100_cases(count: int, mean: float) -> None:
    """For any difference between speakers (0.02: small; 0.8: most have all clips right or all
    wrong)."""
    rng = np.random.default_rng(1)
    speakers = np.repeat(np.arange(count), 12).tolist()
    for alike in (0.02, 0.3, 0.8):
        size = (1 - alike) / alike
        inside = 0
        for _ in range(400):
            each = rng.beta(mean * size, (1 - mean) * size, count)
            interval = recall_interval(rng.random(12 * count) < np.repeat(each, 12), speakers)
            assert interval
            inside += interval[0] <= mean <= interval[1]
        assert inside / 400 >= 0.93


def test_class_without_clips_does_not_count() -> None:
    right, truth = np.array([True, True, True, False]), np.array([0, 0, 2, 2])
    interval = recall_interval(right, [1, 2, 3, 4], truth)
    assert interval
    assert 0 <= interval[0] < 0.75 < interval[1] <= 1


LEVELS = np.arange(-60, 121) / 20


def counted(peaks: np.ndarray) -> np.ndarray:
    """The number of peaks above each of LEVELS."""
    return np.array([float((peaks > level).sum()) for level in LEVELS])


def at(level: float) -> int:
    """The index of a level in LEVELS."""
    return int(np.searchsorted(LEVELS, level))


def expected(peaks: np.ndarray) -> np.ndarray:
    """The estimate from these peaks; there must be enough of them."""
    result = expected_alarms(counted(peaks), LEVELS)
    assert result is not None
    return result


def test_an_extrapolated_tail_is_near_the_true_one() -> None:
    rng = np.random.default_rng(0)
    true = 200 * np.exp(-(3 + 2) / 0.8)
    got = [expected(rng.exponential(0.8, 200) - 2)[at(3)] for _ in range(100)]
    assert true < 1
    assert np.median(got) == pytest.approx(true, rel=0.35)


def test_an_outlier_has_little_influence() -> None:
    peaks = np.random.default_rng(1).exponential(0.5, 60) - 2
    lone = np.append(peaks, [4.2, 4.2, 4.2])
    plain, with_lone = (expected(p)[at(1.8)] for p in (peaks, lone))
    assert plain < with_lone < counted(lone)[at(1.8)] / 2


def test_frequent_levels_are_counted() -> None:
    peaks = np.linspace(-2, 4, 400)
    many = counted(peaks) > 60
    np.testing.assert_array_equal(expected(peaks)[many], counted(peaks)[many])


@pytest.mark.parametrize("peaks", [[], [0.5], [5, 5, 1, -1]])
def test_few_peaks_give_no_estimate(peaks: list[float]) -> None:
    assert expected_alarms(counted(np.array(peaks)), LEVELS) is None


@pytest.mark.parametrize("peak", [1.2, 5.9, -2.9])
def test_equal_peaks_do_not_divide_by_zero(peak: float) -> None:
    result = expected(np.array([peak] * 50))
    assert np.isfinite(result).all()
    assert (result >= 0).all()
    assert result[-1] < 0.5


def test_log_odds_are_finite_and_symmetric() -> None:
    odds = log_odds(np.arange(256))
    assert np.isfinite(odds).all()
    assert (np.diff(odds) > 0).all()
    np.testing.assert_allclose(odds, -odds[::-1], atol=1e-9)
