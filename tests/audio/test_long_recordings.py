# SPDX-License-Identifier: Apache-2.0
"""Long recordings: which may contain a keyword."""

from __future__ import annotations

from pathlib import Path

import pytest

from kws.audio.long_recordings import LongRecording


@pytest.mark.parametrize(
    ("transcript", "word", "contains"),
    [
        ("say no", "no", True),
        ("he said 'No' to it", "no", True),
        ("they know it", "no", True),  # sounds the same
        ("no-one came", "no", True),
        ("nobody came, nor did north wind", "no", False),
        ("don't", "don", False),
        ("", "no", False),
        (None, "no", False),
        ("das ist grün.", "grün", True),
        ("Hey, Marvin!", "hey_marvin", True),
        ("hey there marvin", "hey_marvin", False),
    ],
)
def test_transcript_is_searched_for_the_word(
    transcript: str | None, word: str, contains: bool
) -> None:
    recording = LongRecording(Path("a.wav"), "a", "s", transcript=transcript)
    assert recording.may_contain(["other", word]) is contains


@pytest.mark.parametrize(("says", "contains"), [("yes", True), ("unsure", True), ("no", False)])
def test_manifest_may_know_better(says: str, contains: bool) -> None:
    recording = LongRecording(Path("a.wav"), "a", "s", contains={"no": says})
    assert recording.may_contain(["no"]) is contains
