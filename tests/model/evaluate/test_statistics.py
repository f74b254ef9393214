from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, chi2
from sklearn.metrics import det_curve, roc_auc_score, roc_curve

from kws.model.evaluate.statistics import bootstrap_recall, poisson, reliability, roc, wilson


@pytest.mark.parametrize(("hits", "total"), [(0, 1), (1, 1), (3, 7), (138, 148), (999, 1000)])
def test_wilson_is_scipys(hits: int, total: int) -> None:
    oracle = binomtest(hits, total).proportion_ci(method="wilson")
    assert wilson(hits, total) == pytest.approx((oracle.low, oracle.high), abs=1e-6)


def test_nothing_counted_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 30, 200, 500, 501, 3000])
def test_poisson_is_the_exact_interval(count: int) -> None:
    low = chi2.ppf(0.025, 2 * count) / 2 if count else 0.0
    high = chi2.ppf(0.975, 2 * count + 2) / 2
    assert poisson(count) == pytest.approx((low, high), rel=1e-4 if count <= 500 else 0.01)


@pytest.mark.parametrize("seed", range(5))
def test_curves_are_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    positive = rng.random(300) < 0.3
    scores = np.clip(rng.normal(40 * positive, 40), -128, 127).astype(np.int8)
    ours = roc(scores, positive)
    false, true, thresholds = roc_curve(positive, scores, drop_intermediate=False)
    np.testing.assert_allclose(ours.false_positive, false)
    np.testing.assert_allclose(ours.true_positive, true)
    np.testing.assert_array_equal(ours.thresholds[1:], thresholds[1:])
    assert ours.area == pytest.approx(roc_auc_score(positive, scores))
    false, miss, _ = det_curve(positive, scores)
    crossing = int(np.argmin(np.abs(false - miss)))
    assert ours.equal_error == pytest.approx((false[crossing] + miss[crossing]) / 2, abs=0.01)


def test_perfect_and_useless_scores() -> None:
    positive = np.array([True, True, False, False])
    perfect = roc(np.array([9, 8, 1, 0]), positive)
    assert (perfect.area, perfect.equal_error) == (1.0, 0.0)
    useless = roc(np.array([5, 5, 5, 5]), positive)
    assert (useless.area, useless.equal_error) == (0.5, 0.5)


def test_expected_calibration_error_by_hand() -> None:
    # Twice sure at 0.95 and right once; once at 0.55 and right.
    found = reliability(np.array([0.95, 0.95, 0.55]), np.array([True, False, True]))
    assert found.counts.tolist() == [0] * 5 + [1] + [0] * 3 + [2]
    assert found.error == pytest.approx((2 * 0.45 + 0.45) / 3)
    assert reliability(np.array([1.0]), np.array([True])).error == 0.0


def test_bootstrap_is_wider_where_a_speakers_clips_go_wrong_together() -> None:
    rng = np.random.default_rng(0)
    truth = np.tile([0, 1], 200)
    speakers = np.arange(400) // 8  # eight clips each
    together = np.repeat(rng.random(50) < 0.9, 8)
    apart = rng.permutation(together)
    wide = bootstrap_recall(together, truth, speakers.tolist())
    narrow = bootstrap_recall(apart, truth, speakers.tolist())
    assert wide[1] - wide[0] > 1.8 * (narrow[1] - narrow[0])
    assert wide[0] < together.mean() < wide[1]


def test_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for trial in range(150):
        right = rng.random(300) < 0.9
        low, high = bootstrap_recall(right, np.arange(300) % 3, list(range(300)), trial)
        inside += low <= 0.9 <= high
    assert 0.88 <= inside / 150 <= 1


def test_class_without_clips_does_not_count() -> None:
    right, truth = np.array([True, True, False]), np.array([0, 2, 2])
    low, high = bootstrap_recall(right, truth, [1, 2, 3])
    assert 0 <= low <= high <= 1
