# SPDX-License-Identifier: Apache-2.0
"""Speakers from the names of recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from kws.audio.layout.speaker_names import named_speaker
from kws.audio.layout.word_folders import speaker_of


@pytest.mark.parametrize(
    ("stem", "speaker"),
    [
        ("0a7c2a8d_nohash_12", "0a7c2a8d"),
        ("anna_3", "anna"),
        ("anna-03", "anna"),
        ("anna (2)", "anna"),
        ("anna", "anna"),
        ("anna_yes_2", "anna"),
        ("yes_anna_2", "anna"),
        ("004ae714", "004ae714"),
        ("speaker_7_1", "speaker_7"),
        ("1272-128104-0000", "1272-128104"),
    ],
)
def test_the_speaker_is_read_from_a_file_name(stem: str, speaker: str) -> None:
    assert named_speaker(stem, "yes") == speaker


@pytest.mark.parametrize(
    "stem",
    [
        "3",
        "yes_3",
        "_nohash_3",
        "common_voice_en_18193140",
        "audio_1700000000",
        "Recording (3)",
        "sample-12",
        "New Recording 12",
        "yes_sample_4",
        "speaker_7",
        "18193140",
    ],
)
def test_a_file_name_without_a_speaker(stem: str) -> None:
    assert named_speaker(stem, "yes") is None


def test_the_speaker_after_a_keyword_of_two_words() -> None:
    assert named_speaker("hey marvin_anna_1", "hey_marvin") == "anna"


@pytest.mark.parametrize(
    ("path", "speaker"),
    [
        ("data/yes/anna_1.wav", "anna"),
        ("data/yes/sample-12.wav", "sample-12"),
        ("data/yes/ben/1.wav", "ben"),
        ("data/yes/ben/monday/1.wav", "ben"),
        ("data/hey marvin/ben_1.wav", "ben"),
        ("elsewhere/anna_1.wav", "anna"),
    ],
)
def test_speaker_of_a_path(path: str, speaker: str) -> None:
    assert speaker_of(Path(path), "hey_marvin" if "hey" in path else "yes") == speaker
