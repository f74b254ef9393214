# SPDX-License-Identifier: Apache-2.0
"""A run's folder belongs to its settings and data."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import DataSet
from kws.audio.sound_files import write_clip
from kws.audio.surroundings import Surroundings
from kws.errors import KwsError, ModelError, UsageError
from kws.model.samples.sample_settings import SampleSettings
from kws.model.train.run_folder import claim
from kws.model.train.train_settings import TrainSettings
from kws.model.train.training import train
from kws.model.train.training_job import TrainingJob
from kws.model.weights import checkpoint
from kws.model.weights.run_files import RENAMED
from tests.model.conftest import SETTINGS, Run


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (replace(SETTINGS, epochs=13), "epochs 12, not 13"),
        (replace(SETTINGS, words=("high", "low")), "words low,high, not high,low"),
        (replace(SETTINGS, samples=SampleSettings(2, 1)), "silence_per_keyword"),
    ],
)
def test_folder_of_another_run_is_refused(
    run: Run, tones: DataSet, settings: TrainSettings, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        train(TrainingJob(tones, run.out, settings))


def test_a_full_disk_ends_a_run_before_its_first_epoch(
    tones: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    with pytest.raises(KwsError, match="a training run may need 20 MB, but the disk has 1 MB left"):
        train(TrainingJob(tones, tmp_path / "run", SETTINGS))
    assert not (tmp_path / "run").exists()


def test_run_resumes_though_settings_were_added_and_removed(
    run: Run, tones: DataSet, tmp_path: Path
) -> None:
    text = (run.out / "settings.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("frozen", "base_model"))]
    older = "\n".join(lines).replace("arch =", "model =")  # the key up to kws 0.1
    older = older.replace("[samples]", "[samples]\nauxiliary_per_keyword = 0.16")  # removed
    assert "auxiliary_per_keyword" in older
    (tmp_path / "settings.toml").write_text(older)
    claim(tmp_path, SETTINGS, tones)
    with pytest.raises(UsageError, match=r"frozen 1\.0, not 0\.5"):
        claim(tmp_path, replace(SETTINGS, frozen=0.5), tones)


def test_run_with_old_names_of_settings_resumes(run: Run, tones: DataSet, tmp_path: Path) -> None:
    text = (run.out / "settings.toml").read_text()
    for old, new in RENAMED.items():
        assert f"\n{new} = " in text
        text = text.replace(f"\n{new} = ", f"\n{old} = ")
    (tmp_path / "settings.toml").write_text(text)
    claim(tmp_path, SETTINGS, tones)
    samples = replace(SETTINGS.samples, spec_augment=0.5)
    with pytest.raises(UsageError, match=r"spec_augment 0\.0, not 0\.5"):
        claim(tmp_path, replace(SETTINGS, samples=samples), tones)


def test_run_with_a_second_data_set_is_another_run(run: Run, tones: DataSet) -> None:
    with pytest.raises(UsageError, match="other data"):
        train(TrainingJob(tones, run.out, SETTINGS, extra=tones))


def test_folder_of_a_run_on_other_data_is_refused(run: Run, tones: DataSet) -> None:
    with pytest.raises(UsageError, match="other data"):
        train(TrainingJob(replace(tones, clips=tones.clips[1:]), run.out, SETTINGS))


def test_damaged_checkpoint_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.npz"
    file.write_bytes((run.out / "checkpoint.npz").read_bytes()[:-200])
    with pytest.raises(ModelError, match="checkpoint is damaged"):
        checkpoint.load(file)


def test_best_epoch_has_the_lowest_validation_loss() -> None:
    losses = (0.5, 0.2, 0.7, 0.2, 0.8)
    results = [checkpoint.EpochResult(1.0, 0.5, 0.9, loss) for loss in losses]
    assert checkpoint.State(history=results).best_epoch == 3


def test_run_with_other_recordings_of_talk_is_another_run(
    run: Run, tones: DataSet, tmp_path: Path
) -> None:
    write_clip(tmp_path / "radio.wav", np.ones(16000, np.int16))
    with pytest.raises(UsageError, match="other recordings of talk"):
        train(TrainingJob(tones, run.out, SETTINGS, ambient=Surroundings((tmp_path,))))
