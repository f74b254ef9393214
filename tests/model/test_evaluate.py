from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kws.audio.dataset import Split, open_dataset
from kws.cli import app
from kws.convert.bundle import Bundle, default_bundle_path
from kws.errors import DataError, KwsError
from kws.model.evaluate import core_scores, evaluate, evaluate_bundle
from kws.model.picture import save_confusion
from kws.model.samples import judge_samples
from tests.model.conftest import Run

NAMES = ("silence", "unknown", "yes")


def test_confusion_has_a_row_for_what_a_clip_is() -> None:
    scores = np.eye(3)[[0, 1, 1, 2, 2, 0]]
    labels = np.array([0, 0, 1, 2, 2, 2])
    result = evaluate(scores, labels, NAMES)
    assert result.confusion.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 2]]
    assert result.recall == pytest.approx({"silence": 0.5, "unknown": 1.0, "yes": 2 / 3})


def test_accuracy_counts_each_class_the_same() -> None:
    labels = np.array([0] * 98 + [1, 2])
    result = evaluate(np.eye(3)[[0] * 100], labels, NAMES)
    assert result.accuracy == pytest.approx(1 / 3)


def test_class_without_clips_does_not_count() -> None:
    result = evaluate(np.eye(3)[[0, 2]], np.array([0, 2]), NAMES)
    assert result.accuracy == 1.0
    assert set(result.recall) == {"silence", "yes"}


def test_picture_is_a_png(tmp_path: Path) -> None:
    from PIL import Image

    result = evaluate(np.eye(3), np.arange(3), NAMES)
    save_confusion(tmp_path / "c.png", result, "three")
    with Image.open(tmp_path / "c.png") as image:
        assert image.format == "PNG"
        assert min(image.size) > 400


def test_command_agrees_with_training(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "confusion.png"
    command = ["evaluate", "--model", str(run.out / "bundle"), "--data", str(run.data)]
    result = CliRunner().invoke(app, [*command, "--json", "--png", str(picture)])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == run.result.report.core.to_json()
    assert picture.read_bytes()[:4] == b"\x89PNG"
    table = CliRunner().invoke(app, command)
    assert "recall" in table.stdout
    assert "low" in table.stdout


def test_other_words_than_the_models_are_an_error(run: Run) -> None:
    command = ["evaluate", "--data", str(run.data)]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, DataError)
    assert "'yes'" in str(result.exception)


def test_all_clips_can_be_judged_whatever_their_split(run: Run, tmp_path: Path) -> None:
    # A data set of one speaker has no split but one.
    for word in ("low", "high", "up"):
        folder = tmp_path / word
        folder.mkdir()
        source = run.data / word / "test0_nohash_0.wav"
        (folder / "me_nohash_0.wav").write_bytes(source.read_bytes())
    dataset = open_dataset(tmp_path)
    assert evaluate_bundle(run.result.bundle, dataset, None).clips == 4
    empty = [split for split in Split if not dataset.of(split)]
    with pytest.raises(DataError, match="--split all"):
        evaluate_bundle(run.result.bundle, dataset, empty[0])


def test_wrong_split_is_named(run: Run) -> None:
    command = ["evaluate", "--data", str(run.data), "--model", str(run.out / "bundle")]
    result = CliRunner().invoke(app, [*command, "--split", "tset"])
    assert isinstance(result.exception, KwsError)
    assert result.exception.exit_code == 2


def test_default_model_is_as_good_as_its_bundle_says(speech_commands: Path) -> None:
    bundle = Bundle.load(default_bundle_path())
    result = evaluate_bundle(bundle, open_dataset(speech_commands))
    assert result.accuracy == pytest.approx(bundle.metrics["accuracy"]["core"])
    assert result.accuracy >= 0.91
    assert result.accuracy >= bundle.metrics["accuracy"]["float"] - 0.01


def test_default_model_gives_tflms_bits_for_every_test_clip(speech_commands: Path) -> None:
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
    bundle = Bundle.load(default_bundle_path())
    samples = judge_samples(open_dataset(speech_commands), bundle.keywords, Split.TEST)
    oracle = runtime.Interpreter.from_bytes(bundle.model)
    for spectrogram, ours in zip(
        samples.spectrograms, core_scores(bundle.model, samples.spectrograms), strict=True
    ):
        oracle.set_input(spectrogram.reshape(bundle.input.shape), 0)
        oracle.invoke()
        np.testing.assert_array_equal(ours, oracle.get_output(0).ravel())
