"""What a device hears in long recordings: hits, misses, false alarms an hour, latency.

The scores are the core's pipeline's, computed once; what settings make of them is the core's
recognizer's, run again for each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kws import _core
from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import ModelError
from kws.model.evaluate.statistics import poisson, wilson
from kws.model.evaluate.streams import REACTION_MS, Stream, Word

THRESHOLDS = (*range(80, 240, 5), 240, 244, 247, 249, 251, 252, 253, 254)
"""Thresholds that are tried: closer where a saturated model's scores lie."""

_EXCERPTS = 6
"""False alarms and missed words of each stream whose sound is kept."""


@dataclass(frozen=True)
class Alarm:
    """A keyword that was reported though nobody had just said it."""

    stream: int
    time_ms: int
    label: str
    score: int
    near: Word | None
    """The word that was said there, if one was."""


@dataclass(frozen=True)
class Trace:
    """What the model made of a stream."""

    words: tuple[Word, ...]
    hours: float
    times_ms: npt.NDArray[np.int32]
    scores: npt.NDArray[np.int8]
    excerpts: tuple[tuple[Alarm | Word, Pcm], ...] = ()
    """The first false alarms and missed words with the bundle's settings, and their sound."""


@dataclass(frozen=True)
class Hearing:
    """What was heard in streams, and what was said."""

    keywords: tuple[str, ...]
    hours: float
    said: dict[str, int]
    """Keyword to how often it was said."""

    hits: dict[str, int]
    wrong: dict[str, int]
    """Keyword to how often another one was reported in its place; the rest was missed."""

    alarms: tuple[Alarm, ...]
    """Reports that answer no keyword: noise, other words, a word reported twice."""

    latencies_ms: tuple[int, ...]
    """From the end of the voice to the report, one a hit; negative where it came before the end."""

    others: int
    """Words said that are no keywords."""

    missed: tuple[Word, ...] = ()
    """Keywords that were said and not reported as what they are."""

    @property
    def total_said(self) -> int:
        """How many keywords were said."""
        return sum(self.said.values())

    @property
    def total_hits(self) -> int:
        """How many of them were reported."""
        return sum(self.hits.values())

    @property
    def miss_share(self) -> float:
        """Share of the keywords said that were not reported as what they are, 0 to 1."""
        return 1 - self.total_hits / self.total_said if self.total_said else 0.0

    @property
    def alarms_an_hour(self) -> float:
        """False alarms an hour, all keywords together."""
        return len(self.alarms) / self.hours if self.hours else 0.0

    def alarms_of(self, word: str) -> int:
        """False alarms of one keyword."""
        return sum(alarm.label == word for alarm in self.alarms)

    def to_json(self) -> dict[str, Any]:
        """What a script wants to know; shares are 0 to 1."""
        missed = self.total_said - self.total_hits
        low, high = poisson(len(self.alarms))
        return {
            "hours": self.hours,
            "keywords_said": self.total_said,
            "other_words_said": self.others,
            "hits": self.total_hits,
            "wrong": sum(self.wrong.values()),
            "missed": missed - sum(self.wrong.values()),
            "miss_share": self.miss_share,
            "miss_share_95": wilson(missed, self.total_said),
            "false_alarms": len(self.alarms),
            "false_alarms_an_hour": self.alarms_an_hour,
            "false_alarms_an_hour_95": (low / self.hours, high / self.hours),
            "latency_ms": {
                name: float(np.quantile(self.latencies_ms, point))
                for name, point in (("median", 0.5), ("p95", 0.95))
                if self.latencies_ms
            },
            "keywords": {
                word: {
                    "said": self.said[word],
                    "hits": self.hits[word],
                    "wrong": self.wrong[word],
                    "missed": self.said[word] - self.hits[word] - self.wrong[word],
                    "false_alarms": self.alarms_of(word),
                    "false_alarms_an_hour": self.alarms_of(word) / self.hours,
                }
                for word in self.keywords
            },
        }


def trace(
    bundle: Bundle,
    streams: Iterable[Stream],
    words: Sequence[str] = (),
    progress: Callable[[int], object] = lambda _: None,
) -> Iterator[Trace]:
    """Play streams to the bundle's pipeline, several at once, each from a fresh start.

    Args:
        bundle: its settings say of which events the sound is kept.
        streams: what is played.
        words: the keywords that are asked for; of none, all.
        progress: called with 1 after each stream.

    Raises:
        ModelError: the core met a fault.
    """

    def play(stream: Stream) -> Trace:
        try:
            _, times, scores = bundle.pipeline().trace(stream.pcm)
        except _core.CoreError as error:
            raise ModelError(f"bundle {bundle.path or bundle.name}: {error}") from None
        progress(1)
        found = Trace(stream.words, stream.hours, times, scores)
        heard = listen(bundle.recognizer, bundle.labels, [found], words)
        events: list[Alarm | Word] = [*heard.alarms[:_EXCERPTS], *heard.missed[:_EXCERPTS]]
        return replace(found, excerpts=tuple((event, _excerpt(stream, event)) for event in events))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = []
        for stream in streams:
            pending.append(pool.submit(play, stream))
            if len(pending) > 2 * (os.cpu_count() or 1):  # a stream is large; do not pile them up
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()


