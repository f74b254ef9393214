# SPDX-License-Identifier: Apache-2.0
"""SpecAugment blanks a stripe of frames and a stripe of channels."""

from __future__ import annotations

import numpy as np

from kws.model.samples.spec_augment import spec_augment


def test_mask_blanks_a_stripe_of_each_axis() -> None:
    clips = np.zeros((300, 49, 40), np.int8)
    spec_augment(clips, 0.2, np.random.default_rng(0))
    hidden = clips == -128
    frames = hidden.all(axis=2).sum(axis=1)
    channels = hidden.all(axis=1).sum(axis=1)
    assert (frames.min(), frames.max()) == (0, 9)
    assert (channels.min(), channels.max()) == (0, 8)
    assert (clips[~hidden] == 0).all()
    np.testing.assert_array_equal(
        hidden.sum(axis=(1, 2)), frames * 40 + channels * 49 - frames * channels
    )
