# SPDX-License-Identifier: Apache-2.0
"""Evaluates and calibrates a bundle: clips, streams made of clips, a user's recording."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kws.audio.dataset import DataSet, Split
from kws.audio.layout.usable_clips import open_usable
from kws.audio.long_recordings import LongRecording
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.errors import DataError, ToolError, UsageError
from kws.extras import require
from kws.labels import first_keyword
from kws.model.evaluate.accuracy import check_keywords, one_split, split_of
from kws.model.evaluate.calibration import Calibration, calibrate, count_runs
from kws.model.evaluate.clips.clip_metrics import ClipMetrics, measure_clips
from kws.model.evaluate.hits import REACTION_MS
from kws.model.evaluate.kind_metrics import (
    StreamResult,
    count_kind_runs,
    keep_worst,
    measure_kinds,
)
from kws.model.evaluate.report.verdict import calibrated_misses
from kws.model.evaluate.stream_metrics import Trace, measure_traces, trace_streams
from kws.model.evaluate.streams import CLIP_MS, Kind, Stream, StreamPlan, read_stream
from kws.model.evaluate.talk import at_paces, background_talk, recorded_talk
from kws.progress import progress_bar


@dataclass(frozen=True)
class EvaluationSettings:
    """What a bundle is evaluated with."""

    data: Path | None = None
    """The data set; None for talk or a user's recording only."""

    split: str = Split.TEST.value
    float_model: Path | None = None
    stream: bool = False
    """Whether to make streams of the clips."""

    plan: StreamPlan = field(default_factory=StreamPlan)
    recording: Path | None = None
    labels: Path | None = None
    """The recording's label track."""

    keywords: tuple[str, ...] = ()
    """The keywords to be reported in streams; without any, all of the bundle."""

    surroundings: Surroundings = field(default_factory=Surroundings)
    """Its talk is played alone, and behind words if streams are made of clips."""


@dataclass(frozen=True)
class Evaluation:
    """All metrics of a bundle."""

    bundle: Bundle
    clips: ClipMetrics | None
    stream: StreamResult | None
    """None without streams."""

    def to_json(self) -> dict[str, Any]:
        """All figures; those of streams are under `stream`."""
        return ({"stream": self.stream.to_json()} if self.stream else {}) | (
            self.clips.to_json() if self.clips else {}
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


_WORDS_A_MINUTE = 20.0
"""In calibration words follow each other quickly, so that few hours hold many."""

_MOST_HOURS = 0.5

PACES = (1.0, 0.9, 1.1)
"""Calibration plays talk as it is, slower and faster."""


def calibration_plan(hours: float, snr: str = "5,15", seed: int = 0) -> StreamPlan:
    """The plan for calibration.

    Raises:
        UsageError: `snr` is not two numbers.
        KwsError: a value is out of range.
    """
    return replace(stream_plan(hours, 0.0, snr, seed), words_a_minute=_WORDS_A_MINUTE)


def fitting_plan(plan: StreamPlan, bundle: Bundle) -> StreamPlan:
    """The plan with clips as long as what the bundle's model sees, if that is over a second.

    Longer clips have to be rarer, if there is no room between them.
    """
    clip_ms = max(bundle.frontend.clip_ms, CLIP_MS)
    most = 60_000 / (clip_ms + REACTION_MS)
    return replace(plan, clip_ms=clip_ms, words_a_minute=min(plan.words_a_minute, most))


def hours_for(clips: int) -> float:
    """Hours of each kind in which so many clips of keywords come about once, half an hour at most.

    Half of the words are keywords.
    """
    return min(max(clips / (_WORDS_A_MINUTE / 2 * 60), 0.02), _MOST_HOURS)


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
            "nothing to evaluate with; name a data set with --data, talk with --negatives, or both"
        )
    keywords = _known(bundle, settings.keywords)
    require("scipy.stats", "evaluate", "kws evaluate")
    split = split_of(settings.split)
    # What is missing is said before hours of sound are played.
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


