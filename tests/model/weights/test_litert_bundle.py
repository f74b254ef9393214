# SPDX-License-Identifier: Apache-2.0
"""`kws convert --also`: files for LiteRT, which LiteRT itself runs."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.layout import FLOAT_FILE
from kws.bundle.reading import load_bundle
from kws.convert.backend import import_tensorflow, quiet
from kws.convert.litert import FEATURES_FILE, KINDS, LABELS_FILE, litert_model
from kws.errors import ConversionError
from kws.features.frontend_settings import FrontendSettings
from kws.features.spectrogram import spectrogram, to_float
from kws.model.weights import litert_bundle
from kws.model.weights.litert_bundle import file_name, write_with_litert
from kws.model.weights.trained_model import trained_in
from kws.model.zoo import build_model
from tests.command_line import Run
from tests.paths import ROOT

pytestmark = pytest.mark.tensorflow

ASSETS = ROOT / "kws" / "assets"
TOLERANCE = {"float16": 0.005, "dynamic": 0.03}
"""Largest difference between scores (0 to 1) of LiteRT and of the float model."""


@dataclass(frozen=True)
class LiteRt:
    """A .tflite file in LiteRT's interpreter."""

    interpreter: Any

    def __call__(self, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Scores of one input, float[1, frames, 40, 1]."""
        (source,), (target,) = self.details()
        self.interpreter.set_tensor(source["index"], x)
        self.interpreter.invoke()
        scores: npt.NDArray[np.float32] = self.interpreter.get_tensor(target["index"])[0]
        return scores

    def details(self) -> tuple[list[Any], list[Any]]:
        return self.interpreter.get_input_details(), self.interpreter.get_output_details()


def load(data: bytes) -> LiteRt:
    tf = import_tensorflow()
    with quiet():
        interpreter = tf.lite.Interpreter(model_content=data)
        interpreter.allocate_tensors()
    return LiteRt(interpreter)


@pytest.fixture(scope="module")
def spectrograms() -> npt.NDArray[np.int8]:
    """Windows of 15 recordings of words and noise, every 80 ms."""
    windows = []
    for file in sorted((ASSETS / "matrix").glob("*.flac")):
        room = quiet_room(4000)
        frames = spectrogram(np.concatenate([room, load_clip(file), room]))
        windows += [frames[start : start + 49] for start in range(0, len(frames) - 48, 4)]
    return np.stack(windows)


@pytest.fixture(scope="module")
def tiny_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the built-in bundle tiny, with both files."""
    out = tmp_path_factory.mktemp("litert") / "bundle"
    write_with_litert(ASSETS / "tiny", tuple(KINDS), out)
    return out


def check_scores(bundle: Bundle, kind: str, data: bytes, inputs: npt.NDArray[np.int8]) -> None:
    litert = load(data)
    (source,), (target,) = litert.details()
    assert (source["shape"].tolist(), source["dtype"]) == ([1, 49, 40, 1], np.float32)
    assert (target["shape"].tolist(), target["dtype"]) == ([1, len(bundle.labels)], np.float32)
    scores = np.stack([litert(x[None]) for x in to_float(inputs)])
    logits = np.asarray(trained_in(bundle, bundle.path or Path()).build()(to_float(inputs)))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    assert np.abs(scores - expected).max() <= TOLERANCE[kind]
    assert len(set(scores.argmax(axis=1))) == len(set(expected.argmax(axis=1))) >= 3


@pytest.mark.parametrize("kind", KINDS)
def test_litert_gives_the_scores_of_the_float_model(
    kind: str, tiny_files: Path, spectrograms: npt.NDArray[np.int8]
) -> None:
    data = (tiny_files / file_name(kind)).read_bytes()
    check_scores(load_bundle(tiny_files), kind, data, spectrograms)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["yes_no", "ten_words"])
def test_other_models_too(
    name: str, kind: str, spectrograms: npt.NDArray[np.int8], tmp_path: Path
) -> None:
    bundle = write_with_litert(ASSETS / name, [kind], tmp_path / "out")
    data = (tmp_path / "out" / file_name(kind)).read_bytes()
    check_scores(bundle, kind, data, spectrograms)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_streaming_model_keeps_its_frames_in_litert(
    kind: str, spectrograms: npt.NDArray[np.int8]
) -> None:
    """Like the model of the bundle: each call takes the new frames only."""
    model = build_model("mixednet", 4, 0)
    labels = ("silence", "unknown", "yes", "no")
    data = litert_model(model, kind, labels, FrontendSettings())
    facts = json.loads(zipfile.ZipFile(io.BytesIO(data)).read(FEATURES_FILE))
    new = facts["frames_per_call"]
    assert 0 < new < facts["frames"] == 49
    for whole in to_float(spectrograms[::40]):
        frames = np.pad(whole, ((-len(whole) % new, 0), (0, 0), (0, 0)))
        litert = load(data)
        for start in range(0, len(frames), new):
            scores = litert(frames[None, start : start + new])
        logits = np.asarray(model(whole[None]))[0]
        powers = np.exp(logits - logits.max())
        np.testing.assert_allclose(scores, powers / powers.sum(), atol=TOLERANCE[kind])


def test_weights_are_stored_as_promised(tiny_files: Path) -> None:
    types = {
        kind: {
            str(tensor["dtype"].__name__)
            for tensor in load(
                (tiny_files / file_name(kind)).read_bytes()
            ).interpreter.get_tensor_details()
        }
        for kind in KINDS
    }
    assert "float16" in types["float16"]
    assert "int8" not in types["float16"]
    assert "int8" in types["dynamic"]
    sizes = {kind: (tiny_files / file_name(kind)).stat().st_size for kind in KINDS}
    assert sizes["dynamic"] < sizes["float16"]


