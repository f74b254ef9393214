# SPDX-License-Identifier: Apache-2.0
"""False alarms of a report that were the user's word after all.

They are noted in the label track next to the recording of talk, which `kws wake` reads: the passage
is left out of the talk from the next training on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kws.audio.label_track import Label, add_label, labels_beside, line_of, remove_label, track_of
from kws.audio.tts.voices import is_voice
from kws.errors import KwsError, UsageError
from kws.host.studio.project import Project


def alarm_facts(project: Project, alarm: Mapping[str, Any]) -> dict[str, Any]:
    """A false alarm for the page; `mine` is null where it cannot have been the user's word."""
    facts = {name: value for name, value in alarm.items() if name not in {"path", "seconds"}}
    return facts | {"mine": _is_mine(project, alarm) if _is_from_talk(alarm) else None}


def answer_alarm(project: Project, alarm: Mapping[str, Any], *, mine: bool) -> Path:
    """Note that a false alarm was the user's word, or take that back; returns the label track.

    Raises:
        UsageError: the alarm is not from talk, or its recording is gone or not in the project.
        DataError: the text file next to the recording is no label track.
        KwsError: it cannot be written.
    """
    if not _is_from_talk(alarm):
        raise UsageError("this false alarm is not from a recording of talk")
    recording, label = _recording(project, alarm), _label(alarm)
    if not recording.is_file():
        raise UsageError(f"{recording}: no such file; train again")
    track = track_of(recording)
    if not recording.is_relative_to(project.path):
        line = line_of(label).replace("\t", " TAB ")
        raise UsageError(
            f"{recording.name} is not in this project; add this line to {track}: {line}"
        )
    if mine and not _is_mine(project, alarm):
        add_label(track, label)
    elif not mine:
        remove_label(track, label)
    return track


def _is_from_talk(alarm: Mapping[str, Any]) -> bool:
    """Whether it is from talk by people: random words by voices have no keyword."""
    path = alarm.get("path")
    return bool(path and alarm.get("seconds") and not is_voice(Path(path).name))


def _recording(project: Project, alarm: Mapping[str, Any]) -> Path:
    """Commands of the page start at the project's folder, and so do their paths."""
    return (project.path / str(alarm["path"])).resolve()


def _label(alarm: Mapping[str, Any]) -> Label:
    start, end = alarm["seconds"]
    return Label(float(start), float(end), str(alarm["label"]))


def _is_mine(project: Project, alarm: Mapping[str, Any]) -> bool:
    try:
        labels = labels_beside(_recording(project, alarm))
    except KwsError:
        return False
    return line_of(_label(alarm)) in [line_of(label) for label in labels]
