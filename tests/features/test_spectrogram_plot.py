# SPDX-License-Identifier: Apache-2.0
"""The picture's axes agree with the frontend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kws.errors import KwsError
from kws.features.spectrogram import spectrogram
from kws.features.spectrogram_plot import channel_hertz, save_picture


def test_channel_centres_span_the_frontends_band() -> None:
    hertz = channel_hertz()
    assert hertz.shape == (40,)
    assert 125 < hertz[0] < 200
    assert 6800 < hertz[-1] < 7500
    assert (np.diff(hertz) > 0).all()


@pytest.mark.parametrize("channel", [3, 10, 20, 30, 38])
def test_tone_at_a_centre_lights_that_channel(channel: int) -> None:
    time = np.arange(16000) / 16000
    # The noise estimate would remove a steady tone, but not a burst.
    tone = 8000 * np.sin(2 * np.pi * channel_hertz()[channel] * time) * (time > 0.5)
    frames = spectrogram(tone.astype(np.int16)).astype(int)
    loudest = int(np.argmax(frames[26:30].sum(axis=0)))
    assert abs(loudest - channel) <= 1


def test_picture_is_written_whole(tmp_path: Path) -> None:
    pcm = np.random.default_rng(0).integers(-9000, 9000, 16000).astype(np.int16)
    save_picture(tmp_path / "a.png", pcm, spectrogram(pcm), "noise")
    with Image.open(tmp_path / "a.png") as picture:
        picture.load()
        assert picture.width > 800
        assert len(set(picture.convert("RGB").resize((60, 40)).get_flattened_data())) > 50


def test_silent_clip_can_be_drawn(tmp_path: Path) -> None:
    pcm = np.zeros(480, np.int16)
    save_picture(tmp_path / "a.png", pcm, spectrogram(pcm), "nothing")
    assert (tmp_path / "a.png").exists()


def test_full_disk_leaves_no_partial_picture(full_disk: Path) -> None:
    pcm = np.zeros(16000, np.int16)
    (full_disk / "filler").write_bytes(bytes(240 * 1024))
    with pytest.raises(KwsError, match="no space left"):
        save_picture(full_disk / "a.png", pcm, spectrogram(pcm), "nothing")
    assert [p.name for p in full_disk.iterdir()] == ["filler"]
