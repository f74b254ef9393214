# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kws.audio.background_noises import quiet_room
from kws.audio.dataset import Split, open_dataset
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.cli.main import app
from kws.errors import DataError, KwsError, ModelError, UsageError
from kws.model.evaluate.judge.clip_metrics import measure_clips
from kws.model.evaluate.judge.confusion import confusion_matrix
from kws.model.evaluate.report.confusion_picture import save_confusion
from kws.model.evaluate.score.labelled_clips import load_clips
from tests.model.conftest import Run, check_against_tflm

LABELS = ("silence", "unknown", "yes")


def test_matrix_has_a_row_for_each_class() -> None:
    scores = np.eye(3)[[0, 1, 1, 2, 2, 0]]
    truth = np.array([0, 0, 1, 2, 2, 2])
    result = confusion_matrix(scores, truth, LABELS)
    assert result.counts.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 2]]
    assert result.recall == pytest.approx({"silence": 0.5, "unknown": 1.0, "yes": 2 / 3})
    assert result.precision == pytest.approx({"silence": 0.5, "unknown": 0.5, "yes": 1.0})


def test_accuracy_weights_all_classes_equally() -> None:
    truth = np.array([0] * 98 + [1, 2])
    result = confusion_matrix(np.eye(3)[[0] * 100], truth, LABELS)
    assert result.accuracy == pytest.approx(1 / 3)


def test_class_without_clips_does_not_count() -> None:
    result = confusion_matrix(np.eye(3)[[0, 2]], np.array([0, 2]), LABELS)
    assert result.accuracy == 1.0
    assert set(result.recall) == {"silence", "yes"}


def test_picture_is_a_png(tmp_path: Path) -> None:
    from PIL import Image

    result = confusion_matrix(np.eye(3), np.arange(3), LABELS)
    save_confusion(tmp_path / "c.png", result, "three")
    with Image.open(tmp_path / "c.png") as image:
        assert image.format == "PNG"
        assert min(image.size) > 400


def test_command_agrees_with_training(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "confusion.png"
    command = ["evaluate", "--model", str(run.out / "bundle"), "--data", str(run.data)]
    result = CliRunner().invoke(app, [*command, "--json", "--png", str(picture)])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    trained = run.result.report.core.to_json()
    assert {key: facts[key] for key in trained} == trained
    assert facts["accuracy_95"][0] <= facts["accuracy"] <= facts["accuracy_95"][1]
    assert picture.read_bytes()[:4] == b"\x89PNG"
    table = CliRunner().invoke(app, command)
    for part in ("recall", "low", "words in noise", "words by level", "speakers: "):
        assert part in table.stdout


def test_command_measures_streams(run: Run) -> None:
    command = ["evaluate", "--model", str(run.out / "bundle"), "--data", str(run.data), "--stream"]
    short = ["--hours", "0.06", "--other-hours", "0.02", "--seed", "3"]
    result = CliRunner().invoke(app, [*command, *short, "--json"])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)["stream"]
    assert facts["hours"] == pytest.approx(0.06 + 0.06 + 0.02)
    assert (facts["split"], facts["seed"], facts["snr_db"]) == ("test", 3, [5, 15])
    assert facts["hits"] + facts["wrong"] + facts["missed"] == facts["keywords_said"] > 5
    assert list(facts["by_kind"]) == ["quiet", "noise", "other words"]
    assert len(facts["curve"]) > 20
    table = CliRunner().invoke(app, [*command, *short])
    assert "false alarms" in table.stdout


def test_recording_is_measured_with_its_label_track(run: Run, tmp_path: Path) -> None:
    clip = load_clip(run.data / "low" / "test0_nohash_0.wav")
    write_clip(tmp_path / "r.wav", np.concatenate([quiet_room(32000), clip, quiet_room(32000)]))
    (tmp_path / "r.txt").write_text("2.25\t2.75\tlow\n")
    settings = RecognizerSettings(300, 60, 1500, 3)
    write_bundle(replace(run.result.bundle, recognizer=settings), tmp_path / "b")
    command = ["evaluate", "--model", str(tmp_path / "b"), "--recording", str(tmp_path / "r.wav")]
    result = CliRunner().invoke(app, [*command, "--labels", str(tmp_path / "r.txt"), "--json"])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert list(facts) == ["stream"]
    assert (facts["stream"]["keywords_said"], facts["stream"]["hits"]) == (1, 1)


