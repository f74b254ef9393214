# SPDX-License-Identifier: Apache-2.0
"""Weights are fitted to arrays, without a data set or a bundle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.errors import KwsError
from kws.features.spectrogram import Spectrograms
from kws.model.samples.samples import Samples
from kws.model.train.distillation import Scores
from kws.model.train.fitting import fit, kept_epoch
from kws.model.train.train_settings import TrainSettings

pytestmark = pytest.mark.tensorflow

SETTINGS = TrainSettings(("low",), "tiny_conv", epochs=3, batch_size=20)


class Bands:
    """Clips of noise; each class is louder in its own band."""

    def __init__(self, count: int) -> None:
        rng = np.random.default_rng(1)
        self.labels = np.arange(count) % 3
        self.spectrograms: Spectrograms = rng.integers(-128, -60, (count, 49, 40)).astype(np.int8)
        for clip, label in zip(self.spectrograms, self.labels, strict=True):
            clip[:, 10 * label : 10 * label + 10] += 100

    def __len__(self) -> int:
        return len(self.labels)

    def epoch(self, number: int) -> tuple[Spectrograms, Scores]:
        return self.spectrograms, np.eye(3, dtype=np.float32)[self.labels]


def test_arrays_are_learned(tmp_path: Path) -> None:
    clips = Bands(60)
    _, state = fit(SETTINGS, clips, Samples(clips.spectrograms, clips.labels), tmp_path)
    assert len(state.history) == 3
    assert state.history[-1].validation_accuracy == 1
    assert kept_epoch(SETTINGS, state) == state.best_epoch
    assert kept_epoch(replace(SETTINGS, keep_last_epoch=True), state) == 2


def test_a_disk_that_fills_up_gives_a_one_line_error(full_disk: Path) -> None:
    (full_disk / "ballast").write_bytes(bytes(150_000))
    clips = Bands(60)
    with pytest.raises(KwsError, match=r"checkpoint\.npz: cannot be written"):
        fit(SETTINGS, clips, Samples(clips.spectrograms, clips.labels), full_disk)


def test_a_fit_resumes_from_its_checkpoint(tmp_path: Path) -> None:
    clips = Bands(60)
    validation = Samples(clips.spectrograms, clips.labels)
    said: list[str] = []
    model, state = fit(SETTINGS, clips, validation, tmp_path)
    again, same = fit(SETTINGS, clips, validation, tmp_path, say=said.append)
    assert said == ["resuming after epoch 3 of 3"]
    assert same.history == state.history
    for one, other in zip(model.weights, again.weights, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
