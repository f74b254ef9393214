# SPDX-License-Identifier: Apache-2.0
"""Background noise for words: recordings, coloured noise, babble of other speakers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm, Sounds
from kws.errors import DataError

_TALKERS = (3, 7)
"""Number of voices in a babble: at least 3, fewer than 7."""

_COLOURED_SHARE = 0.2
"""Share of coloured noise if there are background recordings."""


def unit_noise(
    count: int,
    samples: int,
    *,
    backgrounds: Sequence[Pcm],
    talkers: Pcm,
    babble: float,
    talk: Sequence[Pcm] = (),
    talk_share: float = 0.0,
    rng: np.random.Generator,
) -> Sounds:
    """Noises, each with a root mean square of 1: float32[count, samples].

    Args:
        count: number of noises.
        samples: their length.
        backgrounds: longer recordings; may be empty.
        talkers: voices for babble, int16[m, any length].
        babble: share of babble.
        talk: recordings of talk, each longer than `samples`; may be empty.
        talk_share: share of talk in the remaining noise.
        rng: source of all random choices.
    """
    kind = rng.random(count)
    babbling = kind < babble
    computed = kind > (1 - _COLOURED_SHARE if backgrounds else 0.0)
    computed &= ~babbling
    out = np.empty((count, samples), np.float32)
    if computed.any():
        out[computed] = coloured(int(computed.sum()), samples, rng)
    recorded = ~(computed | babbling)
    if recorded.any():
        out[recorded] = cut_backgrounds(backgrounds, int(recorded.sum()), samples, rng)
    if talk and talk_share:
        talking = (rng.random(count) < talk_share) & ~babbling
        out[talking] = cut_backgrounds(talk, int(talking.sum()), samples, rng)
    for index in np.flatnonzero(babbling).tolist():
        out[index] = _babble(talkers, samples, rng)
    out /= np.maximum(np.sqrt(np.mean(out**2, axis=1, keepdims=True)), 1e-3)
    return out


def _babble(talkers: Pcm, samples: int, rng: np.random.Generator) -> Sounds:
    """Several voices at once, equally loud: float32[samples]."""
    voices = talkers[rng.integers(0, len(talkers), rng.integers(*_TALKERS))]
    starts = rng.integers(0, samples, len(voices)).tolist()
    babble = np.zeros(samples, np.float32)
    for voice, start in zip(voices, starts, strict=True):
        level = max(float(voice.std()), 1.0)
        babble += np.resize(np.roll(voice.astype(np.float32) / level, start), samples)
    return babble


def coloured(count: int, samples: int, rng: np.random.Generator) -> Sounds:
    """Noises from white to brown, each with a root mean square of 1: float32[count, samples]."""
    spectra = np.fft.rfft(rng.standard_normal((count, samples), np.float32))
    slopes = rng.uniform(0, 1, (count, 1)).astype(np.float32)
    hertz = np.fft.rfftfreq(samples, 1 / SAMPLE_RATE).astype(np.float32)
    spectra *= np.maximum(hertz, 20) ** -slopes
    noise: Sounds = np.fft.irfft(spectra, samples).astype(np.float32, copy=False)
    noise /= np.sqrt(np.mean(noise**2, axis=1, keepdims=True))
    return noise


def cut_backgrounds(
    backgrounds: Sequence[Pcm], count: int, samples: int, rng: np.random.Generator
) -> Pcm:
    """Random excerpts of random backgrounds: int16[count, samples].

    Raises:
        DataError: a background is not longer than an excerpt.
    """
    shortest = min(len(background) for background in backgrounds)
    if shortest <= samples:
        raise DataError(
            f"a background recording lasts {shortest / SAMPLE_RATE:.2f} s; each must be longer "
            f"than a clip ({samples / SAMPLE_RATE:.2f} s), so lengthen or remove it"
        )
    out = np.empty((count, samples), np.int16)
    chosen = rng.integers(0, len(backgrounds), count)
    places = rng.random(count)
    for cut, index, place in zip(out, chosen.tolist(), places.tolist(), strict=True):
        background = backgrounds[index]
        start = int(place * (len(background) - samples))
        cut[:] = background[start : start + samples]
    return out
