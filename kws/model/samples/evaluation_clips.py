# SPDX-License-Identifier: Apache-2.0
"""The clips that a model is evaluated on: equal shares of silence, unknown and each keyword.

They are not augmented, and they are the same for every seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.augment.silence import silence
from kws.audio.dataset import Clip, DataSet, Split, load_backgrounds, load_pcm
from kws.audio.pcm import Pcm
from kws.features.spectrogram import batch_spectrograms
from kws.model.samples.backgrounds import background_parts
from kws.model.samples.samples import Labels, Progress, Samples

_SEED = 20180409


def evaluation_clips(dataset: DataSet, words: Sequence[str], split: Split) -> list[list[Clip]]:
    """The clips of a split on which a model is evaluated: a list for unknown and each keyword.

    All lists have the same length: the number of clips of the rarest keyword, or less if there are
    too few unknown words. The choice depends only on the data set.
    """
    groups = [dataset.of(split, [word]) for word in words]
    others = dataset.of(split, [word for word in dataset.words if word not in words])
    size = min(len(group) for group in groups)
    rng = np.random.default_rng([_SEED, size])
    return [
        [group[i] for i in sorted(rng.permutation(len(group))[:size])]
        for group in (others, *groups)
    ]


def evaluation_pcm(
    dataset: DataSet,
    words: Sequence[str],
    split: Split,
    progress: Progress | None = None,
    samples: int = SAMPLE_RATE,
) -> tuple[Pcm, Labels, list[Path | None]]:
    """Sound, labels and files of the clips on which a model is evaluated.

    Returns:
        int16[n, samples], int64[n], and the file of each clip; None for a part of a background.

    Raises:
        AudioError: a file is missing or damaged.
        DataError: a background recording is shorter than a clip.
    """
    groups = evaluation_clips(dataset, words, split)
    clips = [clip for group in groups for clip in group]
    count = len(groups[-1])
    backgrounds = background_parts(load_backgrounds(dataset), split, samples)
    quiet = silence(count, samples, backgrounds, np.random.default_rng(_SEED))
    labels = [0] * count + [label for label, group in enumerate(groups, 1) for _ in group]
    pcm = np.concatenate([quiet, load_pcm(clips, samples, progress)])
    files: list[Path | None] = [None] * count
    return pcm, np.array(labels, np.int64), files + [clip.path for clip in clips]


def evaluation_samples(
    dataset: DataSet,
    words: Sequence[str],
    split: Split,
    progress: Progress | None = None,
    samples: int = SAMPLE_RATE,
    *,
    keep_noise: bool,
) -> Samples:
    """The clips of `evaluation_pcm` as spectrograms; for `keep_noise` see `FrontendSettings`.

    Raises:
        AudioError: a file is missing or damaged.
        DataError: a background recording is shorter than a clip.
    """
    pcm, labels, _ = evaluation_pcm(dataset, words, split, progress, samples)
    return Samples(batch_spectrograms(pcm, keep_noise=keep_noise), labels)
