# SPDX-License-Identifier: Apache-2.0
"""Epochs of training clips: shares, seeds, augmentation, a second data set."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws import _core
from kws.audio.augment.augmentation import NONE, Augmentation
from kws.audio.augment.augmenter import Augmenter
from kws.audio.dataset import Clip, DataSet, Split, load_pcm
from kws.audio.sound_files import write_clip
from kws.errors import DataError, KwsError
from kws.model.samples import training_set
from kws.model.samples.disk_arrays import ArrayAllocator
from kws.model.samples.draws import AUXILIARY_PER_KEYWORD, Rows, draw_pairs
from kws.model.samples.evaluation_clips import evaluation_clips, evaluation_pcm
from kws.model.samples.sample_settings import SampleSettings
from kws.model.samples.samples import Samples
from kws.model.samples.training_clips import extra_clips, training_clips
from kws.model.samples.training_set import TrainingSet

WORDS = ("low", "high")
PLAIN = SampleSettings(joined=0, copies=2, augmentation=NONE)


def test_epoch_has_the_requested_shares(tones: DataSet) -> None:
    settings = replace(PLAIN, silence_per_keyword=0.5, unknown_per_keyword=1)
    training = TrainingSet(tones, WORDS, settings, seed=0)
    epoch = training.epoch(0)
    assert Counter(epoch.labels.tolist()) == {0: 12, 1: 24, 2: 24, 3: 24}
    assert len(epoch) == len(training)
    assert epoch.spectrograms.shape == (84, 49, 40)
    assert epoch.spectrograms.dtype == np.int8


def test_same_seed_gives_the_same_epochs_in_any_order(tones: DataSet) -> None:
    first = TrainingSet(tones, WORDS, SampleSettings(), seed=3)
    again = TrainingSet(tones, WORDS, SampleSettings(), seed=3)
    late = again.epoch(5)
    for number in (0, 5):
        a, b = first.epoch(number), late if number == 5 else again.epoch(number)
        np.testing.assert_array_equal(a.spectrograms, b.spectrograms)
        np.testing.assert_array_equal(a.labels, b.labels)


def test_other_seeds_and_epochs_differ(tones: DataSet) -> None:
    training = TrainingSet(tones, WORDS, SampleSettings(), seed=3)
    other = TrainingSet(tones, WORDS, SampleSettings(), seed=4)
    first = training.epoch(0).spectrograms
    assert not np.array_equal(first, training.epoch(1).spectrograms)
    assert not np.array_equal(first, other.epoch(0).spectrograms)


@pytest.mark.parametrize("keep_noise", [False, True])
def test_without_augmentation_clips_have_the_cores_features(
    keep_noise: bool, tones: DataSet
) -> None:
    settings = replace(PLAIN, keep_noise=keep_noise)
    copy = TrainingSet(tones, WORDS, settings, seed=0).copy(0)
    expected = _core.features(load_pcm(tones.of(Split.TRAIN, ["high"])), keep_noise=keep_noise)
    made = copy.spectrograms[copy.labels == 3]
    assert sorted(map(bytes, made)) == sorted(map(bytes, expected))


def test_cut_keywords_count_as_unknown(tones: DataSet) -> None:
    settings = SampleSettings(joined=0, copies=1, augmentation=replace(NONE, shift_ms=900))
    before = TrainingSet(tones, WORDS, settings, seed=0).copy(0)
    after = TrainingSet(tones, WORDS, replace(settings, min_keyword_energy=0.6), seed=0).copy(0)
    np.testing.assert_array_equal(after.spectrograms, before.spectrograms)
    cut = after.labels != before.labels
    assert set(after.labels[cut].tolist()) == {1}
    assert set(before.labels[cut].tolist()) == {2, 3}
    # A cut tone is loud in fewer frames of its clip.
    loud = (before.spectrograms.max(axis=2) > 0).sum(axis=1)
    keywords = before.labels > 1
    assert loud[cut].max() < np.median(loud[keywords & ~cut])


def test_lead_reaches_only_the_frontend(tones: DataSet) -> None:
    settings = replace(PLAIN, augmentation=replace(NONE, lead_ms=1000, background=1))
    copy = TrainingSet(tones, WORDS, settings, seed=0).copy(0)
    assert copy.spectrograms.shape[1:] == (49, 40)
    alone = replace(PLAIN, augmentation=replace(NONE, background=1))
    other = TrainingSet(tones, WORDS, alone, seed=0).copy(0)

    # The noise estimate has settled, so steady noise is lower in a clip's first frames.
    def first(samples: Samples) -> float:
        return float(samples.spectrograms[samples.labels > 0, :5].mean())

    assert first(copy) < first(other) - 5


def test_frames_before_the_window_come_from_the_lead(tones: DataSet) -> None:
    settings = replace(PLAIN, augmentation=Augmentation(lead_ms=600))
    assert settings.lead_frames == 30
    window = TrainingSet(tones, WORDS, settings, seed=0).epoch(0)
    longer = TrainingSet(tones, WORDS, settings, seed=0, before=30).epoch(0)
    assert longer.spectrograms.shape[1:] == (79, 40)
    np.testing.assert_array_equal(longer.spectrograms[:, 30:], window.spectrograms)
    assert (longer.spectrograms[:, :30] > -128).any()


def test_no_test_speaker_is_in_training(tones: DataSet) -> None:
    def speakers(groups: list[list[Clip]]) -> set[str]:
        return {clip.speaker for group in groups for clip in group}

    learned = speakers(training_clips(tones, WORDS, SampleSettings(unknown_per_keyword=2), seed=0))
    for split in (Split.VALIDATION, Split.TEST):
        evaluated = speakers(evaluation_clips(tones, WORDS, split))
        assert evaluated
        assert not evaluated & learned


def test_without_backgrounds_silence_is_zeros(tones: DataSet) -> None:
    bare = replace(tones, backgrounds=())
    pcm, labels, _ = evaluation_pcm(bare, WORDS, Split.TEST)
    assert not pcm[labels == 0].any()
    assert len(TrainingSet(bare, WORDS, SampleSettings(), seed=0).epoch(0)) > 0


def test_missing_other_words_are_an_error(tones: DataSet) -> None:
    only = replace(tones, clips=tuple(clip for clip in tones.clips if clip.word in WORDS))
    with pytest.raises(DataError, match="words other than low, high"):
        TrainingSet(only, WORDS, SampleSettings(), seed=0)


@pytest.mark.parametrize(
    "change",
    [
        {"silence_per_keyword": -1},
        {"unknown_per_keyword": 1e6},
        {"joined": 1.1},
        {"min_keyword_energy": -0.1},
        {"balance": -1},
        {"extra": 2},
        {"spec_augment": 0.6},
        {"copies": 0},
    ],
)
def test_invalid_settings_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(KwsError, match=next(iter(change))):
        SampleSettings(**change)  # type: ignore[arg-type]


def without(dataset: DataSet, word: str, keep: int) -> DataSet:
    """The data set with only a few training clips of a word."""
    trained = dataset.of(Split.TRAIN, [word])[keep:]
    return replace(dataset, clips=tuple(clip for clip in dataset.clips if clip not in trained))


def test_scarce_words_are_drawn_as_often_as_others(tones: DataSet) -> None:
    scarce = without(tones, "low", 4)
    for balance, low, high in ((1.0, 14, 14), (0.0, 4, 24)):
        settings = replace(PLAIN, balance=balance)
        counts = Counter(TrainingSet(scarce, WORDS, settings, seed=0).epoch(0).labels.tolist())
        assert (counts[2], counts[3]) == (low, high)
    # A clip repeats only after all others.
    copy = TrainingSet(scarce, WORDS, PLAIN, seed=0).copy(0)
    _, times = np.unique(copy.spectrograms[copy.labels == 2], axis=0, return_counts=True)
    assert sorted(times.tolist()) == [3, 3, 4, 4]


def test_second_data_set_has_its_share(tones: DataSet) -> None:
    clips = tuple(replace(c, speaker=f"robot-{c.speaker}") for c in tones.clips)
    settings = replace(PLAIN, extra=0.5)
    plain = TrainingSet(tones, WORDS, PLAIN, seed=0)
    mixed = TrainingSet(tones, WORDS, settings, seed=0, extra=replace(tones, clips=clips))
    assert len(mixed) == len(plain)
    counts = [Counter(map(bytes, s.copy(0).spectrograms)) for s in (plain, mixed)]
    assert counts[0] != counts[1]
    groups = extra_clips(tones, tones, WORDS)
    assert [len(group) for group in groups] == [48, 24, 24]
    assert {clip.split for group in groups for clip in group} == {Split.TRAIN}


def test_auxiliary_words_are_classes_after_the_keywords(tones: DataSet) -> None:
    clips = tuple(replace(c, speaker=f"person-{c.speaker}") for c in tones.clips)
    settings = replace(PLAIN, joined=0.3)
    extra = replace(tones, clips=clips)
    plain = Counter(TrainingSet(tones, ("low",), settings, seed=0).epoch(0).labels.tolist())
    more = TrainingSet(tones, ("low",), settings, seed=0, extra=extra, auxiliary=("up", "down"))
    counts = Counter(more.epoch(0).labels.tolist())
    each = math.ceil(plain[2] * AUXILIARY_PER_KEYWORD)
    assert counts == plain + Counter({3: each, 4: each})
    assert len(more) == sum(counts.values())


def test_auxiliary_words_are_joined_too(tones: DataSet, monkeypatch: pytest.MonkeyPatch) -> None:
    clips = tuple(replace(c, speaker=f"person-{c.speaker}") for c in tones.clips)
    drawn: list[int] = []

    def draw(
        rng: np.random.Generator, words: Sequence[Rows], count: int, phrases: Sequence[str]
    ) -> Rows:
        drawn.extend(len(rows) for rows in words)
        return draw_pairs(rng, words, count, phrases)

    monkeypatch.setattr(training_set, "draw_pairs", draw)
    extra = replace(tones, clips=clips)
    settings = replace(PLAIN, joined=0.3)
    TrainingSet(tones, ("low",), settings, seed=0, extra=extra, auxiliary=("up", "down")).copy(0)
    assert len(drawn) == 4
    assert min(drawn) > 0


def test_second_data_set_with_test_speakers_is_refused(tones: DataSet) -> None:
    everyone = replace(tones, clips=tuple(replace(c, split=Split.TRAIN) for c in tones.clips))
    taken = {clip.speaker for group in extra_clips(everyone, tones, WORDS) for clip in group}
    assert taken == {clip.speaker for clip in tones.of(Split.TRAIN)}


def test_unknown_contains_pairs_of_words(tones: DataSet) -> None:
    plain = TrainingSet(tones, WORDS, PLAIN, seed=0).copy(0)
    joined = TrainingSet(tones, WORDS, replace(PLAIN, joined=0.5), seed=0).copy(0)
    np.testing.assert_array_equal(joined.labels, plain.labels)
    known = {bytes(s) for s in _core.features(load_pcm(tones.of(Split.TRAIN)))}
    new = [bytes(s) not in known for s in joined.spectrograms[joined.labels == 1]]
    assert sum(new) == round(0.5 * len(new))
    np.testing.assert_array_equal(
        joined.spectrograms[joined.labels > 1], plain.spectrograms[plain.labels > 1]
    )


def test_clips_on_disk_give_the_same_epochs(tones: DataSet, tmp_path: Path) -> None:
    disk = ArrayAllocator(tmp_path, memory=0)
    on_disk = TrainingSet(tones, WORDS, SampleSettings(), 0, allocator=disk)
    in_memory = TrainingSet(tones, WORDS, SampleSettings(), 0)
    assert isinstance(on_disk.copy(1).spectrograms, np.memmap)
    np.testing.assert_array_equal(on_disk.epoch(1).spectrograms, in_memory.epoch(1).spectrograms)
    assert not list(tmp_path.iterdir())  # the files disappear, however the program ends


def test_too_little_room_for_clips_gives_a_one_line_error(full_disk: Path) -> None:
    with pytest.raises(KwsError, match=r"no space for 1,000,000,000,000,000,000 bytes"):
        ArrayAllocator(full_disk, memory=0).empty((10**18,), np.dtype(np.int8))


@pytest.mark.slow
def test_an_epoch_of_20000_clips_is_augmented_in_20_seconds(tones: DataSet) -> None:
    # CPU time; two cores provide 40 s of it. Take the minimum of five runs, since work on a core's
    # other thread increases it.
    noise = [np.random.default_rng(0).normal(0, 900, 100_000).astype(np.int16)]
    augmenter = Augmenter(Augmentation(), noise, 16000, 0)

    def seconds() -> float:
        start = time.process_time()
        clips = load_pcm(tones.of(Split.TRAIN))[np.arange(1000) % 96]
        _core.features(augmenter.change(clips, [0]))
        return time.process_time() - start

    assert min(seconds() for _ in range(5)) * 20 < 40


def test_a_longer_window_uses_whole_longer_clips(tones: DataSet, tmp_path: Path) -> None:
    clip = load_pcm(tones.of(Split.TRAIN, ["high"])[:1])[0]
    long = np.concatenate([clip[4000:12000]] * 4)  # two seconds
    path = tmp_path / "long.wav"
    write_clip(path, long)
    first = replace(tones.of(Split.TRAIN, ["high"])[0], path=path)
    others = [c for c in tones.clips if c.word != "high" or c.split != Split.TRAIN]
    data = replace(tones, clips=(first, *others))
    copy = TrainingSet(data, ["high"], replace(PLAIN, window_ms=2000), seed=0).copy(0)
    assert copy.spectrograms.shape[1:] == (99, 40)
    (row,) = np.flatnonzero(copy.labels == 2)
    np.testing.assert_array_equal(copy.spectrograms[row], _core.features(long[None])[0])
    samples = evaluation_pcm(data, ["high"], Split.TEST, samples=32000)[0]
    assert samples.shape[1] == 32000
