# SPDX-License-Identifier: Apache-2.0
"""Metrics of clips: recall by class, speaker, collection, noise and level; worst clips."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.audio.pcm import Pcm
from kws.audio.tts.voices import voice_of
from kws.bundle.bundle import Bundle
from kws.bundle.checks import SCORE_SCALE, SCORE_ZERO_POINT
from kws.features.spectrogram import Spectrograms, batch_spectrograms
from kws.model.evaluate.judge.confusion import ConfusionMatrix, confusion_matrix
from kws.model.evaluate.judge.statistics import (
    Interval,
    Reliability,
    Roc,
    recall_interval,
    reliability,
    roc,
)
from kws.model.evaluate.score.altered_clips import (
    LEVELS_DB,
    SNRS_DB,
    USUAL_LEVELS_DB,
    at_level,
    in_noise,
)
from kws.model.evaluate.score.clip_scores import bundle_scores
from kws.model.evaluate.score.labelled_clips import LabelledClips
from kws.model.evaluate.score.streams import noises
from kws.model.samples.samples import Labels

SPEAKER_CLIPS = 3
"""Speakers with fewer word clips are excluded from the metrics by speaker."""

COLLECTION_CLIPS = 20
"""Collections with fewer keyword clips are excluded from the metrics by collection."""

_WORST = 24
_EXAMPLES_PER_CELL = 3
_MOST_EXAMPLES = 24
_SEED = 20180409


@dataclass(frozen=True)
class Speaker:
    """Recognized words of one speaker."""

    name: str
    clips: int
    right: int


@dataclass(frozen=True)
class Collection:
    """Recognized keywords of one collection."""

    name: str
    clips: int
    right: int
    interval: Interval | None
    """95 % interval of the recall for other speakers; None with fewer than two."""


@dataclass(frozen=True)
class WorstClip:
    """A misclassified clip."""

    file: Path | None
    """None for a part of a background recording."""

    truth: str
    """Label of the clip."""

    said: str
    """Label of the model's answer."""

    score: int
    """Score of the answer, 0 to 255."""

    truth_score: int
    """Score of the clip's label, 0 to 255."""

    pcm: Pcm


