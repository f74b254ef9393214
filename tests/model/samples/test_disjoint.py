# SPDX-License-Identifier: Apache-2.0
"""Training, validation and test sets share no speaker and no sample of noise."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import Clip, DataSet, Split, open_dataset
from kws.audio.sound_files import write_clip
from kws.audio.tts.engines.speech import Voice
from kws.audio.tts.synth import split_voices
from kws.model.evaluate.score.streams import StreamPlan
from kws.model.samples.backgrounds import background_parts
from kws.model.samples.evaluation_clips import evaluation_clips, evaluation_pcm
from kws.model.samples.sample_settings import SampleSettings
from kws.model.samples.training_clips import extra_clips, training_clips
from tests.tones import make_tones

WORDS = ("low", "high")
HELD_OUT = (Split.VALIDATION, Split.TEST)


def disjoint(sets: Collection[Collection[Hashable]]) -> bool:
    return all(not set(a) & set(b) for a, b in itertools.combinations(sets, 2))


def with_lists(root: Path) -> DataSet:
    return open_dataset(make_tones(root))


def by_hash(root: Path) -> DataSet:
    """Without lists, with enough speakers for each set."""
    for word, speaker, take in itertools.product(("low", "high", "up"), range(80), range(2)):
        pcm = np.full(16000, 100 * speaker, np.int16)
        write_clip(root / word / f"speaker{speaker}_nohash_{take}.wav", pcm)
    rng = np.random.default_rng(0)
    for name in ("hiss", "hum"):
        noise = rng.normal(0, 300, 12 * 16000).astype(np.int16)
        write_clip(root / "_background_noise_" / f"{name}.wav", noise)
    return open_dataset(root)


@pytest.fixture(params=[with_lists, by_hash], ids=["lists", "hash"])
def dataset(request: pytest.FixtureRequest, tmp_path: Path) -> DataSet:
    make: Callable[[Path], DataSet] = request.param
    return make(tmp_path)


def speakers(clips: Collection[Clip]) -> set[str]:
    assert clips, "an empty set would prove nothing"
    return {clip.speaker for clip in clips}


def test_training_validation_and_test_share_no_speaker(dataset: DataSet) -> None:
    trained = training_clips(dataset, WORDS, SampleSettings(), seed=0)
    evaluated = [evaluation_clips(dataset, WORDS, split) for split in HELD_OUT]
    sets = [speakers(list(itertools.chain(*groups))) for groups in (trained, *evaluated)]
    assert disjoint(sets)
    assert not dataset.shared_speakers()


def test_evaluation_clips_are_from_their_split(dataset: DataSet) -> None:
    split_of = {clip.path: clip.split for clip in dataset.clips}
    for split in HELD_OUT:
        _, _, files = evaluation_pcm(dataset, WORDS, split)
        assert {split_of[file] for file in files if file} == {split}


@pytest.mark.long
def test_streams_share_no_speaker(dataset: DataSet) -> None:
    speaker_of = {clip.path: clip.speaker for clip in dataset.clips}
    plan = StreamPlan(hours=0.15, other_hours=0.05)
    said = [
        {
            speaker_of[word.file]
            for stream in plan.streams(dataset, WORDS, split)
            for word in stream.words
            if word.file
        }
        for split in HELD_OUT
    ]
    trained = training_clips(dataset, WORDS, SampleSettings(), seed=0)
    assert all(said)
    assert disjoint([*said, speakers(list(itertools.chain(*trained)))])


@pytest.mark.parametrize("seconds", [1.5, 2.9, 3.2, 8, 10.5, 60])
def test_parts_of_a_background_share_no_sample(seconds: float) -> None:
    # Each sample has a unique value.
    recording = np.arange(int(seconds * 16000), dtype=np.int32)
    parts = {split: background_parts([recording], split) for split in Split}  # type: ignore[list-item]
    assert disjoint([{int(x) for part in parts[split] for x in part} for split in Split])
    assert all(len(part) > 16000 for split in Split for part in parts[split])
    assert parts[Split.TRAIN]
    assert bool(parts[Split.TEST]) == bool(parts[Split.VALIDATION]) == (seconds > 3)


def test_voices_of_a_vocal_tract_stay_together() -> None:
    voices = [
        Voice(engine, accent, f"tract{tract}")
        for engine, tracts in (("espeak", 40), ("flite", 5))
        for accent in ("en-gb", "en-us")
        for tract in range(tracts)
    ]
    for seed in range(10):
        splits = split_voices(voices, seed)
        sets = [{v.variant + v.engine for v in voices if splits[v.group] == s} for s in Split]
        assert all(sets)
        assert disjoint(sets)


def test_second_data_set_adds_no_speaker_of_the_evaluation(dataset: DataSet) -> None:
    # The same speakers, all of them for training.
    extra = replace(
        dataset, clips=tuple(replace(clip, split=Split.TRAIN) for clip in dataset.clips)
    )
    learned = speakers(list(itertools.chain(*extra_clips(extra, dataset, WORDS))))
    evaluated = [evaluation_clips(dataset, WORDS, split) for split in HELD_OUT]
    assert disjoint([learned, *(speakers(list(itertools.chain(*groups))) for groups in evaluated)])


def test_speech_commands_lists_share_no_speaker(speech_commands: Path) -> None:
    dataset = open_dataset(speech_commands)
    assert dataset.shared_speakers() == {}
    assert disjoint([speakers(dataset.of(split)) for split in Split])
