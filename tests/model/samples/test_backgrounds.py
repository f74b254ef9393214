# SPDX-License-Identifier: Apache-2.0
"""Each split has its own part of a background recording."""

from __future__ import annotations

import numpy as np
import pytest

from kws.audio.dataset import Split
from kws.errors import DataError
from kws.model.samples.backgrounds import background_parts


def test_splits_have_different_parts_of_a_background() -> None:
    recording = np.arange(200_000, dtype=np.int32).astype(np.int16)
    parts = {split: background_parts([recording], split)[0] for split in Split}
    assert sum(len(part) for part in parts.values()) == len(recording)
    assert len(parts[Split.TRAIN]) == 160_000
    joined = np.concatenate([parts[Split.TRAIN], parts[Split.VALIDATION], parts[Split.TEST]])
    np.testing.assert_array_equal(joined, recording)


def test_short_background_is_only_for_training_and_too_short_is_an_error() -> None:
    short = np.zeros(20_000, np.int16)
    assert [len(background_parts([short], split)) for split in Split] == [1, 0, 0]
    with pytest.raises(DataError, match=r"0\.50 s"):
        background_parts([np.zeros(8000, np.int16)], Split.TRAIN)