@dataclass(frozen=True)
class ClipMetrics:
    """Scores of clips with known labels and speakers, and their metrics."""

    name: str
    """Name of the model."""

    labels: tuple[str, ...]
    truth: Labels
    """int64[n]: the clips' classes."""

    scores: npt.NDArray[np.int8]
    """int8[n, classes], computed by the core."""

    files: tuple[Path | None, ...]
    speakers: tuple[str, ...]
    """Each part of a background recording counts as a speaker."""

    pcm: Pcm
    """int16[n, samples that the model sees]."""

    collections: tuple[str, ...] = ()
    """Source of each clip, an empty text if unknown; () if the data set names no sources."""

    by_snr: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By signal-to-noise ratio in dB: number of recognized word clips, and number of word clips."""

    by_level: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By level in dBFS: the same two numbers."""

    references: dict[str, ConfusionMatrix] = field(default_factory=dict)
    """The same clips, scored by other implementations; keys such as "float, Keras"."""

    @cached_property
    def matrix(self) -> ConfusionMatrix:
        """The core's confusion matrix."""
        return confusion_matrix(self.scores, self.truth, self.labels)

    @cached_property
    def answers(self) -> Labels:
        """int64[n]: the classes that the model answered."""
        answers: Labels = np.argmax(self.scores, axis=1)
        return answers

    @cached_property
    def right(self) -> npt.NDArray[np.bool_]:
        """bool[n]: whether the answer is the clip's class."""
        right: npt.NDArray[np.bool_] = self.answers == self.truth
        return right

    @cached_property
    def interval(self) -> Interval | None:
        """95 % interval of the accuracy for other speakers; None if a class has fewer than two."""
        return recall_interval(self.right, self.voices, self.truth)

    def recall_interval(self, label: int) -> Interval | None:
        """95 % interval of the recall of a class for other speakers; None with fewer than two."""
        return self._interval(self.truth == label)

    @cached_property
    def voices(self) -> tuple[str, ...]:
        """The speakers; a voice and its altered versions count once."""
        return tuple(map(voice_of, self.speakers))

    def _interval(self, chosen: npt.NDArray[np.bool_]) -> Interval | None:
        speakers = [self.voices[index] for index in np.flatnonzero(chosen).tolist()]
        return recall_interval(self.right[chosen], speakers)

    @cached_property
    def curves(self) -> dict[str, Roc]:
        """The ROC curve of each keyword: its clips against all others."""
        return {
            label: roc(self.scores[:, index], self.truth == index)
            for index, label in enumerate(self.labels)
            if index > 1 and (self.truth == index).any()
        }

    @cached_property
    def reliability(self) -> Reliability:
        """Share of correct answers by confidence."""
        confidence = (self.scores.max(axis=1).astype(np.float64) - SCORE_ZERO_POINT) * SCORE_SCALE
        return reliability(confidence, self.right)

    @cached_property
    def by_speaker(self) -> tuple[Speaker, ...]:
        """Speakers with enough clips of words, the worst first."""
        clips: defaultdict[str, list[bool]] = defaultdict(list)
        for index in np.flatnonzero(self.truth > 0).tolist():
            clips[self.speakers[index]].append(bool(self.right[index]))
        speakers = [
            Speaker(name, len(right), sum(right))
            for name, right in clips.items()
            if len(right) >= SPEAKER_CLIPS
        ]
        return tuple(sorted(speakers, key=lambda s: (s.right / s.clips, -s.clips, s.name)))

    @cached_property
    def by_collection(self) -> tuple[Collection, ...]:
        """Recall of the keywords of each collection with enough clips; the worst first.

        Empty unless there are two such collections.
        """
        names = np.array(self.collections or [""] * len(self.truth))
        collections = []
        for name in sorted(set(self.collections) - {""}):
            chosen = (names == name) & (self.truth > 1)
            clips, right = int(chosen.sum()), int(self.right[chosen].sum())
            if clips >= COLLECTION_CLIPS:
                collections.append(Collection(name, clips, right, self._interval(chosen)))
        worst_first = sorted(
            collections, key=lambda collection: collection.right / collection.clips
        )
        return tuple(worst_first) if len(collections) > 1 else ()

    @property
    def level_difference(self) -> float:
        """Largest difference between the recognition rates at `USUAL_LEVELS_DB`, 0 to 1."""
        counts = [self.by_level[db] for db in USUAL_LEVELS_DB if db in self.by_level]
        shares = [right / total for right, total in counts if total]
        return max(shares) - min(shares) if shares else 0.0

    @property
    def level_line(self) -> str:
        """`level_difference` as a sentence."""
        *most, last = USUAL_LEVELS_DB
        levels = f"{', '.join(map(str, most))} and {last}"
        return f"At {levels} dB the rates differ by {100 * self.level_difference:.1f} points."

    @cached_property
    def spread(self) -> dict[str, float]:
        """Quantiles of the speakers' accuracy, 0 to 1, and its standard deviation."""
        shares = [speaker.right / speaker.clips for speaker in self.by_speaker]
        if not shares:
            return {}
        points = np.quantile(shares, (0.0, 0.1, 0.5))
        names = ("worst", "tenth", "median")
        return {name: float(x) for name, x in zip(names, points, strict=True)} | {
            "std": float(np.std(shares)),
            "all_right": float(np.mean([share == 1 for share in shares])),
        }

    @cached_property
    def worst(self) -> tuple[WorstClip, ...]:
        """Misclassified clips, largest difference between scores first."""
        return tuple(map(self._wrong_clip, self._wrong[:_WORST]))

    @cached_property
    def examples(self) -> tuple[WorstClip, ...]:
        """A few clips of each mistake to listen to, largest difference between scores first.

        Each mistake has one clip before any has two, as far as the limit allows.
        """
        of_cell: Counter[tuple[int, int]] = Counter()
        by_rank: list[list[int]] = [[] for _ in range(_EXAMPLES_PER_CELL)]
        for index in self._wrong:
            cell = int(self.truth[index]), int(self.answers[index])
            if of_cell[cell] < _EXAMPLES_PER_CELL:
                by_rank[of_cell[cell]].append(index)
            of_cell[cell] += 1
        chosen = set(list(itertools.chain(*by_rank))[:_MOST_EXAMPLES])
        return tuple(self._wrong_clip(index) for index in self._wrong if index in chosen)

    @cached_property
    def _wrong(self) -> list[int]:
        """Indices of the misclassified clips, largest difference between scores first."""
        values = self.scores.astype(int)
        wrong = np.flatnonzero(~self.right)
        margin = values[wrong, self.answers[wrong]] - values[wrong, self.truth[wrong]]
        order: list[int] = wrong[np.argsort(-margin, kind="stable")].tolist()
        return order

    def _wrong_clip(self, index: int) -> WorstClip:
        truth, said = self.truth[index], self.answers[index]
        values = self.scores[index].astype(int) - SCORE_ZERO_POINT
        return WorstClip(
            self.files[index],
            self.labels[truth],
            self.labels[said],
            int(values[said]),
            int(values[truth]),
            self.pcm[index],
        )

    def to_json(self) -> dict[str, Any]:
        """All figures; shares are 0 to 1, keys that end in `_95` hold 95 % intervals.

        The intervals are for other speakers, and null if a class has fewer than two.
        """
        return {
            "name": self.name,
            **self.matrix.to_json(),
            "accuracy_95": self.interval,
            "recall_95": {
                label: self.recall_interval(index) for index, label in enumerate(self.labels)
            },
            "computed_by": {name: matrix.accuracy for name, matrix in self.references.items()}
            | {"core": self.matrix.accuracy},
            "roc_area": {label: curve.area for label, curve in self.curves.items()},
            "equal_error": {label: curve.equal_error for label, curve in self.curves.items()},
            "calibration_error": self.reliability.error,
            "speakers": {
                "count": len(self.by_speaker),
                **self.spread,
                "worst_ones": [vars(speaker) for speaker in self.by_speaker[:10]],
            },
            "by_snr_db": _shares(self.by_snr),
            "by_level_db": _shares(self.by_level),
            "level_difference": self.level_difference,
            "by_collection": {
                one.name: {
                    "clips": one.clips,
                    "recall": one.right / one.clips,
                    "recall_95": one.interval,
                }
                for one in self.by_collection
            },
            "worst_clips": [
                {
                    "file": str(clip.file) if clip.file else None,
                    "truth": clip.truth,
                    "said": clip.said,
                    "score": clip.score,
                    "truth_score": clip.truth_score,
                }
                for clip in self.worst
            ],
        }


