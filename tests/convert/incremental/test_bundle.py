# SPDX-License-Identifier: Apache-2.0
"""`kws convert --incremental`: bundles with the whole model's results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kws.bundle.bundle import Bundle
from kws.bundle.changes import Changes, change_bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.convert.incremental.bundle import incremental_of_bundle
from kws.convert.tflite_import import convert_file
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.qemu import Qemu
from kws.model.evaluate.score.clip_scores import core_scores
from tests.command_line import Run
from tests.noise import changing_noise
from tests.paths import ROOT

pytestmark = pytest.mark.tensorflow  # the schema comes with it

LABELS = ("silence", "unknown", "yes", "no")
TINY_CONV = ROOT / "tests" / "data" / "models" / "tiny_conv.tflite"


def asset(name: str) -> Bundle:
    return load_bundle(ROOT / "kws" / "assets" / name)


@pytest.fixture(scope="module")
def talkative(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A model that detects words in noise."""
    folder = tmp_path_factory.mktemp("whole") / "bundle"
    settings = Changes(average_window_ms=200, detection_threshold=100, suppression_ms=0)
    return convert_file(TINY_CONV, LABELS, folder, settings)


@pytest.fixture(scope="module")
def talkative_incremental(talkative: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    assert talkative.path is not None
    return incremental_of_bundle(
        talkative.path, tmp_path_factory.mktemp("small") / "bundle", Changes()
    )[0]


@pytest.mark.parametrize(
    ("name", "step"), [("tiny", 2), ("tiny", 4), ("yes_no", 2), ("yes_no", 6), ("ten_words", 6)]
)
def test_pipeline_gives_the_same_scores_at_the_same_times(
    name: str, step: int, tmp_path: Path
) -> None:
    whole, pcm = asset(name), changing_noise(4)
    assert whole.path is not None
    small, _ = incremental_of_bundle(whole.path, tmp_path / "small", Changes(inference_stride=step))
    assert small.inference_stride == step
    # An incremental model has no gate, because it must process every frame.
    settings = Changes(inference_stride=step, gate_db=0.0)
    changed = change_bundle(whole.path, tmp_path / "whole", settings)
    assert (small.labels, small.recognizer, small.name) == (whole.labels, changed.recognizer, name)
    (_, times, scores), (_, twin_times, twin_scores) = (
        Device(bundle).pipeline().trace(pcm) for bundle in (changed, small)
    )
    assert list(times[:2]) == [40, 40 + 20 * step]
    assert 1000 in times, "the end of the first whole window"
    np.testing.assert_array_equal(times, twin_times)
    np.testing.assert_array_equal(scores, twin_scores)


def test_lines_equal_the_whole_models(talkative: Bundle, talkative_incremental: Bundle) -> None:
    pcm = changing_noise(8)
    lines = host_device.play(Device(talkative), pcm).text.splitlines()
    twin_lines = host_device.play(Device(talkative_incremental), pcm).text.splitlines()
    assert talkative_incremental.sha8 in twin_lines[0]
    assert lines[1:] == twin_lines[1:]
    assert len(lines) > 3


@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
def test_emulated_board_prints_the_hosts_lines(
    talkative: Bundle,
    talkative_incremental: Bundle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KWS_CACHE_DIR", str(tmp_path))
    pcm = changing_noise(8)
    with Qemu() as emulator:
        board = emulator.play(build("qemu", Device(talkative_incremental)).elf, pcm)
    host = host_device.play(Device(talkative), pcm)
    assert board.text.partition("\n")[2] == host.text.partition("\n")[2]
    assert len(board.heard) > 2


def test_clips_have_the_whole_models_scores(
    talkative: Bundle, talkative_incremental: Bundle
) -> None:
    """Evaluation ends the last step with the last frame, as the pipeline does."""
    clips = np.random.default_rng(1).integers(-128, 128, (5, 49, 40)).astype(np.int8)
    scores = core_scores(talkative.model, clips)
    np.testing.assert_array_equal(core_scores(talkative_incremental.model, clips), scores)
    assert len(np.unique(scores, axis=0)) > 1


def test_command_writes_bundles_and_files(kws: Run, tmp_path: Path) -> None:
    tiny = ROOT / "kws" / "assets" / "tiny"
    code, out, _ = kws("convert", tiny, "--incremental", "--out", tmp_path / "a", "--name", "less")
    assert code == 0
    assert out.startswith("incremental: 6 new frames, ")
    assert "FULLY_CONNECTED (op 2) sees the whole window: it mixes all rows" in out
    made = load_bundle(tmp_path / "a")
    assert (made.name, made.inference_stride, made.stride) == ("less", 6, 6)
    assert made.second_look
    assert made.float_model == load_bundle(tiny).float_model

    labels = ("--labels", ",".join(LABELS))
    out_b = ("--out", tmp_path / "b", "--stride", 4)
    assert kws("convert", TINY_CONV, "--incremental", *labels, *out_b)[0] == 0
    assert load_bundle(tmp_path / "b").inference_stride == 4

    file = tmp_path / "small.tflite"
    code, out, _ = kws("convert", TINY_CONV, "--incremental", "--out", file)
    assert code == 0
    assert out.splitlines()[0] == f"{file}: {file.stat().st_size} bytes"


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        ((), 2, "--incremental needs --out for the new bundle"),
        (
            ("--out", "{model}"),
            2,
            "is the bundle itself; choose another folder with --out",
        ),
        (("--out", "x", "--stride", 3), 1, r"its stride over time (2) does not divide a step of 3"),
    ],
)
def test_unsuitable_requests_give_one_line_errors(
    *,
    kws: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[object, ...],
    exit_code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    tiny = ROOT / "kws" / "assets" / "tiny"
    given = [str(argument).replace("{model}", str(tiny)) for argument in arguments]
    code, _, err = kws("convert", tiny, "--incremental", *given)
    assert code == exit_code
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_bare_file_needs_labels_or_a_file(kws: Run, tmp_path: Path) -> None:
    code, _, err = kws("convert", TINY_CONV, "--incremental", "--out", tmp_path / "x")
    assert code == 2
    assert "needs --labels, or a .tflite file as --out" in err


def test_an_incremental_model_is_not_converted_again(
    kws: Run, talkative_incremental: Bundle, tmp_path: Path
) -> None:
    small = talkative_incremental.path
    code, _, err = kws("convert", small, "--incremental", "--out", tmp_path / "x")
    assert code == 1
    assert "already keeps state between calls (READ_VARIABLE)" in err
