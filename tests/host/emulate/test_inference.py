# SPDX-License-Identifier: Apache-2.0
"""Any model on raw rows: the board is bit-identical to the host; wrong rows are an error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kws import _core
from kws.audio.sound_files import write_clip
from kws.bundle.built_in import bundle_path
from kws.bundle.reading import load_bundle
from kws.convert.tflite_import import convert_manifest
from kws.errors import BoardError, ModelError, UsageError
from kws.host.emulate import inference
from kws.host.emulate.inference import Job, on_board, on_host
from tests.command_line import Run
from tests.convert.wake_models import wake_model, write_manifest
from tests.oracle_data import model_file

MODEL = model_file("tiny_conv")


@pytest.fixture(scope="module")
def model() -> bytes:
    return MODEL.read_bytes()


def rows(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-128, 128, (count, 49, 40), dtype=np.int8)


def test_host_gives_the_interpreters_outputs(model: bytes) -> None:
    x = rows(3)
    outcome = on_host(Job(model, (x,)))
    interpreter = _core.Interpreter(model)
    assert outcome.arena_used_bytes == interpreter.arena_used_bytes
    assert outcome.outputs[0].shape == (3, 4)
    for row, y in zip(x, outcome.outputs[0], strict=True):
        np.testing.assert_array_equal(
            interpreter.invoke(row.reshape(1, 49, 40, 1))[0].reshape(-1), y
        )


@pytest.mark.usefixtures("board_tools")
def test_board_matches_the_hosts_bits_and_arena_for_several_jobs(model: bytes) -> None:
    jobs = [Job(model, (rows(40, 1),)), Job(model, (rows(1, 2),)), Job(model, (rows(0),))]
    for board, job in zip(on_board("qemu", jobs), jobs, strict=True):
        host = on_host(job)
        assert board.arena_used_bytes == host.arena_used_bytes
        np.testing.assert_array_equal(board.outputs[0], host.outputs[0])
        assert board.outputs[0].dtype == host.outputs[0].dtype
    assert len(np.unique(on_host(jobs[0]).outputs[0], axis=0)) > 20, "the outputs differ"


@pytest.mark.usefixtures("board_tools")
def test_model_that_the_board_has_no_memory_for_gives_a_one_line_error(
    model: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="pass fewer rows"):
        on_board("qemu", [Job(model, (rows(9000),))])


@pytest.mark.usefixtures("board_tools")
def test_model_that_the_board_refuses_gives_a_one_line_error(
    model: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board's own error; normally the host's check comes first."""
    interpreter = inference.open_job(Job(model, (rows(1),)))
    monkeypatch.setattr(inference, "open_job", lambda _: interpreter)
    with pytest.raises(BoardError, match="model 1 on qemu: model is damaged"):
        on_board("qemu", [Job(model, (rows(1),)), Job(model[:1000], (rows(1),))])


@pytest.mark.parametrize("name", ["yes_no", "ten_words", "tiny"])
def test_infer_reads_the_output_of_features(name: str, kws: Run, tmp_path: Path) -> None:
    """One call per inference of a device on these frames."""
    rng = np.random.default_rng(0)
    write_clip(tmp_path / "clip.wav", rng.normal(0, 3000, 40_000).astype(np.int16))
    files = {kind: tmp_path / f"{kind}.npy" for kind in "FY"}
    assert kws("features", tmp_path / "clip.wav", "--out", files["F"])[0] == 0
    assert kws("infer", name, "--input", files["F"], "--out", files["Y"])[0] == 0
    bundle = load_bundle(bundle_path(name))
    frames = np.load(files["F"])
    interpreter = _core.Interpreter(bundle.model)
    expected = [
        interpreter.invoke(frames[start : start + bundle.input_frames])[0].reshape(-1)
        for start in range(0, len(frames) - bundle.input_frames + 1, bundle.inference_stride)
    ]
    assert len(expected) > 10
    np.testing.assert_array_equal(np.load(files["Y"]), expected)


