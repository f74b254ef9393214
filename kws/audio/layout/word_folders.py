# SPDX-License-Identifier: Apache-2.0
"""The recordings in a folder of words, with their words and speakers."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kws.audio.decoding.file_kinds import readable_endings
from kws.audio.decoding.left_out import unheard, unheard_text
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
    """Whether a name says who speaks; if not, the file counts as a speaker of its own."""


@dataclass(frozen=True)
class WordFolders:
    """What a folder of words holds."""

    spoken: list[SpokenFile] = field(default_factory=list)
    """Sorted by word, then by path."""

    backgrounds: list[Path] = field(default_factory=list)
    """Recordings without words."""

    loose: list[Path] = field(default_factory=list)
    """Recordings in the folder itself, which have no word."""

    left_out: list[str] = field(default_factory=list)
    """Folders whose names begin with `_`, but for those that have a meaning."""

    unheard: list[Path] = field(default_factory=list)
    """Files with sound that nothing here decodes."""

    @property
    def lack_of_words(self) -> str:
        """Why a folder without words is no data set, and what to do."""
        if self.unheard:
            return unheard_text(self.unheard)
        if not self.loose:
            return (
                "no words; a data set has a folder of recordings for each word, such as "
                "yes/anna_nohash_0.wav"
            )
        name = self.loose[0].name
        word, _, rest = name.partition(".")
        place = f"{word}/{rest}" if "." in rest else f"yes/{name}"
        return (
            f"{len(self.loose)} recordings and no folder of a word; a data set has a folder of "
            f"recordings for each word, so move {name} to {place}"
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
            out.left_out.append(folder.name)
    out.loose.extend(recordings(root))
    out.unheard.extend(unheard(root))
    out.spoken.sort(key=lambda file: (file.word, file.path.parts))
    return out


def recordings(folder: Path) -> list[Path]:
    """Files of a folder that have the extension of a recording that can be read, by name."""
    endings = readable_endings()
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if not entry.name.startswith(".")
            and os.path.splitext(entry.name)[1].lower() in endings  # noqa: PTH122 - 100,000 of them
            and entry.is_file()
        ]
    return [folder / name for name in sorted(names)]


def speaker_of(path: Path, word: str) -> str:
    """The speaker of a recording of a word, from its path alone, as `read_folders` finds it."""
    folders = path.parent.parts
    places = [place for place, name in enumerate(folders) if word_of(name) == word]
    if places and places[-1] + 1 < len(folders):
        return composed(folders[places[-1] + 1])
    stem = composed(path.stem)
    return named_speaker(stem, word) or stem


def composed(name: str) -> str:
    """A file's name with its letters and their marks in one: macOS has them apart."""
    return unicodedata.normalize("NFC", name)


def _word_files(folder: Path, word: str) -> Iterator[SpokenFile]:
    """The recordings in a word's folder; those in a folder inside it are by whom that names."""
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
