# SPDX-License-Identifier: Apache-2.0
"""What people may expect of a bundle that synthetic voices made.

Nobody has recordings of a new word by people. Voices of an engine that training did not hear come
next to them: they were missed about as often (docs/research/wake_words.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kws.audio.dataset import DataSet, Split
from kws.audio.tts.synth import voice_of
from kws.audio.tts.voices import is_voice
from kws.model.evaluate.calibration import Calibration
from kws.model.evaluate.evaluation import PACES
from kws.model.evaluate.kind_metrics import TITLES
from kws.model.evaluate.statistics import Interval, poisson, wilson_of_share
from kws.model.evaluate.stream_metrics import StreamMetrics
from kws.model.evaluate.streams import Kind
from kws.model.evaluate.threshold_costs import speaker_in


@dataclass(frozen=True)
class Promise:
    """Bounds for people and talk that nothing was trained on."""

    engine: str
    """Whose voices validate; training heard none of them."""

    voices: int
    misses: dict[Kind, tuple[float, float, float]]
    """Share of the keywords missed, and its 95 % interval, by what is heard behind them."""

    most_false_alarms: float | None
    """Per hour of talk like the validation talk, 95 %; None without talk."""

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "engine": self.engine,
            "voices": self.voices,
            "most_false_alarms_an_hour": self.most_false_alarms,
            **{
                kind.replace(" ", "_"): {"miss_share": share, "miss_share_95": [low, high]}
                for kind, (share, low, high) in self.misses.items()
            },
        }


def promise(
    calibration: Calibration | None, dataset: DataSet, words: Sequence[str]
) -> Promise | None:
    """What to expect, from the voices that calibrated a bundle.

    Args:
        calibration: on the data set's validation clips.
        dataset: what the bundle was trained on.
        words: the keywords.

    Returns:
        None if there is no calibration, if people validate, or voices of an engine that trained.
    """
    heard = {_engine(clip.speaker) for clip in dataset.of(Split.TRAIN, words)}
    validating = {clip.speaker for clip in dataset.of(Split.VALIDATION, words)}
    engines = {_engine(speaker) for speaker in validating}
    if calibration is None or len(engines) != 1 or "" in engines or engines & heard:
        return None
    spoken = {kind: metrics for kind, metrics in calibration.by_kind.items() if metrics.total_said}
    talk = calibration.by_kind.get(Kind.TALK)
    return Promise(
        engines.pop(),
        len({voice_of(speaker) for speaker in validating}),
        {kind: (m.miss_share, *_bounds(m)) for kind, m in spoken.items()},
        most_false_alarms(talk) if talk else None,
    )


def expectations(promise: Promise | None, held_out: int) -> tuple[str, ...]:
    """What people may expect, as lines for a terminal and the report.

    Args:
        promise: of the bundle; None if there is none.
        held_out: recordings of the keywords by people that training did not hear.

    Returns:
        Nothing if only these recordings say what to expect.
    """
    if promise is None:
        line = (
            "these are figures of held-out synthetic voices, whose kind was trained on; people are "
            "missed far more often, as docs/own_words.md says"
        )
        return () if held_out else (line,)
    misses = ", ".join(
        f"{TITLES[kind]} {100 * low:.0f} to {100 * high:.0f} %"
        for kind, (_, low, high) in promise.misses.items()
    )
    lines = [f"people may be missed so often: {misses}"]
    if promise.most_false_alarms is not None:
        rate = f"{promise.most_false_alarms:.1f}"
        lines.append(f"false alarms: up to {rate} per hour of talk like this")
    lines.append(
        f"these 95 % bounds take {promise.voices} voices of {promise.engine} for people; "
        "training heard nothing of this engine"
    )
    lines.append(
        "the report plays voices of engines that trained; they are heard better than people"
    )
    return tuple(lines)


def most_false_alarms(talk: StreamMetrics) -> float:
    """The upper end of the 95 % interval of false alarms per hour, of talk played at `PACES`.

    Playing the same people slower and faster makes hours, but no other people: each pace's alarms
    count, and the hours count once.
    """
    return poisson(len(talk.false_alarms))[1] / (talk.hours / len(PACES))


def _bounds(metrics: StreamMetrics) -> Interval:
    """The 95 % interval of the share missed, as if each voice had said the word once.

    What a voice says goes wrong together, so many clips of few voices say little of other people.
    """
    voices = {voice_of(speaker_in(word)) for word in metrics.spoken}
    return wilson_of_share(metrics.miss_share, len(voices))


def _engine(speaker: str) -> str:
    """The engine of a voice; empty for a person."""
    return speaker.partition("-")[0] if is_voice(speaker) else ""
