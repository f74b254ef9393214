# SPDX-License-Identifier: Apache-2.0
"""Which clips an epoch draws, and how often."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from kws.audio.dataset import DataSet, Split
from kws.errors import DataError
from kws.model.samples.draws import AUXILIARY_PER_KEYWORD, draw_pairs, draw_rows, plan_draws
from kws.model.samples.sample_settings import SampleSettings
from kws.model.samples.training_clips import extra_clips, training_clips

WORDS = ("low", "high")


@pytest.mark.parametrize(("recorded", "share"), [(0, 4 / 24), (0.5, 0.5), (0.8, 0.8)])
def test_recordings_make_up_their_share(tones: DataSet, recorded: float, share: float) -> None:
    # Two of the twelve training speakers are people, the others are voices.
    people = {"train0", "train10"}
    clips = tuple(
        clip if clip.speaker in people else replace(clip, speaker=f"espeak-us-{clip.speaker}")
        for clip in tones.clips
    )
    settings = SampleSettings(recorded=recorded)
    groups = training_clips(replace(tones, clips=clips), WORDS, settings, seed=0)
    flat = [clip for group in groups for clip in group]
    for draw in plan_draws(groups, [[] for _ in groups], settings)[1:]:
        by_people = [flat[row].speaker in people for row in draw.own]
        assert sum(by_people) / len(by_people) == pytest.approx(share, abs=0.02)


def test_auxiliary_words_are_drawn_only_from_the_second_data_set(tones: DataSet) -> None:
    everyone = replace(
        tones, clips=tuple(replace(c, speaker=f"other-{c.speaker}") for c in tones.clips)
    )
    settings = SampleSettings(extra=0.0)
    groups = training_clips(tones, ("low",), settings, seed=0)
    extra_groups = extra_clips(everyone, tones, ("low", "up", "down"))
    flat = [clip for group in (*groups, *extra_groups) for clip in group]
    draws = plan_draws(groups, extra_groups, settings)
    assert [draw.label for draw in draws] == [1, 2, 3, 4]
    for draw, word in zip(draws[2:], ("up", "down"), strict=True):
        assert draw.count == draw.from_extra
        assert draw.count == math.ceil(draws[1].count * AUXILIARY_PER_KEYWORD)
        assert {flat[row].word for row in draw.extra} == {word}
        assert not len(draw.own)
    # Unknown has no auxiliary words from the second data set.
    assert {flat[row].word for row in draws[0].extra} == {"high"}


def test_a_clip_repeats_only_after_all_others() -> None:
    rows = np.arange(10, 15)
    drawn = draw_rows(np.random.default_rng(0), rows, 13)
    assert sorted(drawn[:5]) == sorted(drawn[5:10]) == rows.tolist()
    assert len(drawn) == 13


def test_pairs_join_a_keyword_with_another_word() -> None:
    words = [np.arange(0, 10), np.arange(10, 20), np.arange(20, 30)]
    phrases = ["other"] * 10 + ["on"] * 10 + ["off"] * 10
    pairs = draw_pairs(np.random.default_rng(0), words, 200, phrases) // 10
    assert len(pairs) == 200
    assert set(pairs[:, 0].tolist()) == {1, 2}
    assert set(pairs[:, 1].tolist()) == {0, 1, 2}
    assert (pairs[:, 0] != pairs[:, 1]).all()


def test_no_pair_is_a_keyword_again() -> None:
    phrases = ["marvin", "hey", "marvin_hey", "hey_marble", "up", "hey_marvin", "go_up", "go_down"]
    words = [np.arange(0, 5), np.array([5]), np.array([6]), np.array([7])]
    pairs = draw_pairs(np.random.default_rng(0), words, 500, phrases)
    joined = {(phrases[first], phrases[second]) for first, second in pairs}
    others = {"marvin_hey", "up", "go_up", "go_down"}
    assert {second for first, second in joined if first == "hey_marvin"} == others
    assert {second for first, second in joined if first == "go_up"} == {
        *("marvin", "hey", "marvin_hey", "hey_marble", "hey_marvin")
    }


def test_words_that_make_no_pair_are_not_joined() -> None:
    words, phrases = [np.array([0]), np.array([1])], ["marvin", "hey_marvin"]
    assert draw_pairs(np.random.default_rng(0), words, 5, phrases).shape == (0, 2)


def test_second_data_set_with_only_held_out_speakers_is_refused(tones: DataSet) -> None:
    nobody = replace(tones, clips=tuple(tones.of(Split.TEST)))
    with pytest.raises(DataError, match="all its 32 clips are by held-out speakers"):
        extra_clips(nobody, tones, ("low", "high"))
