# SPDX-License-Identifier: Apache-2.0
"""What the model heard, and what it missed: sounds for the user to sort, for the next training.

A card is a WAV file in the project's folder `cards/`. Sorted, it becomes a recording of the word,
or talk without the word in `sound/home`, in the layout of `kws listen --keep`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kws.audio.dataset import Split
from kws.audio.mined_recordings import MINED_FOLDER, MinedClip, add_clip, day_and_time, file_name
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip, write_clip
from kws.errors import KwsError, UsageError, os_reason
from kws.host.studio.project import CARDS, HOME, Project

HEARD, NEAR, MISSED = "heard", "near", "missed"

MOST = 200
"""Maximum number of unsorted cards."""

_NAME = re.compile(rf"(\d{{8}})-(\d{{9}})_({HEARD}|{NEAR}|{MISSED})_(\d{{1,3}})_(.+)\.wav")


@dataclass(frozen=True)
class Card:
    """A sound that waits to be sorted."""

    path: Path
    day: str
    time: str
    kind: str
    """HEARD; NEAR: the score came near the threshold; MISSED: the user said so."""

    score: int
    """The model's score, 0 to 255."""

    label: str
    """The detected word, or the one that was missed."""

    def to_json(self) -> dict[str, Any]:
        """The card for the page."""
        return {
            "name": self.path.name,
            "kind": self.kind,
            "label": self.label,
            "score": self.score,
            "time": f"{self.time[:2]}:{self.time[2:4]}:{self.time[4:6]}",
        }


def all_cards(project: Project) -> list[Card]:
    """The cards, the newest first."""
    folder = project.path / CARDS
    files = sorted(folder.glob("*.wav"), reverse=True) if folder.is_dir() else []
    matches = [(file, _NAME.fullmatch(file.name)) for file in files]
    return [
        Card(file, match[1], match[2], match[3], int(match[4]), match[5])
        for file, match in matches
        if match
    ]


def find_card(project: Project, name: str) -> Card | None:
    """A card by its file's name, None if there is none."""
    return next((card for card in all_cards(project) if card.path.name == name), None)


def add_card(project: Project, kind: str, label: str, score: int, pcm: Pcm) -> Path:
    """Save a sound as a card.

    Args:
        project: the project.
        kind: HEARD, NEAR or MISSED.
        label: one of the project's words.
        score: 0 to 255.
        pcm: int16[n], 16 kHz: a few seconds up to half a second after the word.

    Raises:
        UsageError: an argument is invalid, or there are too many cards.
        KwsError: the file could not be written.
    """
    if kind not in {HEARD, NEAR, MISSED} or label not in project.words or not 0 <= score <= 255:
        raise UsageError("this word is not from this project's model; make the page again")
    if len(all_cards(project)) >= MOST:
        raise UsageError(f"{MOST} sounds wait to be sorted; sort some first")
    name = file_name("-".join(day_and_time()), kind, str(score), label)
    path = project.path / CARDS / name
    write_clip(path, pcm)
    return path


def sort_card(project: Project, card: Card, answer: str, speaker: str) -> str:
    """Sort a card; returns the problem if it cannot be a recording of the word, else nothing.

    Args:
        project: the project.
        card: the card, which is removed if there is no problem.
        answer: `mine`: the word was said. `other`: it was not. `discard`: neither is useful.
        speaker: who said the word.

    Raises:
        UsageError: another answer.
        KwsError: a file could not be read, written or removed.
    """
    if answer == "mine":
        _, problem = project.add_take(card.label, speaker, load_clip(card.path))
        if problem:
            return problem
    elif answer == "other":
        name = file_name(card.day, card.time, card.label)
        clip = MinedClip(
            f"{MINED_FOLDER}/{name}", Split.TRAIN, card.day, "studio", 0.0, card.label, card.score
        )
        add_clip(project.path / HOME, clip, load_clip(card.path))
        project.use_home()
    elif answer != "discard":
        raise UsageError("no such answer; reload the page")
    try:
        card.path.unlink(missing_ok=True)
    except OSError as error:
        raise KwsError(f"{card.path}: cannot be removed ({os_reason(error)})") from None
    return ""
