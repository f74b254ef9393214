# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from kws import _core
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.bundle.refusals import refusal
from kws.bundle.writing import write_bundle
from kws.cli.main import app
from kws.errors import KwsError
from kws.host.emulate.recordings import default_matrix
from kws.model.evaluate.score.clip_scores import bundle_scores, core_scores
from tests.command_line import Run
from tests.oracle_data import features, model_file, scores
from tests.small_models import LABELS, dense_model, unsupported_model


def convert(model: Path, out: Path, labels: str = ",".join(LABELS), *more: str) -> Result:
    command = ["convert", str(model), "--labels", labels, "--out", str(out), *more]
    return CliRunner().invoke(app, command)


def test_a_model_of_micro_speechs_shape_becomes_a_bundle(tmp_path: Path) -> None:
    file = model_file("tiny_conv")
    result = convert(file, tmp_path / "b", ",".join(LABELS), "--name", "micro_speech")
    assert result.exit_code == 0, result.output
    bundle = load_bundle(tmp_path / "b")
    assert bundle.model == file.read_bytes()
    assert bundle.name == "micro_speech"
    assert bundle.ops == ("CONV_2D", "RESHAPE", "FULLY_CONNECTED", "SOFTMAX")
    interpreter = _core.Interpreter(bundle.model)
    for sound, (expected,) in scores()["tiny_conv"].items():
        out = interpreter.invoke_batch(features()[sound][-49:].reshape(1, -1))
        assert out.ravel().tolist() == expected


@pytest.mark.parametrize(
    ("given", "order"),
    [
        ("silence,unknown,yes,no", ()),
        ("_silence_,_unknown_,yes,no", ()),
        ("yes,no,_unknown_,_silence_", (3, 2, 0, 1)),
        ("Yes,Silence,no,Unknown", (1, 3, 0, 2)),
    ],
)
def test_labels_may_have_any_order_and_googles_spelling(
    given: str, order: tuple[int, ...], tmp_path: Path
) -> None:
    file = model_file("tiny_conv")
    plain, other = tmp_path / "plain", tmp_path / "other"
    assert convert(file, plain, "silence,unknown,yes,no").exit_code == 0
    assert convert(file, other, given).exit_code == 0
    bundle = load_bundle(other)
    assert [label.lower() for label in bundle.labels] == ["silence", "unknown", "yes", "no"]
    assert bundle.output_order == order
    assert bundle.model == file.read_bytes()
    noise = np.random.default_rng(1).integers(-3000, 3000, 16000 * 2).astype(np.int16)
    _, times, scored = Device(bundle).pipeline().trace(noise)
    _, _, expected = Device(load_bundle(plain)).pipeline().trace(noise)
    assert len(times) > 20
    assert (scored == expected[:, list(order or range(4))]).all()
    rows = next(iter(features().values()))[-49:][np.newaxis]
    in_order = core_scores(bundle.model, rows)[:, list(order or range(4))]
    assert (bundle_scores(bundle, rows) == in_order).all()
    settings = (bundle.firmware / "model_settings.h").read_text(encoding="utf-8")
    assert ("kOutputOrder = nullptr;" in settings) == (not order)
    # The order is kept if the bundle is changed, or read by a later version.
    renewed = CliRunner().invoke(app, ["set", str(other), "--threshold", "150"])
    assert renewed.exit_code == 0, renewed.output
    assert load_bundle(other).output_order == order


def test_a_changed_order_is_detected(tmp_path: Path) -> None:
    assert convert(model_file("tiny_conv"), tmp_path / "b", "yes,no,unknown,silence").exit_code == 0
    settings = tmp_path / "b" / "bundle.toml"
    text = settings.read_text(encoding="utf-8")
    for wrong in ("[3, 2, 0, 0]", "[3, 2, 0, 4]", "[3, 2]", '["3"]'):
        settings.write_text(
            re.sub(r"output_order = \[[^]]*\]", f"output_order = {wrong}", text), encoding="utf-8"
        )
        with pytest.raises(KwsError, match="output_order"):
            load_bundle(tmp_path / "b")


