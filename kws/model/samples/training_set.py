"""What a model learns from and is judged by: batches as TensorFlow's speech_commands example has.

Keywords come from their folders, unknown from the folders of all other words, silence from pieces
of the background recordings. Training clips are changed (see `kws.audio.augment`) before the core
turns them into spectrograms; clips for validation and test are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.audio.augment.augmenter import Augmentation, Augmenter, Pcm, join, silence
from kws.audio.dataset import LISTS, Clip, DataSet, Split, load_backgrounds, load_pcm
from kws.audio.tts.voices import is_voice
from kws.config import check_range
from kws.errors import DataError
from kws.features.spectrogram import SHAPE, Spectrograms, batch_spectrograms, last_second
from kws.labels import UNKNOWN
from kws.model.samples.disk_arrays import Storage

Labels = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
Progress = Callable[[int], object]

# The part of each background recording that a split may use, so that tests hear other noise.
_PARTS = {Split.TRAIN: (0.0, 0.8), Split.VALIDATION: (0.8, 0.9), Split.TEST: (0.9, 1.0)}

# The same where a tenth is not longer than a clip.
_THIRDS = {Split.TRAIN: (0.0, 1 / 3), Split.VALIDATION: (1 / 3, 2 / 3), Split.TEST: (2 / 3, 1.0)}

# The sets to judge by are the same for every seed.
_JUDGE_SEED = 20180409

# Clips that are changed at a time.
_BLOCK = 2048

# Unknown words to load, as a multiple of those that one epoch uses.
_UNKNOWN_POOL = 4


@dataclass(frozen=True)
class SampleSettings:
    """How training clips are drawn and changed."""

    silence_per_keyword: float = 0.7
    """Silence clips in an epoch for each clip of a keyword (the mean of all keywords)."""

    unknown_per_keyword: float = 1.5
    """Unknown clips in an epoch for each clip of a keyword."""

    joined: float = 0.15
    """Share of the unknown clips that are made of the beginning of one word and the end of
    another."""

    whole: float = 0.0
    """A clip of a keyword of whose energy less than this share is left after it was moved counts as
    unknown: the end of a word is none."""

    balance: float = 1.0
    """How far scarce keywords are drawn more often: 0 not at all, 1 until all count the same."""

    extra: float = 0.1
    """Share of the clips that come from the second data set, if one is given."""

    recorded: float = 0.5
    """Share of a class's clips, at least, that people speak, where the data set has people and
    synthetic voices."""

    mask: float = 0.0
    """Widest stripes, as a share of the spectrogram, that are blanked over time and frequency."""

    copies: int = 12
    """Differently changed copies of the training set; the epochs use them in turn."""

    augmentation: Augmentation = field(default_factory=Augmentation)
    """What happens to each clip."""

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        check_range("silence_per_keyword", self.silence_per_keyword, 0, 1000)
        check_range("unknown_per_keyword", self.unknown_per_keyword, 0, 1000)
        for share in ("joined", "whole", "balance", "extra", "recorded"):
            check_range(share, getattr(self, share), 0, 1)
        check_range("mask", self.mask, 0, 0.5)
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
    quiet = silence(count, SAMPLE_RATE, backgrounds, np.random.default_rng(_JUDGE_SEED))
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
    return Samples(batch_spectrograms(pcm), labels)


@dataclass(frozen=True)
class _Draw:
    """How many clips of one class an epoch has, and where they come from."""

    label: int
    own: Rows
    """Rows of the data set's clips."""

    extra: Rows
    """Rows of the second data set's clips."""

    count: int
    from_extra: int


