# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: RUF001 - letters of the phonetic alphabet
"""Phonetic distances of words: known neighbours are near, other words are not."""

from __future__ import annotations

import shutil

import pytest

from kws.audio.tts.engines.espeak import pronounce
from kws.audio.tts.lexicon import read_words
from kws.audio.tts.phonemes import _CONSONANTS, _VOWELS, distance, is_part_of, units

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")


def test_a_word_is_split_into_its_sounds() -> None:
    assert units("n_ˈoʊ") == ("n", "oʊ")
    assert units("tʃ_ˈɜː_tʃ") == ("tʃ", "ɜ", "tʃ")
    assert units("m_ˈɑːɹ_v_ɪ_n") == ("m", "ɑ", "ɹ", "v", "ɪ", "n")
    assert units("t_ˈɜː_n ˈɔ_n") == ("t", "ɜ", "n", "ɔ", "n")
    assert units("w_ˈɔː_ɾ_ɚ_") == ("w", "ɔ", "ɾ", "ə", "ɹ")
    assert units("b_ɔ̃_ʒ_ˈu_ʁ") == ("b", "ɔ", "ʒ", "u", "ʁ")


def test_distance_is_an_edit_distance() -> None:
    no, low, go, cat = ("n", "oʊ"), ("l", "oʊ"), ("ɡ", "oʊ"), ("k", "æ", "t")
    assert distance(no, no) == 0
    assert 0 < distance(no, low) < distance(no, go) < distance(no, cat)
    assert distance(no, cat) == distance(cat, no)
    assert distance((), no) == pytest.approx((0.6 + 0.9) / 2)
    assert distance((), ()) == 0
    # One sound out of six counts less than one out of two.
    long = ("m", "ɑ", "ɹ", "v", "ɪ", "n")
    assert distance(long, ("l", *long[1:])) == pytest.approx(distance(no, low) / 3, rel=1)
    assert distance(("#",), ("n",)) == 1  # an unknown sound


def test_sounds_are_nearer_the_more_they_share() -> None:
    near = [("t", "d"), ("s", "z"), ("m", "n"), ("t", "tʃ"), ("i", "ɪ"), ("oʊ", "o"), ("ɑ", "ɔ")]
    far = [("t", "m"), ("s", "ɡ"), ("h", "m"), ("i", "ɑ"), ("aɪ", "u")]
    assert max(distance([a], [b]) for a, b in near) < min(distance([a], [b]) for a, b in far)


def test_words_within_words() -> None:
    assert is_part_of(("n", "oʊ"), ("s", "n", "oʊ"))
    assert is_part_of(("n", "oʊ"), ("n", "oʊ", "t"))
    assert not is_part_of(("n", "oʊ"), ("n", "aʊ"))
    assert not is_part_of(("n", "oʊ"), ("n",))


@needs_espeak
@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("no", ["know"], ["go", "low", "now", "toe", "stop"]),
        ("no", ["low", "go", "new", "now", "mow"], ["stop", "yes", "water", "house"]),
        ("yes", ["yet", "less", "guess", "yell"], ["no", "down", "water"]),
        ("stop", ["top", "shop", "step", "stock", "spot"], ["yes", "water", "happy"]),
        ("right", ["light", "night", "write", "ride"], ["stop", "morning"]),
        ("marvin", ["martin", "marvel", "margin"], ["sheila", "stop", "yellow"]),
    ],
)
def test_known_neighbours_are_near(word: str, near: list[str], far: list[str]) -> None:
    sounds = pronounce([word, *near, *far])

    def of(other: str) -> float:
        return distance(sounds[word], sounds[other])

    assert max(map(of, near)) < min(map(of, far))


@needs_espeak
def test_words_that_sound_the_same_have_no_distance() -> None:
    sounds = pronounce(["no", "know", "right", "write"])
    assert distance(sounds["no"], sounds["know"]) == 0
    assert distance(sounds["right"], sounds["write"]) == 0


@needs_espeak
@pytest.mark.process
def test_every_sound_of_the_word_list_is_known() -> None:
    words = read_words("english")
    sounds = pronounce(words)
    assert len(sounds) == len(words) > 1500
    for word, parts in sounds.items():
        assert parts, word
        for part in parts:
            assert part in _CONSONANTS or set(part) <= _VOWELS.keys(), (word, part)
