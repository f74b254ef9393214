# SPDX-License-Identifier: Apache-2.0
"""A word that is said in a stream, and how long after it a device may report it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kws.audio.layout.word_folders import speaker_of

REACTION_MS = 1500
"""Longest time from the end of a word to its report."""


@dataclass(frozen=True)
class Word:
    """A word that is said in a stream."""

    label: str
    """The word itself, whether it is a keyword or not."""

    start_ms: int
    end_ms: int
    """Where the voice ends."""

    file: Path | None = None
    """The clip; None in a user's own recording."""

    @property
    def speaker(self) -> str:
        """Who says it; nobody without its clip."""
        return speaker_of(self.file, self.label) if self.file else ""
