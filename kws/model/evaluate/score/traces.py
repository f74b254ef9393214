# SPDX-License-Identifier: Apache-2.0
"""Plays streams to a model: the core's pipeline computes the scores, once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.errors import ModelError
from kws.model.evaluate.score.streams import Kind, Stream
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

    kind: Kind = Kind.RECORDING
    source: str = ""  # of talk, where it is from
    skipped: int = 0
    """How many of the inferences the bundle's gate skipped."""


def trace_streams(
    bundle: Bundle, streams: Iterable[Stream], progress: Progress = lambda _: None
) -> Iterator[Trace]:
    """Play streams to the bundle's pipeline, several at once, each from a fresh start.

    Args:
        bundle: the model.
        streams: the streams, in the order of the results.
        progress: called with 1 after each stream.

    Raises:
        ModelError: the core met a fault.
    """
    return play_streams(bundle, streams, lambda _, trace: trace, progress)


def play_streams(
    bundle: Bundle,
    streams: Iterable[Stream],
    result: Callable[[Stream, Trace], T],
    progress: Progress = lambda _: None,
) -> Iterator[T]:
    """As `trace_streams`, with what `result` makes of each stream and its trace.

    `result` runs beside other streams, in a thread of its own. The sound is dropped after it.
    """

    def play(stream: Stream) -> T:
        try:
            pipeline = Device(bundle).pipeline()
            _, times, scores = pipeline.trace(stream.sound(bundle.frontend.clip_ms))
        except _core.CoreError as error:
            raise ModelError(f"bundle {bundle.path or bundle.name}: {error}") from None
        progress(1)
        trace = Trace(
            stream.words,
            stream.hours,
            times,
            scores,
            kind=stream.kind,
            source=stream.source,
            skipped=pipeline.skipped,
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
