# SPDX-License-Identifier: Apache-2.0
"""ESPHome's micro_wake_word accepts the export, and detects the same words as the bundle.

KWS_MICRO_WAKE_WORD_MODELS is a checkout of ESPHome's published models (micro-wake-word-models).
KWS_ESPHOME is the program `esphome`, installed in its own environment.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tflite_micro.python.tflite_micro import runtime

from kws import _core
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.convert.tflite_import import convert_manifest
from kws.convert.wake_model import OPS
from kws.errors import UsageError
from kws.host.emulate import host_device
from kws.host.export.exporters import export
from tests.command_line import Run
from tests.convert.test_wake_model import streaming_model
from tests.host.export.building import CLIPS
from tests.oracle_data import model_file
from tests.small_models import LABELS, dense_model

MODELS, ESPHOME = "KWS_MICRO_WAKE_WORD_MODELS", "KWS_ESPHOME"

IGNORED = 100
"""Features that ESPHome 2026.6 ignores at the start."""


@pytest.fixture(scope="module")
def yes_no() -> Bundle:
    """Without its gate and its second look, which ESPHome does not have."""
    bundle = load_bundle(default_bundle_path()).without_second_look()
    return replace(bundle, recognizer=replace(bundle.recognizer, gate_db=0.0))


@pytest.fixture(scope="module")
def exported(yes_no: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("esphome") / "out"
    export("esphome", yes_no, folder)
    return folder


@pytest.fixture(scope="module")
def sound(yes_no: Bundle) -> Pcm:
    """A room, three words with pauses, a room."""
    room = host_device.with_room(Device(yes_no), np.zeros(0, np.int16))
    parts = [np.tile(room, 3)]
    for name in ("yes_slt", "no_rms", "yes_rob"):
        parts += [load_clip(CLIPS / f"{name}.flac"), np.tile(room, 3)]
    return np.concatenate(parts)


def manifest_of(folder: Path, word: str) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((folder / f"{word}.json").read_text())
    return table


@pytest.mark.parametrize("word", ["yes", "no"])
def test_an_imported_export_hears_the_same(
    word: str, yes_no: Bundle, exported: Path, sound: Pcm, tmp_path: Path
) -> None:
    imported = convert_manifest(exported / f"{word}.json", tmp_path / "bundle")
    assert imported.labels == (word,)
    settings, own = imported.recognizer, yes_no.recognizer
    assert settings.detection_threshold == own.thresholds[word]
    assert settings.minimum_count == own.average_window_ms // yes_no.every_ms + 1
    _, times, scores = Device(yes_no).pipeline().trace(sound)
    _, again, made = Device(imported).pipeline().trace(sound)
    assert again.tolist() == times.tolist()
    expected = scores[:, yes_no.labels.index(word)].astype(int) + 128
    difference = made[:, 0].astype(int) + 128 - expected
    assert (expected >= 220).sum() >= 3
    assert abs(difference[expected >= 220]).max() <= 1
    assert difference.max() <= 1
    assert difference.min() >= -6

    heard = [hit for hit in host_device.play(Device(yes_no), sound).heard if hit.label == word]
    hits = host_device.play(Device(imported), sound).heard
    assert len(hits) == len(heard) == {"yes": 2, "no": 1}[word]
    for hit, original in zip(hits, heard, strict=True):
        assert abs(hit.time_ms - original.time_ms) <= yes_no.every_ms
        assert abs(hit.score - original.score) <= 2


@pytest.mark.parametrize("word", ["yes", "no"])
def test_esphomes_loop_hears_the_same(
    word: str, yes_no: Bundle, exported: Path, sound: Pcm
) -> None:
    """streaming_model.cpp of ESPHome 2026.6, with TFLM's interpreter."""
    table = manifest_of(exported, word)["micro"]
    model = (exported / f"{word}.tflite").read_bytes()
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=table["tensor_arena_size"])
    stride = interpreter.get_input_details(0)["shape"][1]
    cutoff = int(table["probability_cutoff"] * 255)
    recent = [0] * table["sliding_window_size"]
    step = table["feature_step_size"] * 16
    times, ignored, newest = [], -IGNORED, 0
    frames = _core.Frontend(stride_samples=step).process(sound)
    for first in range(0, len(frames) - stride + 1, stride):
        interpreter.set_input(frames[first : first + stride][None], 0)
        interpreter.invoke()
        newest = (newest + 1) % len(recent)
        recent[newest] = int(interpreter.get_output(0).item())
        if recent[newest] < cutoff:
            ignored = min(ignored + stride, 0)
        if ignored == 0 and sum(recent) > cutoff * len(recent):
            times.append((first + stride) * table["feature_step_size"])
            recent, ignored = [0] * len(recent), -IGNORED
    hits = host_device.play(Device(yes_no), sound).heard
    expected = [hit.time_ms for hit in hits if hit.label == word]
    assert len(times) == len(expected) == {"yes": 2, "no": 1}[word]
    np.testing.assert_allclose(times, expected, atol=3 * yes_no.every_ms)


