# SPDX-License-Identifier: Apache-2.0
"""SpecAugment: blanks stripes of a spectrogram, so that a model does not rely on single stripes.

Source: Park et al., Interspeech 2019.
"""

from __future__ import annotations

import numpy as np

from kws.features.spectrogram import Spectrograms


def spec_augment(spectrograms: Spectrograms, widest: float, rng: np.random.Generator) -> None:
    """Blank a stripe of frames and a stripe of channels of each spectrogram, in place.

    Args:
        spectrograms: int8[n, frames, channels].
        widest: width of the widest stripe, as a share of its axis, 0 to 1.
        rng: draws the widths and places.
    """
    count, frames, channels = spectrograms.shape
    for axis, size in ((1, frames), (2, channels)):
        widths = rng.integers(0, int(size * widest) + 1, count)
        starts = rng.integers(0, size - widths + 1)
        places = np.arange(size)
        hidden = (places >= starts[:, None]) & (places < (starts + widths)[:, None])
        spectrograms[
            hidden if axis == 1 else np.broadcast_to(hidden[:, None, :], spectrograms.shape)
        ] = -128
