# SPDX-License-Identifier: Apache-2.0
"""The clips that a model is trained on.

Keywords come from their folders, unknown from the folders of all other words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kws.audio.dataset import LISTS, Clip, DataSet, Split
from kws.audio.tts.voices import voice_of
from kws.errors import DataError
from kws.labels import UNKNOWN
from kws.model.samples.sample_settings import SampleSettings

_UNKNOWN_POOL = 4
"""Unknown clips to load, as a multiple of the number that one epoch uses."""


def training_clips(
    dataset: DataSet, words: Sequence[str], settings: SampleSettings, seed: int
) -> list[list[Clip]]:
    """The training clips to load: a list for unknown and for each keyword.

    Of the unknown words no more are taken than a few epochs can use: large data sets have more than
    fit into memory.

    Raises:
        DataError: there are no clips of other words.
    """
    groups = [dataset.of(Split.TRAIN, [word]) for word in words]
    others = dataset.of(Split.TRAIN, [word for word in dataset.words if word not in words])
    if not others:
        raise DataError(
            f"{dataset.root}: no clips of other words than {', '.join(words)} to train "
            f"{UNKNOWN!r} with; add folders of such words (kws synth makes them)"
        )
    mean = sum(len(group) for group in groups) / len(words)
    pool = _UNKNOWN_POOL * math.ceil(mean * settings.unknown_per_keyword)
    chosen = np.random.default_rng([seed, len(others)]).permutation(len(others))[:pool]
    return [[others[i] for i in sorted(chosen)], *groups]


def extra_clips(extra: DataSet, dataset: DataSet, words: Sequence[str]) -> list[list[Clip]]:
    """The training clips of a second data set: a list for unknown and for each keyword.

    Clips of speakers in the first data set's validation and test sets are excluded.

    Raises:
        DataError: no clip remains.
    """
    held_out = {clip.speaker for clip in dataset.clips if clip.split != Split.TRAIN}
    clips = [clip for clip in extra.of(Split.TRAIN) if clip.speaker not in held_out]
    if not clips:
        raise DataError(
            f"{extra.root}: all its {len(extra.clips)} clips are of held-out speakers, so nothing "
            f"can be learned from it; say in {LISTS['test']} whom to hold out"
        )
    others = [clip for clip in clips if clip.word not in words]
    return [others, *([clip for clip in clips if clip.word == word] for word in words)]


def training_speakers(dataset: DataSet, words: Sequence[str]) -> int:
    """How many speakers the training has of the word that the fewest say.

    A synthetic voice counts once, whomever it was changed into.
    """
    return min(
        len({voice_of(clip.speaker) for clip in dataset.of(Split.TRAIN, [word])}) for word in words
    )
