# SPDX-License-Identifier: Apache-2.0
"""Plays recordings to a device and compares its reports with what is expected.

A `Recording` is a stream of samples and what is expected in it. A clip makes one;
`kws.host.emulate.recordings` reads those of a matrix.toml. `kws.model.evaluate.judge.hits` decides
which reports are hits and which are false alarms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kws._core import FAULT_BLINKS, FAULT_LINES, SAMPLE_RATE
from kws.audio.background_noises import quiet_room
from kws.audio.layout.word_folders import BACKGROUND_FOLDER, composed
from kws.audio.pcm import Pcm, samples_of
from kws.audio.sound_files import hear
from kws.bundle.device import Device
from kws.errors import BoardError, UsageError
from kws.files import new_directory
from kws.host.build.boards import find_board
from kws.host.build.firmware import build
from kws.host.build.ring import DEFAULT_HOPS
from kws.host.emulate import host_device
from kws.host.emulate.emulators import emulator
from kws.host.emulate.processes import PARALLEL
from kws.host.emulate.renode import microphone
from kws.host.emulate.transcript import recordings_in
from kws.host.serial.lines import Event, Serial, line_pattern
from kws.labels import SILENCE, UNKNOWN, keywords_of, word_of
from kws.model.evaluate.judge.hits import Outcome, Report, match
from kws.model.evaluate.score.words import Word

HOST = "host"
"""The board that is this machine."""

_QUIET_FOLDERS = frozenset({BACKGROUND_FOLDER, SILENCE, "noise"})


@dataclass(frozen=True)
class Expectation:
    """What a device has to report for a part of a recording."""

    name: str
    """The row's name in the table."""

    label: str
    """A keyword; `unknown`: no keyword; `silence`: no report at all."""

    start_ms: int
    end_ms: int
    """Where the part ends; it may be reported up to `hits.REACTION_MS` later."""

    in_order: tuple[str, ...] = ()
    """If given, exactly these keywords have to be reported, each once, in this order."""


@dataclass(frozen=True)
class Recording:
    """Sound that a device hears without a pause, from a fresh start, and what is expected of it.

    Time 0 is its first sample. After it the device goes on hearing a quiet room
    (`host_device.with_room`).
    """

    pcm: Pcm
    expected: tuple[Expectation, ...]

    lead_ms: int = 0
    """A quiet room before the first sample. Its time is not counted."""

    def after(self, seconds: float) -> Recording:
        """The same after so many more seconds of a quiet room."""
        return replace(self, lead_ms=self.lead_ms + round(1000 * seconds))

    def sound(self, device: Device) -> Pcm:
        """All samples that `device` hears."""
        heard = host_device.with_room(device, self.pcm)
        return np.concatenate([quiet_room(samples_of(self.lead_ms)), heard])


@dataclass(frozen=True)
class Row:
    """Whether one expectation was met."""

    clip: str
    expected: str
    heard: tuple[Report, ...]
    ok: bool


@dataclass(frozen=True)
class Result:
    """What a device wrote during one recording, and whether it was expected."""

    serial: Serial
    rows: tuple[Row, ...]

    host: tuple[Event, ...] | None = None
    """What the host's pipeline hears instead; None: the same."""


def clip_recording(argument: str, labels: Sequence[str]) -> Recording:
    """A clip and what is expected in it.

    Args:
        argument: a path, or `label=path` to say what is expected. `yes,left=path` expects several
            labels, each once, in this order.
        labels: the bundle's.

    Raises:
        AudioError: the clip cannot be read.
        UsageError: a label before `=` is not one of `labels`.
    """
    label, path = _split(argument, labels)
    pcm = hear(path).pcm
    return Recording(pcm, (whole(str(path), label or expected_label(path, labels), pcm),))


def clip_recordings(arguments: Iterable[str], labels: Sequence[str]) -> list[Recording]:
    """A `clip_recording` for each argument; a folder stands for all recordings in it."""
    clips: list[str] = []
    for argument in arguments:
        label, path = _split(argument, labels)
        if not path.is_dir():
            clips.append(argument)
            continue
        inside = recordings_in([path])
        clips += [f"{label}={file}" if label else str(file) for file in inside]
    return [clip_recording(clip, labels) for clip in clips]


