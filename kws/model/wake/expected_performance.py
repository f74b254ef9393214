# SPDX-License-Identifier: Apache-2.0
"""Expected performance with real speakers, for a bundle trained on synthetic voices.

The best estimate comes from recordings of people who were not used in training. For a new word
there are usually none. The second best are voices of an engine that was not used in training: where
both were measured, people were missed 9 to 28 points more often in a quiet room for two words, and
less often for two others (docs/own_words.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kws.audio.dataset import DataSet, Split
from kws.audio.tts.voices import is_voice, voice_of
from kws.model.evaluate.judge.calibration import Calibration
from kws.model.evaluate.judge.statistics import Interval, poisson, recall_interval
from kws.model.evaluate.judge.stream_metrics import StreamMetrics
from kws.model.evaluate.score.plans import PACES
from kws.model.evaluate.score.streams import TITLES, Kind

_MOST_PEOPLE = 8
"""Maximum number of people that are listed."""

_STEP = 5
"""Estimates are rounded to multiples of this percentage, because they come from few speakers."""

_RECORD = (
    "recordings by people help most: twenty by four people, with kws record and --recordings "
    "(docs/own_words.md)"
)
"""Advice after training with synthetic voices alone."""


@dataclass(frozen=True)
class Miss:
    """A miss rate and its interval."""

    share: float
    """0 to 1."""

    interval: Interval | None
    """95 % interval for other speakers; None with fewer than two."""


@dataclass(frozen=True)
class ExpectedPerformance:
    """An estimate for people and a bound for talk, from data that was not used in training."""

    engine: str
    """The engine of the validation voices, which training did not use; empty for people."""

    speakers: int
    misses: dict[Kind, Miss]
    """Misses of keywords by kind of stream."""

    most_false_alarms: float | None
    """Upper 95 % bound of false alarms per hour of similar talk; None without talk."""

    people: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Keywords missed and said in a quiet room by each person; empty for voices."""

    @property
    def who(self) -> str:
        """The speakers of the estimate, as text."""
        if self.engine:
            return f"{_count(self.speakers, 'voice')} of {self.engine}, an engine"
        return "1 person" if self.speakers == 1 else f"{self.speakers} people"

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "engine": self.engine or None,
            "speakers": self.speakers,
            "most_false_alarms_an_hour": self.most_false_alarms,
            "people": {
                name: {"missed": missed, "said": said}
                for name, (missed, said) in self.people.items()
            },
            **{
                kind.replace(" ", "_"): {"miss_share": miss.share, "miss_share_95": miss.interval}
                for kind, miss in self.misses.items()
            },
        }


def expected_performance(
    calibration: Calibration | None, dataset: DataSet, words: Sequence[str]
) -> ExpectedPerformance | None:
    """Expected performance from the speakers of a calibration.

    Args:
        calibration: calibration on the data set's validation clips.
        dataset: the data set of the bundle's training.
        words: the keywords.

    Returns:
        None without calibration, or if all validation voices are of an engine used in training.
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
        {} if engine else _by_person(calibration.by_kind.get(Kind.QUIET), voices),
    )


def expectations(
    expected: ExpectedPerformance | None, recordings: int, *, by_voices: bool = False
) -> tuple[str, ...]:
    """The expected performance as lines for a terminal and the report.

    Args:
        expected: what people may expect; None if it is not known.
        recordings: number of recordings by people in training.
        by_voices: whether voices spoke the talk.
    """
    advice = () if recordings else (_RECORD,)
    if expected is None:
        line = (
            "expected miss rate for real speakers: not known; the figures are for held-out "
            "synthetic voices of a kind used in training, and people are missed far more often; "
            "see docs/own_words.md"
        )
        return (line, *advice)
    figures = [f"{_about(miss.share)} ({TITLES[kind]})" for kind, miss in expected.misses.items()]
    ranges = [
        f"{100 * miss.interval[0]:.0f} to {100 * miss.interval[1]:.0f} %"
        for miss in expected.misses.values()
        if miss.interval
    ]
    sure = f"95 % bounds: {', '.join(ranges)}" if ranges else "no bounds: only one speaker"
    basis = f"estimated from {expected.who} not used in training; {sure}"
    lines = [f"expected miss rate for real speakers: about {', '.join(figures)}", basis]
    if expected.people:
        each = [f"{name} {missed} of {said}" for name, (missed, said) in expected.people.items()]
        others = f", and {len(each) - _MOST_PEOPLE} others" if len(each) > _MOST_PEOPLE else ""
        lines.append(
            f"missed by person, {TITLES[Kind.QUIET]}: {', '.join(each[:_MOST_PEOPLE])}{others}"
        )
    if expected.engine and not recordings:
        lines.append(
            "people were missed 9 to 28 points more often in a quiet room for four words where "
            "both were measured, and less often for two others"
        )
    if expected.most_false_alarms is not None:
        rate = f"{expected.most_false_alarms:.1f}"
        talk = "random words by voices" if by_voices else "talk like this"
        lines.append(f"false alarms: up to {rate} per hour of {talk} (95 %)")
        lines += ["false alarms in talk by people were not measured"] if by_voices else []
    lines.append(
        "the report uses voices of engines used in training, which are easier to detect than people"
    )
    return (*lines, *advice)


def _about(share: float) -> str:
    """A share in percent, rounded, because it comes from few speakers."""
    return (
        f"{_STEP * round(100 * share / _STEP)} %" if share >= _STEP / 100 else f"{_STEP} % or less"
    )


def most_false_alarms(talk: StreamMetrics) -> float:
    """Upper end of the 95 % interval of false alarms per hour of talk that is played at `PACES`.

    Slower and faster copies add hours, but no other people: false alarms at all paces count, but
    the hours count once.
    """
    return poisson(len(talk.false_alarms))[1] / (talk.hours / len(PACES))


def _miss(metrics: StreamMetrics, voices: set[str]) -> Miss | None:
    """Miss rate for these speakers; None if they have no clips."""
    chosen = [place for place, who in enumerate(metrics.speakers) if who in voices]
    if not chosen:
        return None
    missed = ~np.array([metrics.heard[place] for place in chosen])
    speakers = [metrics.speakers[place] for place in chosen]
    return Miss(float(missed.mean()), recall_interval(missed, speakers))


def _by_person(metrics: StreamMetrics | None, people: set[str]) -> dict[str, tuple[int, int]]:
    """Keywords missed and said by each person, those with the highest miss rates first."""
    said: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for speaker, heard in zip(metrics.speakers, metrics.heard, strict=True) if metrics else ():
        if speaker in people:
            said[speaker] += 1
            missed[speaker] += not heard
    worst = sorted(said, key=lambda name: (-missed[name] / said[name], name))
    return {name: (missed[name], said[name]) for name in worst}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _engine(speaker: str) -> str:
    """The engine of a voice; empty for a person."""
    return speaker.partition("-")[0] if is_voice(speaker) else ""