def test_a_model_with_another_hop_gets_its_own_features(kws: Run, tmp_path: Path) -> None:
    """A streaming model with a hop of 10 ms gets each frame once, three per call."""
    convert_manifest(write_manifest(tmp_path), tmp_path / "wake")
    pcm = np.random.default_rng(0).normal(0, 3000, 20_000).astype(np.int16)
    write_clip(tmp_path / "clip.wav", pcm)
    files = {kind: tmp_path / f"{kind}.npy" for kind in "FY"}
    wake = tmp_path / "wake"
    assert kws("features", tmp_path / "clip.wav", "--out", files["F"], "--model", wake)[0] == 0
    assert kws("infer", wake, "--input", files["F"], "--out", files["Y"])[0] == 0
    frames = np.load(files["F"])
    expected = _core.Frontend(stride_samples=160).process(_core.without_offset(pcm[None])[0])
    np.testing.assert_array_equal(frames, expected)
    (scores,) = on_host(
        Job(wake_model(), (frames[: len(frames) // 3 * 3].reshape(-1, 120),))
    ).outputs
    np.testing.assert_array_equal(np.load(files["Y"]), scores)
    assert len(np.unique(scores)) > 1


def test_too_short_features_are_an_error(kws: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "F.npy", np.zeros((30, 40), np.int8))
    code, _, said = kws("infer", "tiny", "--input", tmp_path / "F.npy", "--out", tmp_path / "Y.npy")
    assert (code, said.count("\n")) == (2, 1)
    assert "30 frames for a model that takes 49" in said


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (rows(2)[:, :48], "takes rows of 1960 int8 .* has rows of 1920 int8"),
        (rows(2).astype(np.int16), "has rows of 1960 int16"),
    ],
)
def test_wrong_rows_are_an_error(model: bytes, x: np.ndarray, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        on_host(Job(model, (x,)))


def test_wrong_number_of_inputs_is_an_error(model: bytes) -> None:
    with pytest.raises(UsageError, match="has 1 inputs, but there are 2 arrays"):
        on_host(Job(model, (rows(1), rows(1))))


def test_damaged_model_is_an_error(model: bytes) -> None:
    with pytest.raises(ModelError):
        on_host(Job(model[:5000], (rows(1),)))


@pytest.mark.usefixtures("board_tools")
def test_command_on_host_and_board_writes_the_same_file(tmp_path: Path, kws: Run) -> None:
    np.save(tmp_path / "x.npy", rows(5).reshape(5, -1))
    for board in ("host", "qemu"):
        code, out, err = kws(
            *("infer", MODEL, "--input", tmp_path / "x.npy", "--board", board),
            *("--out", tmp_path / f"{board}.npy"),
        )
        assert (code, err) == (0, "")
        assert "[5, 4] int8" in out
    written = [(tmp_path / f"{board}.npy").read_bytes() for board in ("host", "qemu")]
    assert written[0] == written[1]


def test_command_on_bad_files_gives_a_one_line_error(tmp_path: Path, kws: Run) -> None:
    (tmp_path / "text.npy").write_text("no numbers")
    np.save(tmp_path / "scalar.npy", np.int8(3))
    np.save(tmp_path / "x.npy", rows(1))
    out = tmp_path / "y.npy"
    for wrong in (
        ("infer", MODEL, "--input", tmp_path / "none.npy", "--out", out),
        ("infer", MODEL, "--input", tmp_path / "text.npy", "--out", out),
        ("infer", MODEL, "--input", tmp_path / "scalar.npy", "--out", out),
        ("infer", tmp_path / "text.npy", "--input", tmp_path / "x.npy", "--out", out),
        ("infer", MODEL, "--input", tmp_path / "x.npy", "--out", out, "--board", "toaster"),
    ):
        code, text, err = kws(*wrong)
        assert code in {1, 2}
        assert text == ""
        assert err.count("\n") == 1
        assert not out.exists()
