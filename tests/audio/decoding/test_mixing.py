# SPDX-License-Identifier: Apache-2.0
"""Channels are averaged unless that hides the voice; then the best is used, with a notice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.decoding.mixing import Mix, choose_mix
from kws.audio.resampling import read_blocks
from kws.audio.sound_files import load_clip, read_recording
from tests.audio.encoded import speech

RATE = 16000
VOICE = speech(RATE)[:, 0]
HISS = np.random.default_rng(5).normal(0, 0.1, (6, len(VOICE))).astype(np.float32)


def mix_of(*channels: np.ndarray) -> Mix:
    return choose_mix(np.stack(channels, axis=1).astype(np.float32), RATE)


@pytest.mark.parametrize(
    "channels",
    [
        (VOICE, VOICE),
        (VOICE, 0 * VOICE),
        (VOICE, 0.3 * VOICE),
        (VOICE + HISS[0] / 100, VOICE + HISS[1] / 100),
        (VOICE, np.roll(VOICE, 16000)),  # two people, one per channel
        (VOICE * (np.abs(VOICE) > 0.01), np.roll(VOICE, 16000)),  # one of them with a noise gate
        (0 * VOICE, 0 * VOICE),
        (HISS[0], HISS[1]),
        tuple(HISS),
        (VOICE, 0 * VOICE, 0 * VOICE, 0 * VOICE, 0 * VOICE, 0 * VOICE),
    ],
)
def test_usual_channels_are_averaged_without_a_notice(channels: tuple[np.ndarray, ...]) -> None:
    mix = mix_of(*channels)
    assert (mix.channel, mix.divisor, mix.notes) == (None, 1.0, ())
    assert mix.text == f"average of {len(channels)} channels"


@pytest.mark.parametrize("second", [-1.0, -0.9, -1.1])
def test_the_louder_of_cancelling_channels_is_used(second: float) -> None:
    mix = mix_of(VOICE, second * VOICE)
    assert mix.channel == (2 if second < -1 else 1)
    assert mix.text == f"channel {mix.channel} of 2 (the channels cancel each other)"
    assert mix.notes == (
        f"the channels cancel each other: using channel {mix.channel} of 2 (--channel)",
    )


@pytest.mark.parametrize("noisy", [1, 2, 4, 5])
def test_a_channel_with_the_voice_is_preferred_to_noise(noisy: int) -> None:
    channels = [*HISS[:noisy], *(gain * VOICE for gain in (0.5, 1.0, 0.7, 0.6, 0.8)[: 6 - noisy])]
    mix = mix_of(*channels)
    assert mix.channel == noisy + (2 if noisy < 5 else 1)
    assert mix.reason == "other channels contain noise"


def test_a_word_that_fills_its_clip_cancels_too() -> None:
    tone = np.sin(np.arange(RATE) * 0.3)
    assert mix_of(tone, -tone).channel == 1


@pytest.mark.parametrize(("scale", "divisor"), [(8.0, 8.0), (32768.0, 32768.0), (2.0**31, 2.0**31)])
def test_samples_far_over_full_scale_are_divided_and_not_clipped(
    tmp_path: Path, scale: float, divisor: float
) -> None:
    path, plain = tmp_path / "far.wav", tmp_path / "plain.wav"
    sound = VOICE / np.abs(VOICE).max() * 0.9
    soundfile.write(path, sound * scale, RATE, subtype="FLOAT")
    soundfile.write(plain, sound, RATE, subtype="FLOAT")
    recording = read_recording(path)
    np.testing.assert_array_equal(recording.pcm, load_clip(plain))
    assert recording.notes == (
        f"samples are up to {divisor:g} times full scale; divided by {divisor:g}",
    )
    np.testing.assert_array_equal(np.concatenate(list(read_blocks(path, 0.1))), recording.pcm)


def test_overshoot_of_a_codec_is_clipped() -> None:
    assert choose_mix(np.array([[1.9], [-1.2]], np.float32), RATE).divisor == 1.0


@pytest.mark.parametrize("rate", [8000, 44100])
def test_the_channel_of_a_file_is_the_same_in_blocks_and_can_be_chosen(
    tmp_path: Path, rate: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stereo.flac"
    voice = speech(rate)[:, 0]
    soundfile.write(path, np.stack([0.8 * voice, -voice], axis=1), rate)
    best = read_recording(path)
    assert best.mix.channel == 2
    for channel, wanted in ((None, best.pcm), (2, best.pcm), (1, -0.8 * best.pcm)):
        chosen = read_recording(path, channel)
        blocks = np.concatenate(list(read_blocks(path, 0.1, channel=channel)))
        for pcm in (chosen.pcm, blocks):
            assert np.abs(pcm.astype(int) - wanted[: len(pcm)]).max() <= 2
        assert (chosen.mix.reason == "") == (channel is not None)
    errors = capsys.readouterr().err
    assert errors == (
        f"kws: {path}: the channels cancel each other: using channel 2 of 2 (--channel)\n"
    )


def test_figures_of_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    pcm = np.array([0, 32767, -32768, 16384, 0, 0, 0, 0] * 100, np.int16)
    soundfile.write(path, pcm, 16000)
    recording = read_recording(path)
    assert (recording.peak, recording.clipped, recording.seconds) == (1.0, 200, 0.05)
    assert recording.rms == pytest.approx(np.sqrt(2.25 / 8), abs=1e-4)
    assert (recording.mix.text, recording.notes) == ("mono", ())
