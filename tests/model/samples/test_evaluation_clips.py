# SPDX-License-Identifier: Apache-2.0
"""Evaluation clips: equal shares, the same for every seed."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kws.audio.dataset import DataSet, Split
from kws.model.samples.evaluation_clips import evaluation_pcm, evaluation_samples

WORDS = ("low", "high")


def test_evaluation_classes_have_equal_shares(tones: DataSet) -> None:
    samples = evaluation_samples(tones, WORDS, Split.TEST, keep_noise=False)
    assert Counter(samples.labels.tolist()) == dict.fromkeys(range(4), 8)


def test_evaluation_clips_are_the_same_each_time(tones: DataSet) -> None:
    first, labels, files = evaluation_pcm(tones, WORDS, Split.TEST)
    again = evaluation_pcm(tones, WORDS, Split.TEST)
    np.testing.assert_array_equal(first, again[0])
    assert files == again[2]
    for label, file in zip(labels.tolist(), files, strict=True):
        word = file.parent.name if file else None
        expected: dict[int, list[str | None]] = {
            0: [None],
            1: ["up", "down"],
            2: ["low"],
            3: ["high"],
        }
        assert word in expected[label]
