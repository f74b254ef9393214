# SPDX-License-Identifier: Apache-2.0
"""Surroundings of a device: talk, noises, rooms."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.dataset import Split
from kws.audio.long_recordings import (
    LongRecording,
    has_recordings,
    join_by_source,
    load_recordings,
    open_recordings,
)
from kws.audio.pcm import BLOCK, Pcm, to_pcm
from kws.errors import DataError

_ONE_IN = 4
"""About one in this many speakers is held back from training."""

_SHORTEST_NOISE = 12 * SAMPLE_RATE
_TALK_LEVEL = 3000.0
"""RMS of the louder half of leveled talk."""


@dataclass(frozen=True)
class Surroundings:
    """Folders of long recordings."""

    negatives: tuple[Path, ...] = ()
    """Talk without keywords."""

    noises: tuple[Path, ...] = ()
    rooms: tuple[Path, ...] = ()
    """Impulse responses."""

    held_back: tuple[Path, ...] = ()
    """Folders of talk; some speakers are used for calibration instead of training."""

    def talk(self, split: Split | None, words: Sequence[str]) -> list[LongRecording]:
        """The recordings of talk, and parts of them, that contain none of these words.

        Speakers held back from training are in the validation split.

        Raises:
            DataError: a folder is missing or contains no recording, no folder has one of the split,
                or every recording contains one of these words.
        """
        folders = self.negatives
        recordings = open_recordings(folders, split, "speech")
        people = self._people_held_back()
        if split is Split.TRAIN:
            recordings = [r for r in recordings if r.speaker not in people]
        elif split is Split.VALIDATION and people:
            recordings += [r for r in self._held_back_talk() if r.speaker in people]
        clean = [
            part
            for recording in recordings
            if not recording.may_contain(words)
            for part in recording.without(words)
        ]
        if recordings and not clean:
            raise DataError(
                f"{folders[0]}: every recording contains one of {', '.join(words)}; "
                "pass recordings without them"
            )
        return clean

    def check(self, words: Sequence[str]) -> None:
        """Check that each folder has the right recordings, and some talk without these words.

        Raises:
            DataError: a folder is missing or contains no recording, or each recording contains one
                of these words.
        """
        self.talk(Split.TRAIN, words)
        for folders, kind in ((self.noises, "noise"), (self.rooms, "room")):
            open_recordings(folders, Split.TRAIN, kind)

    def load_noises(self, split: Split, *, if_any: bool = False) -> list[Pcm]:
        """Samples of the noises; short ones are repeated.

        Args:
            split: the split.
            if_any: return none if no folder has noises of the split, instead of an error.
        """
        if if_any and not any(has_recordings(folder, split, "noise") for folder in self.noises):
            return []
        sounds = self._load(self.noises, split, "noise")
        return [np.resize(sound, max(len(sound), _SHORTEST_NOISE)) for sound in sounds]

    def load_rooms(self, split: Split) -> list[Pcm]:
        """The impulse responses."""
        return self._load(self.rooms, split, "room")

    @property
    def fingerprint(self) -> str:
        """A digest of the recordings' names and of their texts; empty without any folder."""
        digest = hashlib.sha256()
        for folder in (*self.negatives, *self.noises, *self.rooms, *self.held_back):
            names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*"))
            names += [folder.name] if folder.is_file() else []
            digest.update("\n".join(names).encode())
            for text in sorted(folder.rglob("*.txt")):
                with contextlib.suppress(OSError):
                    digest.update(text.read_bytes())
        return digest.hexdigest()[:16] if self != Surroundings() else ""

    def _held_back_talk(self) -> list[LongRecording]:
        return open_recordings(self.held_back, Split.TRAIN, "speech")

    def _people_held_back(self) -> frozenset[str]:
        """Chosen by name, so always the same; empty if no speaker would be left for training."""
        people = {recording.speaker for recording in self._held_back_talk()}
        held = {name for name in people if _draw(name) % _ONE_IN == 0}
        return frozenset(held if held < people else ())

    @staticmethod
    def _load(folders: Sequence[Path], split: Split, kind: str) -> list[Pcm]:
        return load_recordings(open_recordings(folders, split, kind))


def _draw(speaker: str) -> int:
    return hashlib.sha256(f"calib{speaker}".encode()).digest()[0]


def load_talk(
    recordings: Sequence[LongRecording], progress: Callable[[int], object] = lambda _: None
) -> dict[str, Pcm]:
    """The recordings of each source joined, all at one level: int16[n].

    Raises:
        AudioError: a file is missing or damaged.
    """
    sounds = [level_talk(pcm) for pcm in load_recordings(recordings, progress)]
    return join_by_source(recordings, sounds)


def level_talk(pcm: Pcm) -> Pcm:
    """The recording with its louder half at an RMS of `_TALK_LEVEL`."""
    blocks = pcm[: len(pcm) // BLOCK * BLOCK].reshape(-1, BLOCK).astype(np.float32)
    power = np.mean(blocks**2, axis=1)
    if not len(power) or not power.any():
        return pcm
    level = float(np.sqrt(power[power >= np.median(power)].mean()))
    return to_pcm(pcm.astype(np.float32) * (_TALK_LEVEL / max(level, 1.0)))