def calibrate_bundle(
    folder: Path,
    dataset: DataSet,
    plan: StreamPlan,
    false_alarms_per_hour: float,
    out: Path | None = None,
    *,
    keywords: tuple[str, ...] = (),
    ambient: Surroundings | None = None,
    at_words: float | None = None,
) -> Calibration:
    """Choose a bundle's recognizer settings on the validation split and write them into it.

    Args:
        folder: the bundle.
        dataset: its validation clips are used, no others.
        plan: how many hours, and how noisy.
        false_alarms_per_hour: how many are allowed, all keywords together.
        out: folder of the new bundle; None replaces the old one.
        keywords: the keywords to be reported; without any, all.
        ambient: its validation talk is used, behind words and alone.
        at_words: how many are allowed in an hour with 180 other words; None for the same.

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
    recordings = ambient.talk(Split.VALIDATION, keywords) if ambient else []
    if not recordings and "talk" in bundle.metrics.get("calibration", {}):
        raise UsageError(
            f"{folder}: its thresholds were chosen with hours of talk; without talk they would "
            "become lower and talk would wake it, so name some with --negatives"
        )
    behind = background_talk(recordings, plan.hours)
    plan = fitting_plan(plan, bundle)
    streams = plan.streams(dataset, keywords, Split.VALIDATION, behind)
    traces = [
        *_play(bundle, streams, plan.parts(talk=bool(behind)), keywords),
        *_play_talk(bundle, recordings, keywords, PACES),
    ]
    with progress_bar("choosing", count_runs(bundle)) as advance:
        calibration = calibrate(
            bundle, traces, false_alarms_per_hour, keywords, advance, at_words=at_words
        )
    hears = str(calibrated_misses(calibration).hears)
    facts = calibration.metrics() | {"snr_db": list(plan.snr_db), "hears": hears}
    metrics = {**bundle.metrics, "calibration": facts}
    write_bundle(replace(bundle, recognizer=calibration.settings, metrics=metrics), out or folder)
    return calibration


def try_to_calibrate(
    folder: Path,
    dataset: DataSet,
    words: Sequence[str],
    allowed: tuple[float, float | None],
    *,
    ambient: Surroundings | None,
    say: Callable[[str], object],
) -> Calibration | None:
    """Choose a new bundle's thresholds, so that it does not leave with those of another model.

    Args:
        folder: the bundle.
        dataset: what it was trained on.
        words: its keywords.
        allowed: false alarms per hour of talk, and in an hour with 180 other words.
        ambient: as of `calibrate_bundle`.
        say: called with the reason if it cannot be done.

    Returns:
        None if it cannot be done.
    """
    plan = calibration_plan(hours_for(len(dataset.of(Split.VALIDATION, words))))
    try:
        return calibrate_bundle(
            folder, dataset, plan, allowed[0], ambient=ambient, at_words=allowed[1]
        )
    except (DataError, ToolError) as error:
        say(f"not calibrated: {error}")
        return None


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
    settings: EvaluationSettings,
    dataset: DataSet | None,
    talk: list[LongRecording],
    keywords: tuple[str, ...],
) -> StreamResult | None:
    """Metrics of all streams that the settings ask for; None if they ask for none."""
    about: dict[str, Any] = {}
    playing: list[Iterator[Trace]] = []
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
    traces, excerpts = keep_worst(itertools.chain.from_iterable(playing))
    with progress_bar("drawing the curves", count_kind_runs(traces)) as advance:
        by_kind = measure_kinds(bundle, traces, keywords, advance)
    counted = [trace for trace in traces if trace.kind != Kind.TALK] or traces
    total = measure_traces(bundle.recognizer, bundle.labels, counted, keywords)
    return StreamResult(about, total, by_kind, excerpts)


def _play(
    bundle: Bundle, streams: Iterable[Stream], count: int, keywords: tuple[str, ...]
) -> Iterator[Trace]:
    with progress_bar("listening", count) as advance:
        yield from trace_streams(bundle, streams, keywords, advance)


def _play_talk(
    bundle: Bundle,
    recordings: list[LongRecording],
    keywords: tuple[str, ...],
    paces: Sequence[float] = (1.0,),
) -> Iterator[Trace]:
    with progress_bar("listening to talk", len(recordings)) as advance:
        streams = at_paces(recorded_talk(recordings, advance), paces)
        yield from trace_streams(bundle, streams, keywords)


def _with_references(bundle: Bundle, clips: ClipMetrics, float_model: Path | None) -> ClipMetrics:
    """The clips with the answers of the float model and of LiteRT, if there are any."""
    source = float_model
    if source is None and bundle.float_model and find_spec("tensorflow"):
        source = bundle.path
    if source is None:
        return clips
    from kws.model.evaluate.clips.comparison import reference_matrices  # noqa: PLC0415 - TensorFlow

    return replace(clips, references=reference_matrices(source, bundle, clips))
