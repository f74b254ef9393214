# SPDX-License-Identifier: Apache-2.0
"""Traces with given words and scores."""

from __future__ import annotations

import numpy as np

from kws.bundle.recognizer_settings import RecognizerSettings
from kws.model.evaluate.score.traces import Trace
from kws.model.evaluate.score.words import Word
from tests.small_models import LABELS

SETTINGS = RecognizerSettings(average_window_ms=200, suppression_ms=1000, minimum_count=2)


def scored(words: list[Word], peaks: list[tuple[int, str, int]], seconds: int = 60) -> Trace:
    """Silence, except for 400 ms from the time of each peak: time, label, score."""
    times = np.arange(0, seconds * 1000, 40, dtype=np.int32)
    scores = np.full((len(times), 4), -128, np.int8)
    scores[:, 0] = 127
    for start, label, score in peaks:
        rows = (times >= start) & (times < start + 400)
        scores[rows] = -128
        scores[rows, LABELS.index(label)] = score - 128
    return Trace(tuple(words), seconds / 3600, times, scores)


def said(label: str, start_ms: int) -> Word:
    return Word(label, start_ms, start_ms + 500)
