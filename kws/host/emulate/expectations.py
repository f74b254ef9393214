# SPDX-License-Identifier: Apache-2.0
"""Recordings for a device, the expected reports, and the check of a device's reports.

A `Recording` is a stream of samples with the expected reports. A clip makes one;
`kws.host.emulate.recordings` reads those of a matrix.toml. `kws.model.evaluate.judge.hits` decides
which reports are hits and which are false alarms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.background_noises import quiet_room
from kws.audio.layout.word_folders import BACKGROUND_FOLDER, composed
from kws.audio.pcm import Pcm, samples_of
from kws.audio.sound_files import hear
from kws.bundle.device import Device
from kws.errors import UsageError
from kws.host.emulate import host_device
from kws.host.emulate.transcript import recordings_in
from kws.labels import SILENCE, UNKNOWN, keywords_of, word_of
from kws.model.evaluate.judge.hits import Outcome, Report, match
from kws.model.evaluate.score.words import Word

_QUIET_FOLDERS = frozenset({BACKGROUND_FOLDER, SILENCE, "noise"})


@dataclass(frozen=True)
class Expectation:
    """The required report of a device for a part of a recording."""

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
    """Sound played to a freshly started device without a pause, and the expected reports.

    Time 0 is its first sample. It is followed by the sound of a quiet room
    (`host_device.with_room`).
    """

    pcm: Pcm
    expected: tuple[Expectation, ...]

    lead_ms: int = 0
    """A quiet room before the first sample. Its time is not counted."""

    def after(self, seconds: float) -> Recording:
        """The same recording after this many more seconds of a quiet room."""
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


def clip_recording(argument: str, labels: Sequence[str]) -> Recording:
    """A clip and the expected reports.

    Args:
        argument: a path, or `label=path` to set the expected label. `yes,left=path` expects several
            labels, each once, in this order.
        labels: labels of the bundle.

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
    """One expectation for a whole recording. `label` may be several labels, separated by commas."""
    labels = tuple(part.strip() for part in label.split(","))
    in_order = labels if len(labels) > 1 else ()
    return Expectation(name, ", ".join(labels), 0, len(pcm) * 1000 // SAMPLE_RATE, in_order)


def expected_label(path: Path, labels: Sequence[str]) -> str:
    """The label of a clip, from its folder's name or else from its file name.

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


def check_reports(
    expected: Sequence[Expectation], reports: Sequence[Report], labels: Sequence[str]
) -> tuple[Row, ...]:
    """A row for each expectation, and a failed row for each keyword reported between them.

    Args:
        expected: the expectations, by time.
        reports: the device's reports, by time.
        labels: labels of the model.
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
