# SPDX-License-Identifier: Apache-2.0
"""Reports of unusable recordings in a folder."""

from __future__ import annotations

import contextlib
import functools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from kws.audio.decoding.file_kinds import FOREIGN, HEADERLESS, ffmpeg
from kws.audio.decoding.sources import open_source
from kws.audio.sound_files import load_clip
from kws.errors import AudioError
from kws.parallel import on_all_cores

_SHOWN = 4  # names in a line


def undecodable(root: Path) -> list[Path]:
    """The files in a folder and its subfolders with sound that cannot be decoded here.

    Raises:
        OSError: a folder cannot be read.
    """
    endings = HEADERLESS if ffmpeg() else FOREIGN | HEADERLESS
    out = []
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not name.startswith(".")]
        out += [
            Path(folder, name)
            for name in names
            if not name.startswith(".") and _ending(name) in endings
        ]
    return sorted(out)


def undecodable_text(paths: Sequence[Path]) -> str:
    """One line about undecodable files and what to do; empty without files."""
    counts = Counter(_ending(path.name) for path in paths)
    foreign = [f"{count} {ending}" for ending, count in counts.items() if ending in FOREIGN]
    raw = [f"{count} {ending}" for ending, count in counts.items() if ending in HEADERLESS]
    causes = []
    if foreign:
        causes.append(
            f"{', '.join(foreign)}: install ffmpeg, or convert with ffmpeg -i FILE FILE.wav"
        )
    if raw:
        causes.append(
            f"{', '.join(raw)}: unknown sampling rate, convert with "
            "ffmpeg -f s16le -ar RATE -ac 1 -i FILE FILE.wav"
        )
    return f"skipped {_files(len(paths))} ({'; '.join(causes)})" if causes else ""


def damaged(
    paths: Sequence[Path], progress: Callable[[int], object] = lambda _: None
) -> dict[Path, AudioError]:
    """The files that are empty, damaged, cut off or not recordings, and why.

    Args:
        paths: the recordings.
        progress: called with 1 after each.
    """
    out = {}
    for path, error in zip(paths, on_all_cores(_fault, paths), strict=True):
        if error:
            out[path] = error
        progress(1)
    return out


def unopened(paths: Sequence[Path]) -> dict[Path, AudioError]:
    """The recordings that cannot be opened, and why; their sound is not decoded."""
    faults = {path: _opening_fault(path, _stamp(path)) for path in paths}
    return {path: fault for path, fault in faults.items() if fault}


def damaged_text(root: Path, paths: Iterable[Path]) -> str:
    """One line about damaged files; empty without files."""
    names = [path.relative_to(root).as_posix() for path in paths]
    if not names:
        return ""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (
        f"skipped {_files(len(names))} (empty, cut off or damaged: "
        f"{', '.join(names[:_SHOWN])}{more}); record or copy again"
    )


def _fault(path: Path) -> AudioError | None:
    try:
        with open_source(path) as source:
            if source.is_whole:
                return None  # nothing has to be decoded
        load_clip(path)
    except AudioError as error:
        return error
    return None


@functools.lru_cache(maxsize=1 << 16)  # the same folder is opened for each split and kind
def _opening_fault(path: Path, _changed: int) -> AudioError | None:
    try:
        with open_source(path):
            return None
    except AudioError as error:
        return error


def _stamp(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime_ns
    return 0


def _ending(name: str) -> str:
    return os.path.splitext(name)[1].lower()  # noqa: PTH122 - faster


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
