# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of models: a data set of tones, and a run trained on it."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kws.audio.augment.augmentation import NONE
from kws.audio.dataset import DataSet, Split, open_dataset
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.model.evaluate.score.clip_scores import core_scores
from kws.model.samples.evaluation_clips import evaluation_samples
from kws.model.samples.sample_settings import SampleSettings
from kws.model.train.train_settings import TrainSettings
from tests.tones import make_tones

if TYPE_CHECKING:
    from kws.model.train.training import TrainResult

MadeOnce = Callable[[str, Callable[[Path], object]], Path]

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
    """A finished training run."""

    data: Path
    out: Path
    result: TrainResult


@pytest.fixture(scope="session")
def tones_folder(made_once: MadeOnce) -> Path:
    return made_once("tones", make_tones)


@pytest.fixture
def tones(tones_folder: Path) -> DataSet:
    return open_dataset(tones_folder)


@pytest.fixture(scope="session")
def run(made_once: MadeOnce, tones_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A copy of a run that is trained once."""

    def trained(folder: Path) -> None:
        from kws.model.train.training import train
        from kws.model.train.training_job import TrainingJob

        result = train(
            TrainingJob(
                open_dataset(tones_folder),
                folder / "tones",
                SETTINGS,
                about="Tones, made by a test.",
            )
        )
        (folder / "result").write_bytes(pickle.dumps(result))

    made = made_once("trained_tones", trained)
    result: TrainResult = pickle.loads((made / "result").read_bytes())
    out = Path(shutil.copytree(made / "tones", tmp_path_factory.mktemp("run") / "tones"))
    moved = replace(result, bundle=load_bundle(out / "bundle"), picture=out / result.picture.name)
    return Run(tones_folder, out, moved)


def check_against_tflm(bundle: Bundle, data: Path) -> None:
    """The core's scores for every test clip must equal those of TFLM's interpreter."""
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
    samples = evaluation_samples(
        open_dataset(data), bundle.keywords, Split.TEST, keep_noise=bundle.frontend.keep_noise
    )
    oracle = runtime.Interpreter.from_bytes(bundle.model)
    for spectrogram, scores in zip(
        samples.spectrograms, core_scores(bundle.model, samples.spectrograms), strict=True
    ):
        oracle.set_input(spectrogram.reshape(bundle.input.shape), 0)
        oracle.invoke()
        np.testing.assert_array_equal(scores, oracle.get_output(0).ravel())


def kill_at(process: subprocess.Popen[bytes], checkpoint: Path) -> None:
    """Kill a training run as soon as it has written this file."""
    deadline = time.monotonic() + 200
    while not checkpoint.exists():
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "no checkpoint after 200 s"
        time.sleep(0.005)
    process.kill()
    process.wait()