def measure_clips(bundle: Bundle, clips: LabelledClips) -> ClipMetrics:
    """Measure a bundle's model, run by the core, on clips of its classes."""
    scores = bundle_scores(bundle, _spectrograms(bundle, clips.pcm))
    words, truth = clips.pcm[clips.truth > 0], clips.truth[clips.truth > 0]
    rng = np.random.default_rng(_SEED)
    backgrounds = noises(clips.backgrounds, rng)
    return ClipMetrics(
        bundle.name,
        bundle.labels,
        clips.truth,
        scores,
        clips.files,
        clips.speakers,
        clips.pcm,
        clips.collections,
        by_snr={
            db: _count_right(bundle, in_noise(words, backgrounds, db, rng), truth) for db in SNRS_DB
        },
        by_level={db: _count_right(bundle, at_level(words, db), truth) for db in LEVELS_DB},
    )


def _spectrograms(bundle: Bundle, clips: Pcm) -> Spectrograms:
    return batch_spectrograms(clips, keep_noise=bundle.frontend.keep_noise)


def _count_right(bundle: Bundle, clips: Pcm, truth: Labels) -> tuple[int, int]:
    scores = bundle_scores(bundle, _spectrograms(bundle, clips))
    return int((np.argmax(scores, axis=1) == truth).sum()), len(truth)


def _shares(counts: dict[int, tuple[int, int]]) -> dict[str, float]:
    return {str(db): right / total for db, (right, total) in counts.items() if total}
