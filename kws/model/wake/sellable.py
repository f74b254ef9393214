# SPDX-License-Identifier: Apache-2.0
"""`kws wake --sellable`: only sources whose licences let anybody sell the result.

It is unsettled whether the licence of a recording covers a model trained on it; this is the
cautious reading, as in `kws licences`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from kws.audio.tts.voice_catalogue import read_catalogue
from kws.bundle.licences import YES, find_licences, licences_of
from kws.bundle.reading import load_bundle
from kws.errors import DataError, UsageError
from kws.model.weights import run_files

LICENCES_FILE = "licences.csv"
"""File in a folder of recordings with a licence per file; see examples/clean_sounds."""

_TERMS = "--sellable takes CC0, CC BY, public domain, Apache-2.0, MIT and BSD"


def unsellable_voices(say: Callable[[str], object]) -> tuple[str, ...]:
    """Installed Piper voices whose licence forbids or restricts a sale, or is unknown.

    The licences of espeak-ng and flite do not cover their sound, and Kokoro's permits sale.

    Args:
        say: receives a line for each of them.

    Raises:
        DataError: $KWS_VOICES is not a folder.
        ToolError: espeak-ng or flite failed.
    """
    names = []
    for voices in read_catalogue().present:
        if voices.engine == "piper" and not may_be_sold(voices.licence):
            say(f"left out for --sellable: {voices.name} ({voices.licence})")
            names.append(voices.name)
    return tuple(names)


def check_folders(folders: Sequence[Path], say: Callable[[str], object]) -> None:
    """Refuse folders with recordings that restrict a sale, as far as they record it.

    Args:
        folders: folders of recordings.
        say: receives a line for each folder that records no licences.

    Raises:
        UsageError: a licence restricts a sale, or is unknown.
        DataError: a list of licences cannot be read.
    """
    for folder in folders:
        file = folder / LICENCES_FILE
        if not file.is_file():
            say(f"--sellable: {folder} has no {LICENCES_FILE}; its licence is for you to check")
            continue
        for name, licence in _licences(file):
            if not may_be_sold(licence):
                shown = licence or "without a licence"
                raise UsageError(f"{file}: {name} is {shown}; {_TERMS}")


def check_base_model(folder: Path) -> None:
    """Refuse a base model that learned from something that may not be sold.

    Args:
        folder: a bundle, or the folder of a training run.

    Raises:
        UsageError: it did, or does not record its sources.
        BundleError: the bundle is damaged.
    """
    inner = folder / run_files.BUNDLE
    bundle = load_bundle(inner if inner.is_dir() else folder)
    # Training starts from the weights of the first model.
    for item in licences_of(replace(bundle, second_look=None)):
        if item.sale != YES:
            raise UsageError(
                f"{folder}: --sellable cannot start from this model ({item.part}: "
                f"{item.licence}); see kws licences, or choose another --from"
            )


def may_be_sold(licence: str) -> bool:
    """Whether a text names licences, and all of them let anybody sell what was made with it."""
    found = find_licences(licence)
    return bool(found) and all(item.sale == YES for item in found)


def _licences(file: Path) -> list[tuple[str, str]]:
    """The file and the licence of each row."""
    try:
        with file.open(encoding="utf-8", newline="") as table:
            rows = list(csv.DictReader(table))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file}: cannot be read: {error}") from error
    if not rows or not {"file", "licence"} <= rows[0].keys():
        raise DataError(f"{file}: needs the columns file and licence, and a row per recording")
    return [(row["file"] or "a row", row["licence"] or "") for row in rows]