def test_the_manifest_has_esphomes_fields(exported: Path) -> None:
    table = manifest_of(exported, "yes")
    assert table == {
        "type": "micro",
        "wake_word": "Yes",
        "author": "kws",
        "model": "yes.tflite",
        "trained_languages": [],
        "version": 2,
        "micro": {
            "probability_cutoff": 0.8647,
            "feature_step_size": 20,
            "sliding_window_size": 7,
            "tensor_arena_size": table["micro"]["tensor_arena_size"],
            "minimum_esphome_version": "2024.7.0",
        },
    }
    assert table["micro"]["tensor_arena_size"] % 1024 == 0


@pytest.mark.parametrize("threshold", [0, 100, 215, 254])
def test_esphome_rounds_the_cutoff_to_the_threshold(threshold: int, tmp_path: Path) -> None:
    bundle = make_bundle(streaming_model(), LABELS, name="any")
    settings = replace(bundle.recognizer, detection_threshold=threshold)
    export("esphome", replace(bundle, recognizer=settings), tmp_path / "out")
    cutoff = manifest_of(tmp_path / "out", "yes")["micro"]["probability_cutoff"]
    assert int(cutoff * 255) == threshold
    assert threshold < cutoff * 255 < threshold + 1


def test_published_models_have_the_same_form(exported: Path) -> None:
    if MODELS not in os.environ:
        pytest.skip(f"{MODELS} does not name a folder with ESPHome's published models")
    manifests = sorted((Path(os.environ[MODELS]) / "models" / "v2").glob("*.json"))
    assert len(manifests) >= 4
    own = manifest_of(exported, "yes")
    own_model = _core.Interpreter((exported / "yes.tflite").read_bytes())

    def kinds(table: dict[str, Any]) -> dict[str, type]:
        return {key: type(value) for key, value in table.items()}

    for file in manifests:
        table = json.loads(file.read_text())
        del table["website"]  # optional
        assert kinds(table) == kinds(own), file
        assert kinds(table["micro"]) == kinds(own["micro"]), file
        model = _core.Interpreter((file.parent / table["model"]).read_bytes())
        assert set(model.ops) <= OPS
        (x,), (own_x,) = model.inputs, own_model.inputs
        assert (x.dtype, x.shape[0], *x.shape[2:]) == (own_x.dtype, 1, 40)
        assert (own_x.shape[0], *own_x.shape[2:]) == (1, 40)
        (y,), (own_y,) = model.outputs, own_model.outputs
        assert (y.dtype, y.shape) == (own_y.dtype, own_y.shape)
        assert (y.scale, y.zero_point) == (own_y.scale, own_y.zero_point)


