# SPDX-License-Identifier: Apache-2.0
"""Metrics of long recordings: hits, misses, false alarms per hour, latency.

The core's pipeline computes the scores once. The core's recognizer then runs over them, again for
each settings.
"""

from __future__ import annotations

import bisect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.audio.mined_recordings import before_ms
from kws.audio.pcm import Pcm, samples_of
from kws.audio.tts.voices import voice_of
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import ModelError
from kws.labels import first_keyword, keywords_of
from kws.model.evaluate.hits import Report, Word, match
from kws.model.evaluate.statistics import Interval, poisson, recall_interval
from kws.model.evaluate.streams import Kind, Stream

THRESHOLDS = (*range(30, 80, 10), *range(80, 240, 5), 240, 244, 247, 249, 251, 252, 253, 254)
"""Thresholds that are tried: closer together where the scores of a saturated model lie."""

_EXCERPTS = 6
"""False alarms, and missed words, of each stream whose sound is kept."""

_RISE_MS = 1000
"""With a higher threshold, the same report is made at most this much later."""

Progress = Callable[[int], object]


@dataclass(frozen=True)
class FalseAlarm:
    """A keyword that was reported though nobody had just said it."""

    stream: int  # its index
    report: Report
    near: Word | None
    """The word that was said at that time, if there was one."""


@dataclass(frozen=True)
class Excerpt:
    """The sound of a false alarm, or of a keyword that was missed."""

    event: FalseAlarm | Word
    pcm: Pcm
    kind: Kind
    """Of the stream."""

    source: str
    """Of talk, where it is from."""

    file: Path | None
    """Of talk, the recording; of a missed word, its clip."""

    peak: int = 0
    """Of a false alarm, the highest threshold at which it is still reported, 0 to 255."""


@dataclass(frozen=True)
class Trace:
    """Scores of a model for one stream."""

    words: tuple[Word, ...]
    hours: float
    times_ms: npt.NDArray[np.int32]
    """int32[n]: time of each inference."""

    scores: npt.NDArray[np.int8]
    """int8[n, classes]."""

    excerpts: tuple[Excerpt, ...] = ()
    """The false alarms with the highest peaks and the first missed words, with the bundle's
    settings."""

    kind: Kind = Kind.RECORDING
    source: str = ""  # of talk, where it is from
    skipped: int = 0
    """How many of the inferences the bundle's gate skipped."""


