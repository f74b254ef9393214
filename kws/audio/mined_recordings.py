# SPDX-License-Identifier: Apache-2.0
"""Recordings of what woke a model, as a data set that training takes as talk without keywords."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from kws.audio.dataset import Split
from kws.audio.long_recordings import MANIFEST
from kws.audio.pcm import Pcm, samples_of
from kws.audio.sound_files import write_clip
from kws.errors import DataError
from kws.files import atomic_write

MINED_FOLDER = "mined"
"""Folder in the data set that holds the recordings; training draws them more often than talk."""

BEFORE_MS, AFTER_MS = 2500, 500
"""Sound that is kept before and after the time at which a model woke.

A second is what the model heard, another is the lead that training needs before a window. The rest
lets windows begin earlier and end later. A model that sees more than a second needs more before:
see `before_ms`.
"""


@dataclass(frozen=True)
class MinedClip:
    """A line of the manifest."""

    file: str
    """Path from the data set's folder."""

    split: Split
    speaker_or_group: str
    source: str
    """What it was cut from: a recording, or the microphone."""

    seconds: float
    """Where in the source the keyword seemed to be."""

    word: str
    """The keyword that the model took it for."""

    score: int
    """The keyword's score, 0 to 255."""

    kind: str = "speech"


def file_name(*parts: str) -> str:
    """A name such as `kitchen_0001_yes.wav`; a label may hold characters that no file name can."""
    return "_".join(parts).replace("/", "-") + ".wav"


def before_ms(clip_ms: int) -> int:
    """Sound that is kept before the time at which a model that sees `clip_ms` woke."""
    return BEFORE_MS + max(clip_ms - 1000, 0)


def context_of(pcm: Pcm, first_ms: int, last_ms: int, clip_ms: int = 1000) -> Pcm:
    """The part of a recording around the times at which a model woke: int16[n].

    Args:
        pcm: the recording, int16[n].
        first_ms: end of the first window that woke it.
        last_ms: end of the last one.
        clip_ms: what the model sees.
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
    """Add a recording to a data set, which need not be there yet; gives the recording's file.

    Raises:
        DataError: the folder's manifest is not one of mined recordings.
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
    """The manifest's text; its first line only if there is none yet.

    Raises:
        DataError: it cannot be read, or is not one of mined recordings.
    """
    path = folder / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return _header()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a table of text"
        raise DataError(f"{path}: {reason.lower()}; correct it or name another folder") from None
    if not text.startswith(_header()):
        raise DataError(f"{path}: belongs to another kind of data set; name another folder")
    return text if text.endswith("\n") else f"{text}\n"


def _header() -> str:
    return _row([field.name for field in fields(MinedClip)])


def _line(clip: MinedClip) -> str:
    values = asdict(clip)
    return _row([*values.values()])


def _row(values: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()
