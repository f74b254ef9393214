# SPDX-License-Identifier: Apache-2.0
"""Types that all engines share: voice, random draws of a take, resampling."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soxr

from kws._core import SAMPLE_RATE

Sound = npt.NDArray[np.float32]
"""float32[n], samples from -1 to 1 at 16 kHz."""

USUAL_RATE = 170.0
"""Words per minute without stretching."""


@dataclass(frozen=True)
class Voice:
    """One speaker of a synthetic data set."""

    engine: str
    """espeak, flite, piper or kokoro."""

    accent: str
    """A language code if the engine has several; else the person's size, such as tall."""

    variant: str
    """The speaker: espeak-ng's variant, flite's voice, Piper's file and speaker, Kokoro's style."""

    source: tuple[Path, ...] = ()
    """The voice's files, if it has any."""

    number: int = 0
    """Index of the speaker in a file."""

    @property
    def name(self) -> str:
        """The speaker's name in file names."""
        return "-".join(part for part in (self.engine, self.accent, self.variant) if part)

    @property
    def group(self) -> str:
        """The vocal tract. Voices that share it sound alike, so they belong to the same split."""
        return f"{self.engine}-{self.variant}"


@dataclass(frozen=True)
class Draws:
    """Random choices for one take."""

    words_per_minute: float
    """80 to 400; 170 is usual."""

    pitch: float
    """0 to 99; 50 is the voice's natural pitch."""

    seed: int = 0
    """Seed of the engine's own variation."""


def resample(sound: Sound, rate: float) -> Sound:
    """Resample from `rate` (in Hz) to 16 kHz."""
    if rate == SAMPLE_RATE:
        return sound
    out: Sound = soxr.resample(sound, rate, SAMPLE_RATE)
    return out


def slight_size(pitch: float) -> float:
    """Factor for a take's formants and pitch, for engines without a pitch setting.

    0.93 to 1.07 for pitches from 20 to 80.
    """
    return float(2.0 ** ((pitch - 50.0) / 300.0))
