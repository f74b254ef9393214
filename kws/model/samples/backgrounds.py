# SPDX-License-Identifier: Apache-2.0
"""Background recordings, divided between training, validation and test.

Each split gets its own part of every recording, so that a model is not tested on noise from its
training.
"""

from __future__ import annotations

from collections.abc import Sequence

from kws._core import SAMPLE_RATE
from kws.audio.dataset import Split
from kws.audio.long_recordings import SPLIT_PARTS
from kws.audio.pcm import Pcm
from kws.errors import DataError

_THIRDS = {Split.TRAIN: (0.0, 1 / 3), Split.VALIDATION: (1 / 3, 2 / 3), Split.TEST: (2 / 3, 1.0)}
"""The shares if a tenth of a recording is not longer than a clip."""


def background_parts(
    recordings: Sequence[Pcm], split: Split, samples: int = SAMPLE_RATE
) -> list[Pcm]:
    """The part of each recording that a split may use; no sample is in two parts.

    If a tenth of a recording is too short, it is cut into thirds. A recording of three clips or
    less is used only in training.

    Args:
        recordings: the backgrounds, int16[n] each.
        split: the split that uses the parts.
        samples: length of a clip.

    Raises:
        DataError: a recording is not longer than a clip.
    """
    parts = []
    for recording in recordings:
        if len(recording) <= samples:
            raise DataError(
                f"a background recording lasts {len(recording) / SAMPLE_RATE:.2f} s; each "
                f"must be longer than {samples / SAMPLE_RATE:g} s, so lengthen or remove it"
            )
        for shares in (SPLIT_PARTS, _THIRDS):
            cuts = {s: [int(share * len(recording)) for share in shares[s]] for s in Split}
            if min(end - start for start, end in cuts.values()) > samples:
                start, end = cuts[split]
                parts.append(recording[start:end])
                break
        else:
            if split == Split.TRAIN:
                parts.append(recording)
    return parts
