# SPDX-License-Identifier: Apache-2.0
"""What the model heard, and what it missed: sounds for the user to sort, for the next training.

A card is a WAV file in the project's folder `cards/`; step Try and `kws listen --cards` write them.
Sorted, it becomes a recording of the word, or talk without the word in `sound/home`, in the
layout of `kws listen --keep`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kws.audio.dataset import Split
from kws.audio.mined_recordings import MINED_FOLDER, MinedClip, add_clip, file_name
from kws.audio.pcm import Pcm
from kws.audio.sound_cards import HEARD, MISSED, MOST, NEAR, Card, read_cards, write_card
from kws.audio.sound_files import load_clip
from kws.errors import KwsError, UsageError, os_reason
from kws.host.studio.project import CARDS, HOME, Project


def card_facts(card: Card) -> dict[str, Any]:
    """A card for the page."""
    return {
        "name": card.path.name,
        "kind": card.kind,
        "label": card.label,
        "score": card.score,
        "time": f"{card.time[:2]}:{card.time[2:4]}:{card.time[4:6]}",
    }


def all_cards(project: Project) -> list[Card]:
    """The cards with a word of the project, the newest first."""
    return [card for card in read_cards(project.path / CARDS) if card.label in project.words]


def find_card(project: Project, name: str) -> Card | None:
    """A card by its file's name, None if there is none."""
    return next((card for card in all_cards(project) if card.path.name == name), None)


def add_card(project: Project, kind: str, label: str, score: int, pcm: Pcm) -> Path:
    """Save a sound as a card; see `write_card`.

    Raises:
        UsageError: an argument is invalid, or there are too many cards.
        KwsError: the file could not be written.
    """
    if kind not in {HEARD, NEAR, MISSED} or label not in project.words or not 0 <= score <= 255:
        raise UsageError("this word is not from this project's model; make the page again")
    if len(all_cards(project)) >= MOST:
        raise UsageError(f"{MOST} sounds wait to be sorted; sort some first")
    return write_card(project.path / CARDS, kind, label, score, pcm)


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
