# SPDX-License-Identifier: Apache-2.0
"""Evaluates a bundle on clips, streams made from clips, talk, or a user's recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kws.bundle.bundle import Bundle
from kws.extras import require
from kws.model.evaluate.judge.clip_metrics import ClipMetrics, measure_clips
from kws.model.evaluate.judge.comparison import reference_matrices
from kws.model.evaluate.judge.excerpts import Excerpt, excerpts_of, worst_excerpts
from kws.model.evaluate.judge.kind_metrics import StreamResult, count_kind_runs, measure_kinds
from kws.model.evaluate.judge.stream_metrics import measure_traces
from kws.model.evaluate.score.float_reference import FloatReference
from kws.model.evaluate.score.labelled_clips import LabelledClips
from kws.model.evaluate.score.playlist import Playlist
from kws.model.evaluate.score.streams import Kind, Stream
from kws.model.evaluate.score.talk import recorded_talk
from kws.model.evaluate.score.traces import Trace, play_streams
from kws.progress import progress_bar


@dataclass(frozen=True)
class Evaluation:
    """All metrics of a bundle."""

    bundle: Bundle
    clips: ClipMetrics | None
    stream: StreamResult | None
    """None without streams."""

    def to_json(self) -> dict[str, Any]:
        """All figures for JSON; figures of streams are under `stream`."""
        return ({"stream": self.stream.to_json()} if self.stream else {}) | (
            self.clips.to_json() if self.clips else {}
        )


def evaluate(
    bundle: Bundle,
    clips: LabelledClips | None,
    playlist: Playlist | None,
    reference: FloatReference | None = None,
) -> Evaluation:
    """Measure a bundle on clips and streams.

    Args:
        bundle: the model.
        clips: labelled clips of the bundle's classes.
        playlist: streams to play to the model.
        reference: the float model it was converted from, measured on the same clips.

    Raises:
        AudioError: a recording is missing or damaged.
        ModelError: the core met a fault, or the float model has a different number of classes.
        ToolError: SciPy is not installed.
    """
    require("scipy.stats", "evaluate", "kws evaluate")
    stream = _measure_streams(bundle, playlist) if playlist else None
    metrics = measure_clips(bundle, clips) if clips else None
    if metrics and reference:
        metrics = replace(metrics, references=reference_matrices(reference, bundle, metrics))
    return Evaluation(bundle, metrics, stream)


def _measure_streams(bundle: Bundle, playlist: Playlist) -> StreamResult:
    traces: list[Trace] = []
    excerpts: tuple[Excerpt, ...] = ()
    for trace, sounds in _play(bundle, playlist):
        traces.append(trace)
        excerpts = worst_excerpts([*excerpts, *sounds])
    with progress_bar("drawing the curves", count_kind_runs(traces)) as advance:
        by_kind = measure_kinds(bundle, traces, playlist.keywords, advance)
    counted = [trace for trace in traces if trace.kind != Kind.TALK] or traces
    total = measure_traces(bundle.rules, counted, playlist.keywords)
    return StreamResult(playlist.about, total, by_kind, excerpts)


def _play(bundle: Bundle, playlist: Playlist) -> Iterator[tuple[Trace, tuple[Excerpt, ...]]]:
    """Yield the trace of each stream, and its excerpts for the report."""

    def judged(stream: Stream, trace: Trace) -> tuple[Trace, tuple[Excerpt, ...]]:
        return trace, excerpts_of(bundle, stream, trace, playlist.keywords)

    if playlist.talk:
        with progress_bar("listening to talk", len(playlist.talk)) as advance:
            yield from play_streams(bundle, recorded_talk(playlist.talk, advance), judged)
    if playlist.count:
        with progress_bar("listening", playlist.count) as advance:
            yield from play_streams(bundle, playlist.streams, judged, advance)
