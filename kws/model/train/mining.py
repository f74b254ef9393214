# SPDX-License-Identifier: Apache-2.0
"""Finds false alarms of a model in hours of sound without keywords."""

from __future__ import annotations

import bisect
import contextlib
import itertools
import math
import os
import shutil
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.audio.dataset import Split
from kws.audio.long_recordings import PAUSE, LongRecording, count_files
from kws.audio.mined_recordings import (
    MINED_FOLDER,
    MinedClip,
    context_of,
    file_name,
    write_manifest,
)
from kws.audio.pcm import Pcm, samples_of
from kws.audio.resampling import duration_of, read_blocks
from kws.audio.sound_files import write_clip
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.config import check_range
from kws.errors import UsageError
from kws.files import new_directory
from kws.progress import progress_bar

_GAP_MS = 1000
"""Inferences closer than this belong to one event."""

_LONGEST_MS = 5000
"""A noise that triggers the model for minutes becomes several events."""

_BLOCK_SECONDS = 30.0


@dataclass(frozen=True)
class MiningSettings:
    """Settings of a search."""

    folders: tuple[Path, ...]
    """Recordings without keywords."""

    keywords: tuple[str, ...] = ()
    """The keywords to search for; if empty, all of the bundle."""

    threshold: int = 76
    """The score that a keyword has to exceed in one inference, 0 to 255."""

    split: Split | None = Split.TRAIN
    """The split to search; None for all."""

    most: int | None = None
    """Maximum number of recordings to keep, those with the highest scores; None for all."""

    def __post_init__(self) -> None:
        """Check the range."""
        check_range("threshold", self.threshold, 0, 255)


@dataclass(frozen=True)
class Event:
    """Consecutive inferences that mistook sound for a keyword."""

    recording: LongRecording
    seconds: float
    """Time of the supposed keyword in the recording."""

    word: str
    score: int
    """Highest score, 0 to 255."""

    pcm: Pcm
    """The sound around it, int16[n]."""


@dataclass(frozen=True)
class Mining:
    """The result of a search."""

    hours: float
    recordings: int
    excluded: int
    """Recordings that were skipped because they may contain a keyword."""

    events: Mapping[tuple[str, str], int]
    """Number of events per source and keyword, kept or not."""

    clips: tuple[MinedClip, ...]
    """The kept clips, in the order of the recordings."""

    @property
    def searched(self) -> str:
        """The searched amount, as text."""
        where = f"{self.hours:.2f} hours, {self.recordings} recordings"
        if self.excluded:
            where += f" ({self.excluded} others may contain a keyword and were skipped)"
        return where

    @property
    def worst(self) -> list[MinedClip]:
        """The kept clips, highest score first."""
        return sorted(self.clips, key=lambda clip: -clip.score)

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        events = [
            {"source": source, "word": word, "events": count}
            for (source, word), count in self.events.items()
        ]
        return {**vars(self), "events": events, "clips": [vars(clip) for clip in self.clips]}


@dataclass(frozen=True)
class _Part:
    """A recording, or a part of a long one."""

    recording: LongRecording
    start: float
    """Where it begins in the file, in seconds."""

    seconds: float


def usual_folder(recordings: Sequence[Path]) -> Path:
    """A new folder for the results: `mined/NAME` of the first recording, or with a number."""
    name = recordings[0].resolve().stem or "recordings"
    folder = Path(MINED_FOLDER) / name
    number = 1
    while folder.exists():
        number += 1
        folder = folder.with_name(f"{name}-{number}")
    return folder


def mine_recordings(
    bundle: Bundle, settings: MiningSettings, out: Path, stream_seconds: float = 600.0
) -> Mining:
    """Search recordings and write the false alarms to `out`, all or none.

    `out` is not written if there are none.

    Args:
        bundle: the model.
        settings: settings of the search.
        out: a missing or empty folder.
        stream_seconds: maximum sound in memory, per core.

    Raises:
        UsageError: the model does not know a keyword, or `out` is not empty or is among the
            recordings.
        DataError: a folder is missing or has no recordings without keywords.
        AudioError: a recording is damaged.
        ModelError: the core reported a fault.
        KwsError: `out` could not be written.
    """
    for word in settings.keywords:
        if word not in bundle.keywords:
            known = ", ".join(bundle.keywords)
            raise UsageError(f"the model has no keyword {word!r}; it has {known}")
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out}: this folder is not empty or is a file; choose a new folder")
    if any(out.resolve().is_relative_to(folder.resolve()) for folder in settings.folders):
        raise UsageError(f"{out}: is among the recordings; choose a folder outside of them")
    ambient = Surroundings(settings.folders)
    recordings = ambient.talk(settings.split, bundle.keywords)
    excluded = count_files(ambient.talk(settings.split, ())) - count_files(recordings)
    streams = list(_streams(recordings, stream_seconds))
    seconds = sum(part.seconds for stream in streams for part in stream)
    clips: list[MinedClip] = []
    numbers: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    with (
        new_directory(out) as folder,
        progress_bar("searching", round(seconds)) as progress,
        contextlib.closing(_search(bundle, streams, settings)) as results,
    ):
        for stream, events in zip(streams, results, strict=True):
            for event in events:
                source = event.recording.source
                numbers[source] += 1
                counts[source, event.word] += 1
                clips.append(_keep(folder, event, numbers[source], settings))
            clips = _worst(folder, clips, settings.most)
            progress(round(sum(part.seconds for part in stream)))
        write_manifest(folder, clips)
    if not clips:
        shutil.rmtree(out)
    return Mining(seconds / 3600, count_files(recordings), excluded, counts, tuple(clips))


