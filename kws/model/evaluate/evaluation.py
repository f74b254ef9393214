"""What `kws evaluate` and `kws calibrate` do: clips, hours of sound, a user's recording."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kws.audio.dataset import DataSet, Split, open_dataset
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.errors import DataError, UsageError
from kws.model.evaluate.accuracy import check_keywords, one_split, split_of
from kws.model.evaluate.calibration import Calibration, calibrate, runs
from kws.model.evaluate.clip_metrics import Judgement, judge_bundle
from kws.model.evaluate.stream_metrics import (
    THRESHOLDS,
    CurvePoint,
    Hearing,
    Trace,
    curve,
    listen,
    trace,
)
from kws.model.evaluate.streams import StreamPlan, read_stream
from kws.progress import progress_bar


@dataclass(frozen=True)
class Task:
    """What is to be judged."""

    data: Path | None
    """The data set; None judges no clips."""

    split: str
    float_model: Path | None
    stream: bool
    """Whether hours of sound are made of the clips."""

    plan: StreamPlan
    recording: Path | None
    labels: Path | None
    words: tuple[str, ...] = ()
    """The keywords that are asked for in streams; of none, all."""


@dataclass(frozen=True)
class StreamResult:
    """What was heard in streams."""

    about: dict[str, Any]
    """Which sound it was."""

    hearing: Hearing
    curve: tuple[CurvePoint, ...]
    traces: tuple[Trace, ...]

    def to_json(self) -> dict[str, Any]:
        """What a script wants to know."""
        return {
            **self.about,
            **self.hearing.to_json(),
            "curve": [vars(point) for point in self.curve],
        }


@dataclass(frozen=True)
class Assessment:
    """All that was found."""

    bundle: Bundle
    clips: Judgement | None
    stream: StreamResult | None

    def to_json(self) -> dict[str, Any]:
        """What a script wants to know; the streams are under `stream`."""
        return (self.clips.to_json() if self.clips else {}) | (
            {"stream": self.stream.to_json()} if self.stream else {}
        )


def plan(hours: float, quiet_hours: float, snr: str, seed: int) -> StreamPlan:
    """The sound that options of the command line ask for.

    Raises:
        UsageError: `snr` is not two numbers.
        KwsError: a value out of range.
    """
    try:
        low, high = (float(part) for part in snr.split(","))
    except ValueError:
        raise UsageError(f"--snr {snr}: give two numbers in dB, such as 5,15") from None
    return StreamPlan(hours, quiet_hours, (low, high), seed=seed)


def assess(bundle: Bundle, task: Task) -> Assessment:
    """Judge a bundle.

    Raises:
        UsageError: options that do not fit each other, or a word that the model does not know.
        DataError: the data set lacks clips, or the label file is wrong.
        AudioError: a recording is missing or damaged.
    """
    if (task.recording is None) != (task.labels is None):
        raise UsageError("--recording and --labels belong together; give both")
    if task.recording and task.stream:
        raise UsageError("--recording and --stream were both given; choose one")
    if task.data is None and (task.stream or not task.recording):
        raise UsageError("nothing to judge with; name a data set with --data")
    words = _asked(bundle, task.words)
    clips, stream = None, None
    if task.recording and task.labels:
        own = [read_stream(task.recording, task.labels)]
        stream = _hear(bundle, own, 1, {"recording": str(task.recording)}, words)
    if task.data:
        dataset = open_dataset(task.data)
        split = split_of(task.split)
        with progress_bar("loading clips", None) as advance:
            clips = judge_bundle(bundle, dataset, split, advance)
        clips = _beside(bundle, clips, task.float_model)
        if task.stream:
            dataset, one = one_split(dataset, split)
            check_keywords(bundle, dataset, one)
            sound = task.plan.streams(dataset, words, one)
            about = {**task.plan.to_json(), "split": task.split}
            stream = _hear(bundle, sound, task.plan.parts, about, words)
    return Assessment(bundle, clips, stream)


def calibrate_bundle(
    folder: Path,
    dataset: DataSet,
    plan: StreamPlan,
    rate: float,
    out: Path | None = None,
    *,
    words: tuple[str, ...] = (),
) -> Calibration:
    """Choose a bundle's recognizer settings on validation clips and write them into it.

    Args:
        folder: the bundle.
        dataset: its validation clips are heard, no others.
        plan: how many hours, and how noisy.
        rate: false alarms an hour that are allowed.
        out: where the new bundle goes; None writes the old one anew.
        words: the keywords to be heard; of none, all.

    Raises:
        UsageError: the model does not know one of the words.
        DataError: no validation clips of a keyword, or a speaker in two sets.
        KwsError: the bundle could not be read or written.
    """
    bundle = load_bundle(folder)
    words = _asked(bundle, words)
    check_destination(out or folder)
    shared = dataset.shared_speakers()
    if shared:
        raise DataError(
            f"{dataset.root}: speaker {next(iter(shared))} is in two sets; correct its lists, or "
            "what is chosen on one set is judged by the same voice"
        )
    check_keywords(bundle, dataset, Split.VALIDATION)
    sound = plan.streams(dataset, words, Split.VALIDATION)
    with progress_bar("listening", plan.parts) as advance:
        traces = list(trace(bundle, sound, words, advance))
    with progress_bar("choosing", runs(bundle)) as advance:
        found = calibrate(bundle, traces, rate, words, advance)
    metrics = {**bundle.metrics, "calibration": found.metrics() | {"snr_db": list(plan.snr_db)}}
    write_bundle(replace(bundle, recognizer=found.settings, metrics=metrics), out or folder)
    return found


def _asked(bundle: Bundle, words: tuple[str, ...]) -> tuple[str, ...]:
    """These words, or all that the model knows.

    Raises:
        UsageError: it does not know one.
    """
    unknown = [word for word in words if word not in bundle.keywords]
    if unknown:
        raise UsageError(
            f"{bundle.path or bundle.name}: does not know {', '.join(unknown)}; "
            f"it knows {', '.join(bundle.keywords)}"
        )
    return words or bundle.keywords


def _hear(
    bundle: Bundle, sound: Any, parts: int, about: dict[str, Any], words: tuple[str, ...]
) -> StreamResult:
    with progress_bar("listening", parts) as advance:
        traces = tuple(trace(bundle, sound, words, advance))
    hearing = listen(bundle.recognizer, bundle.labels, traces, words)
    with progress_bar("drawing the curve", len(THRESHOLDS)) as advance:
        points = curve(bundle.recognizer, bundle.labels, traces, words, advance)
    return StreamResult(about, hearing, points, traces)


def _beside(bundle: Bundle, clips: Judgement, float_model: Path | None) -> Judgement:
    """The same clips by the float model and by LiteRT, where they are at hand."""
    source = float_model
    if source is None and bundle.float_model and find_spec("tensorflow"):
        source = bundle.path
    if source is None:
        return clips
    from kws.model.evaluate.comparison import others  # noqa: PLC0415 - TensorFlow, for those who have it

    return replace(clips, others=others(source, bundle, clips))
