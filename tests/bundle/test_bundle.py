# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kws.bundle.built_in import bundle_path as built_in_path
from kws.bundle.built_in import default_bundle_path, is_built_in
from kws.bundle.checks import open_model
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle, load_renewed
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.errors import BundleError, KwsError, ModelError, UsageError
from tests.oracle_data import DATA
from tests.small_models import LABELS, dense_model


def tree(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def edit(bundle: Path, old: str, new: str) -> None:
    """Change bundle.toml."""
    file = bundle / "bundle.toml"
    text = file.read_text()
    assert re.search(old, text, re.MULTILINE), old
    file.write_text(re.sub(old, new, text, count=1, flags=re.MULTILINE))


def test_default_bundle_is_complete() -> None:
    bundle = load_bundle(default_bundle_path())
    assert bundle.labels == LABELS
    assert bundle.keywords == ("yes", "no")
    assert bundle.arena_bytes == open_model(bundle.model).arena_used_bytes


@pytest.mark.parametrize("name", ["yes_no", "ten_words", "tiny"])
def test_built_in_bundles_have_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = built_in_path(name)
    assert is_built_in(path)
    assert load_bundle(path).name == name
    (tmp_path / name).mkdir()
    assert built_in_path(name) == Path(name), "an existing folder comes first"
    assert not is_built_in(Path(name))


@pytest.mark.parametrize("name", ["LICENSE.md", "ten_word", "", "../assets"])
def test_nothing_else_is_built_in(name: str) -> None:
    assert not is_built_in(built_in_path(name))


def test_a_written_bundle_is_read_unchanged(tmp_path: Path) -> None:
    made = make_bundle(
        dense_model(),
        ["silence", "unknown", "ja", "fünf"],
        name="zwei_1.0",
        recognizer=RecognizerSettings(800, 180, 900, 2, {"fünf": 190, "unknown": 255}, True),
        inference_stride=3,
        data="Nothing.",
        metrics={"accuracy": {"core": 0.5}},
        versions={"other": "1"},
    )
    assert write_bundle(made, tmp_path / "b") == made
    assert load_bundle(tmp_path / "b").firmware == tmp_path / "b" / "firmware"


def test_unknown_is_reported_only_if_configured(bundle_path: Path) -> None:
    assert "report_unknown" not in (bundle_path / "bundle.toml").read_text(), (
        "as before the setting existed"
    )
    assert not load_bundle(bundle_path).recognizer.report_unknown
    edit(bundle_path, r"^minimum_count", "report_unknown = true\nminimum_count")
    assert load_bundle(bundle_path).recognizer.report_unknown


def test_a_gate_is_kept_and_refused_for_a_streaming_model(bundle_path: Path) -> None:
    bundle = load_bundle(bundle_path)
    assert (bundle.recognizer.gate_db, bundle.recognizer.gate_rise) == (0.8, 8)
    always = replace(bundle, recognizer=replace(bundle.recognizer, gate_db=0.0))
    assert write_bundle(always, bundle_path).recognizer.gate_rise == 0
    assert "gate_db" not in (bundle_path / "bundle.toml").read_text()
    edit(bundle_path, r"^minimum_count", "gate_db = 1.2\nminimum_count")
    assert load_renewed(bundle_path).recognizer.gate_rise == 12
    streaming = (DATA / "models/low_latency_svdf.tflite").read_bytes()
    assert make_bundle(streaming, LABELS, name="s").inference_stride == 1
    with pytest.raises(ModelError, match="streaming model must process every frame; set gate_db"):
        make_bundle(streaming, LABELS, name="s", recognizer=RecognizerSettings(gate_db=1))


def test_writing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    made = make_bundle(dense_model(), LABELS, name="x")
    write_bundle(made, tmp_path / "a")
    first = tree(tmp_path / "a")
    write_bundle(made, tmp_path / "a")
    assert tree(tmp_path / "a") == first
    assert {"model.tflite", "bundle.toml", "README.md", "firmware/model_data.cc"} <= set(first)


def test_renewing_changes_nothing_that_is_current(bundle_path: Path) -> None:
    before = tree(bundle_path)
    write_bundle(load_renewed(bundle_path), bundle_path)
    assert tree(bundle_path) == before


def test_renewing_repairs_generated_parts(bundle_path: Path) -> None:
    before = tree(bundle_path)
    edit(bundle_path, r"^arena_bytes = \d+", "arena_bytes = 16")
    shutil.rmtree(bundle_path / "firmware")
    with pytest.raises(BundleError):
        load_bundle(bundle_path)
    write_bundle(load_renewed(bundle_path), bundle_path)
    assert tree(bundle_path) == before


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (r"^format = 1", "format = 99", "format 99"),
        (r"^name = .*", "", "name is missing"),
        (r"^name = .*", 'name = "a b"', "name 'a b'"),
        (r"^labels = \[", "labels = 7 # [", "bundle.toml"),
        (r'"yes"', '"yes", "maybe"', "5 labels for a model with 4 outputs"),
        (r'"yes"', '"no"', "duplicate label 'no'"),
        (r'"unknown"', '"other"', "silence and unknown"),
        (r'"yes"', "8", "label 8 is not text"),
        (r"^sha256 = .*", 'sha256 = "00"', "SHA-256"),
        (r"^keep_noise = .*", 'keep_noise = "false"', "keep_noise is 'false'; it must be true or"),
        (r"^keep_noise = .*", "keep_noise = 1", "keep_noise is 1; it must be true or"),
        (r"^stride_samples = 320", "stride_samples = 200", "a stride of 200"),
        (r"^detection_threshold = \d+", "detection_threshold = 300", "detection_threshold is 300"),
        (r"^detection_threshold = \d+", 'detection_threshold = "a"', "recognizer"),
        (r"^suppression_ms", "supression_ms", "unknown setting 'supression_ms'"),
        (r"^\[recognizer.thresholds\]\n.*\n.*", "thresholds = 7", "thresholds must be a table"),
        (r"^yes = .*", "maybe = 7", "for 'maybe'"),
        (r"^yes = .*", "yes = 256", "threshold of 'yes' is 256"),
        (r"^yes = .*", "yes = 1.5", "not a whole number"),
        (
            r"^minimum_count",
            "report_unknown = 1\nminimum_count",
            "report_unknown must be true or",
        ),
        (r"^gate_db = .*", "gate_db = 21", "gate_db is 21"),
        (r"^inference_stride = .*", "inference_stride = 0", "inference_stride is 0"),
        (r"^arena_bytes = \d+", "arena_bytes = 16", "arena_bytes is 16"),
        (r"^zero_point = -128", "zero_point = 0", "input does not match the model"),
        (r'^    "SOFTMAX",\n', "", "ops do not match the model"),
        (r"^data = ", "date = ", "data is missing"),
        (r"\[versions\]", "[versions", "bundle.toml"),
    ],
)
def test_contradictions_are_named(bundle_path: Path, old: str, new: str, says: str) -> None:
    edit(bundle_path, old, new)
    with pytest.raises(BundleError) as caught:
        load_bundle(bundle_path)
    message = str(caught.value)
    assert says in message
    assert str(bundle_path) in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "part", ["bundle.toml", "model.tflite", "firmware/model_data.cc", "firmware/op_resolver.h"]
)
def test_missing_part_is_named(bundle_path: Path, part: str) -> None:
    (bundle_path / part).unlink()
    with pytest.raises(BundleError, match=re.escape(Path(part).name)):
        load_bundle(bundle_path)


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="no such bundle"):
        load_bundle(tmp_path / "nowhere")


