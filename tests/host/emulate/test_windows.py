# SPDX-License-Identifier: Apache-2.0
"""Unusual windows, strides and labels give the same lines on the host and on the board."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device, with_commands
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.convert.tflite_import import convert_manifest
from kws.errors import BundleError, ModelError, UsageError
from kws.features.spectrogram import batch_spectrograms
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.qemu import Qemu
from kws.model.evaluate.score.clip_scores import core_scores
from tests.convert.wake_models import write_manifest
from tests.small_models import LABELS, dense_model


def bundle_of(frames: int, folder: Path) -> Bundle:
    """A bundle with an untrained model that reports words in noise."""
    model = dense_model(elements=40 * frames)
    settings = RecognizerSettings(200, 60, 300, 1)
    made = make_bundle(model, LABELS, name=f"frames{frames}", recognizer=settings)
    assert write_bundle(made, folder / made.name) == made
    return load_bundle(folder / made.name)


@pytest.fixture(scope="module")
def noise() -> Pcm:
    """Bursts of noise."""
    rng = np.random.default_rng(5)
    levels = np.repeat(2.0 ** rng.integers(0, 14, 48), 4000)
    return np.rint(rng.uniform(-1, 1, len(levels)) * levels).astype(np.int16)


@pytest.mark.parametrize("frames", [25, 49, 75, 150])
def test_the_first_inference_sees_the_clip_so_far(frames: int, noise: Pcm, tmp_path: Path) -> None:
    bundle = bundle_of(frames, tmp_path)
    assert bundle.frontend.frames == bundle.input_frames == frames
    _, times, scores = Device(bundle).pipeline().trace(noise)
    # Inferences are at every second frame, including the frame that fills the window.
    first = 2 - frames % 2
    ends = [20 * (first + 1), 20 * (first + 3)]
    full = 20 * (frames + 1)
    assert times[:2].tolist() == ends
    assert full in times
    heard = batch_spectrograms(noise[None, : 320 * (frames + 1)])
    padded = np.full_like(heard, -128)  # no sound before the first sample
    padded[:, frames - first :] = heard[:, :first]
    for time, window in ((ends[0], padded), (full, heard)):
        (score,) = scores[times == time]
        np.testing.assert_array_equal([score], core_scores(bundle.model, window))


@pytest.mark.parametrize("frames", [24, 151])
def test_a_window_out_of_range_is_refused(frames: int) -> None:
    with pytest.raises(ModelError, match=f"{40 * frames} elements"):
        make_bundle(dense_model(elements=40 * frames), LABELS, name="x")


def test_only_a_streaming_model_may_have_another_window_than_its_input(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only a streaming model"):
        make_bundle(dense_model(), LABELS, name="x", frames=75)
    folder = bundle_of(75, tmp_path).path
    assert folder
    toml = folder / "bundle.toml"
    toml.write_text(toml.read_text().replace("frames = 75", "frames = 49"))
    with pytest.raises(BundleError, match="a window of 49 frames"):
        load_bundle(folder)


@pytest.mark.usefixtures("board_tools")
def test_windows_give_the_same_lines_on_host_and_emulator(noise: Pcm, tmp_path: Path) -> None:
    short, long = (bundle_of(frames, tmp_path) for frames in (25, 110))
    with Qemu() as emulator:
        for device in (
            Device(short),
            Device(long),
            with_commands(short, long, 1500),
            with_commands(long, short, 1500),
        ):
            host = host_device.play(device, noise).text
            assert host.count("Heard ") > 3
            board = emulator.play(build("qemu", device).elf, noise).text
            assert board.replace(" on qemu,", " on host,") == host


@pytest.mark.usefixtures("board_tools")
def test_a_gate_works_with_hops_of_10_ms(noise: Pcm, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    quiet = rng.normal(0, 30, 5 * SAMPLE_RATE).astype(np.int16)
    pcm = np.concatenate([quiet, noise[: 3 * SAMPLE_RATE], quiet, noise[-2 * SAMPLE_RATE :]])
    model = dense_model(elements=98 * 40)
    gated, always = (
        make_bundle(
            model,
            LABELS,
            name="short_hops",
            recognizer=RecognizerSettings(200, 60, 300, 1, gate_db=gate),
            stride_samples=160,
        )
        for gate in (0.8, 0.0)
    )
    pipeline = Device(gated).pipeline()
    pipeline.feed(pcm)
    assert 100 < pipeline.skipped < pipeline.inferences - 100
    host = host_device.play(Device(gated), pcm).text
    assert host != host_device.play(Device(always), pcm).text
    assert host.count("Heard ") > 3
    write_bundle(gated, tmp_path / "gated")
    with Qemu() as emulator:
        board = emulator.play(build("qemu", Device(load_bundle(tmp_path / "gated"))).elf, pcm).text
    assert board.replace(" on qemu,", " on host,") == host


@pytest.mark.usefixtures("board_tools")
def test_microwakeword_models_give_the_same_lines_on_host_and_emulator(
    noise: Pcm, tmp_path: Path
) -> None:
    wake = convert_manifest(write_manifest(tmp_path), tmp_path / "a")
    other = convert_manifest(write_manifest(tmp_path, "b", sliding_window_size=3), tmp_path / "b")
    with Qemu() as emulator:
        for device in (Device(wake), with_commands(wake, other, 1500)):
            host = host_device.play(device, noise).text
            assert "Heard something_loud (" in host
            board = emulator.play(build("qemu", device).elf, noise).text
            assert board.replace(" on qemu,", " on host,") == host
