# SPDX-License-Identifier: Apache-2.0
"""Sounds that wait to be sorted for the next training: WAV files, named after what happened."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kws.audio.mined_recordings import day_and_time, file_name
from kws.audio.pcm import Pcm
from kws.audio.sound_files import write_clip

HEARD, NEAR, MISSED = "heard", "near", "missed"

MOST = 200
"""Maximum number of unsorted cards in a folder."""

_NAME = re.compile(rf"(\d{{8}})-(\d{{9}})_({HEARD}|{NEAR}|{MISSED})_(\d{{1,3}})_(.+)\.wav")


@dataclass(frozen=True)
class Card:
    """A sound that waits to be sorted."""

    path: Path
    day: str
    """Such as `20261224`."""

    time: str
    """Such as `183000123`."""

    kind: str
    """HEARD; NEAR: the score came near the threshold; MISSED: the user said so."""

    score: int
    """The model's score, 0 to 255."""

    label: str
    """The detected word, or the one that was missed."""


def read_cards(folder: Path) -> list[Card]:
    """The cards in a folder, which may be missing; the newest first."""
    files = sorted(folder.glob("*.wav"), reverse=True) if folder.is_dir() else []
    matches = [(file, _NAME.fullmatch(file.name)) for file in files]
    return [
        Card(file, match[1], match[2], match[3], int(match[4]), match[5])
        for file, match in matches
        if match
    ]


def write_card(folder: Path, kind: str, label: str, score: int, pcm: Pcm) -> Path:
    """Write a card.

    Args:
        folder: receives it.
        kind: HEARD, NEAR or MISSED.
        label: the word.
        score: 0 to 255.
        pcm: int16[n], 16 kHz: a few seconds up to half a second after the word.

    Raises:
        KwsError: the file could not be written.
    """
    path = folder / file_name("-".join(day_and_time()), kind, str(score), label)
    write_clip(path, pcm)
    return path
