# SPDX-License-Identifier: Apache-2.0
"""Sound in memory, 16 kHz mono: types, and voice activity."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE

Pcm = npt.NDArray[np.int16]
"""Samples in the format of the core: int16[n] or int16[clips, samples]."""

Sounds = npt.NDArray[np.float32]
"""The same samples as floats from -32768 to 32767, for processing."""

BLOCK = SAMPLE_RATE // 100
"""Samples in 10 ms, over which levels are measured."""


def samples_of(milliseconds: int) -> int:
    """The number of samples in this time."""
    return milliseconds * SAMPLE_RATE // 1000


def to_pcm(sounds: Sounds) -> Pcm:
    """Convert floats to int16, clipped to its range."""
    return np.clip(sounds, -32768, 32767).astype(np.int16)


def speech_span(pcm: Pcm) -> tuple[int, int]:
    """First sample of the voice in a clip, and the sample after its end."""
    blocks = pcm[: len(pcm) // BLOCK * BLOCK].reshape(-1, BLOCK).astype(np.float32)
    if not len(blocks):
        return 0, len(pcm)
    levels = np.sqrt(np.mean(blocks**2, axis=1))
    peak, floor = float(levels.max()), float(np.quantile(levels, 0.1))
    # At most 30 dB below the loudest 10 ms, about 10 dB above the quietest tenth, below the peak.
    loud = np.flatnonzero(levels >= min(max(peak / 32, 3 * floor), peak / 2))
    return int(loud[0]) * BLOCK, (int(loud[-1]) + 1) * BLOCK


def around_voice(pcm: Pcm, samples: int) -> Pcm:
    """The part of a recording with its voice in the middle, zero-padded: int16[samples]."""
    if len(pcm) <= samples:
        return np.pad(pcm, (0, samples - len(pcm)))
    first, end = speech_span(pcm)
    start = max(min((first + end - samples) // 2, len(pcm) - samples), 0)
    return pcm[start : start + samples].copy()