def _keep(folder: Path, event: Event, number: int, settings: MiningSettings) -> MinedClip:
    recording = event.recording
    clip = MinedClip(
        f"{MINED_FOLDER}/{file_name(recording.source, f'{number:04}', event.word)}",
        settings.split or Split.TRAIN,
        recording.speaker,
        str(recording.path),
        round(event.seconds, 2),
        event.word,
        event.score,
    )
    write_clip(folder / clip.file, event.pcm)
    return clip


def _worst(folder: Path, clips: list[MinedClip], most: int | None) -> list[MinedClip]:
    """The clips with the highest scores, in their order; the files of the others are removed."""
    if most is None or len(clips) <= most:
        return clips
    lowest = sorted(clips, key=lambda clip: clip.score)[: len(clips) - most]
    for clip in lowest:
        (folder / clip.file).unlink()
    files = {clip.file for clip in lowest}
    return [clip for clip in clips if clip.file not in files]


def _streams(recordings: Sequence[LongRecording], seconds: float) -> Iterator[list[_Part]]:
    """The recordings of each source one after the other, in streams of at most `seconds`."""
    by_source: dict[str, list[LongRecording]] = {}
    for recording in recordings:
        by_source.setdefault(recording.source, []).append(recording)
    for group in by_source.values():
        stream: list[_Part] = []
        for part in (part for recording in group for part in _parts(recording, seconds)):
            if stream and sum(p.seconds for p in stream) + part.seconds > seconds:
                yield stream
                stream = []
            stream.append(part)
        yield stream


def _parts(recording: LongRecording, seconds: float) -> Iterator[_Part]:
    """A recording in parts of at most `seconds`."""
    duration = duration_of(recording.path)
    first, last = recording.part
    count = max(1, math.ceil((last - first) * duration / seconds))
    edges = [first + (last - first) * i / count for i in range(count)] + [last]
    for start, end in itertools.pairwise(edges):
        part = replace(recording, part=(start, end))
        yield _Part(part, start * duration, (end - start) * duration)


def _search(
    bundle: Bundle, streams: Sequence[Sequence[_Part]], settings: MiningSettings
) -> Generator[list[Event]]:
    """The events of each stream; several streams are played in parallel."""
    ended = threading.Event()
    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        pending: deque[Future[list[Event]]] = deque()
        try:
            for stream in streams:
                pending.append(pool.submit(_events, bundle, stream, settings, ended))
                if len(pending) > cores:  # a stream takes tens of megabytes
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:  # also after Ctrl-C, a full disk, or a damaged recording
            ended.set()


def _events(
    bundle: Bundle, stream: Sequence[_Part], settings: MiningSettings, ended: threading.Event
) -> list[Event]:
    """The false alarms in a stream, by time."""
    pipeline = Device(bundle).pipeline()
    times, scores, sound, starts = [], [], [], []
    samples = 0
    for part in stream:
        starts.append(samples)
        blocks = read_blocks(part.recording.path, _BLOCK_SECONDS, part.recording.part)
        for pcm in itertools.chain(blocks, [PAUSE]):
            if ended.is_set():
                return []
            with bundle.core_faults():
                _, new_times, new_scores = pipeline.trace(pcm)
            times.append(new_times)
            scores.append(new_scores)
            sound.append(pcm)
            samples += len(pcm)
    clip_ms = bundle.frontend.clip_ms
    words = settings.keywords or bundle.keywords
    columns = [bundle.labels.index(word) for word in words]
    of_words = np.concatenate(scores)[:, columns]
    all_times, whole = np.concatenate(times), np.concatenate(sound)
    awake = np.flatnonzero(of_words.max(axis=1) > settings.threshold - 128)
    events = []
    for rows in neighbours(all_times, awake):
        row = rows[int(of_words[rows].max(axis=1).argmax())]
        middle = samples_of(int(all_times[row]) - clip_ms // 2)
        index = max(0, bisect.bisect_right(starts, middle) - 1)
        part = stream[index]
        events.append(
            Event(
                part.recording,
                part.start + max(0, middle - starts[index]) / SAMPLE_RATE,
                words[int(of_words[row].argmax())],
                int(of_words[row].max()) + 128,
                context_of(whole, int(all_times[rows[0]]), int(all_times[rows[-1]]), clip_ms),
            )
        )
    return events


def neighbours(
    times: npt.NDArray[np.int32], rows: npt.NDArray[np.intp]
) -> Iterator[npt.NDArray[np.intp]]:
    """Groups of rows that belong together, by time."""
    first = 0
    for i in range(1, len(rows) + 1):
        if (
            i == len(rows)
            or times[rows[i]] - times[rows[i - 1]] > _GAP_MS
            or times[rows[i]] - times[rows[first]] > _LONGEST_MS
        ):
            if i > first:
                yield rows[first:i]
            first = i
