# SPDX-License-Identifier: Apache-2.0
"""Talk without keywords, played as it was recorded: every report in it is a false alarm.

The recordings of a source are played one after the other, and the frontend runs on between them, as
on a device. They are read while they are played, so that days of talk need no more memory than ten
minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.long_recordings import LongRecording, join_by_source, load_recordings
from kws.audio.pcm import Pcm
from kws.audio.surroundings import load_talk
from kws.model.evaluate.streams import PART_MINUTES, Kind, Stream

_BATCH = 32
"""Recordings that are read at a time."""

_LONGEST = round(PART_MINUTES * 60 * SAMPLE_RATE)


def recorded_talk(
    recordings: Sequence[LongRecording], progress: Callable[[int], object] = lambda _: None
) -> Iterator[Stream]:
    """Streams of talk, each of one source and at most ten minutes long.

    Args:
        recordings: the talk.
        progress: called with 1 after each recording was read.

    Raises:
        AudioError: a file is missing or damaged.
    """
    sources: dict[str, list[LongRecording]] = {}
    for recording in recordings:
        sources.setdefault(recording.source, []).append(recording)
    for source, group in sources.items():
        parts: list[Pcm] = []
        starts: list[tuple[int, Path]] = []
        samples = 0
        for recording, pcm in _read(group, progress):
            parts.append(pcm)
            starts.append((samples, recording.path))
            samples += len(pcm)
            if samples <= _LONGEST:
                continue
            joined = np.concatenate(parts)
            while len(joined) > _LONGEST:
                yield _stream(joined[:_LONGEST], source, starts)
                joined = joined[_LONGEST:]
                starts = [(starts[-1][0] - _LONGEST, recording.path)]
            parts, samples = [joined], len(joined)
        yield _stream(np.concatenate(parts), source, starts)


def _read(
    group: Sequence[LongRecording], progress: Callable[[int], object]
) -> Iterator[tuple[LongRecording, Pcm]]:
    """Each recording of a source with its sound, and the pause after it."""
    for first in range(0, len(group), _BATCH):
        batch = group[first : first + _BATCH]
        for recording, pcm in zip(batch, load_recordings(batch, progress), strict=True):
            yield recording, join_by_source([recording], [pcm])[recording.source]


def _stream(pcm: Pcm, source: str, starts: Sequence[tuple[int, Path]]) -> Stream:
    files = tuple((start * 1000 // SAMPLE_RATE, path) for start, path in starts)
    return Stream(pcm, (), Kind.TALK, source, files)


def background_talk(recordings: Sequence[LongRecording], hours: float) -> dict[str, Pcm]:
    """Talk to lay words over, all of it equally loud: each source as one recording.

    Args:
        recordings: the talk.
        hours: as much of it is read, in equal parts from each source, or all that there is.

    Raises:
        AudioError: a file is missing or damaged.
    """
    sources = {recording.source for recording in recordings}
    wanted = round(hours * 3600 * SAMPLE_RATE / max(len(sources), 1))
    talk: dict[str, list[Pcm]] = {source: [] for source in sources}
    for source in sorted(sources):
        group = [recording for recording in recordings if recording.source == source]
        samples = 0
        for first in range(0, len(group), _BATCH):
            talk[source].append(load_talk(group[first : first + _BATCH])[source])
            samples += len(talk[source][-1])
            if samples >= wanted:
                break
    return {source: np.concatenate(parts) for source, parts in sorted(talk.items())}