@dataclass(frozen=True)
class StreamMetrics:
    """What was said in streams, and what was reported."""

    keywords: tuple[str, ...]
    hours: float
    said: dict[str, int]
    """How often each keyword was said."""

    hits: dict[str, int]
    """How often each keyword was reported when it was said."""

    wrong: dict[str, int]
    """How often another keyword was reported in its place."""

    false_alarms: tuple[FalseAlarm, ...]
    latencies_ms: tuple[int, ...]
    """From the end of the voice to the report, for each hit. A report before the end is below 0."""

    other_words: int
    """Number of words said that are not keywords."""

    missed: tuple[Word, ...] = ()
    """Keywords that were said without a hit."""

    skipped_share: float = 0.0
    """Share of the inferences that the bundle's gate skipped, 0 to 1."""

    spoken: tuple[Word, ...] = ()
    """Keywords that were said."""

    heard: tuple[bool, ...] = ()
    """Whether each of `spoken` had a hit."""

    @property
    def total_said(self) -> int:
        """Number of keywords that were said."""
        return sum(self.said.values())

    @property
    def total_hits(self) -> int:
        """Number of hits."""
        return sum(self.hits.values())

    @property
    def miss_share(self) -> float:
        """Share of the keywords said that have no hit, 0 to 1."""
        return 1 - self.total_hits / self.total_said if self.total_said else 0.0

    @property
    def false_alarms_per_hour(self) -> float:
        """False alarms per hour, all keywords together."""
        return len(self.false_alarms) / self.hours if self.hours else 0.0

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who said each of `spoken`; empty in a user's recording. A voice counts once."""
        return tuple(voice_of(word.speaker) for word in self.spoken)

    @property
    def miss_share_95(self) -> Interval | None:
        """The 95 % interval of `miss_share` for other speakers; None with fewer than two."""
        return recall_interval(~np.array(self.heard, bool), self.speakers)

    def false_alarms_per_hour_95(self, keyword: str = "") -> Interval:
        """The exact 95 % interval of the false alarms per hour; without a keyword, of all."""
        count = self.false_alarms_of(keyword) if keyword else len(self.false_alarms)
        low, high = poisson(count)
        return low / self.hours, high / self.hours

    def latency_ms(self, share: float) -> float | None:
        """The latency that this share of the hits does not exceed; None without hits."""
        return float(np.quantile(self.latencies_ms, share)) if self.latencies_ms else None

    def false_alarms_of(self, keyword: str) -> int:
        """Number of false alarms of one keyword."""
        return sum(alarm.report.label == keyword for alarm in self.false_alarms)

    def to_json(self) -> dict[str, Any]:
        """All figures; shares are 0 to 1, keys that end in `_95` hold 95 % intervals."""
        missed = self.total_said - self.total_hits
        return {
            "hours": self.hours,
            **({"skipped_share": self.skipped_share} if self.skipped_share else {}),
            "keywords_said": self.total_said,
            "other_words_said": self.other_words,
            "hits": self.total_hits,
            "wrong": sum(self.wrong.values()),
            "missed": missed - sum(self.wrong.values()),
            "miss_share": self.miss_share,
            "miss_share_95": self.miss_share_95,
            "false_alarms": len(self.false_alarms),
            "false_alarms_an_hour": self.false_alarms_per_hour,
            "false_alarms_an_hour_95": self.false_alarms_per_hour_95(),
            "latency_ms": {
                name: self.latency_ms(point)
                for name, point in (("median", 0.5), ("p95", 0.95))
                if self.latencies_ms
            },
            "keywords": {
                word: {
                    "said": self.said[word],
                    "hits": self.hits[word],
                    "wrong": self.wrong[word],
                    "missed": self.said[word] - self.hits[word] - self.wrong[word],
                    "false_alarms": self.false_alarms_of(word),
                    "false_alarms_an_hour": self.false_alarms_of(word) / self.hours,
                    "false_alarms_an_hour_95": self.false_alarms_per_hour_95(word),
                }
                for word in self.keywords
            },
        }


