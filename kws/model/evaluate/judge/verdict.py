# SPDX-License-Identifier: Apache-2.0
"""How well a model hears its keywords (well, some or nothing), why, and what to do next.

A bundle that detects nothing is written like any other, and its command ends with exit code 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kws.bundle.recognizer_settings import NEVER
from kws.model.evaluate.judge.calibration import Calibration
from kws.model.evaluate.judge.confusion import ConfusionMatrix
from kws.model.evaluate.judge.stream_metrics import StreamMetrics
from kws.model.evaluate.score.streams import Kind

WELL_MISSES = 0.25
"""Miss rate in a quiet room above which a keyword is not detected well, 0 to 1."""

DEAF_MISSES = 0.9
"""Miss rate in a quiet room from which a keyword counts as not detected, 0 to 1."""

FEW_SPEAKERS = 10
"""With fewer speakers, a model learns their voices rather than the word."""

_LEARNED = 0.7
"""Training accuracy below which a model has not finished learning, 0 to 1."""


class Hears(StrEnum):
    """How well a model hears, best first."""

    WELL = "well"
    SOME = "some"
    NOTHING = "nothing"


@dataclass(frozen=True)
class MissCounts:
    """Misses per keyword under the easiest condition."""

    misses: Mapping[str, tuple[int, int]]
    """By keyword: number of misses, and number of times it was spoken."""

    where: str
    """Speakers and place, as text after the counts."""

    never: tuple[str, ...] = ()
    """Keywords that are never reported (threshold 255)."""

    @property
    def hears(self) -> Hears:
        """How well the worst keyword is detected."""
        shares = [missed / said for missed, said in self.misses.values() if said]
        worst = max(shares, default=1.0)
        if self.never or worst >= DEAF_MISSES:
            return Hears.NOTHING
        return Hears.WELL if worst <= WELL_MISSES else Hears.SOME

    @property
    def text(self) -> str:
        """The counts of up to three keywords, most missed first."""
        rows = [(word, *counts) for word, counts in self.misses.items() if counts[1]]
        rows.sort(key=lambda row: -row[1] / row[2])
        each = ", ".join(f"{word} {missed} of {said} times" for word, missed, said in rows[:3])
        return f"missed {each}{self.where}" if rows else "no keyword was spoken"


@dataclass(frozen=True)
class Training:
    """Facts about a training run that may explain misses."""

    speakers: int
    """Speakers of the keyword with the fewest."""

    epochs: int
    accuracy: float
    """Accuracy on the training clips in the chosen epoch, 0 to 1."""


@dataclass(frozen=True)
class Verdict:
    """How well a model hears, why, and what to do next."""

    hears: Hears
    evidence: str
    causes: tuple[tuple[str, str], ...]
    """Reasons for misses, each with a remedy; empty if the model detects well."""

    @property
    def deaf(self) -> bool:
        """Whether the model fails to detect one of its keywords."""
        return self.hears is Hears.NOTHING

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines for a terminal and the report."""
        lines = [f"verdict: detects {self.hears}: {self.evidence}"]
        lines += [f"why: {reason}; next: {cure}" for reason, cure in self.causes]
        return tuple(lines)

    def to_json(self) -> dict[str, Any]:
        """The verdict for scripts."""
        causes = [{"why": reason, "next": cure} for reason, cure in self.causes]
        return {"hears": str(self.hears), "evidence": self.evidence, "causes": causes}


def calibrated_misses(calibration: Calibration) -> MissCounts:
    """Misses of the validation clips in a quiet room, at the chosen thresholds."""
    metrics = calibration.by_kind.get(Kind.QUIET, calibration.expected)
    thresholds = calibration.deciding
    never = tuple(word for word in metrics.keywords if thresholds.get(word) == NEVER)
    return stream_misses(metrics, "by validation speakers", never)


def stream_misses(metrics: StreamMetrics, who: str, never: tuple[str, ...] = ()) -> MissCounts:
    """Misses in streams in a quiet room."""
    misses = {word: (metrics.said[word] - metrics.hits[word], metrics.said[word])
              for word in metrics.keywords}  # fmt: skip
    return MissCounts(misses, f", said in a quiet room {who}", never)


def clip_misses(matrix: ConfusionMatrix) -> MissCounts:
    """Misses of single clips, for a bundle without calibration."""
    misses = {
        label: (int(row.sum() - row[index]), int(row.sum()))
        for index, (label, row) in enumerate(zip(matrix.labels, matrix.counts, strict=True))
        if index > 1
    }
    return MissCounts(misses, ", in single clips by speakers not used in training")


def judge(*counts: MissCounts, training: Training | None = None, more: str, again: str) -> Verdict:
    """The verdict on a model; of several counts, the worst decides.

    Args:
        counts: at least one.
        training: the model's training run, if known.
        more: advice for more speakers.
        again: advice if no cause is known.
    """
    order = list(Hears)
    worst = max(counts, key=lambda count: order.index(count.hears))
    hears = worst.hears
    evidence = "; ".join(count.text for count in counts)
    never = [word for count in counts for word in count.never]
    return Verdict(hears, evidence, tuple(_causes(hears, never, training, more, again)))


def judge_training(counts: MissCounts, training: Training) -> Verdict:
    """The verdict on a model of `kws train`."""
    return judge(
        counts,
        training=training,
        more="recordings by more people (kws record), or synthetic voices (kws synth)",
        again="more clips by more people; kws evaluate --out shows which are missed",
    )


def _causes(
    hears: Hears, never: Sequence[str], training: Training | None, more: str, again: str
) -> list[tuple[str, str]]:
    if hears is Hears.WELL:
        return []
    causes = []
    if training and training.speakers < FEW_SPEAKERS:
        said = "1 speaker" if training.speakers == 1 else f"{training.speakers} speakers"
        causes.append((f"only {said} said it in training", more))
    if training and training.accuracy < _LEARNED:
        passes = "1 epoch" if training.epochs == 1 else f"{training.epochs} epochs"
        causes.append(
            (
                f"after {passes} only {training.accuracy:.0%} of its own training clips are right",
                "more epochs (--epochs)",
            )
        )
    if never:
        names = ", ".join(dict.fromkeys(never))
        causes.append(
            (
                f"{names} is never reported: other sounds score as high",
                "train more or better, or allow more false alarms (--false-alarms-per-hour)",
            )
        )
    return causes or [("it does not know such voices well enough", again)]


def few_speakers(count: int) -> list[str]:
    """A warning line if a training run has too few speakers of a keyword; else empty."""
    if count >= FEW_SPEAKERS:
        return []
    said = "1 speaker says" if count == 1 else f"{count} speakers say"
    line = (
        f"too few speakers: {said} a keyword in training; such a model misses most other people; "
        "add recordings by more people (kws record) or synthetic voices (kws synth)"
    )
    return [line]
