"""What is done to a clip before a model learns from it: moved in time, mixed with noise.

The rules and their default values are those of TensorFlow's speech_commands example, so that models
trained here and there can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kws.errors import DataError

Pcm = npt.NDArray[np.int16]
"""16 kHz mono samples."""


def augment(
    batch: Pcm,
    backgrounds: Sequence[Pcm],
    rng: np.random.Generator,
    *,
    shift_ms: int = 100,
    background_frequency: float = 0.8,
    background_volume: float = 0.1,
) -> Pcm:
    """A changed copy of a batch of clips.

    Each clip is moved by a whole number of samples drawn from [-shift, shift), zeros taking the
    place of what moved; then, with probability `background_frequency`, a random piece of a random
    background is added at a volume drawn from [0, background_volume). Sums beyond full scale clip.

    Args:
        batch: int16[n, samples], 16 kHz.
        backgrounds: recordings, each longer than a clip; none means that nothing is mixed in.
        rng: where every random choice comes from, in a fixed order.
        shift_ms: furthest move in milliseconds; 0 leaves clips in place.
        background_frequency: share of the clips that get noise, 0 to 1.
        background_volume: loudest noise as a factor on the recording, 0 to 1.

    Raises:
        DataError: a background is not longer than a clip.
    """
    count, samples = batch.shape
    reach = shift_ms * 16
    shifts = rng.integers(-reach, max(reach, 1), (count,), np.int64)
    noisy = rng.random(count) < background_frequency
    volumes = np.where(noisy, rng.random(count) * background_volume, 0.0)
    out = shift(batch, shifts)
    if not backgrounds or not volumes.any():
        return out
    noise = cut_backgrounds(backgrounds, count, samples, rng)
    return mix(out, noise, volumes)


def silence(count: int, samples: int, backgrounds: Sequence[Pcm], rng: np.random.Generator) -> Pcm:
    """Clips of the silence class: pieces of background at volumes drawn from [0, 1).

    Returns:
        int16[count, samples]; zeros where there are no backgrounds.

    Raises:
        DataError: a background is not longer than a clip.
    """
    nothing = np.zeros((count, samples), np.int16)
    if not backgrounds:
        return nothing
    noise = cut_backgrounds(backgrounds, count, samples, rng)
    return mix(nothing, noise, rng.random(count))


def shift(batch: Pcm, shifts: npt.NDArray[np.int64]) -> Pcm:
    """Each clip moved later (positive) or earlier (negative) by its number of samples."""
    samples = batch.shape[1]
    out = np.zeros_like(batch)
    for clip, moved, by in zip(batch, out, shifts.tolist(), strict=True):
        if by >= 0:
            moved[by:] = clip[: samples - by]
        else:
            moved[:by] = clip[-by:]
    return out


def mix(batch: Pcm, noise: Pcm, volumes: npt.NDArray[np.float64]) -> Pcm:
    """`batch` plus `noise` scaled by one volume a clip; fractions are cut off, sums clip."""
    total = noise * volumes.astype(np.float32)[:, None]
    total += batch
    np.clip(total, -32768, 32767, out=total)
    return total.astype(np.int16)


def cut_backgrounds(
    backgrounds: Sequence[Pcm], count: int, samples: int, rng: np.random.Generator
) -> Pcm:
    """Random pieces of random backgrounds: int16[count, samples].

    Raises:
        DataError: a background is not longer than a piece.
    """
    shortest = min(len(background) for background in backgrounds)
    if shortest <= samples:
        raise DataError(
            f"a background recording lasts {shortest / 16000:.2f} s; each has to be longer than a "
            f"clip ({samples / 16000:.2f} s), so lengthen or remove it"
        )
    out = np.empty((count, samples), np.int16)
    chosen = rng.integers(0, len(backgrounds), count)
    places = rng.random(count)
    for piece, index, place in zip(out, chosen.tolist(), places.tolist(), strict=True):
        background = backgrounds[index]
        start = int(place * (len(background) - samples))
        piece[:] = background[start : start + samples]
    return out