def test_name_and_settings_are_used(model_file: Path, tmp_path: Path) -> None:
    more = ["--stride", "3", "--compiled", "--about", "Made of noise."]
    result = convert(model_file, tmp_path / "b", ",".join(LABELS), *more)
    assert result.exit_code == 0, result.output
    bundle = load_bundle(tmp_path / "b")
    assert (bundle.name, bundle.inference_stride, bundle.data) == ("dense", 3, "Made of noise.")
    assert bundle.compiled
    assert f"arena {bundle.arena_bytes} bytes" in result.stdout


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (dense_model()[:5000], "damaged"),
        (dense_model(dtype="float32"), "int8"),
        (b"RIFF" + bytes(1000), "not a .tflite file"),
        (b"", "empty"),
        (unsupported_model(), "COS"),
        (dense_model(elements=490), "490 elements"),
    ],
    ids=["truncated", "float", "foreign", "empty", "unsupported op", "shape"],
)
def test_wrong_model_gives_a_one_line_error_and_nothing_is_written(
    model: bytes, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "model.tflite"
    file.write_bytes(model)
    result = convert(file, tmp_path / "b")
    assert isinstance(result.exception, KwsError)
    assert result.exception.exit_code == 1
    message = str(result.exception)
    assert says in message
    assert str(file) in message
    assert "\n" not in message
    assert [path.name for path in tmp_path.iterdir()] == ["model.tflite"]


@pytest.mark.parametrize("command", ["convert", "bench", "infer"])
@pytest.mark.parametrize("name", ["model.h", "model.cc"])
def test_every_command_with_a_model_reads_c_source(
    command: str, name: str, tmp_path: Path, kws: Run
) -> None:
    model = dense_model()
    listed = ", ".join(map(hex, model))
    file = tmp_path / name
    file.write_text(f"alignas(16) const unsigned char g_model[] = {{{listed}}};\n")
    np.save(tmp_path / "x.npy", np.zeros((1, 1960), np.int8))
    arguments = {
        "convert": [file, "--labels", ",".join(LABELS), "--out", tmp_path / "b"],
        "bench": ["--model", file],
        "infer": [file, "--input", tmp_path / "x.npy", "--out", tmp_path / "y.npy"],
    }
    code, said, error = kws(command, *arguments[command])
    assert (code, error) == (0, "")
    assert said
    if command == "convert":
        assert load_bundle(tmp_path / "b").model == model


@pytest.mark.parametrize("command", ["convert", "bench", "infer", "bench --board qemu"])
def test_an_unsupported_model_gives_a_one_line_error_in_every_command(
    command: str, tmp_path: Path, kws: Run
) -> None:
    file = tmp_path / "model.tflite"
    file.write_bytes(unsupported_model())
    np.save(tmp_path / "x.npy", np.zeros((1, 1960), np.int8))
    arguments = {
        "convert": [file, "--labels", ",".join(LABELS), "--out", tmp_path / "b"],
        "bench": ["--model", file],
        "infer": [file, "--input", tmp_path / "x.npy", "--out", tmp_path / "y.npy"],
    }
    name, *more = command.split()
    code, said, error = kws(name, *arguments[name], *more)
    assert (code, said) == (1, "")
    assert error == f"kws: {file}: {refusal(unsupported_model(), '')}\n"


@pytest.mark.parametrize("command", ["run", "convert"])
def test_a_model_instead_of_a_bundle_gives_a_one_line_error(
    command: str, tmp_path: Path, kws: Run
) -> None:
    """`--model` needs a bundle; the error explains how to convert a model."""
    file = tmp_path / "model.tflite"
    file.write_bytes(dense_model())
    if command == "run":
        code, _, error = kws("run", "--model", file, default_matrix() / "yes_slt.flac")
        assert (code, error.count("\n")) == (1, 1)
        assert f"kws convert {file} --labels" in error
    else:
        (tmp_path / "saved" / "variables").mkdir(parents=True)
        (tmp_path / "saved" / "saved_model.pb").touch()
        code, _, error = kws("convert", tmp_path / "saved")
        assert (code, error.count("\n")) == (1, 1)
        assert "SavedModel" in error


def test_missing_file_is_named(tmp_path: Path) -> None:
    result = convert(tmp_path / "none.tflite", tmp_path / "b")
    assert isinstance(result.exception, KwsError)
    assert "none.tflite: no such file" in str(result.exception)


def test_wrong_number_of_labels_is_a_usage_error(model_file: Path, tmp_path: Path) -> None:
    result = convert(model_file, tmp_path / "b", "silence,unknown,yes")
    assert isinstance(result.exception, KwsError)
    assert result.exception.exit_code == 2
    assert "3 labels for a model with 4 outputs" in str(result.exception)


def test_missing_labels_are_requested(model_file: Path) -> None:
    result = CliRunner().invoke(app, ["convert", str(model_file)])
    assert isinstance(result.exception, KwsError)
    assert result.exception.exit_code == 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["yes_no"], "this is already a bundle; change its settings with kws set "),
        (["yes_no", "--compiled", "--out", "x"], "this is already a bundle; change its settings "),
        (["yes_no", "--threshold", "160"], "kws convert has no --threshold: kws set BUNDLE --thr"),
        (["m.tflite", "--gate-db=0.8"], "no --gate-db: kws set BUNDLE --gate-db sets it"),
        (["yes_no", "--interpreted"], "no --interpreted: kws set BUNDLE --interpreted sets it"),
    ],
)
def test_settings_of_another_command_are_refused(given: list[str], says: str, kws: Run) -> None:
    code, out, error = kws("convert", *given)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert says in error