def test_truncated_model_is_found(bundle_path: Path) -> None:
    file = bundle_path / "model.tflite"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(BundleError, match="SHA-256"):
        load_bundle(bundle_path)


def test_firmware_of_another_model_is_found(bundle_path: Path) -> None:
    file = bundle_path / "firmware" / "model_data.cc"
    file.write_text(re.sub("SHA-256 [0-9a-f]{8}", "SHA-256 00000000", file.read_text(), count=1))
    with pytest.raises(BundleError, match=r"model_data\.cc"):
        load_bundle(bundle_path)


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        (("silence", "unknown", "yes"), "3 labels for a model with 4 outputs"),
        (("yes", "no", "silence", "unknown"), "silence and unknown"),
        (("silence", "unknown"), "at least one keyword"),
        (("silence", "unknown", "a b", "no"), "label 'a b'"),
        (("silence", "unknown", 'a"', "no"), "label"),
        (("silence", "unknown", "", "no"), "label ''"),
        (("silence", "unknown", "x" * 33, "no"), "32 bytes"),
    ],
)
def test_wrong_labels_are_refused(labels: tuple[str, ...], error: str) -> None:
    with pytest.raises(UsageError, match=re.escape(error)):
        make_bundle(dense_model(), labels, name="x")


@pytest.mark.parametrize(
    ("model", "error"),
    [
        (dense_model(elements=960), "960 elements"),
        (dense_model(dtype="float32"), "int8"),
        (dense_model()[:1000], "damaged"),
        (b"", "not a .tflite file"),
    ],
)
def test_wrong_models_are_refused(model: bytes, error: str) -> None:
    with pytest.raises(ModelError, match=error):
        make_bundle(model, LABELS, name="x")


def test_settings_that_the_firmware_cannot_hold_are_refused() -> None:
    # 10 s of results at intervals of 20 ms do not fit in the recognizer.
    with pytest.raises(ModelError, match="x"):
        make_bundle(
            dense_model(),
            LABELS,
            name="x",
            recognizer=RecognizerSettings(average_window_ms=10_000),
            inference_stride=1,
        )


def test_full_disk_keeps_the_old_bundle(full_disk: Path) -> None:
    old = make_bundle(dense_model(), LABELS, name="old")
    write_bundle(old, full_disk / "b")
    (full_disk / "ballast").write_bytes(bytes(100_000))
    before = tree(full_disk)
    with pytest.raises(KwsError, match="cannot be written"):
        write_bundle(dataclasses.replace(old, name="new"), full_disk / "b")
    assert tree(full_disk) == before
    assert load_bundle(full_disk / "b") == old


def test_read_only_folder_is_named(read_only: Path) -> None:
    made = make_bundle(dense_model(), LABELS, name="x")
    with pytest.raises(KwsError, match="cannot be written"):
        write_bundle(made, read_only / "b")
    assert list(read_only.iterdir()) == []


def test_only_a_bundle_is_replaced(tmp_path: Path) -> None:
    made = make_bundle(dense_model(), LABELS, name="x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("more")
    for name in ("folder", "file"):
        with pytest.raises(UsageError, match=name):
            write_bundle(made, tmp_path / name)
    assert (tmp_path / "folder" / "thesis.txt").read_text() == "years of work"
