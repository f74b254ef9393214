"""What a model learns from and is judged by: batches as TensorFlow's speech_commands example has.

Keywords come from their folders, unknown from the folders of all other words, silence from pieces
of the background recordings at random volumes. Training clips are moved in time and mixed with
background before the core turns them into spectrograms; clips for validation and test are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.audio.augment import Pcm, augment, silence
from kws.audio.dataset import Clip, DataSet, Split, load_backgrounds, load_pcm
from kws.config import SILENCE, UNKNOWN, check_range
from kws.errors import DataError

Spectrograms = npt.NDArray[np.int8]
Labels = npt.NDArray[np.int64]
Progress = Callable[[int], object]

# The part of each background recording that a split may use, so that tests hear other noise.
_PARTS = {Split.TRAIN: (0.0, 0.8), Split.VALIDATION: (0.8, 0.9), Split.TEST: (0.9, 1.0)}

# The sets to judge by are the same for every seed.
_JUDGE_SEED = 20180409

# Unknown words to load, as a multiple of those that one epoch uses.
_UNKNOWN_POOL = 4


@dataclass(frozen=True)
class SampleSettings:
    """How training clips are drawn and changed."""

    silence_per_keyword: float = 0.5
    """Silence clips in an epoch for each clip of a keyword (the mean of all keywords)."""

    unknown_per_keyword: float = 1.5
    """Unknown clips in an epoch for each clip of a keyword."""

    shift_ms: int = 400
    """Clips are moved in time by up to so much, either way. The example has 100; on a device a
    word passes through the whole second, and it has to be recognized on most of its way."""

    background_frequency: float = 0.8
    """Share of the clips that get background noise."""

    background_volume: float = 0.1
    """Loudest background, as a factor on the recording."""

    copies: int = 12
    """Differently changed copies of the training set; the epochs use them in turn."""

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        check_range("silence_per_keyword", self.silence_per_keyword, 0, 1000)
        check_range("unknown_per_keyword", self.unknown_per_keyword, 0, 1000)
        check_range("shift_ms", self.shift_ms, 0, 900)
        check_range("background_frequency", self.background_frequency, 0, 1)
        check_range("background_volume", self.background_volume, 0, 1)
        check_range("copies", self.copies, 1, 1000)


@dataclass(frozen=True)
class Samples:
    """Clips with their labels, ready for a model."""

    spectrograms: Spectrograms
    """int8[n, 49, 40]."""

    labels: Labels
    """int64[n]: 0 silence, 1 unknown, 2 the first keyword."""

    def __len__(self) -> int:
        return len(self.labels)


def judge_clips(dataset: DataSet, words: Sequence[str], split: Split) -> list[list[Clip]]:
    """The clips of a split that a model is judged by: a list for unknown and for each keyword.

    All lists have the same length, that of the rarest keyword, or less where there are too few
    unknown words. What is drawn depends on the data set alone.
    """
    groups = [dataset.of(split, [word]) for word in words]
    others = dataset.of(split, [word for word in dataset.words if word not in words])
    size = min(len(group) for group in groups)
    rng = np.random.default_rng([_JUDGE_SEED, size])
    return [
        [group[i] for i in sorted(rng.permutation(len(group))[:size])]
        for group in (others, *groups)
    ]


def judge_pcm(
    dataset: DataSet, words: Sequence[str], split: Split, progress: Progress | None = None
) -> tuple[Pcm, Labels, list[Path | None]]:
    """Sound, labels and files of a split's clips, equal shares of silence, unknown and keywords.

    Returns:
        int16[n, 16000], int64[n], and the file of each clip, None for a piece of background.

    Raises:
        AudioError: a file is missing or damaged.
        DataError: a background recording is shorter than a clip.
    """
    groups = judge_clips(dataset, words, split)
    clips = [clip for group in groups for clip in group]
    count = len(groups[-1])
    backgrounds = background_parts(load_backgrounds(dataset), split)
    quiet = silence(count, _core.SAMPLE_RATE, backgrounds, np.random.default_rng(_JUDGE_SEED))
    labels = [0] * count + [label for label, group in enumerate(groups, 1) for _ in group]
    pcm = np.concatenate([quiet, load_pcm(clips, progress=progress)])
    files: list[Path | None] = [None] * count
    return pcm, np.array(labels, np.int64), files + [clip.path for clip in clips]


def judge_samples(
    dataset: DataSet, words: Sequence[str], split: Split, progress: Progress | None = None
) -> Samples:
    """As `judge_pcm`, as spectrograms.

    Raises:
        AudioError: a file is missing or damaged.
        DataError: a background recording is shorter than a clip.
    """
    pcm, labels, _ = judge_pcm(dataset, words, split, progress)
    return Samples(_core.features(pcm), labels)


class TrainingSet:
    """The training clips of a data set in memory, and the epochs drawn from them.

    The same data, settings and seed give the same epochs, in whatever order they are asked for.
    """

    def __init__(
        self,
        dataset: DataSet,
        words: Sequence[str],
        settings: SampleSettings,
        seed: int,
        progress: Progress | None = None,
    ) -> None:
        """Load the clips.

        Raises:
            AudioError: a file is missing or damaged.
            DataError: a background recording is shorter than a clip.
        """
        self._settings = settings
        self._seed = seed
        self._made: dict[int, Samples] = {}
        groups = training_clips(dataset, words, settings, seed)
        self._keywords = sum(len(group) for group in groups[1:])
        clips = [clip for group in groups for clip in group]
        self._pcm = load_pcm(clips, progress=progress)
        self._labels = np.repeat(np.arange(1, len(groups) + 1), [len(group) for group in groups])
        self._backgrounds = background_parts(load_backgrounds(dataset), Split.TRAIN)
        each = self._keywords / len(words)
        self._unknown = math.ceil(each * settings.unknown_per_keyword)
        self._silence = math.ceil(each * settings.silence_per_keyword)

    def __len__(self) -> int:
        """Clips in an epoch."""
        pool = len(self._labels) - self._keywords
        return self._keywords + min(self._unknown, pool) + self._silence

    def epoch(self, number: int) -> Samples:
        """The clips of an epoch in the order in which to learn from them."""
        copy = self.copy(number % self._settings.copies)
        order = self._rng("order", number).permutation(len(copy))
        return Samples(copy.spectrograms[order], copy.labels[order])

    def copy(self, number: int) -> Samples:
        """One changed copy of the training set; made once and kept."""
        if number not in self._made:
            rng = self._rng("copy", number)
            unknown = np.flatnonzero(self._labels == 1)
            drawn = rng.permutation(unknown)[: self._unknown]
            chosen = np.concatenate([drawn, np.flatnonzero(self._labels > 1)])
            pcm = augment(
                self._pcm[chosen],
                self._backgrounds,
                rng,
                shift_ms=self._settings.shift_ms,
                background_frequency=self._settings.background_frequency,
                background_volume=self._settings.background_volume,
            )
            quiet = silence(self._silence, pcm.shape[1], self._backgrounds, rng)
            labels = np.concatenate([self._labels[chosen], np.zeros(self._silence, np.int64)])
            self._made[number] = Samples(_core.features(np.concatenate([pcm, quiet])), labels)
        return self._made[number]

    def _rng(self, purpose: str, number: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, *purpose.encode(), number])


def training_clips(
    dataset: DataSet, words: Sequence[str], settings: SampleSettings, seed: int
) -> list[list[Clip]]:
    """The training clips to load: a list for unknown and for each keyword.

    Of the unknown words no more are taken than a few epochs can use: large data sets have
    more than fit into memory.

    Raises:
        DataError: there are no clips of other words.
    """
    groups = [dataset.of(Split.TRAIN, [word]) for word in words]
    others = dataset.of(Split.TRAIN, [word for word in dataset.words if word not in words])
    if not others:
        raise DataError(
            f"{dataset.root}: no clips of other words than {', '.join(words)} to train "
            f"{UNKNOWN!r} with; add folders of some (kws synth makes them)"
        )
    each = sum(len(group) for group in groups) / len(words)
    pool = _UNKNOWN_POOL * math.ceil(each * settings.unknown_per_keyword)
    chosen = np.random.default_rng([seed, len(others)]).permutation(len(others))[:pool]
    return [[others[i] for i in sorted(chosen)], *groups]


def background_parts(recordings: Sequence[Pcm], split: Split) -> list[Pcm]:
    """The part of each recording that a split may use; the whole where that is too short.

    Raises:
        DataError: a recording is not longer than a clip.
    """
    start, end = _PARTS[split]
    parts = []
    for recording in recordings:
        if len(recording) <= _core.SAMPLE_RATE:
            raise DataError(
                f"a background recording lasts {len(recording) / _core.SAMPLE_RATE:.2f} s; each "
                "has to be longer than 1 s, so lengthen or remove it"
            )
        part = recording[int(start * len(recording)) : int(end * len(recording))]
        parts.append(part if len(part) > _core.SAMPLE_RATE else recording)
    return parts


def class_labels(words: Sequence[str]) -> tuple[str, ...]:
    """The labels of a model for these keywords, in the order of its outputs."""
    return (SILENCE, UNKNOWN, *words)
