# SPDX-License-Identifier: Apache-2.0
"""A project of `kws studio`: a folder that the commands and the page read and write.

    studio.toml                     phrase, language, folders of sound, names of speakers
    recordings/WORD/SPEAKER_nohash_N.wav    as written by `kws record`
    runs/EFFORT, runs/EFFORT-2      as written by `kws wake`
    sound/NAME                      as written by `kws download`
    sound/home                      as written by `kws listen --keep`
    cards/                          sounds from step Try that wait to be sorted
    pages, firmware, exports        as written by `kws export` and `kws build`
    jobs/N                          commands that the page started, with their output

Nothing else is stored: what the page shows is read from these files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kws import config
from kws.audio.capture.record import Clips, loudest_part, problem_of, speaker_hash
from kws.audio.layout.word_folders import read_folders
from kws.audio.mined_recordings import MINED_FOLDER
from kws.audio.pcm import Pcm, samples_of
from kws.audio.sound_files import write_clip
from kws.audio.tts.engines.espeak import accents_in
from kws.audio.tts.engines.languages import check_letters
from kws.errors import KwsError, UsageError
from kws.files import atomic_write, make_directory
from kws.host.studio.unchanged import changed_at, read_changed
from kws.labels import check_keywords, label_of

SETTINGS_FILE = "studio.toml"
RECORDINGS, RUNS, JOBS = "recordings", "runs", "jobs"
PAGES, FIRMWARE, EXPORTS, SOUND, CARDS = "pages", "firmware", "exports", "sound", "cards"

BROWSER_PORT = "browser.port"
"""File that leads commands to boards at the browser's USB."""

HOME = f"{SOUND}/home"
"""Sound that woke the model by accident."""

_OWN = {SETTINGS_FILE, RECORDINGS, RUNS, JOBS, PAGES, FIRMWARE, EXPORTS, SOUND, CARDS}

_WORD_MS = 1000
_PHRASE_MS = 2000  # kws wake crops recordings around the voice, to the window that it chooses

_MOST_NAMES = 200  # speakers with a name
MOST_NAME = 80
"""Characters of a speaker's name."""
_MOST_TEXT = 4000  # characters of a path or a phrase


@dataclass(frozen=True)
class ProjectSettings:
    """What the page asks for; the content of `studio.toml`."""

    phrase: str = ""
    """The phrase, or several words separated by commas; empty in a new project."""

    language: str = "en"
    """espeak-ng's codes of languages or accents, separated by commas."""

    data: str = ""
    """Folder of other words by people, for `kws wake --data`; empty for none."""

    negatives: tuple[str, ...] = ()
    """Folders of talk without the phrase, for `kws wake --negatives`."""

    sellable: bool = False
    """Whether to train with sources alone whose licences let anybody sell the result."""

    speakers: Mapping[str, str] = field(default_factory=dict)
    """Names of speakers by the id in the names of their recordings."""


_EMPTY = ProjectSettings()


@dataclass(frozen=True)
class Take:
    """A recording of a word."""

    path: Path
    word: str
    speaker: str


