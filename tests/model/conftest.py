# SPDX-License-Identifier: Apache-2.0
"""What the tests of models share: a data set of tones and a run that was trained on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kws.audio.augment.augmentation import NONE
from kws.audio.dataset import DataSet, open_dataset
from kws.model.samples.sample_settings import SampleSettings
from kws.model.train.train_settings import TrainSettings
from tests.tones import make_tones

if TYPE_CHECKING:
    from kws.model.train.loop import TrainResult

SETTINGS = TrainSettings(
    ("low", "high"),
    epochs=12,
    batch_size=16,
    learning_rate=0.01,
    samples=SampleSettings(
        silence_per_keyword=0.6,
        unknown_per_keyword=1.2,
        copies=3,
        augmentation=replace(NONE, shift_ms=100, background=0.8, snr_db=10),
    ),
)


@dataclass(frozen=True)
class Run:
    """A finished run."""

    data: Path
    out: Path
    result: TrainResult


@pytest.fixture(scope="session")
def tones_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tones(tmp_path_factory.mktemp("tones"))


@pytest.fixture
def tones(tones_folder: Path) -> DataSet:
    return open_dataset(tones_folder)


@pytest.fixture(scope="session")
def run(tones_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    from kws.model.train.loop import train

    out = tmp_path_factory.mktemp("run") / "tones"
    result = train(open_dataset(tones_folder), out, SETTINGS, about="Tones, made by a test.")
    return Run(tones_folder, out, result)
