# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kws.audio.dataset import DataSet, Split
from kws.audio.sound_files import load_clip, write_clip
from kws.audio.surroundings import Surroundings
from kws.bundle.reading import load_bundle
from kws.cli.main import app
from kws.errors import DataError, KwsError, ToolError, UsageError
from kws.features.spectrogram import INPUT_SCALE, INPUT_ZERO_POINT, to_float
from kws.model.samples.training_set import TrainingSet
from kws.model.train.distillation import Teacher
from kws.model.train.seeds import train_seeds
from kws.model.train.tensorboard_curves import CurveWriter
from kws.model.train.training import train
from kws.model.train.training_job import TrainingJob
from kws.model.weights import checkpoint
from kws.model.weights.trained_model import load_trained
from tests.command_line import KWS
from tests.model.conftest import SETTINGS, Run, check_against_tflm, kill_at


def test_tones_are_learned(run: Run) -> None:
    report = run.result.report
    assert report.core.accuracy > 0.9
    assert report.core.accuracy >= report.float_model.accuracy - 0.04  # one clip of 32
    assert report.difference["mean"] < 0.01
    assert len(run.result.history) == SETTINGS.epochs


def test_run_writes_bundle_picture_and_curves(run: Run) -> None:
    bundle = load_bundle(run.out / "bundle")
    assert bundle == run.result.bundle
    assert bundle.labels == ("silence", "unknown", "low", "high")
    assert bundle.name == "tones"
    assert bundle.data == "Tones, made by a test."
    assert bundle.metrics["accuracy"]["core"] == run.result.report.core.accuracy
    assert bundle.metrics["training"]["samples"]["unknown_per_keyword"] == 1.2
    assert bundle.ops == ("DEPTHWISE_CONV_2D", "RESHAPE", "FULLY_CONNECTED", "SOFTMAX")
    assert (run.out / "confusion.png").stat().st_size > 1000
    assert list((run.out / "logs").glob("events.out.tfevents.*"))


def test_a_second_look_learns_what_the_first_model_proposes(tones: DataSet, tmp_path: Path) -> None:
    talk = tmp_path / "talk"
    talk.mkdir()
    for number, clip in enumerate(tones.of(Split.TRAIN, ["low"])[:4]):  # surely proposed
        write_clip(talk / f"{number}.flac", np.tile(load_clip(clip.path), 8))
    said: list[str] = []
    first, second = replace(SETTINGS, epochs=6), replace(SETTINGS, epochs=4, seed=1)
    job = TrainingJob(
        *(tones, tmp_path / "run", first),
        ambient=Surroundings((talk,)),
        verify=second,
        calibrate=False,
        say=said.append,
    )
    bundle = train(job).bundle
    look = bundle.second_look
    assert look
    assert look.labels == bundle.labels
    assert look.sha256 == load_bundle(tmp_path / "run" / "second_look" / "bundle").sha256
    assert look.sha256 != bundle.sha256
    assert (tmp_path / "run" / "proposals" / "manifest.csv").is_file()
    (found,) = (line for line in said if "proposals in" in line)
    assert int(found.split()[2]) > 0
    # The same command again changes nothing.
    assert train(job).bundle == bundle


def test_model_uses_the_cores_values_unchanged(run: Run) -> None:
    bundle = run.result.bundle
    assert (bundle.input.scale, bundle.input.zero_point) == (INPUT_SCALE, INPUT_ZERO_POINT)
    every = np.arange(-128, 128, dtype=np.int8).reshape(1, 16, 16)
    floats = to_float(every).reshape(-1)
    back = np.rint(floats / bundle.input.scale) + bundle.input.zero_point
    np.testing.assert_array_equal(back, every.reshape(-1))


def test_core_is_bit_identical_to_tflm_for_every_test_clip(run: Run) -> None:
    check_against_tflm(run.result.bundle, run.data)


