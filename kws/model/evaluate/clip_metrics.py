"""A model judged clip by clip: who is understood, in what noise, at what level, how surely."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.audio.dataset import DataSet, Split, load_backgrounds
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.features.spectrogram import batch_spectrograms
from kws.model.evaluate.accuracy import Evaluation, check_keywords, core_scores, evaluate, one_split
from kws.model.evaluate.statistics import (
    Interval,
    Reliability,
    Roc,
    bootstrap_recall,
    reliability,
    roc,
    wilson,
)
from kws.model.evaluate.streams import noises, speech_span
from kws.model.samples.backgrounds import background_parts
from kws.model.samples.evaluation_clips import evaluation_pcm
from kws.model.samples.samples import Labels, Progress

SNRS_DB = (-5, 0, 5, 10, 15, 20)
"""Speech over noise at which the clips are judged again."""

LEVELS_DB = (-60, -50, -40, -30, -20, -10)
"""RMS of the voice, in dB of full scale, at which the clips are judged again."""

SPEAKER_CLIPS = 3
"""A speaker with fewer clips of words says nothing about the speaker."""

_WORST = 24
_SEED = 20180409


@dataclass(frozen=True)
class Speaker:
    """How one speaker is understood."""

    name: str
    clips: int
    right: int


@dataclass(frozen=True)
class WorstClip:
    """A clip that the model got wrong."""

    file: Path | None
    """None for a piece of background."""

    truth: str
    said: str
    score: int
    """Of what it said, 0 to 255."""

    truth_score: int
    """Of what the clip is, 0 to 255."""

    pcm: Pcm


@dataclass(frozen=True)
class Judgement:
    """Scores of clips whose labels and speakers are known."""

    name: str
    """What was judged."""

    labels: tuple[str, ...]
    truth: Labels
    """int64[n]."""

    scores: npt.NDArray[np.int8]
    """int8[n, classes], the core's."""

    files: tuple[Path | None, ...]
    speakers: tuple[str, ...]
    """Who speaks; each piece of background is a speaker of its own."""

    pcm: Pcm
    """int16[n, 16000]."""

    by_snr: dict[int, tuple[int, int]] = field(default_factory=dict)
    """SNR in dB to clips of words that were right, and all of them."""

    by_level: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Level in dB of full scale to the same."""

    others: dict[str, Evaluation] = field(default_factory=dict)
    """The same clips computed in other ways: float, LiteRT."""

    @cached_property
    def evaluation(self) -> Evaluation:
        """The core's confusion matrix."""
        return evaluate(self.scores, self.truth, self.labels)

    @cached_property
    def said(self) -> Labels:
        """int64[n]: what the model said."""
        said: Labels = np.argmax(self.scores, axis=1)
        return said

    @cached_property
    def right(self) -> npt.NDArray[np.bool_]:
        """bool[n]."""
        right: npt.NDArray[np.bool_] = self.said == self.truth
        return right

    @cached_property
    def interval(self) -> Interval:
        """95 % interval of the accuracy over other speakers."""
        return bootstrap_recall(self.right, self.truth, self.speakers, _SEED)

    def recall_interval(self, label: int) -> Interval:
        """95 % interval of a class's recall over other clips."""
        mine = self.right[self.truth == label]
        return wilson(int(mine.sum()), len(mine))

    @cached_property
    def curves(self) -> dict[str, Roc]:
        """Keyword to the curve of its score, its clips against all others."""
        return {
            label: roc(self.scores[:, index], self.truth == index)
            for index, label in enumerate(self.labels)
            if index > 1 and (self.truth == index).any()
        }

    @cached_property
    def reliability(self) -> Reliability:
        """Whether the model is right as often as its scores promise."""
        sure = (self.scores.max(axis=1).astype(np.float64) + 128) / 256
        return reliability(sure, self.right)

    @cached_property
    def by_speaker(self) -> tuple[Speaker, ...]:
        """Speakers with enough clips of words, the worst first."""
        clips: defaultdict[str, list[bool]] = defaultdict(list)
        for index in np.flatnonzero(self.truth > 0).tolist():
            clips[self.speakers[index]].append(bool(self.right[index]))
        found = [
            Speaker(name, len(right), sum(right))
            for name, right in clips.items()
            if len(right) >= SPEAKER_CLIPS
        ]
        return tuple(sorted(found, key=lambda s: (s.right / s.clips, -s.clips, s.name)))

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
        """The clips that went wrong, the surest mistakes first."""
        values = self.scores.astype(int) + 128
        wrong = np.flatnonzero(~self.right)
        margin = values[wrong, self.said[wrong]] - values[wrong, self.truth[wrong]]
        return tuple(
            WorstClip(
                self.files[i],
                self.labels[self.truth[i]],
                self.labels[self.said[i]],
                int(values[i, self.said[i]]),
                int(values[i, self.truth[i]]),
                self.pcm[i],
            )
            for i in wrong[np.argsort(-margin, kind="stable")][:_WORST].tolist()
        )

    def to_json(self) -> dict[str, Any]:
        """What a script wants to know; shares are 0 to 1."""
        return {
            "name": self.name,
            **self.evaluation.to_json(),
            "accuracy_95": self.interval,
            "recall_95": {
                label: self.recall_interval(index) for index, label in enumerate(self.labels)
            },
            "computed_by": {name: other.accuracy for name, other in self.others.items()}
            | {"core": self.evaluation.accuracy},
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


def judge_bundle(
    bundle: Bundle, dataset: DataSet, split: Split | None, progress: Progress | None = None
) -> Judgement:
    """Judge a bundle's model, run by the core, on equal shares of all its classes.

    Args:
        bundle: the model.
        dataset: where the clips come from.
        split: which of them to use; None for all, whoever speaks.
        progress: called with the number of clips loaded since the last call.

    Raises:
        DataError: the data set lacks a keyword's clips in this split.
        AudioError: a clip is missing or damaged.
    """
    dataset, split = one_split(dataset, split)
    check_keywords(bundle, dataset, split)
    pcm, truth, files = evaluation_pcm(dataset, bundle.keywords, split, progress)
    speaker = {clip.path: clip.speaker for clip in dataset.clips}
    speakers = tuple(
        speaker[file] if file else f"background {index}" for index, file in enumerate(files)
    )
    scores = core_scores(bundle.model, batch_spectrograms(pcm))
    found = Judgement(bundle.name, bundle.labels, truth, scores, tuple(files), speakers, pcm)
    words = found.truth > 0
    rng = np.random.default_rng(_SEED)
    pieces = noises(background_parts(load_backgrounds(dataset), split), rng)
    by_snr = {
        db: _right(bundle, in_noise(pcm[words], pieces, db, rng), truth[words]) for db in SNRS_DB
    }
    by_level = {db: _right(bundle, at_level(pcm[words], db), truth[words]) for db in LEVELS_DB}
    return replace(found, by_snr=by_snr, by_level=by_level)


def in_noise(
    clips: Pcm, pieces: Sequence[npt.NDArray[np.float32]], snr_db: float, rng: np.random.Generator
) -> Pcm:
    """Clips with a piece of noise each, the voice at 3000 (RMS) or less, so that little clips.

    Args:
        clips: int16[n, samples].
        pieces: sounds at an RMS of 1, each longer than a clip.
        snr_db: RMS of the voice over RMS of the whole noise.
        rng: what is drawn with.
    """
    samples = clips.shape[1]
    out = np.empty_like(clips)
    for target, clip in zip(out, clips, strict=True):
        noise = pieces[int(rng.integers(len(pieces)))]
        start = int(rng.integers(len(noise) - samples))
        level = min(3000.0, 3000.0 * 10 ** (snr_db / 20))
        voice = clip.astype(np.float32) * np.float32(level / _voice_rms(clip))
        total = voice + noise[start : start + samples] * np.float32(level / 10 ** (snr_db / 20))
        target[:] = np.clip(np.rint(total), -32768, 32767)
    return out


def at_level(clips: Pcm, level_db: float) -> Pcm:
    """Clips louder or softer, so that the RMS of the voice is at a level in dB of full scale."""
    out = np.empty_like(clips)
    for target, clip in zip(out, clips, strict=True):
        gain = 32768 * 10 ** (level_db / 20) / _voice_rms(clip)
        target[:] = np.clip(np.rint(clip * gain), -32768, 32767)
    return out


def _voice_rms(clip: Pcm) -> float:
    first, end = speech_span(clip)
    return max(float(np.sqrt(np.mean(clip[first:end].astype(np.float32) ** 2))), 1.0)


def _right(bundle: Bundle, clips: Pcm, truth: Labels) -> tuple[int, int]:
    scores = core_scores(bundle.model, batch_spectrograms(clips))
    return int((np.argmax(scores, axis=1) == truth).sum()), len(truth)


def _shares(counts: dict[int, tuple[int, int]]) -> dict[str, float]:
    return {str(db): right / total for db, (right, total) in counts.items() if total}
