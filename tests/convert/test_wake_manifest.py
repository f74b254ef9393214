# SPDX-License-Identifier: Apache-2.0
"""microWakeWord models become bundles, with the same results on the host and on a board."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kws import _core
from kws.audio.pcm import Pcm
from kws.bundle.checks import name_from
from kws.bundle.device import Device, with_commands
from kws.bundle.reading import load_bundle
from kws.cli.main import app
from kws.convert.tflite_import import convert_manifest
from kws.errors import KwsError, ModelError, UsageError
from kws.host.emulate import host_device
from kws.host.serial.lines import Heard
from kws.model.evaluate.judge.stream_metrics import recognize
from kws.model.evaluate.score.streams import Stream
from kws.model.evaluate.score.traces import trace_streams
from tests.convert.wake_models import wake_model, write_manifest
from tests.small_models import LABELS


@pytest.fixture(scope="module")
def bursts() -> Pcm:
    """Faint noise, loud from 2 to 4 s and from 7 to 7.5 s."""
    rng = np.random.default_rng(2)
    levels = np.full(9 * 16000, 4.0)
    for start, end in ((2, 4), (7, 7.5)):
        levels[int(start * 16000) : int(end * 16000)] = 9000
    pcm: Pcm = np.rint(rng.normal(0, 1, len(levels)) * levels).clip(-32768, 32767).astype(np.int16)
    return pcm


def test_the_model_is_unchanged(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path)
    result = CliRunner().invoke(app, ["convert", str(manifest), "--out", str(tmp_path / "b")])
    assert result.exit_code == 0, result.output
    bundle = load_bundle(tmp_path / "b")
    assert bundle.model == wake_model()
    assert (bundle.name, bundle.labels) == ("loud_1", ("something_loud",))
    assert bundle.data == "microWakeWord, by Nobody."
    assert bundle.keywords == bundle.labels
    assert bundle.frontend.stride_samples == 160
    assert (bundle.inference_stride, bundle.every_ms) == (3, 30)
    settings = bundle.recognizer
    assert (settings.detection_threshold, settings.minimum_count) == (229, 5)
    assert settings.average_window_ms == 120, "five results at intervals of 30 ms"


def test_an_older_manifest(tmp_path: Path) -> None:
    changes = {"sliding_window_size": None, "sliding_window_average_size": 10}
    manifest = write_manifest(tmp_path, "old", feature_step_size=None, **changes)
    bundle = convert_manifest(manifest, tmp_path / "b")
    assert (bundle.frontend.stride_samples, bundle.inference_stride, bundle.every_ms) == (
        320,
        1,
        20,
    )
    assert (bundle.recognizer.average_window_ms, bundle.recognizer.minimum_count) == (180, 10)


@pytest.mark.parametrize(
    ("says", "model", "step", "version"),
    [(None, 3, 20, 2), (10, 1, 10, 1)],
    ids=["version 1, model of version 2", "version 2, model of version 1"],
)
def test_step_and_model_that_do_not_match_are_refused(
    says: int | None, model: int, step: int, version: int, tmp_path: Path
) -> None:
    manifest = write_manifest(tmp_path, feature_step_size=says)
    (tmp_path / "loud (1).tflite").write_bytes(wake_model(model))
    with pytest.raises(ModelError, match="step and model do not match") as refused:
        convert_manifest(manifest, tmp_path / "b")
    assert f"{step} ms, but loud (1).tflite takes {model} new frame(s)" in str(refused.value)
    assert f"models of version {version}" in str(refused.value)
    assert not (tmp_path / "b").exists()


def test_scores_equal_the_models_at_hops_of_10_ms(tmp_path: Path, bursts: Pcm) -> None:
    bundle = convert_manifest(write_manifest(tmp_path), tmp_path / "b")
    _, times, scores = Device(bundle).pipeline().trace(bursts)
    interpreter = _core.Interpreter(bundle.model)
    frames = _core.Frontend(stride_samples=160).process(_core.without_offset(bursts[None])[0])
    window = bundle.frontend.frames
    assert window == 98, "a second"
    missing = -window % 3
    padded = np.concatenate([np.full((missing, 40), -128, np.int8), frames])
    for _ in range(0, window, 3):  # a window of silence before the first sound
        interpreter.invoke(np.full((1, 3, 40), -128, np.int8))
    expected, ends = [], []
    for start in range(0, len(padded) - 2, 3):
        (score,) = interpreter.invoke(padded[start : start + 3].reshape(1, 3, 40))
        made = start + 3 - missing  # frames so far
        expected.append(int(score.ravel()[0]) - 128)
        ends.append(10 * (made + 2))
    assert times.tolist() == ends
    assert scores.ravel().tolist() == expected
    assert min(expected) < -120
    assert max(expected) > 120


def test_a_long_sound_is_reported_repeatedly(tmp_path: Path, bursts: Pcm) -> None:
    bundle = convert_manifest(write_manifest(tmp_path), tmp_path / "b")
    heard = [
        event
        for event in host_device.play(Device(bundle), bursts).events
        if isinstance(event, Heard)
    ]
    assert {event.label for event in heard} == {"something_loud"}
    times = [event.time_ms for event in heard]
    assert 2000 < times[0] < 2600
    assert any(7000 < time < 7600 for time in times)
    assert all(b - a > 1500 for a, b in itertools.pairwise(times))
    # The evaluation's recognizer reports the same.
    (trace,) = trace_streams(bundle, [Stream(bursts, ())])
    reports = recognize(bundle.rules, trace)
    assert [(r.label, r.score, r.time_ms) for r in reports] == [
        (event.label, event.score, event.time_ms) for event in heard
    ]


def test_uint8_scores_are_not_compiled(tmp_path: Path) -> None:
    bundle = convert_manifest(write_manifest(tmp_path), tmp_path / "b")
    with pytest.raises(ModelError, match="its scores are uint8"):
        bundle.program.calls  # noqa: B018 - it is made here


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"probability_cutoff": None}, "probability_cutoff is not a number"),
        ({"probability_cutoff": "high"}, "probability_cutoff is not a number"),
        ({"probability_cutoff": 2}, "detection_threshold is 510"),
        ({"sliding_window_size": 0}, "minimum_count is 0"),
        ({"feature_step_size": 5}, "a stride of 80 samples"),
    ],
)
def test_a_wrong_manifest_gives_a_one_line_error(
    changes: dict[str, Any], says: str, tmp_path: Path
) -> None:
    manifest = write_manifest(tmp_path, **changes)
    with pytest.raises(KwsError, match=says) as caught:
        convert_manifest(manifest, tmp_path / "b")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"micro": 3}', '{"micro": {}}'])
def test_a_file_that_is_not_a_manifest(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(KwsError, match=r"x\.json: "):
        convert_manifest(file, tmp_path / "b")


def test_a_manifest_without_its_model(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path)
    table = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**table, "model": "gone.tflite"}))
    with pytest.raises(KwsError, match=r"gone\.tflite"):
        convert_manifest(manifest, tmp_path / "b")
    for more in (["--labels", "a"], []):
        result = CliRunner().invoke(app, ["convert", str(manifest), *more])
        assert isinstance(result.exception, UsageError)


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("hey jarvis (2)", "hey_jarvis_2"),
        ("tiny_conv-1.0", "tiny_conv-1.0"),
        ("[]", "model"),
        ("wörd", "word"),
        ("größer", "grosser"),
        ("你好", "model"),
        ("a" * 40, "a" * 32),
    ],
)
def test_any_file_name_gives_a_valid_name(stem: str, name: str) -> None:
    assert name_from(stem) == name


def test_bundles_with_different_strides_do_not_share_a_frontend(tmp_path: Path) -> None:
    wake = convert_manifest(write_manifest(tmp_path), tmp_path / "a")
    old = {"sliding_window_size": None, "sliding_window_average_size": 10}
    other = convert_manifest(
        write_manifest(tmp_path, "b", feature_step_size=None, **old), tmp_path / "b"
    )
    with pytest.raises(UsageError, match="stride_samples is 160 in one and 320"):
        with_commands(wake, other)


@pytest.mark.parametrize("labels", [("silence", "loud"), ("loud", "unknown"), LABELS[:2]])
def test_labels_have_both_or_none_of_the_other_classes(
    labels: tuple[str, ...], tmp_path: Path
) -> None:
    write_manifest(tmp_path, "a")
    command = ["convert", str(tmp_path / "a.tflite"), "--labels", ",".join(labels)]
    result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "b")])
    assert isinstance(result.exception, UsageError)
    assert "only keywords" in str(result.exception)
