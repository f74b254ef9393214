# SPDX-License-Identifier: Apache-2.0
"""Clip levels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws.audio.pcm import BLOCK, Sounds

_SPEECH_SHARE = 0.3
"""Share of a clip's blocks that counts as speech: the loudest ones."""

_LIMITS_DB = (-66.0, -6.0)
"""Lowest and highest speech level after a change, in dB of full scale."""


def amplitudes(decibels: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Amplitude factors, as a column: float32[n, 1] from float64[n]."""
    return (10 ** (decibels / 20)).astype(np.float32).reshape(-1, 1)


def speech_levels(clips: Sounds, samples: int | None = None) -> npt.NDArray[np.float32]:
    """Root mean square over the loudest 10 ms blocks of each clip.

    Args:
        clips: float32[n, samples or more].
        samples: length of a clip without its lead; None for the whole length.
    """
    blocks = clips[:, : clips.shape[1] // BLOCK * BLOCK].reshape(len(clips), -1, BLOCK)
    power = np.einsum("cbs,cbs->cb", blocks, blocks) / BLOCK
    loud = max(int((samples or clips.shape[1]) // BLOCK * _SPEECH_SHARE), 1)
    loudest = np.partition(power, power.shape[1] - loud, axis=1)[:, -loud:]
    levels: npt.NDArray[np.float32] = np.sqrt(loudest.mean(axis=1))
    return levels


def change_levels(
    clips: Sounds,
    levels: npt.NDArray[np.float32],
    range_db: float,
    rng: np.random.Generator,
) -> npt.NDArray[np.float32]:
    """Make each clip quieter or louder, in place.

    Args:
        clips: float32[n, samples].
        levels: their speech levels.
        range_db: width of the range of gains; two thirds of it are below 0 dB.
        rng: source of the gains.

    Returns:
        The new speech levels.
    """
    lowest, highest = (32768 * 10 ** (limit / 20) for limit in _LIMITS_DB)
    gains = amplitudes(rng.uniform(-range_db * 2 / 3, range_db / 3, len(clips)))[:, 0]
    gains = np.where(levels > 0, np.clip(levels * gains, lowest, highest), 0)
    gains /= np.maximum(levels, 1e-3)
    clips *= gains[:, None].astype(np.float32)
    return levels * gains.astype(np.float32)
