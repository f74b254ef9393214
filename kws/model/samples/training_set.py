# SPDX-License-Identifier: Apache-2.0
"""The training set of a model, composed as in TensorFlow's speech_commands example.

Keywords and unknown come from clips, silence from parts of the background recordings. Clips are
augmented (see `kws.audio.augment`) before the core turns them into spectrograms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from kws._core import CHANNELS
from kws.audio.augment.augmenter import Augmenter
from kws.audio.augment.joining import join
from kws.audio.dataset import DataSet, Split, load_backgrounds, load_pcm
from kws.audio.pcm import Pcm, samples_of
from kws.audio.surroundings import Surroundings
from kws.features.spectrogram import last_frames
from kws.model.samples.backgrounds import background_parts
from kws.model.samples.disk_arrays import ArrayAllocator
from kws.model.samples.draws import Rows, draw_pairs, draw_rows, plan_draws
from kws.model.samples.sample_settings import SampleSettings
from kws.model.samples.samples import Progress, Samples
from kws.model.samples.spec_augment import spec_augment
from kws.model.samples.talk_windows import TalkWindows
from kws.model.samples.training_clips import extra_clips, training_clips

_BLOCK = 2048
"""Number of clips that are augmented at a time."""


class TrainingSet:
    """The training clips of a data set, and the epochs drawn from them.

    The same data, settings and seed yield the same epochs, in any order of access. Arrays that do
    not fit into the allocator's memory are in unnamed files, which vanish with it.
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
        auxiliary: Sequence[str] = (),
        ambient: Surroundings | None = None,
        allocator: ArrayAllocator | None = None,
        before: int = 0,
    ) -> None:
        """Load the clips.

        Args:
            dataset: the data set of the training clips.
            words: the keywords.
            settings: how clips are drawn and augmented.
            seed: decides every random choice.
            progress: called with the number of clips loaded since the last call.
            extra: a second data set, such as synthetic speech, whose training clips are mixed in.
            auxiliary: words of the second data set that become classes after the keywords.
            ambient: talk, noises and rooms of the training split.
            allocator: allocates the arrays; None for memory.
            before: frames of spectrograms before the window, at most the frames of the lead.

        Raises:
            AudioError: a file is missing or damaged.
            DataError: a background recording is shorter than a clip; no clips of other words; a
                folder of `ambient` lacks recordings.
        """
        ambient = ambient or Surroundings()
        self._settings = settings
        self._seed = seed
        self._allocator = allocator or ArrayAllocator(None)
        self._copies: dict[int, Samples] = {}
        groups = training_clips(dataset, words, settings, seed)
        learned = (*words, *auxiliary)
        extra_groups = extra_clips(extra, dataset, learned) if extra else [[] for _ in groups]
        clips = [clip for group in (*groups, *extra_groups) for clip in group]
        self._phrases = [clip.word for clip in clips]
        self.frontend = settings.frontend
        """The features of the spectrograms."""

        self._frames = self.frontend.frames + before
        samples = self.frontend.clip_samples
        self._pcm = self._allocator.empty((len(clips), samples), np.dtype(np.int16))
        load_pcm(clips, samples, progress, out=self._pcm)
        self._draws = plan_draws(groups, extra_groups, settings)
        mean = sum(draw.count for draw in self._draws[1 : 1 + len(words)]) / len(words)
        self._silence = math.ceil(mean * settings.silence_per_keyword)
        self._joined = 0
        if len(words) > 1 or len(groups[0]) > 1:
            self._joined = round(self._draws[0].count * settings.joined)
        backgrounds = background_parts(load_backgrounds(dataset), Split.TRAIN, samples)
        backgrounds += ambient.load_noises(Split.TRAIN)
        self._windows = TalkWindows(
            ambient.talk(Split.TRAIN, words),
            samples_of(settings.augmentation.lead_ms) + samples,
            settings.hard_negative_share,
            progress,
        )
        self._talk = math.ceil(mean * settings.talk_per_keyword) if self._windows else 0
        self._augmenter = Augmenter(
            settings.augmentation,
            backgrounds,
            samples,
            seed,
            talk=self._windows.sounds,
            rooms=ambient.load_rooms(Split.TRAIN),
        )

    def __len__(self) -> int:
        """Number of clips in an epoch."""
        return sum(draw.count for draw in self._draws) + self._silence + self._talk

    def epoch(self, number: int) -> Samples:
        """The clips of an epoch in the order of training."""
        copy = self.copy(number % self._settings.copies)
        order = self.order(number)
        spectrograms = copy.spectrograms[order]
        if self._settings.spec_augment:
            spec_augment(spectrograms, self._settings.spec_augment, self._rng("mask", number))
        return Samples(spectrograms, copy.labels[order])

    def order(self, number: int) -> Rows:
        """Indices of an epoch's clips in its copy of the training set."""
        return self._rng("order", number).permutation(len(self))

    def copy(self, number: int) -> Samples:
        """One augmented copy of the training set; made once and kept."""
        if number not in self._copies:
            self._copies[number] = self._make(number)
        return self._copies[number]

    def listen(self, number: int, hear: Callable[[Pcm], object]) -> Samples:
        """Make a copy; `hear` is called with its clips in order, int16[n, lead and window]."""
        self._copies[number] = self._make(number, hear)
        return self._copies[number]

    def _make(self, number: int, hear: Callable[[Pcm], object] = lambda _: None) -> Samples:
        rng = self._rng("copy", number)
        seed = [self._seed, *b"clips", number]
        rows: list[int] = []
        labels: list[int] = []
        for draw in self._draws:
            own = draw.count - draw.from_extra
            rows += [*draw_rows(rng, draw.own, own), *draw_rows(rng, draw.extra, draw.from_extra)]
            labels += [draw.label] * draw.count
        # The first rows are unknown; clips joined from two words replace a part of them.
        # Auxiliary words are joined too; otherwise each pair would have a part of a keyword.
        of_words = [draw.own if len(draw.own) else draw.extra for draw in self._draws]
        pairs = draw_pairs(rng, of_words, self._joined, self._phrases)
        labels += [0] * self._silence + [1] * self._talk
        samples, frames = self.frontend.clip_samples, self._frames
        out = self._allocator.empty((len(labels), frames, CHANNELS), np.dtype(np.int8))

        def keep(start: int, pcm: Pcm) -> None:
            out[start : start + len(pcm)] = last_frames(
                pcm, frames, keep_noise=self.frontend.keep_noise
            )
            hear(pcm)

        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            pcm = self._pcm[block]
            joined = pairs[start : start + _BLOCK]
            if len(joined):
                pcm[: len(joined)] = join(self._pcm[joined[:, 0]], self._pcm[joined[:, 1]])
            kept_energy = np.empty(len(block), np.float32)
            pcm = self._augmenter.change(pcm, [*seed, start], self._pcm, kept_energy)
            keep(start, pcm)
            for row in np.flatnonzero(kept_energy < self._settings.min_keyword_energy).tolist():
                labels[start + row] = 1
        talk = len(rows) + self._silence
        for start in range(len(rows), talk, _BLOCK):
            count = min(_BLOCK, talk - start)
            keep(start, self._augmenter.silence(count, samples, [*seed, start]))
        for start in range(talk, len(labels), _BLOCK):
            count = min(_BLOCK, len(labels) - start)
            pcm = self._windows.draw(count, rng)
            keep(start, self._augmenter.change_talk(pcm, [*seed, start]))
        return Samples(out, np.array(labels, np.int64))

    def _rng(self, purpose: str, number: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, *purpose.encode(), number])
