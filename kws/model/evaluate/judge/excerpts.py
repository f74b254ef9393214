# SPDX-License-Identifier: Apache-2.0
"""Sounds of the worst false alarms and of missed words."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kws._core import SAMPLE_RATE
from kws.audio.mined_recordings import before_ms
from kws.audio.pcm import Pcm, samples_of
from kws.bundle.bundle import Bundle
from kws.model.evaluate.judge.hits import Report
from kws.model.evaluate.judge.stream_metrics import (
    THRESHOLDS,
    FalseAlarm,
    measure_traces,
    recognize,
)
from kws.model.evaluate.score.streams import TITLES, Kind, Stream, played_at
from kws.model.evaluate.score.traces import Trace
from kws.model.evaluate.score.words import Word

_EXCERPTS = 6
"""Maximum number of false alarms, and of missed words, to keep audio for, per stream."""

_RISE_MS = 1000
"""With a higher threshold, the same report is made at most this much later."""

_MOST_ALARMS = 16
_MOST_MISSES = 6


@dataclass(frozen=True)
class Excerpt:
    """The sound of a false alarm or of a missed keyword."""

    event: FalseAlarm | Word
    pcm: Pcm
    kind: Kind
    """Kind of the stream."""

    source: str
    """Source of the talk; else empty."""

    file: Path | None
    """The recording of the talk, or the clip of the missed word."""

    peak: int = 0
    """Highest threshold at which a false alarm is still reported, 0 to 255."""

    seconds: tuple[float, float] | None = None
    """Start and end of the sound in the recording of the talk."""


def excerpts_of(
    bundle: Bundle, stream: Stream, trace: Trace, keywords: Sequence[str] = ()
) -> tuple[Excerpt, ...]:
    """The false alarms with the highest peaks and the first missed words of a stream.

    Args:
        bundle: the bundle, with its recognizer's settings.
        stream: the sound.
        trace: the model's scores for it.
        keywords: keywords to report; if empty, all of the bundle.
    """
    metrics = measure_traces(bundle.rules, [trace], keywords)
    alarms = metrics.false_alarms
    peaks = peaks_of(bundle, trace, [alarm.report for alarm in alarms])
    worst = sorted(zip(peaks, alarms, strict=True), key=lambda pair: -pair[0])[:_EXCERPTS]
    clip_ms = bundle.frontend.clip_ms
    excerpts = [replace(_excerpt(stream, alarm, clip_ms), peak=peak) for peak, alarm in worst]
    excerpts += [_excerpt(stream, word, clip_ms) for word in metrics.missed[:_EXCERPTS]]
    return tuple(excerpts)


def worst_excerpts(excerpts: Sequence[Excerpt]) -> tuple[Excerpt, ...]:
    """A few per kind of stream: false alarms with the highest peaks, then missed words."""
    alarms: list[Excerpt] = []
    misses: list[Excerpt] = []
    for kind in TITLES:
        of_kind = [excerpt for excerpt in excerpts if excerpt.kind == kind]
        scored = [x for x in of_kind if isinstance(x.event, FalseAlarm)]
        alarms += sorted(scored, key=_worst_first)[:_MOST_ALARMS]
        misses += [x for x in of_kind if not isinstance(x.event, FalseAlarm)][:_MOST_MISSES]
    return (*sorted(alarms, key=_worst_first), *misses)


def _worst_first(alarm: Excerpt) -> int:
    return -alarm.peak


def peaks_of(bundle: Bundle, trace: Trace, reports: Sequence[Report]) -> list[int]:
    """The highest threshold at which each of these reports is still made.

    The score in a report does not show this: a report is made as soon as the mean score exceeds the
    threshold, even if the mean rises further.
    """
    peaks = [report.score for report in reports]
    for threshold in THRESHOLDS if reports else ():
        times: dict[str, list[int]] = {}
        for again in recognize(bundle.rules.with_threshold(threshold), trace):
            times.setdefault(again.label, []).append(again.time_ms)
        for place, report in enumerate(reports):
            of_label = times.get(report.label, [])
            next_one = bisect.bisect_left(of_label, report.time_ms)
            if next_one < len(of_label) and of_label[next_one] <= report.time_ms + _RISE_MS:
                peaks[place] = max(peaks[place], threshold)
    return peaks


def _excerpt(stream: Stream, event: FalseAlarm | Word, clip_ms: int) -> Excerpt:
    """The sound up to a false alarm or around a word: 2.5 s, more if the window exceeds 1 s."""
    played = None
    if isinstance(event, FalseAlarm):
        end_ms = event.report.time_ms + 300
        # The window's middle: the report may be made in the next recording.
        played = played_at(stream.played, max(event.report.time_ms - clip_ms // 2, 0))
        file = played.path if played else None
    else:
        end_ms, file = event.end_ms + 800, event.file
    end = min(samples_of(end_ms), len(stream.pcm))
    pcm = stream.pcm[max(end - samples_of(before_ms(clip_ms)), 0) : end].copy()
    excerpt = Excerpt(event, pcm, stream.kind, stream.source, file)
    if not played:
        return excerpt
    last = played.seconds_at(end * 1000 / SAMPLE_RATE)
    first = max(last - len(pcm) / SAMPLE_RATE, 0.0)
    return replace(excerpt, seconds=(round(first, 3), round(last, 3)))