def test_bundle_can_be_rewritten(bundle_path: Path) -> None:
    before = load_bundle(bundle_path)
    (bundle_path / "firmware" / "model_data.h").unlink()
    result = CliRunner().invoke(app, ["set", str(bundle_path)])
    assert result.exit_code == 0, result.output
    assert load_bundle(bundle_path) == before


def test_bundle_can_be_changed_and_written_elsewhere(bundle_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "sensitive"
    more = ["--threshold", "150", "--stride", "4", "--name", "sensitive", "--out", str(out)]
    result = CliRunner().invoke(app, ["set", str(bundle_path), *more])
    assert result.exit_code == 0, result.output
    old, new = load_bundle(bundle_path), load_bundle(out)
    assert (new.name, new.stride) == ("sensitive", 4)
    assert new.rules.thresholds == {"yes": 150, "no": 150}
    assert new.recognizer == old.recognizer
    assert new.inference_stride == old.inference_stride, "for listening without the second look"
    assert (new.model, new.data, new.metrics) == (old.model, old.data, old.metrics)
    assert "150,  // yes" in (out / "firmware" / "model_settings.h").read_text()
    assert CliRunner().invoke(app, ["set", str(bundle_path), "--no-verify", *more]).exit_code == 0
    new = load_bundle(out)
    assert (new.inference_stride, new.recognizer.detection_threshold) == (4, 150)
    assert "kDetectionThreshold = 150;" in (out / "firmware" / "model_settings.h").read_text()


def test_a_bundle_can_report_unknown_and_stop_again(bundle_path: Path) -> None:
    for option, expected in (
        ("--report-unknown", True),
        ("--stride=3", True),
        ("--no-report-unknown", False),
    ):
        result = CliRunner().invoke(app, ["set", str(bundle_path), option])
        assert result.exit_code == 0, result.output
        assert load_bundle(bundle_path).recognizer.report_unknown is expected


def test_one_threshold_replaces_the_labels_thresholds(bundle_path: Path, tmp_path: Path) -> None:
    write_bundle(load_bundle(bundle_path).without_second_look(), bundle_path)
    file = bundle_path / "bundle.toml"
    text = re.sub(r"(?m)^yes = .*\nno = .*", "yes = 9", file.read_text())
    file.write_text(text)
    kept = CliRunner().invoke(app, ["set", str(bundle_path), "--stride", "3"])
    assert kept.exit_code == 0, kept.output
    header = bundle_path / "firmware" / "model_settings.h"
    assert load_bundle(bundle_path).recognizer.thresholds == {"yes": 9}
    assert "9,  // yes" in header.read_text()
    all_labels = CliRunner().invoke(app, ["set", str(bundle_path), "--threshold", "150"])
    assert all_labels.exit_code == 0, all_labels.output
    assert load_bundle(bundle_path).recognizer.thresholds == {}
    assert "kThresholds = nullptr;" in header.read_text()
