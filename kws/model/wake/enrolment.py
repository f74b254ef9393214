# SPDX-License-Identifier: Apache-2.0
"""Chooses thresholds for the people at home from a few recordings of each.

Normal calibration uses synthetic voices or the speakers of a data set. This one uses the people who
will use the device, in a quiet room, in noise and over talk, and talk without keywords.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kws import config
from kws.audio.dataset import Clip, DataSet, Split, open_dataset
from kws.audio.pcm import Pcm
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.errors import DataError, UsageError
from kws.model.evaluate.judge.calibration import Calibration, calibrate, count_runs, traces_by_kind
from kws.model.evaluate.judge.stream_metrics import StreamMetrics, measure_traces
from kws.model.evaluate.judge.verdict import Verdict, calibrated_misses, judge
from kws.model.evaluate.score.plans import PACES, calibration_plan, fitting_plan, hours_for
from kws.model.evaluate.score.streams import Kind, Stream, make_streams
from kws.model.evaluate.score.talk import at_paces, background_talk, recorded_talk
from kws.model.evaluate.score.traces import trace_streams
from kws.model.wake.recorded_clips import import_recordings
from kws.model.wake.wake_settings import AT_WORDS
from kws.progress import progress_bar

_TIMES = 8
"""Number of times that each recording is played per kind of stream, each time in different
noise."""

_BEHIND_HOURS = 0.5
"""Hours of talk that is mixed with words."""


@dataclass(frozen=True)
class Enrolment:
    """A bundle's new thresholds, and their effect on the recordings and on talk."""

    bundle: Bundle
    before: dict[Kind, StreamMetrics]
    """Metrics with the bundle's old settings."""

    calibration: Calibration
    old: dict[str, int]
    """Old threshold of each keyword."""

    recordings: int
    speakers: int

    @property
    def new(self) -> dict[str, int]:
        """New threshold of each keyword."""
        return {word: self.calibration.deciding[word] for word in self.old}

    @property
    def verdict(self) -> Verdict:
        """Whether the model now hears these people."""
        return judge(
            calibrated_misses(self.calibration),
            more="",
            again="thresholds are not enough: train with these recordings, kws wake --recordings",
        )

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "bundle": str(self.bundle.path),
            "verdict": self.verdict.to_json(),
            "recordings": self.recordings,
            "speakers": self.speakers,
            "thresholds_before": self.old,
            "thresholds": self.new,
            "recognizer": config.to_dict(self.calibration.settings),
            "before": {kind: metrics.to_json() for kind, metrics in self.before.items()},
            "after": {k: metrics.to_json() for k, metrics in self.calibration.by_kind.items()},
            "limiting_talk": [place.to_json() for place in self.calibration.limiting_talk],
        }


def enroll(
    folder: Path,
    recordings: Path,
    ambient: Surroundings,
    false_alarms_per_hour: float,
    out: Path | None = None,
    *,
    others: DataSet | None = None,
) -> Enrolment:
    """Choose a bundle's thresholds and average window for the people in some recordings.

    Args:
        folder: the bundle.
        recordings: its keywords, spoken by these people; see `import_recordings`.
        ambient: its validation talk is played under the words and on its own.
        false_alarms_per_hour: the allowed rate in talk, all keywords together.
        out: folder of the new bundle; None replaces the old one.
        others: a data set; the validation clips of its other words are played, too.

    Raises:
        UsageError: there is no talk.
        DataError: the folder lacks recordings of a keyword.
        AudioError: a recording is damaged.
        KwsError: the bundle cannot be read or written.
    """
    bundle = load_bundle(folder)
    check_destination(out or folder)
    if not ambient.negatives:
        raise UsageError(
            "without talk the lowest threshold always looks best; pass recordings without keywords "
            "with --negatives"
        )
    talk = ambient.talk(Split.VALIDATION, bundle.keywords)
    if not talk:
        raise DataError("--negatives: no talk in the validation split; pass longer recordings")
    with tempfile.TemporaryDirectory(prefix="kws-enroll-") as clips:
        count = import_recordings(
            recordings, bundle.keywords, Path(clips), bundle.frontend.clip_samples
        )
        dataset = _dataset(Path(clips), bundle.keywords, others)
        behind = background_talk(talk, _BEHIND_HOURS)
        streams = list(_streams(dataset, bundle, count, behind))
        with progress_bar("listening", len(streams)) as advance:
            traces = list(trace_streams(bundle, streams, advance))
    with progress_bar("listening to talk", len(talk)) as advance:
        played = at_paces(recorded_talk(talk, advance), PACES)
        traces += trace_streams(bundle, played)
    with progress_bar("choosing", count_runs(bundle)) as advance:
        calibration = calibrate(
            bundle,
            traces,
            false_alarms_per_hour,
            bundle.keywords,
            advance,
            # Without other words, the rate would be per hour of keywords instead of per 180 other
            # words.
            at_words=AT_WORDS if len(dataset.words) > len(bundle.keywords) else math.inf,
        )
    before = {
        kind: measure_traces(bundle.rules, group, bundle.keywords)
        for kind, group in traces_by_kind(traces).items()
    }
    speakers = len({clip.speaker for clip in dataset.of(Split.TEST, bundle.keywords)})
    new = calibration.applied_to(bundle, _facts(calibration, count, speakers))
    return Enrolment(
        bundle=write_bundle(new, out or folder),
        before=before,
        calibration=calibration,
        old=bundle.rules.thresholds,
        recordings=count,
        speakers=speakers,
    )


def _facts(calibration: Calibration, recordings: int, speakers: int) -> dict[str, Any]:
    """Figures for the bundle that also hold for other people.

    Misses are counted on the calibration recordings themselves, each played many times, so they
    have no interval.
    """
    facts = calibration.metrics()
    kept = ["asked_false_alarms_an_hour", "talk"]
    if math.isfinite(calibration.asked[1]):
        kept.append("asked_false_alarms_at_words")
    return {k: facts[k] for k in kept} | {"recordings": recordings, "speakers": speakers}


def _dataset(folder: Path, keywords: Sequence[str], others: DataSet | None) -> DataSet:
    """The recordings, and validation clips of other words, as the clips of one split."""
    dataset = open_dataset(folder)
    clips: list[Clip] = list(dataset.clips)
    if others:
        words = [word for word in others.words if word not in keywords]
        clips += others.of(Split.VALIDATION, words)
    clips = [replace(clip, split=Split.TEST) for clip in clips]
    backgrounds = others.backgrounds if others else ()
    return replace(dataset, clips=tuple(clips), backgrounds=backgrounds)


def _streams(
    dataset: DataSet, bundle: Bundle, count: int, behind: Mapping[str, Pcm]
) -> Iterator[Stream]:
    """Each recording `_TIMES` times in a quiet room, in noise and over talk."""
    keywords = bundle.keywords
    share = 0.5 if len(dataset.words) > len(keywords) else 1.0
    plan = fitting_plan(calibration_plan(hours_for(round(_TIMES * count * 0.5 / share))), bundle)
    for settings in plan.settings(talk=True):
        mixed = replace(settings, keyword_share=share)
        yield from make_streams(dataset, keywords, Split.TEST, mixed, behind)
