# SPDX-License-Identifier: Apache-2.0
"""Words of a stream, and the longest time until their reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kws.audio.layout.word_folders import speaker_of

REACTION_MS = 1500
"""Longest time from the end of a word to its report."""


@dataclass(frozen=True)
class Word:
    """A word spoken in a stream."""

    label: str
    """The word; not necessarily a keyword."""

    start_ms: int
    end_ms: int
    """End of the voice."""

    file: Path | None = None
    """The clip; None in a user's own recording."""

    @property
    def speaker(self) -> str:
        """The speaker; empty without a clip."""
        return speaker_of(self.file, self.label) if self.file else ""