def _excerpt(stream: Stream, event: Alarm | Word) -> Pcm:
    """Two and a half seconds of sound up to a report, or around a word."""
    end_ms = event.time_ms + 300 if isinstance(event, Alarm) else event.end_ms + 800
    end = min(end_ms * SAMPLE_RATE // 1000, len(stream.pcm))
    return stream.pcm[max(end - 5 * SAMPLE_RATE // 2, 0) : end].copy()


def recognize(
    settings: RecognizerSettings, labels: Sequence[str], found: Trace
) -> npt.NDArray[np.int32]:
    """The keywords that the core's recognizer reports: (n, 3) of time in ms, label, score."""
    recognizer = _core.Recognizer(len(labels), **settings.for_core(labels))
    heard = recognizer.run(found.scores, found.times_ms)
    return heard[heard[:, 1] > 1]


def listen(
    settings: RecognizerSettings,
    labels: Sequence[str],
    traces: Sequence[Trace],
    words: Sequence[str] = (),
) -> Hearing:
    """What a device with these settings hears.

    Args:
        settings: the recognizer's.
        labels: the model's.
        traces: what it made of streams.
        words: the keywords that are asked for; without any, all. The others are words like any.
    """
    keywords = tuple(words or labels[2:])
    said, hits, wrong = (dict.fromkeys(keywords, 0) for _ in range(3))
    alarms: list[Alarm] = []
    latencies: list[int] = []
    missed: list[Word] = []
    others = 0
    for number, found in enumerate(traces):
        reports = [(int(t), labels[k], int(s)) for t, k, s in recognize(settings, labels, found)]
        at = 0
        for word in found.words:
            # What was reported before this word began belongs to none.
            while at < len(reports) and reports[at][0] <= word.start_ms:
                alarms.append(Alarm(number, *reports[at], None))
                at += 1
            mine = []
            while at < len(reports) and reports[at][0] <= word.end_ms + REACTION_MS:
                mine.append(reports[at])
                at += 1
            if word.label not in said:
                others += 1
                alarms += [Alarm(number, *report, word) for report in mine]
                continue
            said[word.label] += 1
            right = next((report for report in mine if report[1] == word.label), None)
            instead = next((r for r in mine if r[1] != word.label), None) if not right else None
            if right:
                hits[word.label] += 1
                latencies.append(right[0] - word.end_ms)
            else:
                wrong[word.label] += instead is not None
                missed.append(word)
            alarms += [Alarm(number, *r, word) for r in mine if r not in (right, instead)]
        alarms += [Alarm(number, *report, None) for report in reports[at:]]
    return Hearing(
        keywords,
        sum(found.hours for found in traces),
        said,
        hits,
        wrong,
        tuple(alarms),
        tuple(latencies),
        others,
        tuple(missed),
    )


@dataclass(frozen=True)
class CurvePoint:
    """What one threshold for all keywords gives."""

    threshold: int
    miss_share: float
    alarms_an_hour: float


def curve(
    settings: RecognizerSettings,
    labels: Sequence[str],
    traces: Sequence[Trace],
    words: Sequence[str] = (),
    progress: Callable[[int], object] = lambda _: None,
) -> tuple[CurvePoint, ...]:
    """Misses against false alarms, as the threshold of the `words` (of none: of all) rises."""

    def point(threshold: int) -> CurvePoint:
        tried = with_threshold(settings, labels, threshold, words)
        heard = listen(tried, labels, traces, words)
        progress(1)
        return CurvePoint(threshold, heard.miss_share, heard.alarms_an_hour)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return tuple(pool.map(point, THRESHOLDS))


def with_threshold(
    settings: RecognizerSettings, labels: Sequence[str], threshold: int, words: Sequence[str] = ()
) -> RecognizerSettings:
    """The settings with one threshold for these keywords (of none: for all); others keep theirs."""
    changed = dict.fromkeys(words or labels[2:], threshold)
    return replace(settings, thresholds={**settings.thresholds, **changed})