class Project:
    """The folder of a project. Its methods may be called from several threads."""

    def __init__(self, path: Path) -> None:
        """Open a project, or begin one in a new or empty folder.

        Raises:
            UsageError: `path` is a file, or a folder with other files.
            KwsError: the folder cannot be created, or `studio.toml` is damaged.
        """
        if path.exists() and not path.is_dir():
            raise UsageError(f"{path}: this is a file; choose a folder")
        names = {entry.name for entry in path.iterdir()} if path.is_dir() else set()
        if names and not names & _OWN:
            raise UsageError(
                f"{path}: this folder has other files and no project; choose a new or empty folder"
            )
        make_directory(path)
        self.path = path.resolve()
        self._lock = threading.RLock()
        self._settings = _read_settings(self.path / SETTINGS_FILE)

    @property
    def settings(self) -> ProjectSettings:
        """The saved settings; while an editor leaves the file damaged, the last good ones."""
        with contextlib.suppress(KwsError):
            self._settings = read_changed(self.path / SETTINGS_FILE, _read_settings) or _EMPTY
        return self._settings

    @property
    def words(self) -> tuple[str, ...]:
        """Labels of the phrase or the words; empty in a new project."""
        return labels_of(self.settings.phrase)

    @property
    def take_ms(self) -> int:
        """Length of a recording of the phrase."""
        is_phrase = any("_" in word for word in self.words)
        return _PHRASE_MS if is_phrase else _WORD_MS

    def save(
        self,
        phrase: str,
        language: str,
        data: str,
        negatives: Sequence[str],
        *,
        sellable: bool = False,
    ) -> None:
        """Check and save settings.

        Raises:
            UsageError: a phrase cannot be a keyword, voices of the language cannot read it, the
                language is unknown, or a folder is missing.
            KwsError: the file could not be written.
        """
        for text in (phrase, language, data, *negatives):
            if len(text) > _MOST_TEXT or _has_control_characters(text):
                raise UsageError("a text is too long or has control characters; retype it")
        labels_of(phrase)
        accents = accents_in(language)
        if not accents:
            raise UsageError("choose a language, such as en")
        check_letters(texts_of(phrase), accents)
        for folder in filter(None, (data, *negatives)):
            if not (self.path / Path(folder).expanduser()).is_dir():
                raise UsageError(f"{folder}: no such folder; paths start at {self.path}")
        with self._lock:
            self._write(
                replace(
                    self.settings,
                    phrase=phrase.strip(),
                    language=language.strip(),
                    data=data.strip(),
                    negatives=tuple(text.strip() for text in negatives if text.strip()),
                    sellable=sellable,
                )
            )

    # --- recordings -------------------------------------------------------------------------------

    def takes(self) -> list[Take]:
        """The recordings of the present words, sorted by word and name."""
        folder = self.path / RECORDINGS
        if not folder.is_dir():
            return []
        words = set(self.words)
        spoken = read_folders(folder).spoken
        return [Take(it.path, it.word, it.speaker) for it in spoken if it.word in words]

    @property
    def sound_hash(self) -> str:
        """Changes with recordings, accidental detections and label tracks; empty without."""
        names = [f"{take.word}/{take.path.name}" for take in self.takes()]
        names += sorted(path.name for path in self._accidental())
        for path in sorted(self._texts()):
            with contextlib.suppress(OSError):
                text = path.read_bytes()
                names += [f"{path.name} {text!r}"] if text.strip() else []
        return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16] if names else ""

    @property
    def sound_time(self) -> float:
        """When the newest recording, accidental detection or text was made; 0 without."""
        files = [*(take.path for take in self.takes()), *self._accidental(), *self._texts()]
        return max((changed_at(path) for path in files), default=0.0)

    def _accidental(self) -> Iterator[Path]:
        return (self.path / HOME / MINED_FOLDER).glob("*.wav")

    def _texts(self) -> Iterator[Path]:
        """Transcripts and label tracks of talk in the project."""
        for folder in self.settings.negatives:
            path = self.path / folder
            if path.resolve().is_relative_to(self.path):
                yield from path.rglob("*.txt")

    def add_take(self, word: str, speaker: str, pcm: Pcm) -> tuple[Path | None, str]:
        """Cut and save a recording; returns its file, or None and the problem with it.

        Args:
            word: one of `words`.
            speaker: the speaker's name.
            pcm: int16[n], 16 kHz, longer than `take_ms`.

        Raises:
            UsageError: there is no such word.
            KwsError: the file could not be written.
        """
        if word not in self.words:
            raise UsageError(f"{word}: not a word of this project; reload the page")
        clip = loudest_part(pcm, samples_of(self.take_ms))
        problem = problem_of(clip, pcm)
        if problem:
            return None, problem
        with self._lock:
            # The name first: a page may ask for the state in between.
            file = Clips(self.path / RECORDINGS, self.name_speaker(speaker)).next_path(word)
            write_clip(file, clip)
        return file, ""

    def name_speaker(self, speaker: str) -> str:
        """Remember a speaker's name; returns the hash in the names of files.

        Raises:
            KwsError: the settings could not be written.
        """
        name = speaker.strip()[:MOST_NAME]
        hashed = speaker_hash(name or None)
        with self._lock:
            named = self.settings.speakers
            if name and not _has_control_characters(name) and named.get(hashed) != name:
                names = {**named, hashed: name}
                if len(names) <= _MOST_NAMES:
                    self._write(replace(self.settings, speakers=names))
        return hashed

    def find_take(self, word: str, name: str) -> Path | None:
        """A recording by its word and file name, None if there is none."""
        found = (take.path for take in self.takes() if (take.word, take.path.name) == (word, name))
        return next(found, None)

    @property
    def has_home(self) -> bool:
        """Whether there is sound that woke the model by accident."""
        return any((self.path / HOME / MINED_FOLDER).glob("*.wav"))

    def use_home(self) -> None:
        """Train with the sound that woke the model by accident.

        Raises:
            KwsError: the settings could not be written.
        """
        with self._lock:
            if HOME not in self.settings.negatives:
                negatives = (*self.settings.negatives, HOME)
                self._write(replace(self.settings, negatives=negatives))

    # --- the file ---------------------------------------------------------------------------------

    def _write(self, settings: ProjectSettings) -> None:
        text = config.dump_toml(config.to_dict(settings))
        atomic_write(self.path / SETTINGS_FILE, text.encode())
        self._settings = settings


def _read_settings(file: Path) -> ProjectSettings:
    """The settings in a file; empty ones if there is none.

    Raises:
        KwsError: the file is damaged, or a setting is invalid.
    """
    if not file.exists():
        return _EMPTY
    settings = config.from_dict(ProjectSettings, config.read_toml(file), str(file))
    if not all(
        isinstance(text, str) for text in (settings.phrase, settings.language, settings.data)
    ):
        raise KwsError(f"{file}: a setting has the wrong type; correct or remove it")
    labels_of(settings.phrase)
    return settings


def texts_of(phrase: str) -> tuple[str, ...]:
    """The phrase, or the words that commas separate."""
    return tuple(text.strip() for text in phrase.split(",") if text.strip())


def labels_of(phrase: str) -> tuple[str, ...]:
    """The labels of a phrase or several words.

    Raises:
        UsageError: one cannot be a label, or two are equal.
    """
    labels = tuple(label_of(text) for text in texts_of(phrase))
    if labels:
        check_keywords(labels)
    return labels


def _has_control_characters(text: str) -> bool:
    return any(unicodedata.category(letter) == "Cc" for letter in text)


def read_json(path: Path) -> Any:
    """The content of a JSON file; None if it is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
