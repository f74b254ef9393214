"""Time shift, background noise and silence clips, as TensorFlow's speech_commands has them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from kws.audio.augment import augment, cut_backgrounds, mix, shift, silence
from kws.errors import DataError

Pcm = npt.NDArray[np.int16]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def clips(count: int = 50, level: int = 9000) -> Pcm:
    return rng(1).integers(-level, level, (count, 16000)).astype(np.int16)


@pytest.fixture
def noises() -> list[Pcm]:
    return [rng(2).integers(-20000, 20000, n).astype(np.int16) for n in (20000, 50000)]


def test_shift_fills_with_zeros() -> None:
    batch = np.arange(1, 7, dtype=np.int16).reshape(1, 6).repeat(4, 0)
    moved = shift(batch, np.array([0, 2, -2, 5]))
    assert moved.tolist() == [
        [1, 2, 3, 4, 5, 6],
        [0, 0, 1, 2, 3, 4],
        [3, 4, 5, 6, 0, 0],
        [0, 0, 0, 0, 0, 1],
    ]


def test_clips_move_by_at_most_100_ms_both_ways() -> None:
    batch = np.zeros((2000, 16000), np.int16)
    batch[:, 8000] = 1
    places = np.argmax(augment(batch, [], rng()), axis=1) - 8000
    assert -1600 <= places.min() < -1500
    assert 1500 < places.max() < 1600
    assert abs(places.mean()) < 100


def test_noise_is_as_frequent_and_as_loud_as_asked() -> None:
    full = [np.full(20000, 10000, np.int16)]
    out = augment(np.zeros((2000, 16000), np.int16), full, rng(), shift_ms=0)
    levels = out[:, 0] / 10000
    assert (out == out[:, :1]).all()
    assert abs(np.mean(levels > 0) - 0.8) < 0.04  # a few draws are below one step
    assert 0.095 < levels.max() < 0.1
    assert abs(levels[levels > 0].mean() - 0.05) < 0.003


def test_noise_is_a_piece_of_a_background_at_one_volume(noises: list[Pcm]) -> None:
    batch = clips(20)
    out = augment(batch, noises, rng(), shift_ms=0, background_frequency=1, background_volume=1)
    added = out.astype(np.int32) - batch
    pieces = [np.lib.stride_tricks.sliding_window_view(noise, 16000) for noise in noises]
    for row, clip in zip(added, out, strict=True):
        inside = np.abs(clip.astype(np.int32)) < 32767
        best = 1e9
        for piece in pieces:
            # The place is found by correlation at a few samples, then compared as a whole.
            scores = piece[:, :64].astype(np.float64) @ row[:64]
            found = piece[int(np.argmax(scores))].astype(np.float64)
            volume = (row[inside] @ found[inside]) / (found[inside] @ found[inside])
            best = min(best, float(np.abs(row - volume * found)[inside].max()))
        assert best < 2  # fractions of samples are cut off


def test_sums_clip_at_full_scale() -> None:
    batch = np.array([[30000, -30000, 100]], np.int16)
    noise = np.array([[30000, -30000, -100]], np.int16)
    assert mix(batch, noise, np.array([0.5])).tolist() == [[32767, -32768, 50]]


def test_without_shift_and_noise_nothing_changes(noises: list[Pcm]) -> None:
    batch = clips()
    out = augment(batch, noises, rng(), shift_ms=0, background_frequency=0)
    np.testing.assert_array_equal(out, batch)
    assert out is not batch


def test_input_is_left_alone_and_the_seed_decides(noises: list[Pcm]) -> None:
    batch = clips()
    before = batch.copy()
    one, same, other = (augment(batch, noises, rng(seed)) for seed in (5, 5, 6))
    np.testing.assert_array_equal(batch, before)
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert one.dtype == np.int16


def test_silence_is_background_at_any_volume() -> None:
    full = [np.full(20000, 10000, np.int16)]
    levels = silence(3000, 16000, full, rng())[:, 0] / 10000
    assert abs(levels.mean() - 0.5) < 0.02
    assert levels.max() > 0.99
    assert levels.min() < 0.01


def test_silence_without_backgrounds_is_zero() -> None:
    assert not silence(3, 16000, [], rng()).any()


def test_pieces_come_from_all_backgrounds_and_places() -> None:
    ramp = np.arange(30000, dtype=np.int16)
    pieces = cut_backgrounds([ramp, -ramp], 4000, 16000, rng())
    starts = pieces[:, 0].astype(np.int32)
    assert starts.max() > 13900
    assert starts.min() < -13900
    assert starts.max() <= 14000
    assert abs(np.mean(pieces[:, 1] > 0) - 0.5) < 0.05


def test_too_short_a_background_is_named() -> None:
    with pytest.raises(DataError, match=r"lasts 1\.00 s; each has to be longer"):
        augment(clips(1), [np.zeros(16000, np.int16)], rng(), background_frequency=1)