class TrainingSet:
    """The training clips of a data set, and the epochs drawn from them.

    The same data, settings and seed give the same epochs, in whatever order they are asked for.
    What does not fit into the memory set aside lies in unnamed files, which vanish with it.
    """

    def __init__(
        self,
        dataset: DataSet,
        words: Sequence[str],
        settings: SampleSettings,
        seed: int,
        progress: Progress | None = None,
        *,
        extra: DataSet | None = None,
        storage: Storage | None = None,
    ) -> None:
        """Load the clips.

        Args:
            dataset: whose training clips to learn from.
            words: the keywords.
            settings: how clips are drawn and changed.
            seed: decides every random choice.
            progress: called with the number of clips loaded since the last call.
            extra: a second data set, such as synthetic speech, whose training clips are mixed in.
            storage: where arrays lie; None for memory.

        Raises:
            AudioError: a file is missing or damaged.
            DataError: a background recording is shorter than a clip; no clips of other words.
        """
        self._settings = settings
        self._seed = seed
        self._storage = storage or Storage(None)
        self._made: dict[int, Samples] = {}
        groups = training_clips(dataset, words, settings, seed)
        more = extra_clips(extra, dataset, words) if extra else [[] for _ in groups]
        clips = [clip for group in (*groups, *more) for clip in group]
        self._pcm = self._storage.empty((len(clips), SAMPLE_RATE), np.dtype(np.int16))
        load_pcm(clips, progress=progress, out=self._pcm)
        self._draws = _plan(groups, more, settings)
        mean = sum(draw.count for draw in self._draws[1:]) / len(words)
        self._silence = math.ceil(mean * settings.silence_per_keyword)
        self._joined = 0
        if len(words) > 1 or len(groups[0]) > 1:
            self._joined = round(self._draws[0].count * settings.joined)
        backgrounds = background_parts(load_backgrounds(dataset), Split.TRAIN)
        self._augmenter = Augmenter(settings.augmentation, backgrounds, SAMPLE_RATE, seed)

    def __len__(self) -> int:
        """Clips in an epoch."""
        return sum(draw.count for draw in self._draws) + self._silence

    def epoch(self, number: int) -> Samples:
        """The clips of an epoch in the order in which to learn from them."""
        copy = self.copy(number % self._settings.copies)
        order = self.order(number)
        spectrograms = copy.spectrograms[order]
        if self._settings.mask:
            mask(spectrograms, self._settings.mask, self._rng("mask", number))
        return Samples(spectrograms, copy.labels[order])

    def order(self, number: int) -> Rows:
        """Which clip of its copy comes when in an epoch."""
        return self._rng("order", number).permutation(len(self))

    def copy(self, number: int) -> Samples:
        """One changed copy of the training set; made once and kept."""
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def _make(self, number: int) -> Samples:
        rng = self._rng("copy", number)
        seed = [self._seed, *b"clips", number]
        rows: list[int] = []
        labels: list[int] = []
        for draw in self._draws:
            own = draw.count - draw.from_extra
            rows += [*_draw(rng, draw.own, own), *_draw(rng, draw.extra, draw.from_extra)]
            labels += [draw.label] * draw.count
        # The first rows are unknown ones; some of them are joined from two words instead.
        partners = _partners(rng, self._words(), self._joined)
        labels += [0] * self._silence
        out = self._storage.empty((len(labels), *SHAPE), np.dtype(np.int8))
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            pcm = self._pcm[block]
            joined = partners[start : start + _BLOCK]
            if len(joined):
                pcm[: len(joined)] = join(self._pcm[joined[:, 0]], self._pcm[joined[:, 1]])
            left = np.empty(len(block), np.float32)
            pcm = self._augmenter.change(pcm, [*seed, start], self._pcm, left)
            out[start : start + len(block)] = last_second(pcm)
            for row in np.flatnonzero(left < self._settings.whole).tolist():
                labels[start + row] = 1
        for start in range(len(rows), len(labels), _BLOCK):
            count = min(_BLOCK, len(labels) - start)
            pcm = self._augmenter.silence(count, SAMPLE_RATE, [*seed, start])
            out[start : start + count] = last_second(pcm)
        return Samples(out, np.array(labels, np.int64))

    def _words(self) -> list[Rows]:
        """Rows by what is said in them: unknown words count as one."""
        return [draw.own for draw in self._draws]

    def _rng(self, purpose: str, number: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, *purpose.encode(), number])


