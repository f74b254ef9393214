# SPDX-License-Identifier: Apache-2.0
"""Features without noise removal: logarithms of a filter bank's amplitudes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from kws import _core
from kws.bundle.device import Device, with_commands
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.features.spectrogram import batch_spectrograms, spectrogram
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.qemu import Qemu
from tests.small_models import LABELS, dense_model


def _mel(hertz: npt.ArrayLike) -> npt.NDArray[np.float64]:
    return 1127 * np.log1p(np.asarray(hertz) / 700)


def _expected(pcm: npt.NDArray[np.int16]) -> npt.NDArray[np.float64]:
    """The features in double precision: float64[frames, 40], not rounded."""
    starts = np.arange(0, len(pcm) - 479, 320)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(480) + 0.5) / 480)
    spectrum = np.fft.rfft(pcm[starts[:, None] + np.arange(480)] * hann, 512) / 512
    low, high = _mel([_core.LOWEST_HZ, _core.HIGHEST_HZ])
    width = (high - low) / 41
    distance = np.abs(_mel(np.arange(257) * 31.25)[:, None] - (low + width * np.arange(1, 41)))
    weights = np.clip(1 - distance / width, 0, None)
    amplitudes = 64 * np.sqrt(np.abs(spectrum) ** 2 @ weights)
    features: npt.NDArray[np.float64] = 16 * np.log(np.maximum(8 * amplitudes, 1)) - 128
    return features


@pytest.mark.parametrize(("rms", "mean"), [(3, 2.0), (30, 0.6), (300, 0.6), (3000, 0.6)])
def test_noise_at_all_levels_equals_a_reference_in_double_precision(
    rms: float, mean: float
) -> None:
    pcm = np.rint(np.random.default_rng(1).normal(0, rms, 32000)).astype(np.int16)
    pcm = _core.without_offset(pcm[np.newaxis])[0]
    found = _core.Frontend(keep_noise=True).process(pcm)
    difference = found - _expected(pcm)
    assert found.shape == (99, 40)
    # A step is 0.54 dB. Faint sound suffers from the window's integers, and channels that are weak
    # by chance from the FFT's.
    assert np.abs(difference).mean() < mean
    assert np.quantile(np.abs(difference), 0.99) < 5 * mean


def test_a_louder_clip_is_the_same_spectrogram_shifted() -> None:
    pcm = np.rint(np.random.default_rng(2).normal(0, 500, 16000)).astype(np.int16)
    quiet, loud = batch_spectrograms(np.stack([pcm, 8 * pcm]), keep_noise=True).astype(int)
    assert np.abs(loud - quiet - 16 * np.log(8)).mean() < 0.5


def test_streams_batches_and_clips_agree_and_differ_from_removed_noise() -> None:
    pcm = np.rint(np.random.default_rng(3).normal(0, 200, 16000)).astype(np.int16)
    batch = batch_spectrograms(pcm[np.newaxis], keep_noise=True)[0]
    assert np.array_equal(batch, spectrogram(pcm, keep_noise=True))
    frontend = _core.Frontend(keep_noise=True)
    centred = _core.without_offset(pcm[np.newaxis])[0]
    parts = [frontend.process(part) for part in np.split(centred, [100, 479, 480, 5000])]
    assert np.array_equal(batch, np.concatenate(parts))
    assert not np.array_equal(batch, spectrogram(pcm))


@pytest.mark.usefixtures("board_tools")
def test_a_model_without_noise_removal_gives_the_same_lines_on_the_emulated_board(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(4)
    radians, levels = rng.uniform(0.05, 2.5, 40), 2.0 ** rng.integers(4, 14, 40)
    tones = np.repeat(levels, 4000) * np.sin(np.cumsum(np.repeat(radians, 4000)))
    pcm = np.rint(tones + rng.normal(0, 3, len(tones))).astype(np.int16)
    eager = RecognizerSettings(200, 60, 300, 1)
    removing, keeping = (
        make_bundle(
            dense_model(),
            LABELS,
            name=f"keeps{kept:d}",
            recognizer=eager,
            keep_noise=kept,
            output_order=(3, 2, 0, 1),  # most of the model's scores are for its first class
        )
        for kept in (False, True)
    )
    assert write_bundle(keeping, tmp_path / "keeps") == keeping
    keeping = load_bundle(tmp_path / "keeps")
    assert keeping.frontend.keep_noise
    _, _, scores = Device(keeping).pipeline().trace(pcm)
    assert not np.array_equal(scores, Device(removing).pipeline().trace(pcm)[2])
    with Qemu() as emulator:
        for device in (Device(keeping), with_commands(keeping, keeping, 1500)):
            host = host_device.play(device, pcm).text
            assert host.count("Heard ") > 3
            board = emulator.play(build("qemu", device).elf, pcm).text
            assert board.replace(" on qemu,", " on host,") == host
