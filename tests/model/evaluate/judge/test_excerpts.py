# SPDX-License-Identifier: Apache-2.0
"""Only a few sounds of false alarms and missed words are kept."""

from __future__ import annotations

import numpy as np

from kws.model.evaluate.judge.excerpts import Excerpt, worst_excerpts
from kws.model.evaluate.judge.hits import Report
from kws.model.evaluate.judge.stream_metrics import FalseAlarm
from kws.model.evaluate.score.streams import Kind
from kws.model.evaluate.score.words import Word


def test_the_number_of_kept_sounds_is_limited() -> None:
    excerpts: tuple[Excerpt, ...] = ()
    pcm = np.zeros(40000, np.int16)
    for number in range(200):
        for kind in (Kind.TALK, Kind.NOISE):
            alarm = FalseAlarm(0, Report("yes", 170, 1000), None)
            peak = Excerpt(alarm, pcm, kind, "", None, peak=number % 100)
            word = Excerpt(Word("yes", number, number + 1), pcm, kind, "", None)
            excerpts = worst_excerpts([*excerpts, peak, word])
    alarms = [excerpt for excerpt in excerpts if isinstance(excerpt.event, FalseAlarm)]
    for kind in (Kind.TALK, Kind.NOISE):
        peaks = [alarm.peak for alarm in alarms if alarm.kind == kind]
        assert peaks == sorted([n % 100 for n in range(200)], reverse=True)[:16]
    assert [alarm.peak for alarm in alarms] == sorted((a.peak for a in alarms), reverse=True)
    missed = [x.event for x in excerpts if isinstance(x.event, Word) and x.kind == Kind.NOISE]
    assert [word.start_ms for word in missed] == [0, 1, 2, 3, 4, 5]
