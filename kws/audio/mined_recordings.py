# SPDX-License-Identifier: Apache-2.0
"""Recordings of false alarms, as a data set that training uses as talk without keywords."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path

from kws.audio.dataset import Split
from kws.audio.long_recordings import MANIFEST
from kws.audio.pcm import Pcm, samples_of
from kws.audio.sound_files import write_clip
from kws.errors import DataError
from kws.files import atomic_write

MINED_FOLDER = "mined"
"""Subfolder with the recordings; training draws them more often than talk."""

BEFORE_MS, AFTER_MS = 2500, 500
"""Sound kept before and after a false alarm: one second for the model's window and one for the lead
that training needs before it. The rest lets windows begin earlier and end later. A longer window
needs more sound before it: see `before_ms`."""


@dataclass(frozen=True)
class MinedClip:
    """A line of the manifest."""

    file: str
    """Path from the data set's folder."""

    split: Split
    speaker_or_group: str
    source: str
    """The recording it was cut from, or the microphone."""

    seconds: float
    """Position of the false alarm in the source."""

    word: str
    """The keyword that was reported."""

    score: int
    """The keyword's score, 0 to 255."""

    kind: str = "speech"


def file_name(*parts: str) -> str:
    """A name such as `kitchen_0001_yes.wav`, without characters that a system does not allow."""
    return re.sub(r'[<>:"/\\|?*]', "-", "_".join(parts)) + ".wav"


def day_and_time() -> tuple[str, str]:
    """Now, for file names: `20261224`, `183000123`."""
    now = datetime.now().astimezone()
    return f"{now:%Y%m%d}", f"{now:%H%M%S}{now.microsecond // 1000:03}"


def before_ms(clip_ms: int) -> int:
    """Milliseconds kept before a false alarm of a model with a window of `clip_ms`."""
    return BEFORE_MS + max(clip_ms - 1000, 0)


def context_of(pcm: Pcm, first_ms: int, last_ms: int, clip_ms: int = 1000) -> Pcm:
    """The part of a recording around a false alarm: int16[n].

    Args:
        pcm: the recording, int16[n].
        first_ms: end of the first window that raised it.
        last_ms: end of the last one.
        clip_ms: the model's window.
    """
    start_ms = max(0, first_ms - before_ms(clip_ms))
    return pcm[samples_of(start_ms) : samples_of(last_ms + AFTER_MS)].copy()


def write_manifest(folder: Path, clips: Sequence[MinedClip]) -> None:
    """Write the manifest of a new data set.

    Raises:
        KwsError: it could not be written.
    """
    atomic_write(folder / MANIFEST, (_header() + "".join(map(_line, clips))).encode())


def add_clip(folder: Path, clip: MinedClip, pcm: Pcm) -> Path:
    """Add a recording to a data set, which is created if needed; returns the recording's path.

    Raises:
        DataError: the folder's manifest is not for mined recordings.
        KwsError: the recording could not be written.
    """
    text = manifest_text(folder)
    path = folder / clip.file
    write_clip(path, pcm)
    try:
        atomic_write(folder / MANIFEST, (text + _line(clip)).encode())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def manifest_text(folder: Path) -> str:
    """The manifest's text; only the header line if there is no manifest yet.

    Raises:
        DataError: it cannot be read, or is not for mined recordings.
    """
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return _header()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text table"
        raise DataError(f"{path}: {reason.lower()}; correct it or choose another folder") from None
    if not text.startswith(_header()):
        raise DataError(f"{path}: belongs to another kind of data set; choose another folder")
    return text if text.endswith("\n") else f"{text}\n"


def _header() -> str:
    return _row([field.name for field in fields(MinedClip)])


def _line(clip: MinedClip) -> str:
    return _row([*asdict(clip).values()])


def _row(values: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()
