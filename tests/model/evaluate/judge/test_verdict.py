# SPDX-License-Identifier: Apache-2.0
"""The verdicts well, some and nothing, and their advice."""

from __future__ import annotations

import numpy as np
import pytest

from kws.model.evaluate.judge.confusion import ConfusionMatrix
from kws.model.evaluate.judge.verdict import Hears, MissCounts, Training, clip_misses, judge

WELL_TRAINED = Training(speakers=100, epochs=20, accuracy=0.95)


def count(*counts: tuple[int, int], never: tuple[str, ...] = ()) -> MissCounts:
    return MissCounts(dict(zip(("up", "down"), counts, strict=False)), " here", never)


@pytest.mark.parametrize(
    ("counts", "hears"),
    [
        ([(0, 12)], Hears.WELL),
        ([(3, 12)], Hears.WELL),
        ([(4, 12)], Hears.SOME),
        ([(12, 12)], Hears.NOTHING),
        # One keyword that is never detected is enough.
        ([(0, 40), (11, 12)], Hears.NOTHING),
        ([(0, 0)], Hears.NOTHING),
    ],
)
def test_the_worst_keyword_decides(counts: list[tuple[int, int]], hears: Hears) -> None:
    verdict = judge(count(*counts), more="more", again="again")
    assert verdict.hears is hears
    assert verdict.deaf == (hears is Hears.NOTHING)
    assert verdict.lines[0].startswith(f"verdict: detects {hears}: ")


def test_the_worst_measurement_decides_and_all_are_shown() -> None:
    verdict = judge(count((0, 10)), count((9, 10)), more="more", again="again")
    assert verdict.deaf
    assert "up 0 of 10 times here; missed up 9 of 10 times here" in verdict.lines[0]


def test_a_keyword_that_is_never_reported_is_named() -> None:
    verdict = judge(count((0, 10), never=("up",)), more="more", again="again")
    assert verdict.deaf
    assert "up is never reported" in verdict.lines[1]


def test_causes_come_with_remedies() -> None:
    training = Training(speakers=1, epochs=1, accuracy=0.4)
    verdict = judge(count((12, 12)), training=training, more="kws record", again="again")
    speakers, epochs = verdict.lines[1:]
    assert speakers == "why: only 1 speaker said it in training; next: kws record"
    assert "after 1 epoch only 40%" in epochs
    assert "--epochs" in epochs
    facts = verdict.to_json()
    assert facts["hears"] == "nothing"
    assert facts["causes"][0]["next"] == "kws record"
    (unknown,) = judge(
        count((6, 12)), training=WELL_TRAINED, more="more", again="another seed"
    ).causes
    assert unknown[1] == "another seed"
    assert not judge(count((0, 12)), training=training, more="more", again="again").causes


def test_clips_are_used_if_no_thresholds_were_chosen() -> None:
    counts = np.array([[5, 0, 0, 0], [0, 5, 0, 0], [0, 4, 1, 0], [0, 0, 0, 0]])
    result = clip_misses(ConfusionMatrix(("silence", "unknown", "up", "down"), counts))
    assert result.misses == {"up": (4, 5), "down": (0, 0)}
    assert result.hears is Hears.SOME