def _plan(
    groups: Sequence[Sequence[Clip]], more: Sequence[Sequence[Clip]], settings: SampleSettings
) -> list[_Draw]:
    """What an epoch has of unknown and each keyword."""
    sizes = [len(group) for group in (*groups, *more)]
    ends = np.cumsum(sizes)
    rows = [np.arange(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    keywords = sizes[1 : len(groups)]
    mean = sum(keywords) / len(keywords)
    counts = [round(size ** (1 - settings.balance) * mean**settings.balance) for size in keywords]
    unknown = math.ceil(mean * settings.unknown_per_keyword)
    draws = []
    for label, count in enumerate([unknown, *counts], 1):
        own, extra = rows[label - 1], rows[label - 1 + len(groups)]
        own = _favour(own, [not is_voice(c.speaker) for c in groups[label - 1]], settings.recorded)
        from_extra = round(count * settings.extra) if len(extra) else 0
        if label == 1:
            count = min(count, sizes[label - 1] + from_extra)  # noqa: PLW2901
        draws.append(_Draw(label, own, extra, count, from_extra))
    return draws


def _favour(rows: Rows, people: Sequence[bool], share: float) -> Rows:
    """Rows with those of people so often that they are that share of all, if there are both."""
    mine = rows[np.array(people, bool)]
    others = len(rows) - len(mine)
    if not len(mine) or not others:
        return rows
    wanted = round(others * share / max(1 - share, 0.01))
    return np.concatenate([rows, np.resize(mine, max(wanted - len(mine), 0))])


def _draw(rng: np.random.Generator, rows: Rows, count: int) -> list[int]:
    """So many rows in random order; each comes again only after all others."""
    times = -(-count // max(len(rows), 1))
    drawn = np.concatenate([rng.permutation(rows) for _ in range(times)] or [rows[:0]])
    return [int(row) for row in drawn[:count]]


def _partners(rng: np.random.Generator, words: Sequence[Rows], count: int) -> Rows:
    """Pairs of rows, the first of a keyword and the second of another word: int64[count, 2]."""
    pairs = np.empty((count, 2), np.int64)
    for pair in pairs:
        first = int(rng.integers(1, len(words)))
        second = int(rng.integers(0, len(words) - 1))
        second += second >= first
        pair[:] = rng.choice(words[first]), rng.choice(words[second])
    return pairs


def mask(spectrograms: Spectrograms, widest: float, rng: np.random.Generator) -> None:
    """Blank a stripe of frames and one of channels of each, in place (SpecAugment).

    Source: Park et al., Interspeech 2019. A stripe is up to `widest` of its axis.
    """
    count, frames, channels = spectrograms.shape
    for axis, size in ((1, frames), (2, channels)):
        widths = rng.integers(0, int(size * widest) + 1, count)
        starts = rng.integers(0, size - widths + 1)
        places = np.arange(size)
        hidden = (places >= starts[:, None]) & (places < (starts + widths)[:, None])
        spectrograms[
            hidden if axis == 1 else np.broadcast_to(hidden[:, None, :], spectrograms.shape)
        ] = -128


def extra_clips(extra: DataSet, dataset: DataSet, words: Sequence[str]) -> list[list[Clip]]:
    """The second data set's clips to learn from: a list for unknown and for each keyword.

    Its training clips, but for speakers that the first one judges by.

    Raises:
        DataError: none are left.
    """
    judged = {clip.speaker for clip in dataset.clips if clip.split != Split.TRAIN}
    clips = [clip for clip in extra.of(Split.TRAIN) if clip.speaker not in judged]
    if not clips:
        raise DataError(
            f"{extra.root}: all its {len(extra.clips)} clips are of held-out speakers, so nothing "
            f"can be learned from it; say in {LISTS['test']} whom to hold out"
        )
    others = [clip for clip in clips if clip.word not in words]
    return [others, *([clip for clip in clips if clip.word == word] for word in words)]


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
    """The part of each recording that a split may use; no sample is in two of them.

    A recording of which a tenth is too short is cut into thirds; one of three clips or less is for
    training alone.

    Raises:
        DataError: a recording is not longer than a clip.
    """
    parts = []
    for recording in recordings:
        if len(recording) <= SAMPLE_RATE:
            raise DataError(
                f"a background recording lasts {len(recording) / SAMPLE_RATE:.2f} s; each "
                "has to be longer than 1 s, so lengthen or remove it"
            )
        for shares in (_PARTS, _THIRDS):
            cuts = {s: [int(share * len(recording)) for share in shares[s]] for s in Split}
            if min(end - start for start, end in cuts.values()) > SAMPLE_RATE:
                start, end = cuts[split]
                parts.append(recording[start:end])
                break
        else:
            if split == Split.TRAIN:
                parts.append(recording)
    return parts