def command(run: Run, out: Path) -> list[str]:
    """Arguments that train the fixture's model."""
    samples = SETTINGS.samples
    values = {
        "batch_size": SETTINGS.batch_size,
        "learning_rate": SETTINGS.learning_rate,
        **{key: value for key, value in asdict(samples).items() if key != "augmentation"},
        **asdict(samples.augmentation),
    }
    return [
        *("train", "--data", str(run.data), "--words", ",".join(SETTINGS.words)),
        *("--out", str(out), "--epochs", str(SETTINGS.epochs), "--name", "tones"),
        *(part for key, value in values.items() for part in ("--set", f"{key}={value}")),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_other_backends_train_and_tensorflow_converts(
    backend: str, run: Run, tmp_path: Path
) -> None:
    pytest.importorskip(backend, reason=f"{backend} is not installed: pip install {backend}")
    program = [*KWS, *command(run, tmp_path), "--json"]
    environment = {**os.environ, "KERAS_BACKEND": backend}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    accuracy = json.loads(done.stdout)["accuracy"]
    assert accuracy["core"] > 0.9
    assert accuracy["core"] >= accuracy["float"] - 0.04  # one clip of 32
    # Printed by the process with TensorFlow.
    own = tmp_path / "own.py"
    own.write_text(
        "def build(frames, channels, classes):\n"
        "    from keras import Sequential, layers\n"
        "    cube = layers.Lambda(lambda x: x * x * x / (1 + abs(x)))\n"
        "    sized = layers.Input((frames, channels, 1))\n"
        "    return Sequential([sized, layers.Flatten(), cube, layers.Dense(classes)])\n"
    )
    broken = subprocess.run(
        [*program, "--arch", str(own), "--out", str(tmp_path / "own")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert broken.returncode == 1
    assert broken.stderr.startswith("kws: ")
    assert broken.stderr.count("\n") == 1


@pytest.mark.slow
def test_seeds_give_mean_and_spread_and_the_best_by_validation(
    tones: DataSet, tmp_path: Path
) -> None:
    settings = replace(SETTINGS, epochs=2)
    results = train_seeds(TrainingJob(tones, tmp_path / "run", settings, name="tones"), 2)
    first, second = results.runs
    assert first.bundle.model != second.bundle.model
    assert results.mean == pytest.approx(np.mean(results.accuracies))
    one, other = results.accuracies
    assert results.spread == pytest.approx(abs(one - other) / 2**0.5)
    costs = [
        (run.calibration.expected.miss_share, run.history[run.best_epoch].validation_loss)
        for run in results.runs
        if run.calibration
    ]
    assert len(costs) == 2
    best = results.runs[costs.index(min(costs))]
    assert load_bundle(tmp_path / "run" / "bundle").model == best.bundle.model
    assert results.to_json()["seeds"]["accuracies"] == results.accuracies


@pytest.mark.slow
def test_last_epoch_is_kept_if_requested(run: Run, tones: DataSet, tmp_path: Path) -> None:
    # A trained model is trained with wrong labels, so each epoch makes it worse.
    swapped = {"low": "high", "high": "low"}
    clips = tuple(
        replace(clip, word=swapped.get(clip.word, clip.word)) if clip.split == Split.TRAIN else clip
        for clip in tones.clips
    )
    data = replace(tones, clips=clips)
    settings = replace(SETTINGS, epochs=3, learning_rate=0.01, ema=0.0, frozen=0.0)
    results = {
        last: train(
            TrainingJob(
                data,
                tmp_path / str(last),
                replace(settings, keep_last_epoch=last),
                name="tones",
                base_model=load_trained(run.out),
            )
        )
        for last in (False, True)
    }
    losses = [epoch.validation_loss for epoch in results[False].history]
    assert losses == sorted(losses)
    assert [epoch.validation_loss for epoch in results[True].history] == losses
    assert [result.best_epoch for result in results.values()] == [0, 2]
    training = TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0)
    scores = []
    for last, result in results.items():
        assert result.bundle.metrics["training"]["best_epoch"] == result.best_epoch + 1
        # A teacher uses the run's float weights, which must equal its bundle's.
        by_run, by_bundle = (
            Teacher(folder).scores(training, 0, SETTINGS.words)
            for folder in (tmp_path / str(last), tmp_path / str(last) / "bundle")
        )
        assert np.abs(by_run - by_bundle).mean() < 0.01
        scores.append(by_run)
    assert np.abs(scores[0] - scores[1]).mean() > 0.02


@pytest.mark.slow
def test_killed_run_resumes_to_the_same_model(run: Run, tmp_path: Path) -> None:
    def program(folder: str) -> list[str]:
        return [*KWS, *command(run, tmp_path / folder)]

    file = tmp_path / "killed" / "checkpoint.npz"
    process = subprocess.Popen(
        program("killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    kill_at(process, file)
    state = checkpoint.load(file)
    assert state is not None
    assert 0 < len(state.history) < SETTINGS.epochs
    assert not (tmp_path / "killed" / "bundle").exists()

    # JAX sets a log level when imported, which child processes inherit.
    shell = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    done = subprocess.run(program("killed"), capture_output=True, text=True, check=True, env=shell)
    assert done.stderr == "", "log lines of a library"
    assert f"resuming after epoch {len(state.history)} of {SETTINGS.epochs}" in done.stdout
    subprocess.run(program("whole"), capture_output=True, check=True)
    killed, whole = (load_bundle(tmp_path / name / "bundle") for name in ("killed", "whole"))
    assert killed.float_model == whole.float_model, "other weights"
    assert killed.model == whole.model, "other int8 from the same weights"


def test_missing_tensorflow_names_its_extra(
    tones_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    words = ["--words", "low,high"]
    out = ["--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, ["train", "--data", str(tones_folder), *words, *out])
    assert isinstance(result.exception, ToolError)
    assert "pip install 'kws[train]'" in str(result.exception)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (["--words", "low,hgih"], DataError),
        (["--words", "low,low"], UsageError),
        (["--words", "silence"], UsageError),
        (["--arch", "huge_conv"], UsageError),
        (["--name", "a b"], UsageError),
        (["--data", "/nowhere"], DataError),
        (["--set", "learning_rate=-1"], UsageError),
        (["--set", "epochs=3", "--epochs", "4"], UsageError),
        (["--set", "epochs"], UsageError),
    ],
)
def test_wrong_arguments_give_one_line_errors_and_nothing_is_written(
    tones_folder: Path, tmp_path: Path, change: list[str], error: type[KwsError]
) -> None:
    words = ["--words", "low,high"]
    out = ["--out", str(tmp_path / "run")]
    arguments = ["train", "--data", str(tones_folder), *words, *out, *change]
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, error)
    assert "\n" not in str(result.exception)
    assert not (tmp_path / "run").exists()


def test_read_only_folder_is_named(tones: DataSet, read_only: Path) -> None:
    with pytest.raises(KwsError, match=r"cannot be written|free some disk space"):
        train(TrainingJob(tones, read_only / "run", SETTINGS))


def test_help_does_not_wait_for_tensorflow() -> None:
    code = "import sys; from kws.cli.main import app; sys.exit('tensorflow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unwritable_curves_are_named(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file in the folder's place")
    with pytest.raises(KwsError, match=r"logs: the curves cannot be written"):
        CurveWriter(tmp_path / "logs").write(1, {"loss": 1.0})


def test_full_disk_gives_a_one_line_error_before_the_first_epoch(
    tones: DataSet, full_disk: Path
) -> None:
    with pytest.raises(KwsError, match="a training run may need 20 MB"):
        train(TrainingJob(tones, full_disk / "run", SETTINGS))
    assert not (full_disk / "run").exists()


def test_bundle_is_calibrated(run: Run) -> None:
    assert run.result.calibration
    bundle = load_bundle(run.out / "bundle")
    assert bundle.recognizer == run.result.calibration.settings
    assert set(bundle.recognizer.thresholds) == {"low", "high"}
    assert bundle.metrics["calibration"]["quiet"]["keywords_said"] > 0
    assert "## Thresholds" in (run.out / "bundle" / "README.md").read_text()
