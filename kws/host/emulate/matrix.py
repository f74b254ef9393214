"""Plays recordings to a device and judges what it says.

A `Recording` is a stream of samples and what is expected in it. `scenes` makes those that the
default model has to pass; a clip of the user's makes one too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kws._core import SAMPLE_RATE
from kws.audio.dataset import recordings
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.errors import BoardError, UsageError
from kws.files import new_directory
from kws.host.build.boards import find_board
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.emulators import emulator
from kws.host.emulate.padding import Pcm, between_silence
from kws.host.emulate.processes import PARALLEL
from kws.host.emulate.renode import microphone
from kws.host.serial.lines import Heard, Serial
from kws.labels import SILENCE, UNKNOWN

HOST = "host"
"""The board that is this machine."""

REACTION_MS = 1500
"""A keyword may come so long after its recording's end: the scores are averaged over a second."""

_QUIET_FOLDERS = frozenset({"_background_noise_", "_silence_", SILENCE, "noise"})


@dataclass(frozen=True)
class Expectation:
    """What has to be heard while a part of a recording is played."""

    name: str
    """The row's name in the table."""

    label: str
    """A keyword; `unknown`: no keyword; `silence`: nothing at all."""

    start_ms: int
    end_ms: int
    """Lines with a time in (start, end] belong here."""

    in_order: tuple[str, ...] = ()
    """If given, just these keywords have to be heard, each once, in this order."""


@dataclass(frozen=True)
class Recording:
    """What is played to a device in one go, from a fresh start."""

    pcm: Pcm
    expected: tuple[Expectation, ...]


@dataclass(frozen=True)
class Row:
    """How one expectation was met."""

    clip: str
    expected: str
    heard: tuple[Heard, ...]
    ok: bool


@dataclass(frozen=True)
class Result:
    """What a device wrote during one recording, judged."""

    serial: Serial
    rows: tuple[Row, ...]


def clip_recording(argument: str, labels: Sequence[str]) -> Recording:
    """A clip between two seconds of silence.

    Args:
        argument: a path, or `label=path` to say what is expected.
        labels: the bundle's.

    Raises:
        AudioError: the clip cannot be read.
        UsageError: the label before `=` is not one of `labels`.
    """
    label, path = _split(argument, labels)
    pcm = between_silence(load_clip(path))
    return Recording(pcm, (whole(str(path), label or expected_label(path, labels), pcm),))


def clip_recordings(arguments: Iterable[str], labels: Sequence[str]) -> list[Recording]:
    """As `clip_recording` for each argument; a folder stands for every recording in it."""
    clips: list[str] = []
    for argument in arguments:
        label, path = _split(argument, labels)
        if not path.is_dir():
            clips.append(argument)
            continue
        inside = recordings(path)
        if not inside:
            raise UsageError(f"{path}: no recordings in this folder; name files or another folder")
        clips += [f"{label}={file}" if label else str(file) for file in inside]
    return [clip_recording(clip, labels) for clip in clips]


def whole(name: str, label: str, pcm: Pcm) -> Expectation:
    """One expectation for all of a recording."""
    return Expectation(name, label, 0, len(pcm) * 1000 // SAMPLE_RATE)


def expected_label(path: Path, labels: Sequence[str]) -> str:
    """What a clip says, going by its folder's name or else by its own.

    `yes/0a1b_nohash_0.wav` and `yes_1000ms.wav` say yes; clips of folders such as
    `_background_noise_` say nothing; everything else is unknown.
    """
    keywords = labels[2:]
    folder = path.absolute().parent.name
    if folder in keywords or folder == UNKNOWN:
        return folder
    if folder in _QUIET_FOLDERS:
        return SILENCE
    if "_nohash_" in path.name:  # Speech Commands: the folder is the word, the name a speaker
        return UNKNOWN
    first = re.split(r"[_\-.\d]", path.name.lstrip("_"), maxsplit=1)[0]
    if first in keywords:
        return first
    return SILENCE if first in _QUIET_FOLDERS or first == "background" else UNKNOWN


def judge(
    expected: Sequence[Expectation], heard: Sequence[Heard], labels: Sequence[str]
) -> tuple[Row, ...]:
    """A row for each expectation, and one that failed for each keyword outside all of them."""
    rows = []
    stray = list(heard)
    for part in expected:
        inside = tuple(h for h in heard if part.start_ms < h.time_ms <= part.end_ms)
        stray = [h for h in stray if h not in inside]
        rows.append(Row(part.name, part.label, inside, _meets(part, inside, labels)))
    rows += [Row("between", SILENCE, (h,), ok=False) for h in stray if h.label in labels[2:]]
    return tuple(rows)


def _meets(part: Expectation, heard: Sequence[Heard], labels: Sequence[str]) -> bool:
    if part.label == SILENCE:
        return not heard
    keywords = [h.label for h in heard if h.label in labels[2:]]
    if part.in_order:
        return keywords == list(part.in_order)
    return set(keywords) == (set() if part.label == UNKNOWN else {part.label})


def play_all(
    board: str,
    bundle: Bundle,
    recordings: Sequence[Recording],
    progress: Callable[[int], None] = lambda _: None,
) -> list[Result]:
    """Play each recording to a fresh device, two at once, and judge what it wrote.

    Args:
        board: `host` or an emulated board.
        bundle: what the device runs.
        recordings: in the order of the results.
        progress: called with 1 after each.

    Raises:
        BoardError: the board met a fault.
        ToolError: compiler or emulator are missing or failed.
        UsageError: there is no such board.
    """
    if board == HOST:
        return [_judged(r, host_device.play(bundle, r.pcm), bundle, progress) for r in recordings]
    find_board(board)
    with ThreadPoolExecutor(PARALLEL) as pool, emulator(board) as device:
        elf = build(board, bundle).elf
        return list(
            pool.map(lambda r: _judged(r, device.play(elf, r.pcm), bundle, progress), recordings)
        )


def export(board: str, bundle: Bundle, recordings: Sequence[Recording], folder: Path) -> None:
    """Write what each recording is for `board`'s emulated microphone, for a rig of one's own.

    A recording gives NN.raw (see `renode.microphone`) and NN.txt: what the host's pipeline with
    `bundle` writes after its boot line.

    Raises:
        UsageError: there is no such board.
        KwsError: the folder cannot be written.
    """
    described = find_board(board)
    with new_directory(folder) as place:
        for number, recording in enumerate(recordings):
            lines = host_device.play(bundle, recording.pcm).text.partition("\n")[2]
            (place / f"{number:02}.raw").write_bytes(microphone(described, recording.pcm))
            (place / f"{number:02}.txt").write_text(lines, encoding="utf-8")


def _judged(
    recording: Recording, serial: Serial, bundle: Bundle, progress: Callable[[int], None]
) -> Result:
    if serial.boot is None:
        fault = serial.faults[-1] if serial.faults else "it wrote no boot line"
        raise BoardError(f"the firmware stopped: {fault}")
    progress(1)
    rows = judge(recording.expected, serial.heard, bundle.labels)
    if serial.faults:
        rows = tuple(Row(row.clip, row.expected, row.heard, ok=False) for row in rows)
    return Result(serial, rows)


def _split(argument: str, labels: Sequence[str]) -> tuple[str | None, Path]:
    label, mark, path = argument.partition("=")
    if not mark or Path(argument).exists():
        return None, Path(argument)
    if label not in labels:
        raise UsageError(
            f"{argument}: the model has no label {label!r}; it has {', '.join(labels)}"
        )
    return label, Path(path)
