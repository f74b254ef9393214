from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kws.audio.dataset import DataSet, Split, open_dataset
from kws.bundle.reading import load_bundle
from kws.cli.main import app
from kws.errors import DataError, KwsError, ModelError, ToolError, UsageError
from kws.features.spectrogram import INPUT_SCALE, INPUT_ZERO_POINT, to_float
from kws.model.evaluate.accuracy import core_scores
from kws.model.samples.evaluation_clips import evaluation_samples
from kws.model.samples.sample_settings import SampleSettings
from kws.model.samples.training_set import TrainingSet
from kws.model.train import checkpoint
from kws.model.train.distillation import Teacher
from kws.model.train.loop import train
from kws.model.train.run_folder import TrainSettings, claim, settings_for
from kws.model.train.seeds import train_seeds
from kws.model.train.soft_labels import Targets, mix_up
from kws.model.train.tensorboard_log import Log
from tests.model.conftest import SETTINGS, Run


def test_tones_are_learned(run: Run) -> None:
    report = run.result.report
    assert report.core.accuracy > 0.9
    assert report.core.accuracy >= report.float_model.accuracy - 0.04  # one clip of 32
    assert report.difference["mean"] < 0.01
    assert len(run.result.history) == SETTINGS.epochs


def test_run_leaves_bundle_picture_and_log(run: Run) -> None:
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


def test_model_takes_the_cores_values_as_they_are(run: Run) -> None:
    bundle = run.result.bundle
    assert (bundle.input.scale, bundle.input.zero_point) == (INPUT_SCALE, INPUT_ZERO_POINT)
    every = np.arange(-128, 128, dtype=np.int8).reshape(1, 16, 16)
    floats = to_float(every).reshape(-1)
    back = np.rint(floats / bundle.input.scale) + bundle.input.zero_point
    np.testing.assert_array_equal(back, every.reshape(-1))


def test_core_gives_tflms_bits_for_every_test_clip(run: Run) -> None:
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
    bundle = run.result.bundle
    samples = evaluation_samples(open_dataset(run.data), bundle.keywords, Split.TEST)
    oracle = runtime.Interpreter.from_bytes(bundle.model)
    for spectrogram, ours in zip(
        samples.spectrograms, core_scores(bundle.model, samples.spectrograms), strict=True
    ):
        oracle.set_input(spectrogram.reshape(bundle.input.shape), 0)
        oracle.invoke()
        np.testing.assert_array_equal(ours, oracle.get_output(0).ravel())


