# SPDX-License-Identifier: Apache-2.0
"""Labelled clips as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kws.features.spectrogram import Spectrograms, after_silence

Labels = npt.NDArray[np.int64]
"""int64[n]: 0 silence, 1 unknown, 2 the first keyword."""

Progress = Callable[[int], object]
"""Called with the number of clips that were loaded since the last call."""


@dataclass(frozen=True)
class Samples:
    """Clips with their labels, ready for a model."""

    spectrograms: Spectrograms
    """int8[n, frames, 40]."""

    labels: Labels

    def after_silence(self, frames: int) -> Samples:
        """The same clips after this number of frames of silence."""
        return Samples(after_silence(self.spectrograms, frames), self.labels)

    def __len__(self) -> int:
        return len(self.labels)
