# SPDX-License-Identifier: Apache-2.0
"""The streams that a bundle is evaluated on: made of clips, of talk, or a user's recording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kws.audio.dataset import DataSet, Split
from kws.audio.long_recordings import LongRecording, count_files, seconds_left_out
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.model.evaluate.score.clip_scores import (
    check_keywords,
    known_keywords,
    one_split,
)
from kws.model.evaluate.score.plans import fitting_plan
from kws.model.evaluate.score.streams import Stream, StreamPlan, read_stream
from kws.model.evaluate.score.talk import background_talk


@dataclass(frozen=True)
class Playlist:
    """Streams, and the keywords to report in them."""

    keywords: tuple[str, ...]
    """Keywords to report."""

    about: dict[str, Any]
    """Description of the streams."""

    talk: tuple[LongRecording, ...]
    """Talk without keywords; it is read while it is played."""

    streams: Iterable[Stream]
    """All other streams. Streams made from clips can be played only once."""

    count: int
    """Number of `streams`."""


def make_playlist(
    bundle: Bundle,
    dataset: DataSet | None,
    *,
    split: Split | None = Split.TEST,
    plan: StreamPlan | None = None,
    surroundings: Surroundings | None = None,
    recording: tuple[Path, Path] | None = None,
    keywords: tuple[str, ...] = (),
) -> Playlist | None:
    """Open everything to be played, so that a missing input is found before hours of playing.

    Args:
        bundle: the model.
        dataset: clips to make streams of.
        split: which clips and talk; None for all.
        plan: hours of streams to make of the clips; None for none.
        surroundings: their talk is played on its own, and over words if streams are made of clips;
            their noises are among the noises of these streams.
        recording: a user's recording and its label track; not with a plan.
        keywords: the keywords to be reported; without any, all of the bundle.

    Returns:
        None if there is nothing to play.

    Raises:
        UsageError: the model does not know a keyword.
        DataError: the data set lacks clips, there is no talk, or the label track is wrong.
        AudioError: a recording is missing or damaged.
    """
    keywords = known_keywords(bundle, keywords)
    name = str(split or "all")
    about: dict[str, Any] = {}
    talk: list[LongRecording] = []
    streams: Iterable[Stream] = ()
    count = 0
    if surroundings and surroundings.negatives:
        talk = surroundings.talk(split, bundle.keywords)
        every = surroundings.talk(split, ())
        about |= {
            "negatives": [str(folder) for folder in surroundings.negatives],
            "talk_recordings": count_files(talk),
            "excluded_recordings": count_files(every) - count_files(talk),
            "excluded_seconds": seconds_left_out(every, talk),
            "split": name,
        }
    if recording:
        about |= {"recording": str(recording[0])}
        streams, count = [read_stream(*recording)], 1
    if plan and dataset:
        dataset, part = one_split(dataset, split)
        check_keywords(bundle, dataset, part)
        plan = fitting_plan(plan, bundle)
        about |= {**plan.to_json(), "split": name}
        behind = background_talk(talk, plan.hours)
        noise = surroundings.load_noises(part) if surroundings else []
        if surroundings and surroundings.noises:
            about |= {"noises": [str(folder) for folder in surroundings.noises]}
        streams = plan.streams(dataset, keywords, part, behind, noise)
        count = plan.parts(talk=bool(behind))
    return Playlist(keywords, about, tuple(talk), streams, count) if about else None