@pytest.mark.parametrize("kind", KINDS)
def test_labels_and_features_can_be_read_back(kind: str, tiny_files: Path) -> None:
    with zipfile.ZipFile(tiny_files / file_name(kind)) as archive:
        assert archive.testzip() is None
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        labels = archive.read(LABELS_FILE).decode().splitlines()
        features = json.loads(archive.read(FEATURES_FILE))
    assert tuple(labels) == load_bundle(tiny_files).labels
    zero, scale = features["int8_zero_point"], features["int8_scale"]
    values = np.arange(-128, 128, dtype=np.int8).reshape(1, 1, -1)
    np.testing.assert_array_equal(
        (values.astype(np.float32) - zero) * scale, to_float(values)[..., 0]
    )
    assert (features["sample_rate"], features["window_samples"]) == (16_000, 480)
    assert (features["stride_samples"], features["channels"], features["frames"]) == (320, 40, 49)
    assert (features["lowest_hz"], features["highest_hz"]) == (125, 7500)


def test_equal_models_give_equal_files(tiny_files: Path, tmp_path: Path) -> None:
    write_with_litert(ASSETS / "tiny", ["dynamic"], tmp_path / "again")
    again = (tmp_path / "again" / file_name("dynamic")).read_bytes()
    assert again == (tiny_files / file_name("dynamic")).read_bytes()


def test_the_command_writes_the_int8_bundle_and_the_files(kws: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said, _ = kws(
        *("convert", ASSETS / "tiny", "--also", " dynamic,dynamic"),
        *("--name", "phone", "--out", out),
    )
    assert code == 0
    file = out / "model_dynamic.tflite"
    assert f"{file}: {file.stat().st_size} bytes, int8 weights" in said
    assert f"{out}: phone " in said
    assert not (out / "model_float16.tflite").exists()
    bundle = load_bundle(out)
    assert bundle.model == load_bundle(ASSETS / "tiny").model
    assert bundle.name == "phone"
    assert kws("set", out, "--threshold", 150)[0] == 0
    assert not file.exists(), "a file of the old bundle"


@pytest.mark.parametrize(
    ("also", "says"),
    [
        ("flaot16", "no kind 'flaot16' (did you mean 'float16'?); choose float16, dynamic or both"),
        ("float16,int4", "no kind 'int4'"),
        ("", "no kind ''"),
        ("float16,", "no kind ''"),
    ],
)
def test_a_typo_in_the_list_is_one_line(also: str, says: str, kws: Run, tmp_path: Path) -> None:
    code, _, said = kws("convert", ASSETS / "tiny", "--also", also, "--out", tmp_path / "out")
    assert (code, said.count("\n")) == (2, 1)
    assert says in said
    assert not any(tmp_path.iterdir())


def test_models_without_float_weights_are_refused(
    kws: Run, model_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    code, _, said = kws("convert", model_file, "--also", "float16", "--out", out)
    assert (code, said.count("\n")) == (2, 1)
    assert "--also needs float weights, which this file does not have" in said
    int8_only = Path(shutil.copytree(ASSETS / "tiny", tmp_path / "int8"))
    (int8_only / FLOAT_FILE).unlink()
    code, _, said = kws("convert", int8_only, "--also", "float16", "--out", out)
    assert (code, said.count("\n")) == (2, 1)
    assert "this bundle has no float weights" in said
    (int8_only / FLOAT_FILE).write_bytes(b"PK damaged")
    code, _, said = kws("convert", int8_only, "--also", "float16", "--out", out)
    assert (code, said.count("\n")) == (1, 1)
    assert "its float weights are damaged" in said
    for more in (["--incremental"], ["--labels", "yes,no"]):
        code, _, said = kws("convert", ASSETS / "tiny", "--also", "float16", *more, "--out", out)
        assert (code, said.count("\n")) == (2, 1)
        assert f"--also and {more[0]} cannot be combined" in said
    code, _, said = kws("convert", ASSETS / "tiny", "--also", "float16")
    assert (code, said.count("\n")) == (2, 1)
    assert "--also needs --out" in said
    assert not out.exists()


def test_a_destination_that_cannot_be_written_is_one_line(
    kws: Run, tmp_path: Path, read_only: Path
) -> None:
    command = ("convert", ASSETS / "tiny", "--also", "dynamic", "--out")
    code, _, said = kws(*command, read_only / "out")
    assert (code, said.count("\n")) == (1, 1)
    assert "cannot be written" in said
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").touch()
    code, _, said = kws(*command, other)
    assert (code, said.count("\n")) == (2, 1)
    assert "contains files other than a bundle" in said
    assert [file.name for file in other.iterdir()] == ["letter.txt"]


def test_nothing_is_written_if_one_file_fails(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old bundle stays as it was."""

    def failing(model: Any, kind: str, *rest: Any) -> bytes:
        if kind == "dynamic":
            raise ConversionError("TensorFlow cannot convert the model: no")
        return b"float16"

    out = Path(shutil.copytree(ASSETS / "yes_no", tmp_path / "out"))
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    monkeypatch.setattr(litert_bundle, "litert_model", failing)
    code, _, said = kws("convert", ASSETS / "tiny", "--also", "float16,dynamic", "--out", out)
    assert (code, said.count("\n")) == (1, 1)
    assert "TensorFlow cannot convert the model: no" in said
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_another_keras_backend_is_refused(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import keras

    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    code, _, said = kws("convert", ASSETS / "tiny", "--also", "dynamic", "--out", tmp_path / "out")
    assert (code, said.count("\n")) == (2, 1)
    assert "unset KERAS_BACKEND" in said
