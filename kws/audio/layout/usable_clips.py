# SPDX-License-Identifier: Apache-2.0
"""A data set without its damaged recordings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kws.audio.dataset import DataSet, open_dataset
from kws.audio.decoding.left_out import damaged, damaged_text
from kws.progress import notice, progress_bar


def open_usable(root: Path) -> DataSet:
    """The data set in a folder, without damaged recordings; its notes go to stderr.

    Raises:
        DataError: see `open_dataset`.
        AudioError: no recording of a word is usable.
    """
    dataset = leave_out_damaged(open_dataset(root))
    for note in dataset.notes:
        notice(note)
    return dataset


def leave_out_damaged(dataset: DataSet) -> DataSet:
    """The data set without empty, cut off or damaged recordings, with a note about them.

    Raises:
        AudioError: no recording of a word is usable.
    """
    paths = [*(clip.path for clip in dataset.clips), *dataset.backgrounds]
    with progress_bar("checking", len(paths)) as advance:
        bad = damaged(paths, advance)
    if not bad:
        return dataset
    clips = tuple(clip for clip in dataset.clips if clip.path not in bad)
    if not clips:
        raise next(iter(bad.values()))
    return replace(
        dataset,
        clips=clips,
        backgrounds=tuple(path for path in dataset.backgrounds if path not in bad),
        notes=(*dataset.notes, f"{dataset.root}: {damaged_text(dataset.root, bad)}"),
    )
