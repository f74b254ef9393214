# SPDX-License-Identifier: Apache-2.0
"""Recordings read in blocks equal recordings read at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.pcm import Pcm
from kws.audio.resampling import Resampler, read_blocks
from kws.audio.sound_files import load_clip
from kws.errors import AudioError

CLIP = Path("kws/assets/matrix/yes_slt.flac")


def sound(rate: int, channels: int, seconds: float = 1.3) -> np.ndarray:
    random = np.random.default_rng(rate)
    return random.uniform(-0.9, 0.9, (round(rate * seconds), channels)).astype(np.float32)


def difference(a: Pcm, b: Pcm) -> int:
    assert len(a) == len(b)
    return int(np.abs(a.astype(int) - b.astype(int)).max())


@pytest.mark.parametrize("seconds", [0.0001, 0.02, 0.5, 100])
def test_a_16_khz_recording_in_blocks_is_bit_exact(seconds: float) -> None:
    np.testing.assert_array_equal(np.concatenate(list(read_blocks(CLIP, seconds))), load_clip(CLIP))


@pytest.mark.parametrize("seconds", [0.02, 10.0])
def test_parts_of_a_recording_join_to_the_whole_at_16_khz(seconds: float) -> None:
    parts = [(0.0, 0.3), (0.3, 0.8), (0.8, 1.0)]
    blocks = [pcm for part in parts for pcm in read_blocks(CLIP, seconds, part)]
    np.testing.assert_array_equal(np.concatenate(blocks), load_clip(CLIP))


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 44100, 48000, 96000, 192000])
@pytest.mark.parametrize("channels", [1, 2])
def test_blocks_at_any_rate_equal_the_clip(tmp_path: Path, rate: int, channels: int) -> None:
    path = tmp_path / "sound.wav"
    soundfile.write(path, sound(rate, channels), rate, subtype="FLOAT")
    blocks = np.concatenate(list(read_blocks(path, 0.02)))
    assert difference(blocks, load_clip(path)) <= 1


def test_blocks_of_any_size_make_the_same_stream() -> None:
    samples = sound(44100, 1)
    random = np.random.default_rng(0)

    def cut() -> Iterator[np.ndarray]:
        at = 0
        while at < len(samples):
            size = int(random.integers(0, 3000))
            yield samples[at : at + size]
            at += size

    resampler = Resampler(44100)
    parts = [resampler.feed(piece) for piece in cut()]
    parts.append(resampler.feed(samples[:0], last=True))
    whole = Resampler(44100).feed(samples, last=True)
    assert difference(np.concatenate(parts), whole) <= 1


def test_overload_is_clipped_and_nan_is_refused() -> None:
    loud = Resampler(16000).feed(np.array([[2.0], [-3.0]], np.float32))
    assert loud.tolist() == [32767, -32768]
    with pytest.raises(AudioError, match="not numbers"):
        Resampler(48000).feed(np.array([[np.nan]], np.float32))


def test_unreadable_files_raise_the_same_error_as_load_clip(tmp_path: Path) -> None:
    empty, folder, noise = (tmp_path / name for name in ("empty", "folder", "noise"))
    empty.touch()
    folder.mkdir()
    noise.write_bytes(b"no sound at all")
    no_samples = tmp_path / "none.wav"
    soundfile.write(no_samples, np.zeros(0, np.int16), 16000)
    not_there = tmp_path / "not_there"
    for path in (empty, folder, noise, no_samples, not_there):
        with pytest.raises(AudioError) as once:
            load_clip(path)
        with pytest.raises(AudioError) as in_blocks:
            list(read_blocks(path, 0.02))
        assert str(in_blocks.value) == str(once.value)


def test_nan_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "nan.wav"
    soundfile.write(path, np.full(100, np.nan, np.float32), 16000, subtype="FLOAT")
    with pytest.raises(AudioError, match=r"nan\.wav: has samples that are not numbers"):
        list(read_blocks(path, 0.02))
