# SPDX-License-Identifier: Apache-2.0
"""Label tracks as Audacity exports them: what is said in a recording, and when.

Each line is `start end text`, separated by tabs, with times in seconds. Lines that start with a
backslash (frequencies) are skipped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from kws.errors import DataError
from kws.files import atomic_write


@dataclass(frozen=True)
class Label:
    """A passage of a recording, in seconds."""

    start: float
    end: float
    text: str

    line: int = 0
    """Its line in the file, from 1; 0 if it is from none."""


def read_labels(file: Path) -> list[Label]:
    """The labels of a track, in the order of its lines.

    Raises:
        DataError: the file cannot be read, or a line is wrong.
    """
    return [_label(file, number, line) for number, line in _lines(file)]


def labels_beside(recording: Path) -> tuple[Label, ...]:
    """The labels in the text file next to a recording; none if it is missing or plain text.

    Raises:
        DataError: its first line is a label, and another line is wrong.
    """
    file = track_of(recording)
    if not file.is_file():
        return ()
    try:
        number, line = _lines(file)[0]
        _label(file, number, line)
    except (DataError, IndexError):
        return ()
    return tuple(read_labels(file))


def track_of(recording: Path) -> Path:
    """The text file next to a recording: `kitchen.txt` for `kitchen.wav`."""
    return recording.with_suffix(".txt")


def add_label(file: Path, label: Label) -> None:
    """Add a label to a track, or begin one.

    Raises:
        DataError: the file is not a label track.
        KwsError: it cannot be written.
    """
    text = ""
    if file.exists():
        read_labels(file)
        text = _text(file)
        text += "\n" if text and not text.endswith("\n") else ""
    atomic_write(file, f"{text}{line_of(label)}\n".encode())


def remove_label(file: Path, label: Label) -> None:
    """Remove the lines with exactly this label.

    Raises:
        DataError: the file cannot be read.
        KwsError: it cannot be written.
    """
    if not file.exists():
        return
    lines = _text(file).splitlines()
    left = [line for line in lines if line.rstrip() != line_of(label)]
    if len(left) < len(lines):
        atomic_write(file, "".join(f"{line}\n" for line in left).encode())


def line_of(label: Label) -> str:
    """A label as a line of a track, without the line's end."""
    return f"{label.start:.3f}\t{label.end:.3f}\t{label.text}"


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise DataError(
            f"{file}: {reason.lower()}; pass a label file exported by Audacity"
        ) from None


def _lines(file: Path) -> list[tuple[int, str]]:
    """Lines with labels and their numbers."""
    return [
        (number, line)
        for number, line in enumerate(_text(file).splitlines(), 1)
        if line.strip() and not line.startswith("\\")
    ]


def _label(file: Path, number: int, line: str) -> Label:
    try:
        start, end, text = line.split("\t")[:3]
        label = Label(float(start), float(end), text, number)
        if not math.isfinite(label.start + label.end):
            raise ValueError
    except ValueError:
        raise DataError(
            f"{file}: line {number}: must be start, end (seconds) and word, separated by tabs"
        ) from None
    return label