@pytest.mark.parametrize(
    "options",
    [[], ["--recording", "r.wav"], ["--stream"], ["--data", "d", "--stream", "--snr", "5"]],
)
@pytest.mark.tensorflow
def test_options_that_do_not_fit_are_a_usage_error(options: list[str]) -> None:
    result = CliRunner().invoke(app, ["evaluate", *options])
    assert isinstance(result.exception, UsageError)


def test_float_model_and_litert_are_measured_too(run: Run, tmp_path: Path) -> None:
    import keras

    spectrogram = keras.Input((49, 40, 1))
    logits = keras.layers.Dense(4)(keras.layers.Flatten()(spectrogram))
    keras.Model(spectrogram, logits).save(tmp_path / "model.keras")
    command = ["evaluate", "--model", str(run.out / "bundle"), "--data", str(run.data), "--json"]
    result = CliRunner().invoke(app, command)  # the float weights in the bundle
    assert result.exit_code == 0, result.output
    exact = run.result.report.float_model.accuracy
    assert json.loads(result.stdout)["computed_by"]["float, Keras"] == pytest.approx(
        exact, abs=0.04
    )
    result = CliRunner().invoke(app, [*command, "--float", str(tmp_path / "model.keras")])
    assert result.exit_code == 0, result.output
    computed = json.loads(result.stdout)["computed_by"]
    litert = run.result.report.int8_model.accuracy
    assert computed["int8, LiteRT reference kernels"] == pytest.approx(litert)
    assert computed["core"] == pytest.approx(run.result.report.core.accuracy)
    assert computed["float, Keras"] < computed["core"], "it was never trained"
    (tmp_path / "model.keras").write_text("no model")
    # Refused before the streams are played.
    command += ["--stream", "--hours", "1000", "--float", str(tmp_path / "model.keras")]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, ModelError)


def test_data_set_without_the_keywords_is_an_error(run: Run) -> None:
    command = ["evaluate", "--data", str(run.data)]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, DataError)
    assert "'yes'" in str(result.exception)


def test_split_all_takes_every_clip(run: Run, tmp_path: Path) -> None:
    # All clips of one speaker are in one split.
    for word in ("low", "high", "up"):
        folder = tmp_path / word
        folder.mkdir()
        source = run.data / word / "test0_nohash_0.wav"
        (folder / "me_nohash_0.wav").write_bytes(source.read_bytes())
    dataset = open_dataset(tmp_path)
    clips = load_clips(run.result.bundle, dataset, None)
    assert clips
    assert measure_clips(run.result.bundle, clips).matrix.clips == 4
    empty = [split for split in Split if not dataset.of(split)]
    with pytest.raises(DataError, match="--split all"):
        load_clips(run.result.bundle, dataset, empty[0])


def test_unknown_split_is_named(run: Run) -> None:
    command = ["evaluate", "--data", str(run.data), "--model", str(run.out / "bundle")]
    result = CliRunner().invoke(app, [*command, "--split", "tset"])
    assert isinstance(result.exception, KwsError)
    assert result.exception.exit_code == 2


def test_accuracy_of_the_default_model_equals_its_bundles(speech_commands: Path) -> None:
    bundle = load_bundle(default_bundle_path())
    clips = load_clips(bundle, open_dataset(speech_commands), Split.TEST)
    assert clips
    result = measure_clips(bundle, clips).matrix
    assert result.accuracy == pytest.approx(bundle.metrics["accuracy"]["core"])
    assert result.accuracy >= 0.91
    assert result.accuracy >= bundle.metrics["accuracy"]["float"] - 0.01


def test_default_model_is_bit_identical_to_tflm_for_every_test_clip(speech_commands: Path) -> None:
    check_against_tflm(load_bundle(default_bundle_path()), speech_commands)
