# SPDX-License-Identifier: Apache-2.0
"""The recordings in folders of words, with their words and speakers."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kws.audio.decoding.file_kinds import readable_endings
from kws.audio.decoding.left_out import undecodable, undecodable_text
from kws.audio.layout.speaker_names import named_speaker
from kws.labels import SILENCE, UNKNOWN, word_of

BACKGROUND_FOLDER = "_background_noise_"


@dataclass(frozen=True)
class SpokenFile:
    """One recording of one word."""

    path: Path
    word: str
    speaker: str
    is_named: bool
    """Whether the file name contains a speaker; if not, the file counts as its own speaker."""


@dataclass(frozen=True)
class WordFolders:
    """The content of a data set's folder."""

    spoken: list[SpokenFile] = field(default_factory=list)
    """Sorted by word, then by path."""

    backgrounds: list[Path] = field(default_factory=list)
    """Recordings without words."""

    loose: list[Path] = field(default_factory=list)
    """Recordings outside the folders of words."""

    skipped: list[str] = field(default_factory=list)
    """Folders with an unknown name that begins with `_`."""

    undecodable: list[Path] = field(default_factory=list)
    """Files with sound that cannot be decoded here."""

    @property
    def lack_of_words(self) -> str:
        """Why a folder without words is not a data set, and what to do."""
        if self.undecodable:
            return undecodable_text(self.undecodable)
        if not self.loose:
            return (
                "no words; a data set has one folder of recordings per word, such as "
                "yes/anna_nohash_0.wav"
            )
        name = self.loose[0].name
        word, _, rest = name.partition(".")
        place = f"{word}/{rest}" if "." in rest else f"yes/{name}"
        return (
            f"{len(self.loose)} recordings but no folder of a word; a data set has one folder of "
            f"recordings per word, so move {name} to {place}"
        )


def read_folders(root: Path) -> WordFolders:
    """The recordings in the folders of `root`; see `kws.audio.dataset` for the layout.

    Raises:
        OSError: a folder is missing or cannot be read.
    """
    out = WordFolders()
    background = root / BACKGROUND_FOLDER
    if background.is_dir():
        out.backgrounds.extend(recordings(background))
    for folder in _folders(root):
        word = word_of(folder.name)
        if word == SILENCE:
            out.backgrounds.extend(file.path for file in _word_files(folder, word))
        elif word == UNKNOWN or not folder.name.startswith("_"):
            out.spoken.extend(_word_files(folder, word))
        elif folder != background:
            out.skipped.append(folder.name)
    out.loose.extend(recordings(root))
    out.undecodable.extend(undecodable(root))
    out.spoken.sort(key=lambda file: (file.word, file.path.parts))
    return out


def recordings(folder: Path) -> list[Path]:
    """Files in a folder with the extension of a readable recording, sorted by name."""
    endings = readable_endings()
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if not entry.name.startswith(".")
            and os.path.splitext(entry.name)[1].lower() in endings  # noqa: PTH122 - faster
            and entry.is_file()
        ]
    return [folder / name for name in sorted(names)]


def speaker_of(path: Path, word: str) -> str:
    """The speaker of a word's recording, from its path, as in `read_folders`."""
    folders = path.parent.parts
    places = [place for place, name in enumerate(folders) if word_of(name) == word]
    if places and places[-1] + 1 < len(folders):
        return composed(folders[places[-1] + 1])
    stem = composed(path.stem)
    return named_speaker(stem, word) or stem


def composed(name: str) -> str:
    """A file's name in Unicode form NFC; macOS stores marks as separate characters."""
    return unicodedata.normalize("NFC", name)


def _word_files(folder: Path, word: str) -> Iterator[SpokenFile]:
    """The recordings in a word's folder; a subfolder is named after its speaker."""
    for path in recordings(folder):
        stem = composed(path.stem)
        speaker = named_speaker(stem, word)
        yield SpokenFile(path, word, speaker or stem, is_named=speaker is not None)
    for speaker_folder in _folders(folder):
        for inner, _, _ in os.walk(speaker_folder):
            for path in recordings(Path(inner)):
                yield SpokenFile(path, word, composed(speaker_folder.name), is_named=True)


def _folders(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        names = [e.name for e in entries if not e.name.startswith(".") and e.is_dir()]
    return [folder / name for name in sorted(names)]
