# SPDX-License-Identifier: Apache-2.0
"""Which words count as nearly heard."""

from __future__ import annotations

import numpy as np
import pytest

from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.live.listener import Hop
from kws.host.live.near_misses import NearMiss, NearMisses

THRESHOLDS = (200, 200, 180, 200)


def hop(time_ms: int, mean: int, looked: tuple[int, ...] = ()) -> Hop:
    return Hop(time_ms, np.zeros(40, np.int8), (0, 0, mean, 0), looked, 0.0, clipped=False)


def play(near: NearMisses, means: dict[int, int], *, until: int = 5000) -> list[NearMiss]:
    """Near misses of *yes*; `means`: the mean score from a time on."""
    found, mean = [], 0
    for time_ms in range(20, until, 20):
        mean = means.get(time_ms, mean)
        found += near.add(hop(time_ms, mean), THRESHOLDS)
    return found


@pytest.fixture
def near(bundle: Bundle) -> NearMisses:
    return NearMisses(Device(bundle).without_second_looks())


@pytest.fixture
def checked(bundle: Bundle) -> NearMisses:
    """With a second look at proposals above 185."""
    return NearMisses(Device(bundle))


def test_the_highest_score_from_half_of_the_threshold_on_counts(near: NearMisses) -> None:
    assert play(near, {1000: 90, 1200: 143, 1400: 120, 1500: 0}) == [
        NearMiss("yes", 143, 180, 1200)
    ]
    assert near.end() == []


def test_silence_and_low_scores_do_not_count(near: NearMisses) -> None:
    assert play(near, {1000: 89, 1200: 0}) == []


def test_a_word_that_is_heard_within_one_and_a_half_seconds_is_no_near_miss(
    near: NearMisses,
) -> None:
    assert play(near, {1000: 143}, until=2000) == []
    near.heard("yes", 2000)
    assert play(near, {2020: 143, 2500: 0, 3000: 143}, until=3400) == [], "just after it, too"
    near.heard("no", 3400)
    assert [miss.label for miss in play(near, {20: 0, 3600: 143}, until=5200)] == ["yes"]


def test_a_score_that_stays_counts_once(near: NearMisses) -> None:
    assert len(play(near, {1000: 143}, until=20_000)) == 1


def test_a_score_above_the_threshold_is_not_nearly(near: NearMisses) -> None:
    """Another word was reported instead."""
    assert play(near, {1000: 143, 1100: 181, 1200: 143, 1300: 0}) == []


def test_a_refused_proposal_counts_with_the_second_models_score(checked: NearMisses) -> None:
    assert play(checked, {1000: 150, 1200: 0}) == [], "no proposal"
    scores = {5000: 89, 5360: 120, 5720: 100, 9000: 89}
    found = []
    for time_ms in range(4000, 12000, 20):
        looked = (0, 0, scores[time_ms], 0) if time_ms in scores else ()
        mean = 200 if 5000 <= time_ms < 6000 or time_ms == 9000 else 0
        found += checked.add(hop(time_ms, mean, looked), THRESHOLDS)
    assert found == [NearMiss("yes", 120, 180, 5360)], "89 is less than half of the threshold"


def test_a_near_miss_at_the_end_of_the_sound_counts(near: NearMisses) -> None:
    assert play(near, {1000: 143}, until=1100) == []
    assert near.end() == [NearMiss("yes", 143, 180, 1000)]
    assert near.end() == []


def test_a_word_that_is_off_does_not_count(near: NearMisses) -> None:
    off = (255, 255, 255, 255)
    assert [near.add(hop(time_ms, 254), off) for time_ms in range(20, 4000, 20)] == [[]] * 199
