# SPDX-License-Identifier: Apache-2.0
"""Evaluates a bundle on clips, streams made from clips, talk, or a user's recording."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kws.audio.dataset import DataSet, Split
from kws.audio.layout.usable_clips import open_usable
from kws.audio.long_recordings import LongRecording
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.errors import UsageError
from kws.extras import require
from kws.labels import first_keyword
from kws.model.evaluate.judge.clip_metrics import ClipMetrics, measure_clips
from kws.model.evaluate.judge.excerpts import Excerpt, excerpts_of, worst_excerpts
from kws.model.evaluate.judge.kind_metrics import StreamResult, count_kind_runs, measure_kinds
from kws.model.evaluate.judge.stream_metrics import measure_traces
from kws.model.evaluate.score.clip_scores import (
    check_keywords,
    known_keywords,
    one_split,
    split_of,
)
from kws.model.evaluate.score.plans import fitting_plan
from kws.model.evaluate.score.streams import Kind, Stream, StreamPlan, read_stream
from kws.model.evaluate.score.talk import background_talk, recorded_talk
from kws.model.evaluate.score.traces import Progress, Trace, play_streams
from kws.progress import progress_bar

Judged = tuple[Trace, tuple[Excerpt, ...]]
"""Scores of a stream, and sounds of its worst false alarms and of missed words."""


@dataclass(frozen=True)
class EvaluationSettings:
    """Data and options of an evaluation."""

    data: Path | None = None
    """The data set; None for talk or a user's recording only."""

    split: str = Split.TEST.value
    float_model: Path | None = None
    stream: bool = False
    """Whether to make streams from the clips."""

    plan: StreamPlan = field(default_factory=StreamPlan)
    recording: Path | None = None
    labels: Path | None = None
    """The recording's label track."""

    keywords: tuple[str, ...] = ()
    """Keywords to report in streams; if empty, all of the bundle."""

    surroundings: Surroundings = field(default_factory=Surroundings)
    """Its talk is played alone, and under words if streams are made from clips."""


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


def evaluate(bundle: Bundle, settings: EvaluationSettings) -> Evaluation:
    """Measure a bundle on clips and streams.

    Raises:
        UsageError: the settings contradict each other, or the model does not know a keyword.
        DataError: the data set lacks clips, or the label track is wrong.
        AudioError: a recording is missing or damaged.
        ToolError: SciPy is not installed.
    """
    if (settings.recording is None) != (settings.labels is None):
        raise UsageError("--recording and --labels belong together; give both")
    if settings.recording and settings.stream:
        raise UsageError("--recording and --stream were both given; choose one")
    talks = bool(settings.surroundings.negatives)
    if settings.data is None and (settings.stream or not (settings.recording or talks)):
        raise UsageError(
            "nothing to evaluate with; give a data set with --data, talk with --negatives, or both"
        )
    keywords = known_keywords(bundle, settings.keywords)
    require("scipy.stats", "evaluate", "kws evaluate")
    split = split_of(settings.split)
    # Fail early, before hours of sound are played.
    talk = settings.surroundings.talk(split, bundle.keywords) if talks else []
    dataset = open_usable(settings.data) if settings.data else None
    if dataset:
        check_keywords(bundle, *one_split(dataset, split))
    stream = _measure_streams(bundle, settings, dataset, talk, keywords)
    clips = None
    # Without classes for silence and unknown no clip has a label.
    if dataset and first_keyword(bundle.labels):
        with progress_bar("loading clips", None) as advance:
            clips = measure_clips(bundle, dataset, split, advance)
        clips = _with_references(bundle, clips, settings.float_model)
    return Evaluation(bundle, clips, stream)


def _measure_streams(
    bundle: Bundle,
    settings: EvaluationSettings,
    dataset: DataSet | None,
    talk: list[LongRecording],
    keywords: tuple[str, ...],
) -> StreamResult | None:
    """Metrics of all streams of the settings; None if there are none."""
    about: dict[str, Any] = {}
    playing: list[Iterator[Judged]] = []
    if talk:
        ambient = settings.surroundings
        every = ambient.talk(split_of(settings.split), ())
        about |= {
            "negatives": [str(folder) for folder in ambient.negatives],
            "talk_recordings": len(talk),
            "excluded_recordings": len(every) - len(talk),
            "split": settings.split,
        }
        playing.append(_play_talk(bundle, talk, keywords))
    if settings.recording and settings.labels:
        about |= {"recording": str(settings.recording)}
        recorded = [read_stream(settings.recording, settings.labels)]
        playing.append(_play(bundle, recorded, 1, keywords))
    if settings.stream and dataset:
        plan = fitting_plan(settings.plan, bundle)
        about |= {**plan.to_json(), "split": settings.split}
        behind = background_talk(talk, plan.hours)
        dataset, split = one_split(dataset, split_of(settings.split))
        streams = plan.streams(dataset, keywords, split, behind)
        playing.append(_play(bundle, streams, plan.parts(talk=bool(behind)), keywords))
    if not playing:
        return None
    traces: list[Trace] = []
    excerpts: tuple[Excerpt, ...] = ()
    for trace, sounds in itertools.chain.from_iterable(playing):
        traces.append(trace)
        excerpts = worst_excerpts([*excerpts, *sounds])
    with progress_bar("drawing the curves", count_kind_runs(traces)) as advance:
        by_kind = measure_kinds(bundle, traces, keywords, advance)
    counted = [trace for trace in traces if trace.kind != Kind.TALK] or traces
    total = measure_traces(bundle.recognizer, bundle.labels, counted, keywords)
    return StreamResult(about, total, by_kind, excerpts)


def _play(
    bundle: Bundle, streams: Iterable[Stream], count: int, keywords: tuple[str, ...]
) -> Iterator[Judged]:
    with progress_bar("listening", count) as advance:
        yield from _judged(bundle, streams, keywords, advance)


def _play_talk(
    bundle: Bundle, recordings: list[LongRecording], keywords: tuple[str, ...]
) -> Iterator[Judged]:
    with progress_bar("listening to talk", len(recordings)) as advance:
        yield from _judged(bundle, recorded_talk(recordings, advance), keywords)


def _judged(
    bundle: Bundle,
    streams: Iterable[Stream],
    keywords: tuple[str, ...],
    progress: Progress = lambda _: None,
) -> Iterator[Judged]:
    """The trace of each stream, and its sounds for the report."""

    def judged(stream: Stream, trace: Trace) -> Judged:
        return trace, excerpts_of(bundle, stream, trace, keywords)

    return play_streams(bundle, streams, judged, progress)


def _with_references(bundle: Bundle, clips: ClipMetrics, float_model: Path | None) -> ClipMetrics:
    """The clip metrics with the answers of the float model and of LiteRT, if possible."""
    source = float_model
    if source is None and bundle.float_model and find_spec("tensorflow"):
        source = bundle.path
    if source is None:
        return clips
    from kws.model.evaluate.judge.comparison import reference_matrices  # noqa: PLC0415 - TensorFlow

    return replace(clips, references=reference_matrices(source, bundle, clips))
