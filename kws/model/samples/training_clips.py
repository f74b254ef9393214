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
"""Unknown clips to load, as a multiple of the number in one epoch."""


def training_clips(
    dataset: DataSet, words: Sequence[str], settings: SampleSettings, seed: int
) -> list[list[Clip]]:
    """The training clips to load: a list for unknown and for each keyword.

    The number of unknown clips is limited to what a few epochs use, because large data sets do not
    fit into memory.

    Raises:
        DataError: there are no clips of other words.
    """
    groups = [dataset.of(Split.TRAIN, [word]) for word in words]
    others = dataset.of(Split.TRAIN, [word for word in dataset.words if word not in words])
    if not others:
        raise DataError(
            f"{dataset.root}: no clips of words other than {', '.join(words)} to train "
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
            f"{extra.root}: all its {len(extra.clips)} clips are by held-out speakers, so none "
            f"can be used for training; list the held-out clips in {LISTS['test']}"
        )
    others = [clip for clip in clips if clip.word not in words]
    return [others, *([clip for clip in clips if clip.word == word] for word in words)]


def training_speakers(dataset: DataSet, words: Sequence[str]) -> int:
    """Lowest number of training speakers for any keyword.

    A synthetic voice and its altered versions count once.
    """
    return min(
        len({voice_of(clip.speaker) for clip in dataset.of(Split.TRAIN, [word])}) for word in words
    )