def test_esphome_accepts_the_example(exported: Path, tmp_path: Path) -> None:
    if ESPHOME not in os.environ:
        pytest.skip(f"{ESPHOME} does not name the program esphome")
    folder = tmp_path / "config"
    shutil.copytree(exported, folder)
    done = subprocess.run(
        [os.environ[ESPHOME], "compile", "--only-generate", folder / "example.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (source,) = (folder / ".esphome" / "build").glob("*/src/main.cpp")
    made = re.findall(
        r'WakeWordModel\("(\w+)", \w+, (\d+), (\d+), "(\w+)", (\d+)', source.read_text()
    )
    tables = {word: manifest_of(exported, word)["micro"] for word in LABELS[2:]}
    assert made == [
        (
            f"word_{number}",
            str(int(table["probability_cutoff"] * 255)),
            str(table["sliding_window_size"]),
            word.capitalize(),
            str(table["tensor_arena_size"]),
        )
        for number, (word, table) in enumerate(tables.items(), 1)
    ]
    assert "set_features_step_size(20);" in source.read_text()
    assert "EnableModelAction<>(word_2)" in source.read_text()


def test_the_command(tmp_path: Path, kws: Run) -> None:
    out = tmp_path / "out"
    code, text, error = kws("export", "esphome", "--model", "tiny", "--out", out)
    assert code == 0, error
    assert f"see {out}/example.yaml" in text
    names = {file.name for file in out.iterdir()}
    assert names >= {"yes.tflite", "yes.json", "no.tflite", "no.json", "example.yaml"}
    readme = (out / "README.md").read_text()
    assert "| Yes | yes.json |" in readme
    assert "Do not use `vad:`" in readme, "its frames are 10 ms apart"
    assert (out / "yes.tflite").read_bytes() != (out / "no.tflite").read_bytes()


def test_features_every_10_ms_can_be_combined_with_published_models(tmp_path: Path) -> None:
    bundle = make_bundle(streaming_model(), LABELS, name="any", stride_samples=160)
    export("esphome", bundle, tmp_path / "out")
    assert manifest_of(tmp_path / "out", "no")["micro"]["feature_step_size"] == 10
    assert "`vad:`: " not in (tmp_path / "out" / "README.md").read_text()


def test_any_order_of_outputs(tmp_path: Path) -> None:
    """The labels' order and the model's outputs differ after an import."""
    labels = ("silence", "unknown", "b", "a")
    for order, name in (((0, 1, 2, 3), "plain"), ((3, 0, 1, 2), "turned")):
        bundle = make_bundle(streaming_model(), labels, name="any", output_order=order)
        export("esphome", bundle, tmp_path / name)
    plain, turned = (
        {word: (tmp_path / name / f"{word}.tflite").read_bytes() for word in "ab"}
        for name in ("plain", "turned")
    )
    assert turned["a"] == plain["b"]
    assert turned["b"] not in plain.values()


def test_words_that_are_never_reported_are_left_out(tmp_path: Path) -> None:
    bundle = make_bundle(streaming_model(), LABELS, name="any")
    quiet = replace(bundle.recognizer, thresholds={"yes": 255})
    export("esphome", replace(bundle, recognizer=quiet), tmp_path / "out")
    assert not (tmp_path / "out" / "yes.json").exists()
    assert "yes" not in (tmp_path / "out" / "example.yaml").read_text()
    assert manifest_of(tmp_path / "out", "no")["wake_word"] == "No"
    none = replace(bundle.recognizer, thresholds={"yes": 255, "no": 255})
    with pytest.raises(UsageError, match="thresholds of 255 report no word"):
        export("esphome", replace(bundle, recognizer=none), tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("label", ["hey_marvin", "größer", "don't", "vad"])
def test_a_phrase_keeps_its_label(label: str, tmp_path: Path) -> None:
    model = dense_model(outputs=3)
    export("esphome", make_bundle(model, (*LABELS[:2], label), name="any"), tmp_path / "out")
    assert manifest_of(tmp_path / "out", label)["wake_word"] != "vad", "ESPHome's voice detector"
    file = tmp_path / "out" / f"{label}.json"
    assert convert_manifest(file, tmp_path / "bundle").labels == (label,)


def test_an_imported_wake_word_is_refused(tmp_path: Path) -> None:
    labels = ("a", "b", "c", "d")
    bundle = make_bundle(model_file("mixed_net").read_bytes(), labels, name="mixed")
    with pytest.raises(UsageError, match=r"^mixed: the model ends with LOGISTIC") as refused:
        export("esphome", bundle, tmp_path / "out")
    assert "\n" not in str(refused.value)
