# SPDX-License-Identifier: Apache-2.0
"""What people may expect of a bundle that synthetic voices made.

People whom training did not hear say it best, if there are recordings of some. Nobody has
recordings of a new word by people. Voices of an engine that training did not hear come next to
them: where both were measured, people were missed 9 to 28 points more often in a quiet room, and
from 3 points less to 15 more in noise and over talk (docs/research.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kws.audio.dataset import DataSet, Split
from kws.audio.tts.voices import is_voice, voice_of
from kws.model.evaluate.judge.calibration import Calibration
from kws.model.evaluate.judge.statistics import Interval, poisson, recall_interval
from kws.model.evaluate.judge.stream_metrics import StreamMetrics
from kws.model.evaluate.score.plans import PACES
from kws.model.evaluate.score.streams import TITLES, Kind

_STEP = 5
"""Estimates are rounded to this many percent, since they come from few speakers."""


@dataclass(frozen=True)
class Miss:
    """How often somebody is missed."""

    share: float
    """0 to 1."""

    interval: Interval | None
    """Its 95 % interval for other speakers; None with fewer than two."""


@dataclass(frozen=True)
class ExpectedPerformance:
    """An estimate for people, and a bound for talk, that nothing was trained on."""

    engine: str
    """Whose voices validate, with training having heard none of them; empty if people do."""

    speakers: int
    misses: dict[Kind, Miss]
    """Of the keywords, by the background they are heard over."""

    most_false_alarms: float | None
    """Per hour of talk like the validation talk, 95 %; None without talk."""

    @property
    def who(self) -> str:
        """The speakers that the estimate comes from."""
        if self.engine:
            return f"{_count(self.speakers, 'voice')} of {self.engine}, an engine"
        return "1 person" if self.speakers == 1 else f"{self.speakers} people"

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "engine": self.engine or None,
            "speakers": self.speakers,
            "most_false_alarms_an_hour": self.most_false_alarms,
            **{
                kind.replace(" ", "_"): {"miss_share": miss.share, "miss_share_95": miss.interval}
                for kind, miss in self.misses.items()
            },
        }


def expected_performance(
    calibration: Calibration | None, dataset: DataSet, words: Sequence[str]
) -> ExpectedPerformance | None:
    """What to expect, from the speakers that calibrated a bundle.

    Args:
        calibration: on the data set's validation clips.
        dataset: what the bundle was trained on.
        words: the keywords.

    Returns:
        None if there is no calibration, or only voices of an engine that trained validate.
    """
    if calibration is None:
        return None
    validating = {clip.speaker for clip in dataset.of(Split.VALIDATION, words)}
    speakers, engine = {speaker for speaker in validating if not is_voice(speaker)}, ""
    if not speakers:
        heard = {_engine(clip.speaker) for clip in dataset.of(Split.TRAIN, words)}
        engines = {_engine(speaker) for speaker in validating}
        if len(engines) != 1 or engines & heard:
            return None
        speakers, engine = validating, engines.pop()
    voices = {voice_of(speaker) for speaker in speakers}
    misses = {k: _miss(metrics, voices) for k, metrics in calibration.by_kind.items()}
    talk = calibration.by_kind.get(Kind.TALK)
    return ExpectedPerformance(
        engine,
        len(voices),
        {kind: miss for kind, miss in misses.items() if miss},
        most_false_alarms(talk) if talk else None,
    )


def expectations(expected: ExpectedPerformance | None) -> tuple[str, ...]:
    """What people may expect, as lines for a terminal and the report."""
    if expected is None:
        line = (
            "expected miss rate for real speakers: not known; the figures are of held-out "
            "synthetic voices whose kind was trained on, and people are missed far more often, as "
            "docs/own_words.md says"
        )
        return (line,)
    figures = [f"{_about(miss.share)} ({TITLES[kind]})" for kind, miss in expected.misses.items()]
    ranges = [
        f"{100 * miss.interval[0]:.0f} to {100 * miss.interval[1]:.0f} %"
        for miss in expected.misses.values()
        if miss.interval
    ]
    sure = f"95 % bounds: {', '.join(ranges)}" if ranges else "no bounds, since it is one speaker"
    basis = f"estimated from {expected.who} not used in training; {sure}"
    lines = [f"expected miss rate for real speakers: about {', '.join(figures)}", basis]
    if expected.engine:
        lines.append(
            "people were missed 9 to 28 points more often in a quiet room where both were measured"
        )
    if expected.most_false_alarms is not None:
        rate = f"{expected.most_false_alarms:.1f}"
        lines.append(f"false alarms: up to {rate} per hour of talk like this (95 %)")
    lines.append(
        "the report plays voices of the training's engines; the model hears them better than people"
    )
    return tuple(lines)


def _about(share: float) -> str:
    """A share in percent, no finer than few speakers can say."""
    return (
        f"{_STEP * round(100 * share / _STEP)} %" if share >= _STEP / 100 else f"{_STEP} % or less"
    )


def most_false_alarms(talk: StreamMetrics) -> float:
    """The upper end of the 95 % interval of false alarms per hour, of talk played at `PACES`.

    Playing the same people slower and faster makes hours, but no other people: each pace's alarms
    count, and the hours count once.
    """
    return poisson(len(talk.false_alarms))[1] / (talk.hours / len(PACES))


def _miss(metrics: StreamMetrics, voices: set[str]) -> Miss | None:
    """How often these speakers are missed; None if they say nothing."""
    chosen = [place for place, who in enumerate(metrics.speakers) if who in voices]
    if not chosen:
        return None
    missed = ~np.array([metrics.heard[place] for place in chosen])
    speakers = [metrics.speakers[place] for place in chosen]
    return Miss(float(missed.mean()), recall_interval(missed, speakers))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _engine(speaker: str) -> str:
    """The engine of a voice; empty for a person."""
    return speaker.partition("-")[0] if is_voice(speaker) else ""
