from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from kws import _core
from kws.audio.dataset import Clip, DataSet, Split, load_pcm
from kws.errors import DataError, KwsError
from kws.model.samples import (
    SampleSettings,
    TrainingSet,
    background_parts,
    judge_clips,
    judge_pcm,
    judge_samples,
    training_clips,
)

WORDS = ("low", "high")
PLAIN = SampleSettings(shift_ms=0, background_frequency=0, copies=2)


def test_epoch_has_the_shares_that_were_asked_for(tones: DataSet) -> None:
    settings = SampleSettings(silence_per_keyword=0.5, unknown_per_keyword=1)
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


def test_without_augmentation_clips_are_the_cores_features(tones: DataSet) -> None:
    copy = TrainingSet(tones, WORDS, PLAIN, seed=0).copy(0)
    expected = _core.features(load_pcm(tones.of(Split.TRAIN, ["high"])))
    np.testing.assert_array_equal(copy.spectrograms[copy.labels == 3], expected)


def test_judged_classes_have_equal_shares(tones: DataSet) -> None:
    samples = judge_samples(tones, WORDS, Split.TEST)
    assert Counter(samples.labels.tolist()) == dict.fromkeys(range(4), 8)


def test_judged_clips_are_the_same_each_time(tones: DataSet) -> None:
    first, labels, files = judge_pcm(tones, WORDS, Split.TEST)
    again = judge_pcm(tones, WORDS, Split.TEST)
    np.testing.assert_array_equal(first, again[0])
    assert files == again[2]
    for label, file in zip(labels.tolist(), files, strict=True):
        word = file.parent.name if file else None
        expected: dict[int, list[str | None]] = {
            0: [None],
            1: ["up", "down"],
            2: ["low"],
            3: ["high"],
        }
        assert word in expected[label]


def test_no_speaker_of_the_test_trains(tones: DataSet) -> None:
    def speakers(groups: list[list[Clip]]) -> set[str]:
        return {clip.speaker for group in groups for clip in group}

    learned = speakers(training_clips(tones, WORDS, SampleSettings(unknown_per_keyword=2), seed=0))
    for split in (Split.VALIDATION, Split.TEST):
        judged = speakers(judge_clips(tones, WORDS, split))
        assert judged
        assert not judged & learned


def test_splits_hear_different_parts_of_a_background() -> None:
    recording = np.arange(200_000, dtype=np.int32).astype(np.int16)
    parts = {split: background_parts([recording], split)[0] for split in Split}
    assert sum(len(part) for part in parts.values()) == len(recording)
    assert len(parts[Split.TRAIN]) == 160_000
    joined = np.concatenate([parts[Split.TRAIN], parts[Split.VALIDATION], parts[Split.TEST]])
    np.testing.assert_array_equal(joined, recording)


def test_short_background_serves_all_splits_and_too_short_is_an_error() -> None:
    short = np.zeros(20_000, np.int16)
    assert all(len(background_parts([short], split)[0]) == 20_000 for split in Split)
    with pytest.raises(DataError, match=r"0\.50 s"):
        background_parts([np.zeros(8000, np.int16)], Split.TRAIN)


def test_without_backgrounds_silence_is_zeros(tones: DataSet) -> None:
    bare = replace(tones, backgrounds=())
    pcm, labels, _ = judge_pcm(bare, WORDS, Split.TEST)
    assert not pcm[labels == 0].any()
    assert len(TrainingSet(bare, WORDS, SampleSettings(), seed=0).epoch(0)) > 0


def test_no_other_words_is_an_error_that_says_so(tones: DataSet) -> None:
    only = replace(tones, clips=tuple(clip for clip in tones.clips if clip.word in WORDS))
    with pytest.raises(DataError, match="other words than low, high"):
        TrainingSet(only, WORDS, SampleSettings(), seed=0)


@pytest.mark.parametrize(
    "change",
    [
        {"silence_per_keyword": -1},
        {"unknown_per_keyword": 1e6},
        {"shift_ms": 1000},
        {"background_volume": 2},
        {"background_frequency": -0.1},
        {"copies": 0},
    ],
)
def test_senseless_settings_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(KwsError, match=next(iter(change))):
        SampleSettings(**change)  # type: ignore[arg-type]
