# SPDX-License-Identifier: Apache-2.0
"""Talk without keywords, played as recorded: every report in it is a false alarm.

The recordings of a source are played one after the other without a reset of the frontend, as on a
device. They are read while they are played, so that days of talk need no more memory than ten
minutes.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import soxr

from kws._core import SAMPLE_RATE
from kws.audio.long_recordings import PAUSE, LongRecording
from kws.audio.pcm import Pcm
from kws.audio.resampling import duration_of, read_blocks
from kws.audio.surroundings import level_talk
from kws.model.evaluate.score.streams import PART_MINUTES, Kind, Played, Stream

_BLOCK_SECONDS = 30.0

_MOST_HOURS = 2.0
"""Maximum amount of talk in memory for streams with words."""


def recorded_talk(
    recordings: Sequence[LongRecording],
    progress: Callable[[int], object] = lambda _: None,
    minutes: float = PART_MINUTES,
) -> Iterator[Stream]:
    """Streams of talk, each of one source.

    Args:
        recordings: the talk.
        progress: called with 1 after each recording.
        minutes: maximum length of a stream.

    Raises:
        AudioError: a file is missing or damaged.
    """
    longest = round(minutes * 60 * SAMPLE_RATE)
    sources: dict[str, list[LongRecording]] = {}
    for recording in recordings:
        sources.setdefault(recording.source, []).append(recording)
    for source, group in sources.items():
        parts: list[Pcm] = []
        played: list[Played] = []
        samples = 0
        for recording in group:
            played.append(_played(recording, samples))
            blocks = read_blocks(recording.path, _BLOCK_SECONDS, recording.part)
            for pcm in itertools.chain(blocks, [PAUSE]):
                parts.append(pcm)
                samples += len(pcm)
                if samples <= longest:
                    continue
                joined = np.concatenate(parts)
                while len(joined) > longest:
                    yield Stream(joined[:longest], (), Kind.TALK, source, tuple(played))
                    joined = joined[longest:]
                    start_ms = played[-1].start_ms - longest * 1000 // SAMPLE_RATE
                    played = [replace(played[-1], start_ms=start_ms)]
                parts, samples = [joined], len(joined)
            progress(1)
        yield Stream(np.concatenate(parts), (), Kind.TALK, source, tuple(played))


def at_paces(streams: Iterable[Stream], paces: Sequence[float]) -> Iterator[Stream]:
    """Each stream of talk at each pace, which also changes the pitch, as if there were more people.

    Args:
        streams: the streams, without words.
        paces: factors of the speed, 1 for unchanged.
    """
    for stream in streams:
        for pace in paces:
            if pace == 1:
                yield stream
                continue
            pcm = soxr.resample(stream.pcm, pace * SAMPLE_RATE, SAMPLE_RATE, quality="MQ")
            played = [
                replace(it, start_ms=round(it.start_ms / pace), pace=pace) for it in stream.played
            ]
            yield replace(stream, pcm=pcm, played=tuple(played))


def _played(recording: LongRecording, sample: int) -> Played:
    """The recording in a stream that it joins at a sample."""
    first, _ = recording.part
    from_seconds = first * duration_of(recording.path) if first else 0.0
    return Played(recording.path, sample * 1000 // SAMPLE_RATE, from_seconds)


def background_talk(recordings: Sequence[LongRecording], hours: float) -> dict[str, Pcm]:
    """Talk for streams with words, all equally loud: one recording per source.

    Args:
        recordings: the talk.
        hours: amount to read, limited to two hours, in equal parts from each source.

    Raises:
        AudioError: a file is missing or damaged.
    """
    sources = sorted({recording.source for recording in recordings})
    talk = {}
    for source in sources:
        wanted = round(min(hours, _MOST_HOURS) * 3600 * SAMPLE_RATE / len(sources))
        parts: list[Pcm] = []
        for recording in (r for r in recordings if r.source == source):
            pcm = _beginning(recording, wanted)
            parts += [level_talk(pcm), PAUSE]
            wanted -= len(pcm) + len(PAUSE)
            if wanted <= 0:
                break
        talk[source] = np.concatenate(parts)
    return talk


def _beginning(recording: LongRecording, samples: int) -> Pcm:
    """The first samples of a recording, or all if there are fewer."""
    parts: list[Pcm] = []
    with contextlib.closing(read_blocks(recording.path, _BLOCK_SECONDS, recording.part)) as blocks:
        for pcm in blocks:
            parts.append(pcm[:samples])
            samples -= len(parts[-1])
            if samples <= 0:
                break
    return np.concatenate(parts)
