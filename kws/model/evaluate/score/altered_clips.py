# SPDX-License-Identifier: Apache-2.0
"""Clips in noise, and clips at other levels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kws.audio.pcm import Pcm, speech_span

SNRS_DB = (-5, 0, 5, 10, 15, 20)
"""Signal-to-noise ratios at which the clips of words are measured again."""

LEVELS_DB = (-60, -55, -40, -25, -15, -8, -5)
"""Levels at which the clips of words are measured again: RMS of the voice before clipping, in
dBFS."""

USUAL_LEVELS_DB = (-55, -25, -8)
"""Quiet, normal and loud: a device should recognize the same share of words at each."""


def in_noise(
    clips: Pcm,
    backgrounds: Sequence[npt.NDArray[np.float32]],
    snr_db: float,
    rng: np.random.Generator,
) -> Pcm:
    """Add noise to clips. The RMS of the voice is limited to 3000, so that few samples clip.

    Args:
        clips: int16[n, samples].
        backgrounds: sounds with an RMS of 1, each longer than a clip; one is drawn per clip.
        snr_db: RMS of the voice over RMS of the background, in dB.
        rng: draws backgrounds and their parts.
    """
    samples = clips.shape[1]
    mixed = np.empty_like(clips)
    for row, clip in zip(mixed, clips, strict=True):
        noise = backgrounds[int(rng.integers(len(backgrounds)))]
        start = int(rng.integers(len(noise) - samples))
        level = min(3000.0, 3000.0 * 10 ** (snr_db / 20))
        voice = clip.astype(np.float32) * np.float32(level / _voice_rms(clip))
        total = voice + noise[start : start + samples] * np.float32(level / 10 ** (snr_db / 20))
        row[:] = np.clip(np.rint(total), -32768, 32767)
    return mixed


def at_level(clips: Pcm, level_db: float) -> Pcm:
    """Scale clips so that the voice has an RMS of `level_db` dBFS.

    Samples above full scale are clipped, as in a 16-bit microphone.
    """
    scaled = np.empty_like(clips)
    for row, clip in zip(scaled, clips, strict=True):
        gain = 32768 * 10 ** (level_db / 20) / _voice_rms(clip)
        row[:] = np.clip(np.rint(clip * gain), -32768, 32767)
    return scaled


def _voice_rms(clip: Pcm) -> float:
    first, end = speech_span(clip)
    return max(float(np.sqrt(np.mean(clip[first:end].astype(np.float32) ** 2))), 1.0)