def command(run: Run, out: Path) -> list[str]:
    """What trains the same model as the fixture did, by hand."""
    samples = SETTINGS.samples
    return [
        *("train", "--data", str(run.data), "--words", ",".join(SETTINGS.words)),
        *("--out", str(out), "--epochs", str(SETTINGS.epochs)),
        *("--batch-size", str(SETTINGS.batch_size), "--name", "tones"),
        *("--learning-rate", str(SETTINGS.learning_rate), "--copies", str(samples.copies)),
        *(
            "--silence",
            str(samples.silence_per_keyword),
            "--unknown",
            str(samples.unknown_per_keyword),
        ),
        *("--shift-ms", "100", "--background", "0.8", "--snr-db", "10"),
        *("--speed", "0", "--pitch", "0", "--room", "0", "--babble", "0", "--gain-db", "0"),
        *("--microphone", "0", "--clipping", "0"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_others_train_and_tensorflow_converts(backend: str, run: Run, tmp_path: Path) -> None:
    pytest.importorskip(backend, reason=f"{backend} is not installed: pip install {backend}")
    program = [
        sys.executable,
        "-c",
        "from kws.cli.main import main; main()",
        *command(run, tmp_path),
    ]
    environment = {**os.environ, "KERAS_BACKEND": backend}
    done = subprocess.run(
        [*program, "--json"], env=environment, capture_output=True, text=True, check=True
    )
    accuracy = json.loads(done.stdout)["accuracy"]
    assert accuracy["core"] > 0.9
    assert accuracy["core"] >= accuracy["float"] - 0.04  # one clip of 32
    # Said by the process in which TensorFlow is.
    own = tmp_path / "own.py"
    own.write_text(
        "def build(frames, channels, classes):\n"
        "    from keras import Sequential, layers\n"
        "    cube = layers.Lambda(lambda x: x * x * x / (1 + abs(x)))\n"
        "    sized = layers.Input((frames, channels, 1))\n"
        "    return Sequential([sized, layers.Flatten(), cube, layers.Dense(classes)])\n"
    )
    broken = subprocess.run(
        [*program, "--model", str(own), "--out", str(tmp_path / "own")],
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
    results = train_seeds(tones, tmp_path / "run", settings, 2, name="tones")
    first, second = results.runs
    assert first.bundle.model != second.bundle.model
    assert results.mean == pytest.approx(np.mean(results.accuracies))
    one, other = results.accuracies
    assert results.spread == pytest.approx(abs(one - other) / 2**0.5)
    losses = [run.history[run.best_epoch].validation_loss for run in results.runs]
    best = results.runs[int(np.argmin(losses))]
    assert load_bundle(tmp_path / "run" / "bundle").model == best.bundle.model
    assert results.to_json()["seeds"]["accuracies"] == results.accuracies


@pytest.mark.slow
def test_last_epoch_is_kept_if_asked_for(
    tones: DataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def model_of(name: str, losses: list[float], last: bool) -> tuple[bytes, int]:
        monkeypatch.setattr("kws.model.train.loop._loss", lambda *_: losses.pop(0))
        settings = replace(SETTINGS, epochs=3, last=last)
        result = train(tones, tmp_path / name, settings, name="tones")
        assert result.bundle.metrics["training"]["best_epoch"] == result.best_epoch + 1
        return result.bundle.model, result.best_epoch

    first, epoch = model_of("first", [1, 2, 3], last=False)
    assert epoch == 0
    third, epoch = model_of("third", [3, 2, 1], last=False)
    assert epoch == 2
    assert model_of("last", [1, 2, 3], last=True) == (third, 2)
    assert first != third
    # A teacher takes a run's float weights, which have to be those of its bundle.
    clips = evaluation_samples(tones, SETTINGS.words, Split.TEST).spectrograms
    scores = {
        name: Teacher(tmp_path / name).scores(clips, SETTINGS.words)
        for name in ("first", "third", "last")
    }
    np.testing.assert_array_equal(scores["last"], scores["third"])
    assert not np.array_equal(scores["last"], scores["first"])


@pytest.mark.slow
def test_student_learns_a_teachers_scores(run: Run, tones: DataSet, tmp_path: Path) -> None:
    settings = replace(SETTINGS, epochs=2, teacher_share=1.0)
    teacher = Teacher(run.out)
    spectrograms = evaluation_samples(tones, SETTINGS.words, Split.TRAIN).spectrograms
    scores = teacher.scores(spectrograms, SETTINGS.words)
    assert scores.shape == (len(spectrograms), 4)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-5)
    # The float model of the run and its int8 bundle say the same.
    by_bundle = Teacher(run.out / "bundle").scores(spectrograms, SETTINGS.words)
    assert np.abs(scores - by_bundle).mean() < 0.02

    training = TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0)
    targets = Targets(settings, training, teacher)
    asked, wanted = targets.epoch(4)  # the second time that copy 1 is used
    np.testing.assert_array_equal(asked, training.epoch(4).spectrograms)
    np.testing.assert_allclose(wanted, teacher.scores(asked, SETTINGS.words), atol=1e-6)

    train(tones, tmp_path / "taught", settings, teacher=teacher)
    with pytest.raises(UsageError, match="another teacher"):
        train(tones, tmp_path / "taught", settings)


@pytest.mark.slow
def test_teacher_may_know_more_words_in_any_order(run: Run, tones: DataSet, tmp_path: Path) -> None:
    teacher = Teacher(run.out)
    spectrograms = evaluation_samples(tones, SETTINGS.words, Split.TRAIN).spectrograms
    silence, unknown, low, high = teacher.scores(spectrograms, ("low", "high")).T
    turned = teacher.scores(spectrograms, ("high", "low"))
    np.testing.assert_allclose(turned, np.stack([silence, unknown, high, low], axis=1), atol=1e-6)
    # To a student that does not know "low", it is one of the unknown words.
    fewer = teacher.scores(spectrograms, ("high",))
    np.testing.assert_allclose(fewer, np.stack([silence, unknown + low, high], axis=1), atol=1e-6)

    settings = replace(SETTINGS, words=("high",), epochs=1)
    result = train(tones, tmp_path / "one", settings, teacher=teacher)
    assert result.bundle.labels == ("silence", "unknown", "high")


def test_teacher_of_other_words_is_refused(run: Run, tones: DataSet, tmp_path: Path) -> None:
    other = replace(SETTINGS, words=("high", "up"))
    with pytest.raises(UsageError, match="teacher knows silence, unknown, low, high"):
        train(tones, tmp_path / "run", other, teacher=Teacher(run.out / "bundle"))
    assert not (tmp_path / "run").exists()
    with pytest.raises(UsageError, match="no teacher"):
        Teacher(tmp_path)


def test_labels_are_smoothed(tones: DataSet) -> None:
    training = TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0)
    _, wanted = Targets(replace(SETTINGS, smoothing=0.2), training, None).epoch(0)
    labels = training.epoch(0).labels
    np.testing.assert_allclose(wanted[np.arange(len(labels)), labels], 0.85, atol=1e-6)
    np.testing.assert_allclose(wanted.sum(axis=1), 1, atol=1e-6)


def test_mixing_keeps_most_of_a_clip_and_as_much_of_its_label() -> None:
    x = np.eye(64, dtype=np.float32)
    mixed, wanted = mix_up(x[:, :, None, None], x, 0.5, np.random.default_rng(0))
    np.testing.assert_array_equal(mixed[:, :, 0, 0], wanted)
    own = np.diag(wanted)
    assert own.min() >= 0.5
    assert own.min() < 0.6
    np.testing.assert_allclose(wanted.sum(axis=1), 1, atol=1e-6)


def test_settings_of_all_levels_can_be_given_by_name() -> None:
    settings = settings_for(("a",), "tiny_conv", epochs=7, joined=0.5, room=0.9, seed=None)
    assert (settings.epochs, settings.samples.joined, settings.samples.augmentation.room) == (
        *(7, 0.5, 0.9),
    )
    assert settings.seed == TrainSettings(("a",)).seed


@pytest.mark.slow
def test_killed_run_ends_with_the_same_model(run: Run, tmp_path: Path) -> None:
    def program(folder: str) -> list[str]:
        main = [sys.executable, "-c", "from kws.cli.main import main; main()"]
        return [*main, *command(run, tmp_path / folder)]

    file = tmp_path / "killed" / "checkpoint.npz"
    process = subprocess.Popen(
        program("killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 200
    while not file.exists():
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "no checkpoint after 200 s"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    state = checkpoint.load(file)
    assert state is not None
    assert 0 < len(state.history) < SETTINGS.epochs
    assert not (tmp_path / "killed" / "bundle").exists()

    done = subprocess.run(program("killed"), capture_output=True, text=True, check=True)
    assert f"going on after epoch {len(state.history)} of {SETTINGS.epochs}" in done.stdout
    subprocess.run(program("whole"), capture_output=True, check=True)
    killed, whole = (load_bundle(tmp_path / name / "bundle") for name in ("killed", "whole"))
    assert killed.float_model == whole.float_model, "other weights"
    assert killed.model == whole.model, "other int8 from the same weights"


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
        train(tones, run.out, settings)


def test_run_goes_on_though_it_is_older_than_a_setting(
    run: Run, tones: DataSet, tmp_path: Path
) -> None:
    text = (run.out / "settings.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("frozen", "origin"))]
    (tmp_path / "settings.toml").write_text("\n".join(lines))
    claim(tmp_path, SETTINGS, tones)
    with pytest.raises(UsageError, match=r"frozen 1\.0, not 0\.5"):
        claim(tmp_path, replace(SETTINGS, frozen=0.5), tones)


def test_run_with_a_second_data_set_is_another_run(run: Run, tones: DataSet) -> None:
    with pytest.raises(UsageError, match="other data"):
        train(tones, run.out, SETTINGS, extra=tones)


def test_folder_of_a_run_on_other_data_is_refused(run: Run, tones: DataSet) -> None:
    with pytest.raises(UsageError, match="other data"):
        train(replace(tones, clips=tones.clips[1:]), run.out, SETTINGS)


def test_damaged_checkpoint_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.npz"
    file.write_bytes((run.out / "checkpoint.npz").read_bytes()[:-200])
    with pytest.raises(ModelError, match="checkpoint is damaged"):
        checkpoint.load(file)


def test_best_epoch_has_the_lowest_validation_loss() -> None:
    losses = (0.5, 0.2, 0.7, 0.2, 0.8)
    results = [checkpoint.EpochResult(1.0, 0.5, 0.9, loss) for loss in losses]
    assert checkpoint.State(history=results).best_epoch == 3


def test_without_tensorflow_one_line_says_what_to_install(
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
        (["--model", "huge_conv"], UsageError),
        (["--name", "a b"], UsageError),
        (["--data", "/nowhere"], DataError),
        (["--learning-rate", "-1"], KwsError),
    ],
)
def test_wrong_arguments_are_one_line_and_nothing_is_written(
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
    with pytest.raises(KwsError, match="cannot be written"):
        train(tones, read_only / "run", SETTINGS)


def test_help_does_not_wait_for_tensorflow() -> None:
    code = "import sys; from kws.cli.main import app; sys.exit('tensorflow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file in the folder's place")
    with pytest.raises(KwsError, match=r"logs: the log cannot be written"):
        Log(tmp_path / "logs").write(1, {"loss": 1.0})


def test_full_disk_is_one_line_and_the_run_can_go_on(tones: DataSet, full_disk: Path) -> None:
    (full_disk / "ballast").write_bytes(bytes(150_000))
    with pytest.raises(KwsError, match=r"checkpoint\.npz: cannot be written"):
        train(tones, full_disk / "run", SETTINGS)
    assert {path.name for path in (full_disk / "run").iterdir()} == {"settings.toml", "logs"}
