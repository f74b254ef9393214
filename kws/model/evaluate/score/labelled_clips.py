# SPDX-License-Identifier: Apache-2.0
"""Clips for evaluating a bundle, with their labels, speakers and sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kws.audio.clip_collections import clip_collections
from kws.audio.dataset import DataSet, Split, load_backgrounds
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.labels import first_keyword
from kws.model.evaluate.score.clip_scores import check_keywords, one_split
from kws.model.samples.backgrounds import background_parts
from kws.model.samples.evaluation_clips import evaluation_pcm
from kws.model.samples.samples import Labels
from kws.progress import progress_bar


@dataclass(frozen=True)
class LabelledClips:
    """Equal shares of silence, unknown and each keyword."""

    pcm: Pcm
    """int16[n, samples that the model sees]."""

    truth: Labels
    """int64[n]: the clips' classes."""

    files: tuple[Path | None, ...]
    """None for a part of a background recording."""

    speakers: tuple[str, ...]
    """Each part of a background recording counts as a speaker."""

    collections: tuple[str, ...]
    """Source of each clip, an empty text if unknown; () if the data set names no sources."""

    backgrounds: Sequence[Pcm]
    """The split's part of the background recordings."""


def load_clips(bundle: Bundle, dataset: DataSet, split: Split | None) -> LabelledClips | None:
    """Load the clips of a split, none of them augmented.

    Args:
        bundle: its model determines the classes and the length of the clips.
        dataset: the data set of the clips.
        split: the split of the clips; None for all clips.

    Returns:
        None for a model without classes for silence and unknown, because then clips have no labels.

    Raises:
        DataError: the split has no clips of a keyword, or a background recording is shorter than a
            clip.
        AudioError: a clip is missing or damaged.
    """
    dataset, split = one_split(dataset, split)
    check_keywords(bundle, dataset, split)
    if not first_keyword(bundle.labels):
        return None
    samples = bundle.frontend.clip_samples
    with progress_bar("loading clips", None) as advance:
        pcm, truth, files = evaluation_pcm(dataset, bundle.keywords, split, advance, samples)
    speaker = {clip.path: clip.speaker for clip in dataset.clips}
    origins = clip_collections(dataset.root)
    return LabelledClips(
        pcm,
        truth,
        tuple(files),
        tuple(speaker[file] if file else f"background {index}" for index, file in enumerate(files)),
        tuple(origins.get(file, "") if file else "" for file in files) if origins else (),
        background_parts(load_backgrounds(dataset), split, samples),
    )