def trace_streams(
    bundle: Bundle,
    streams: Iterable[Stream],
    keywords: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> Iterator[Trace]:
    """Play streams to the bundle's pipeline, several at once, each from a fresh start.

    Args:
        bundle: the model. Its recognizer settings decide whose sound is kept as an excerpt.
        streams: the streams, in the order of the results.
        keywords: the keywords to be reported; without any, all of the bundle.
        progress: called with 1 after each stream.

    Raises:
        ModelError: the core met a fault.
    """

    def play(stream: Stream) -> Trace:
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
        metrics = measure_traces(bundle.recognizer, bundle.labels, [trace], keywords)
        alarms = metrics.false_alarms
        peaks = _peaks(bundle, trace, [alarm.report for alarm in alarms])
        worst = sorted(zip(peaks, alarms, strict=True), key=lambda pair: -pair[0])[:_EXCERPTS]
        clip_ms = bundle.frontend.clip_ms
        excerpts = [replace(_excerpt(stream, alarm, clip_ms), peak=peak) for peak, alarm in worst]
        excerpts += [_excerpt(stream, word, clip_ms) for word in metrics.missed[:_EXCERPTS]]
        return replace(trace, excerpts=tuple(excerpts))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = []
        for stream in streams:
            pending.append(pool.submit(play, stream))
            if len(pending) > 2 * (os.cpu_count() or 1):  # a stream takes tens of megabytes
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()


def _peaks(bundle: Bundle, trace: Trace, reports: Sequence[Report]) -> list[int]:
    """The highest threshold at which each of these reports is still made.

    A report is made as soon as the mean score exceeds the threshold. So its own score is hardly
    more than that, whether the mean goes on to rise or not.
    """
    peaks = [report.score for report in reports]
    for threshold in THRESHOLDS if reports else ():
        times: dict[str, list[int]] = {}
        settings = with_threshold(bundle.recognizer, bundle.labels, threshold)
        for again in recognize(settings, bundle.labels, trace):
            times.setdefault(again.label, []).append(again.time_ms)
        for place, report in enumerate(reports):
            of_label = times.get(report.label, [])
            next_one = bisect.bisect_left(of_label, report.time_ms)
            if next_one < len(of_label) and of_label[next_one] <= report.time_ms + _RISE_MS:
                peaks[place] = max(peaks[place], threshold)
    return peaks


def _excerpt(stream: Stream, event: FalseAlarm | Word, clip_ms: int) -> Excerpt:
    """The sound up to a false alarm or around a word: 2.5 s, more if the model sees over 1 s."""
    if isinstance(event, FalseAlarm):
        end_ms = event.report.time_ms + 300
        file = stream.file_at(event.report.time_ms)
    else:
        end_ms, file = event.end_ms + 800, event.file
    end = min(samples_of(end_ms), len(stream.pcm))
    pcm = stream.pcm[max(end - samples_of(before_ms(clip_ms)), 0) : end].copy()
    return Excerpt(event, pcm, stream.kind, stream.source, file)


def recognize(
    settings: RecognizerSettings, labels: Sequence[str], trace: Trace
) -> tuple[Report, ...]:
    """Reports of keywords that the core's recognizer makes of a stream's scores."""
    recognizer = _core.Recognizer(len(labels), **settings.for_core(labels))
    rows = recognizer.run(trace.scores, trace.times_ms)
    # Before they become objects: there are many silences.
    rows = rows[rows[:, 1] >= first_keyword(labels)]
    return tuple(Report(labels[k], score, time_ms) for time_ms, k, score in rows.tolist())


def measure_traces(
    settings: RecognizerSettings,
    labels: Sequence[str],
    traces: Sequence[Trace],
    keywords: Sequence[str] = (),
) -> StreamMetrics:
    """Metrics of a device with these recognizer settings.

    Args:
        settings: the recognizer's.
        labels: the model's.
        traces: the model's scores for streams.
        keywords: the keywords to be reported; without any, all of the model. Its further keywords
            count as other words.
    """
    keywords = tuple(keywords or keywords_of(labels))
    said, hits, wrong = (dict.fromkeys(keywords, 0) for _ in range(3))
    alarms: list[FalseAlarm] = []
    latencies: list[int] = []
    missed: list[Word] = []
    spoken: list[Word] = []
    heard: list[bool] = []
    other_words = 0
    for number, trace in enumerate(traces):
        outcomes = match(trace.words, recognize(settings, labels, trace), keywords)
        near = [FalseAlarm(number, report, None) for report in outcomes.stray]
        for outcome in outcomes.of_words:
            word = outcome.word
            near += [FalseAlarm(number, report, word) for report in outcome.false_alarms]
            if word.label not in said:
                other_words += 1
                continue
            said[word.label] += 1
            spoken.append(word)
            heard.append(outcome.hit is not None)
            if outcome.hit:
                hits[word.label] += 1
                latencies.append(outcome.hit.time_ms - word.end_ms)
            else:
                wrong[word.label] += outcome.wrong is not None
                missed.append(word)
        alarms += sorted(near, key=lambda alarm: alarm.report.time_ms)
    return StreamMetrics(
        keywords,
        sum(trace.hours for trace in traces),
        said,
        hits,
        wrong,
        tuple(alarms),
        tuple(latencies),
        other_words,
        tuple(missed),
        sum(trace.skipped for trace in traces) / max(sum(len(t.times_ms) for t in traces), 1),
        tuple(spoken),
        tuple(heard),
    )


@dataclass(frozen=True)
class OperatingPoint:
    """Misses and false alarms with one threshold for all keywords."""

    threshold: int
    miss_share: float
    """0 to 1."""

    false_alarms_per_hour: float


def threshold_curve(
    settings: RecognizerSettings,
    labels: Sequence[str],
    traces: Sequence[Trace],
    keywords: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> tuple[OperatingPoint, ...]:
    """An operating point for each of `THRESHOLDS`, set for these keywords (without any: all)."""

    def point(threshold: int) -> OperatingPoint:
        tried = with_threshold(settings, labels, threshold, keywords)
        metrics = measure_traces(tried, labels, traces, keywords)
        progress(1)
        return OperatingPoint(threshold, metrics.miss_share, metrics.false_alarms_per_hour)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return tuple(pool.map(point, THRESHOLDS))


def with_threshold(
    settings: RecognizerSettings,
    labels: Sequence[str],
    threshold: int,
    keywords: Sequence[str] = (),
) -> RecognizerSettings:
    """The settings with one threshold for these keywords (without any: all); others keep theirs."""
    changed = dict.fromkeys(keywords or keywords_of(labels), threshold)
    return replace(settings, thresholds={**settings.thresholds, **changed})