def whole(name: str, label: str, pcm: Pcm) -> Expectation:
    """One expectation for a whole recording. `label` may be several, with commas between them."""
    labels = tuple(part.strip() for part in label.split(","))
    in_order = labels if len(labels) > 1 else ()
    return Expectation(name, ", ".join(labels), 0, len(pcm) * 1000 // SAMPLE_RATE, in_order)


def expected_label(path: Path, labels: Sequence[str]) -> str:
    """The label of a clip, from the name of its folder or else from its own.

    `yes/0a1b_nohash_0.wav` and `yes_1000ms.wav` are yes; clips in folders such as
    `_background_noise_` are silence; all others are unknown.
    """
    keywords = keywords_of(labels)
    folder = word_of(path.absolute().parent.name)
    if folder in keywords or folder == UNKNOWN:
        return folder
    if folder in _QUIET_FOLDERS:
        return SILENCE
    if "_nohash_" in path.name:  # Speech Commands: the folder is the word, the name a speaker
        return UNKNOWN
    first = re.split(r"[_\-.\d]", composed(path.name).lstrip("_"), maxsplit=1)[0]
    if first in keywords:
        return first
    return SILENCE if first in _QUIET_FOLDERS or first == "background" else UNKNOWN


def check_reports(
    expected: Sequence[Expectation], reports: Sequence[Report], labels: Sequence[str]
) -> tuple[Row, ...]:
    """A row for each expectation, and a failed row for each keyword reported between them.

    Args:
        expected: the expectations, by time.
        reports: the device's reports, by time.
        labels: the model's.
    """
    words = [Word(part.label, part.start_ms, part.end_ms) for part in expected]
    outcomes = match(words, reports, keywords_of(labels))
    rows = [
        Row(part.name, part.label, outcome.reports, _meets(part, outcome))
        for part, outcome in zip(expected, outcomes.of_words, strict=True)
    ]
    rows += [Row("between", SILENCE, (report,), ok=False) for report in outcomes.stray]
    return tuple(rows)


def _meets(part: Expectation, outcome: Outcome) -> bool:
    """Whether a part is reported as expected. A keyword may be reported more than once."""
    if part.label == SILENCE:
        return not outcome.reports
    if part.in_order:
        reported = tuple(report.label for report in outcome.reports if report.of_keyword)
        return reported == part.in_order
    only_itself = all(report.label == part.label for report in outcome.false_alarms)
    return only_itself and (part.label == UNKNOWN or outcome.hit is not None)


def play_all(
    board: str,
    device: Device,
    recordings: Sequence[Recording],
    progress: Callable[[int], None] = lambda _: None,
    ring_hops: int = DEFAULT_HOPS,
) -> list[Result]:
    """Play each recording to a fresh device, several at once, and check what it wrote.

    An emulated board has to hear what the host's pipeline hears, with the same scores and times:
    else a wrong rate or gain would pass as long as the words are still heard.

    Args:
        board: `host` or an emulated board.
        device: what it runs.
        recordings: in the order of the results.
        progress: called with 1 after each.
        ring_hops: of the firmware; see `build`.

    Raises:
        BoardError: the board met a fault.
        ToolError: compiler or emulator are missing or failed.
        UsageError: there is no such board.
    """
    if board == HOST:
        serials = (host_device.play(device, r.sound(device)) for r in recordings)
        checked = zip(recordings, serials, strict=True)
        return [_checked(r, serial, serial, device, progress) for r, serial in checked]
    find_board(board)
    with ThreadPoolExecutor(PARALLEL) as pool, emulator(board) as emulated:
        elf = build(board, device, ring_hops=ring_hops).elf
        return list(
            pool.map(
                lambda r: _checked(
                    r,
                    emulated.play(elf, r.sound(device)),
                    host_device.play(device, r.sound(device)),
                    device,
                    progress,
                ),
                recordings,
            )
        )


def export(board: str, device: Device, recordings: Sequence[Recording], folder: Path) -> None:
    """Write the recordings as input for `board`'s emulated microphone, with the expected lines.

    Each recording gives NN.raw (see `renode.microphone`) and NN.txt: what the host's pipeline of
    `device` writes after its boot line. `lines.json` has what else a suite needs: the labels that
    are said in each recording, patterns of the firmware's lines, the lines of faults and how often
    the lamp blinks.

    Raises:
        UsageError: there is no such board.
        KwsError: the folder cannot be written.
    """
    described = find_board(board)
    boot = line_pattern("boot", {1: board})
    stats = line_pattern("stats", {1: "0"})
    expected = {
        "said": [[part.label for part in recording.expected] for recording in recordings],
        "boot": boot,
        "stats": stats,
        "pcm_begin": line_pattern("pcm_begin"),
        "pcm": line_pattern("pcm"),
        "faults": FAULT_LINES,
        "blinks": FAULT_BLINKS,
    }
    with new_directory(folder) as place:
        (place / "lines.json").write_text(json.dumps(expected, indent=2), encoding="utf-8")
        for number, recording in enumerate(recordings):
            pcm = recording.sound(device)
            lines = host_device.play(device, pcm).text.partition("\n")[2]
            (place / f"{number:02}.raw").write_bytes(microphone(described, pcm))
            (place / f"{number:02}.txt").write_text(lines, encoding="utf-8")


def _checked(
    recording: Recording,
    serial: Serial,
    host: Serial,
    device: Device,
    progress: Callable[[int], None],
) -> Result:
    result = check(recording, serial, host, device.words)
    progress(1)
    return result


def check(recording: Recording, serial: Serial, host: Serial, labels: Sequence[str]) -> Result:
    """Whether a device meets what a recording expects, and hears what the host hears.

    Args:
        recording: what was played.
        serial: what the device wrote.
        host: what the host's pipeline writes.
        labels: the model's.

    Raises:
        BoardError: the device wrote no boot line.
    """
    if serial.boot is None:
        fault = serial.faults[-1] if serial.faults else "it wrote no boot line"
        raise BoardError(f"the firmware stopped: {fault}")
    lead = recording.lead_ms
    reports = [Report(heard.label, heard.score, heard.time_ms - lead) for heard in serial.heard]
    rows = check_reports(recording.expected, reports, labels)
    unlike = None
    if serial.events != host.events:
        unlike = tuple(replace(event, time_ms=event.time_ms - lead) for event in host.events)
    if serial.faults or serial.flaws or unlike is not None:
        rows = tuple(Row(row.clip, row.expected, row.heard, ok=False) for row in rows)
    return Result(serial, rows, unlike)


def _split(argument: str, labels: Sequence[str]) -> tuple[str | None, Path]:
    label, mark, path = argument.partition("=")
    if not mark or Path(argument).exists():
        return None, Path(argument)
    parts = [word_of(part) for part in label.split(",")]
    for part in parts:
        if part not in labels:
            raise UsageError(
                f"{argument}: the model has no label {part!r}; it has {', '.join(labels)}"
            )
    return ",".join(parts), Path(path)
