# SPDX-License-Identifier: Apache-2.0
"""Windows of talk: their sources, and the share of mined recordings."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.augment.augmentation import NONE
from kws.audio.dataset import DataSet
from kws.audio.long_recordings import LongRecording
from kws.audio.mined_recordings import MINED_FOLDER
from kws.audio.sound_files import write_clip
from kws.audio.surroundings import Surroundings
from kws.model.samples.sample_settings import SampleSettings
from kws.model.samples.talk_windows import TalkWindows
from kws.model.samples.training_set import TrainingSet


def recording(folder: Path, name: str, seconds: float = 10) -> LongRecording:
    """A rising sound; only mined recordings have no negative samples."""
    folder.mkdir(exist_ok=True)
    sound = np.linspace(500, 3000, int(seconds * 16000)).astype(np.int16)
    if folder.name != MINED_FOLDER:
        sound[::2] *= -1
    write_clip(folder / f"{name}.wav", sound)
    return LongRecording(folder / f"{name}.wav", folder.name, name)


@pytest.mark.parametrize("hard", [0.0, 0.25, 1.0])
def test_share_of_the_windows_is_mined(tmp_path: Path, hard: float) -> None:
    recordings = [recording(tmp_path / "radio", "a"), recording(tmp_path / "mined", "b")]
    windows = TalkWindows(recordings, 24000, hard).draw(400, np.random.default_rng(0))
    assert windows.shape == (400, 24000)
    mined = (windows >= 0).all(axis=1)
    assert mined.mean() == pytest.approx(hard, abs=0.08 if 0 < hard < 1 else 0)
    starts = {abs(int(window[0])) for window in windows}
    assert len(starts) > 100, "windows are cut at many places"


def test_without_talk_all_windows_are_mined_and_without_both_there_are_none(
    tmp_path: Path,
) -> None:
    only_mined = TalkWindows([recording(tmp_path / "mined", "a")], 16000, 0.0)
    assert only_mined
    assert not only_mined.sounds
    assert (only_mined.draw(50, np.random.default_rng(0)) >= 0).all()
    assert not TalkWindows([], 16000, 0.5)
    assert not TalkWindows([recording(tmp_path / "radio", "b", seconds=0.5)], 32000, 0.5)


def test_epochs_have_windows_of_talk_as_unknown(tones: DataSet, tmp_path: Path) -> None:
    settings = SampleSettings(joined=0, copies=1, augmentation=NONE, talk_per_keyword=2)
    words = ("low", "high")
    recording(tmp_path / "radio", "a", seconds=60)
    ambient = Surroundings((tmp_path / "radio",))
    without = Counter(TrainingSet(tones, words, settings, 0).epoch(0).labels.tolist())
    training = TrainingSet(tones, words, settings, 0, ambient=ambient)
    labels = training.epoch(0).labels
    assert Counter(labels.tolist()) - without == {1: 48}
    assert len(training) == len(labels)
    # The clips are unchanged; windows of talk follow them.
    plain = TrainingSet(tones, words, settings, 0).copy(0).spectrograms
    np.testing.assert_array_equal(training.copy(0).spectrograms[: len(plain)], plain)
    none = TrainingSet(tones, words, replace(settings, talk_per_keyword=0), 0, ambient=ambient)
    assert len(none) == len(plain)
