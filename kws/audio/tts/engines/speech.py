# SPDX-License-Identifier: Apache-2.0
"""What all engines share: a voice, what is drawn for a take, and samples at another rate."""

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
"""Words a minute of an engine whose durations are not stretched."""


@dataclass(frozen=True)
class Voice:
    """One speaker of a synthetic data set."""

    engine: str
    """espeak, flite, piper or kokoro."""

    accent: str
    """A language code where the engine has a choice; else the size of the person, such as tall."""

    variant: str
    """Who speaks: espeak-ng's variant, flite's voice, Piper's file and speaker, Kokoro's style."""

    source: tuple[Path, ...] = ()
    """The files that the voice comes from, if it comes from files."""

    number: int = 0
    """Which speaker of a file it is."""

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
    """What is drawn at random for one take."""

    words_per_minute: float
    """How fast, 80 to 400; 170 is usual."""

    pitch: float
    """How high for that voice, 0 to 99; 50 is its natural pitch."""

    seed: int = 0
    """From which an engine draws what only it has."""


def resample(sound: Sound, rate: float) -> Sound:
    """Samples of another rate, in Hz, at 16 kHz."""
    if rate == SAMPLE_RATE:
        return sound
    out: Sound = soxr.resample(sound, rate, SAMPLE_RATE)
    return out


def slight_size(pitch: float) -> float:
    """By what factor a take's formants and pitch are raised where an engine has no pitch to set.

    From 0.93 to 1.07 for pitches from 20 to 80.
    """
    return float(2.0 ** ((pitch - 50.0) / 300.0))
