# SPDX-License-Identifier: Apache-2.0
"""Evaluates and calibrates a bundle: clips, streams made of clips, a user's recording."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kws.audio.dataset import DataSet, Split, open_dataset
from kws.audio.long_recordings import join_by_source, load_recordings
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.errors import DataError, UsageError
from kws.extras import require
from kws.model.evaluate.accuracy import check_keywords, one_split, split_of
from kws.model.evaluate.calibration import Calibration, calibrate, count_runs
from kws.model.evaluate.clip_metrics import ClipMetrics, measure_clips
from kws.model.evaluate.stream_metrics import (
    THRESHOLDS,
    OperatingPoint,
    StreamMetrics,
    Trace,
    measure_traces,
    threshold_curve,
    trace_streams,
)
from kws.model.evaluate.streams import Stream, StreamPlan, read_stream, talk_streams
from kws.progress import progress_bar


@dataclass(frozen=True)
class EvaluationSettings:
    """What a bundle is evaluated with."""

    data: Path | None
    """The data set; None for a user's recording only."""

    split: str
    float_model: Path | None
    stream: bool
    """Whether to make streams of the clips."""

    plan: StreamPlan
    recording: Path | None
    labels: Path | None
    """The recording's label track."""

    keywords: tuple[str, ...] = ()
    """The keywords to be reported in streams; without any, all of the bundle."""


@dataclass(frozen=True)
class StreamResult:
    """Metrics of streams, and the scores that they come from."""

    about: dict[str, Any]
    """Which streams they were."""

    metrics: StreamMetrics
    curve: tuple[OperatingPoint, ...]
    traces: tuple[Trace, ...]

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            **self.about,
            **self.metrics.to_json(),
            "curve": [
                {
                    "threshold": point.threshold,
                    "miss_share": point.miss_share,
                    "alarms_an_hour": point.false_alarms_per_hour,
                }
                for point in self.curve
            ],
        }


@dataclass(frozen=True)
class Evaluation:
    """All metrics of a bundle."""

    bundle: Bundle
    clips: ClipMetrics | None
    stream: StreamResult | None

    def to_json(self) -> dict[str, Any]:
        """All figures; those of streams are under `stream`."""
        return (self.clips.to_json() if self.clips else {}) | (
            {"stream": self.stream.to_json()} if self.stream else {}
        )


def stream_plan(hours: float, other_hours: float, snr: str, seed: int) -> StreamPlan:
    """The plan that options of the command line ask for.

    Raises:
        UsageError: `snr` is not two numbers.
        KwsError: a value is out of range.
    """
    try:
        low, high = (float(number) for number in snr.split(","))
    except ValueError:
        raise UsageError(f"--snr {snr}: give two numbers in dB, such as 5,15") from None
    return StreamPlan(hours, other_hours, (low, high), seed=seed)


def calibration_plan(hours: float, snr: str, seed: int) -> StreamPlan:
    """The plan for calibration: words follow each other quickly, so that few hours hold many."""
    plan = stream_plan(hours, 0.0, snr, seed)
    return replace(plan, words_a_minute=20.0)


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
    if settings.data is None and (settings.stream or not settings.recording):
        raise UsageError("nothing to evaluate with; name a data set with --data")
    keywords = _known(bundle, settings.keywords)
    require("scipy.stats", "evaluate", "kws evaluate")
    clips, stream = None, None
    if settings.recording and settings.labels:
        recorded = [read_stream(settings.recording, settings.labels)]
        about: dict[str, Any] = {"recording": str(settings.recording)}
        stream = _measure_streams(bundle, recorded, 1, about, keywords)
    if settings.data:
        dataset = open_dataset(settings.data)
        split = split_of(settings.split)
        with progress_bar("loading clips", None) as advance:
            clips = measure_clips(bundle, dataset, split, advance)
        clips = _with_references(bundle, clips, settings.float_model)
        if settings.stream:
            plan = settings.plan
            dataset, split = one_split(dataset, split)
            check_keywords(bundle, dataset, split)
            streams = plan.streams(dataset, keywords, split)
            about = {**plan.to_json(), "split": settings.split}
            stream = _measure_streams(bundle, streams, plan.parts(talk=False), about, keywords)
    return Evaluation(bundle, clips, stream)


