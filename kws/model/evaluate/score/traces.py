# SPDX-License-Identifier: Apache-2.0
"""Plays streams to a model: the core's pipeline computes the scores once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.model.evaluate.score.streams import Kind, Played, Stream
from kws.model.evaluate.score.words import Word

Progress = Callable[[int], object]
T = TypeVar("T")


@dataclass(frozen=True)
class Trace:
    """Scores of a model for one stream."""

    words: tuple[Word, ...]
    hours: float
    times_ms: npt.NDArray[np.int32]
    """int32[n]: time of each inference."""

    scores: npt.NDArray[np.int8]
    """int8[n, classes]."""

    looks: npt.NDArray[np.int8] | None = None
    """int8[n, classes]: scores of the second look at each inference; None without one."""

    kind: Kind = Kind.RECORDING
    source: str = ""  # source of talk; else empty
    skipped: int = 0
    """Number of inferences that the bundle's gate skipped."""

    played: tuple[Played, ...] = ()
    """Recordings of talk by time."""


def trace_streams(
    bundle: Bundle, streams: Iterable[Stream], progress: Progress = lambda _: None
) -> Iterator[Trace]:
    """Play streams to the bundle's pipeline, several in parallel, each with a cleared state.

    Args:
        bundle: the model.
        streams: the streams; results have the same order.
        progress: called with 1 after each stream.

    Raises:
        ModelError: the core reported a fault.
    """
    return play_streams(bundle, streams, lambda _, trace: trace, progress)


def play_streams(
    bundle: Bundle,
    streams: Iterable[Stream],
    result: Callable[[Stream, Trace], T],
    progress: Progress = lambda _: None,
) -> Iterator[T]:
    """Like `trace_streams`, but returns `result` of each stream and its trace.

    `result` runs in a thread, in parallel with other streams. The sound is dropped afterwards.
    """

    def play(stream: Stream) -> T:
        pipeline = Device(bundle).pipeline()
        with bundle.core_faults():
            sound = stream.sound(bundle.frontend.clip_ms)
            if bundle.second_look:
                _, times, scores, looks = pipeline.trace_looks(sound)
            else:
                looks = None
                _, times, scores = pipeline.trace(sound)
        progress(1)
        trace = Trace(
            stream.words,
            stream.hours,
            times,
            scores,
            looks,
            kind=stream.kind,
            source=stream.source,
            skipped=pipeline.skipped,
            played=stream.played,
        )
        return result(stream, trace)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = []
        for stream in streams:
            pending.append(pool.submit(play, stream))
            if len(pending) > 2 * (os.cpu_count() or 1):  # a stream takes tens of megabytes
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()
