# SPDX-License-Identifier: Apache-2.0
"""Split of voices into training, validation and test."""

from __future__ import annotations

from collections import Counter

import pytest

from kws.audio.dataset import Split
from kws.audio.tts.engines.speech import Voice
from kws.audio.tts.synth import split_voices, unheard_engine


def test_a_small_engine_is_only_for_training_unless_it_is_the_only_one() -> None:
    flite = [Voice("flite", "", name) for name in "abcd"]
    espeak = [Voice("espeak", "us", f"v{i}") for i in range(30)]
    splits = split_voices(flite + espeak, seed=0)
    assert {splits[voice.group] for voice in flite} == {Split.TRAIN}
    assert Counter(split_voices(flite, seed=0).values()) == {
        Split.TRAIN: 2,
        Split.VALIDATION: 1,
        Split.TEST: 1,
    }


def test_a_held_out_engine_is_only_for_validation() -> None:
    flite = [Voice("flite", size, name) for name in "abcd" for size in ("", "tall")]
    others = [Voice("espeak", "us", f"v{i}") for i in range(10)]
    others += [Voice("kokoro", "us", f"mix{i}") for i in range(20)] + [Voice("piper", "", "joe")]
    assert unheard_engine(flite + others) == "flite"
    splits = split_voices(flite + others, 0, "flite")
    assert {g for g, split in splits.items() if split == Split.VALIDATION} == {
        voice.group for voice in flite
    }
    assert Counter(splits.values())[Split.TEST] == 3


@pytest.mark.parametrize(
    "voices",
    [
        [Voice("espeak", "us", f"v{i}") for i in range(30)],  # the only engine
        [Voice("flite", "", name) for name in "abcd"]  # more than a quarter
        + [Voice("espeak", "us", f"v{i}") for i in range(11)],
        [Voice("flite", "", name) for name in "ab"]  # too few to validate
        + [Voice("espeak", "us", f"v{i}") for i in range(30)],
        [],
    ],
)
def test_no_engine_can_be_held_out(voices: list[Voice]) -> None:
    assert unheard_engine(voices) == ""


def test_voice_groups_are_split_whole() -> None:
    voices = [Voice("espeak", accent, f"v{i}") for accent in ("us", "gb") for i in range(30)]
    splits = split_voices(voices, seed=3)
    assert Counter(splits.values()) == {Split.TRAIN: 24, Split.VALIDATION: 3, Split.TEST: 3}
    assert splits == split_voices(voices[::-1], seed=3)
    assert splits != split_voices(voices, seed=4)