def calibrate_bundle(
    folder: Path,
    dataset: DataSet,
    plan: StreamPlan,
    false_alarms_per_hour: float,
    out: Path | None = None,
    *,
    keywords: tuple[str, ...] = (),
    around: Surroundings | None = None,
) -> Calibration:
    """Choose a bundle's recognizer settings on the validation split and write them into it.

    Args:
        folder: the bundle.
        dataset: its validation clips are used, no others.
        plan: how many hours, and how noisy.
        false_alarms_per_hour: how many are allowed, all keywords together.
        out: folder of the new bundle; None replaces the old one.
        keywords: the keywords to be reported; without any, all.
        around: its validation talk is used, behind words and alone.

    Raises:
        UsageError: the model does not know one of the keywords, or the bundle was calibrated with
            talk and there is none now.
        DataError: a keyword has no validation clips, or a speaker is in two splits.
        KwsError: the bundle cannot be read or written.
        ToolError: SciPy is not installed.
    """
    bundle = load_bundle(folder)
    keywords = _known(bundle, keywords)
    check_destination(out or folder)
    require("scipy.stats", "evaluate", "kws calibrate")
    shared = dataset.shared_speakers()
    if shared:
        raise DataError(
            f"{dataset.root}: speaker {next(iter(shared))} is in two splits; correct its lists, "
            "so that no voice has a part in both the choice and the test"
        )
    check_keywords(bundle, dataset, Split.VALIDATION)
    recordings = around.talk(Split.VALIDATION, keywords) if around else []
    if not recordings and "talk" in bundle.metrics.get("calibration", {}):
        raise UsageError(
            f"{folder}: its thresholds were chosen with hours of talk; without talk they would "
            "become lower and talk would wake it, so name some with --negatives"
        )
    talk = join_by_source(recordings, load_recordings(recordings))
    parts = list(talk_streams(talk))
    streams = itertools.chain(plan.streams(dataset, keywords, Split.VALIDATION, talk), parts)
    with progress_bar("listening", plan.parts(talk=bool(talk)) + len(parts)) as advance:
        traces = list(trace_streams(bundle, streams, keywords, advance))
    with progress_bar("choosing", count_runs(bundle)) as advance:
        calibration = calibrate(bundle, traces, false_alarms_per_hour, keywords, advance)
    facts = calibration.metrics() | {"snr_db": list(plan.snr_db)}
    metrics = {**bundle.metrics, "calibration": facts}
    write_bundle(replace(bundle, recognizer=calibration.settings, metrics=metrics), out or folder)
    return calibration


def _known(bundle: Bundle, keywords: tuple[str, ...]) -> tuple[str, ...]:
    """These keywords, or without any all of the bundle.

    Raises:
        UsageError: the model does not know one.
    """
    unknown = [word for word in keywords if word not in bundle.keywords]
    if unknown:
        raise UsageError(
            f"{bundle.path or bundle.name}: does not know {', '.join(unknown)}; "
            f"it knows {', '.join(bundle.keywords)}"
        )
    return keywords or bundle.keywords


def _measure_streams(
    bundle: Bundle,
    streams: Iterable[Stream],
    count: int,
    about: dict[str, Any],
    keywords: tuple[str, ...],
) -> StreamResult:
    with progress_bar("listening", count) as advance:
        traces = tuple(trace_streams(bundle, streams, keywords, advance))
    metrics = measure_traces(bundle.recognizer, bundle.labels, traces, keywords)
    with progress_bar("drawing the curve", len(THRESHOLDS)) as advance:
        curve = threshold_curve(bundle.recognizer, bundle.labels, traces, keywords, advance)
    return StreamResult(about, metrics, curve, traces)


def _with_references(bundle: Bundle, clips: ClipMetrics, float_model: Path | None) -> ClipMetrics:
    """The clips with the answers of the float model and of LiteRT, if there are any."""
    source = float_model
    if source is None and bundle.float_model and find_spec("tensorflow"):
        source = bundle.path
    if source is None:
        return clips
    from kws.model.evaluate.comparison import reference_matrices  # noqa: PLC0415 - TensorFlow

    return replace(clips, references=reference_matrices(source, bundle, clips))
