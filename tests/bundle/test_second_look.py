# SPDX-License-Identifier: Apache-2.0
"""A bundle's second look: files, checks, settings, and the lines on host and board."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws import _core
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.changes import Changes, change_bundle
from kws.bundle.codegen import then_sources
from kws.bundle.device import Device, with_commands
from kws.bundle.licences import licences_of
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.second_look import LookSettings
from kws.bundle.writing import write_bundle
from kws.convert.incremental.bundle import incremental_of_bundle
from kws.errors import BundleError, KwsError, UsageError
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.qemu import Qemu
from tests.command_line import Run
from tests.paths import ROOT
from tests.small_models import LABELS, dense_model

EAGER = RecognizerSettings(200, 60, 300, 1)


def with_look(first: Bundle, second: Bundle, **settings: object) -> Bundle:
    """The bundle with a second look with these settings, at scores from 60."""
    bundle = first.verified_by(second)
    assert bundle.second_look
    look = replace(bundle.second_look.settings, **{"proposal": 60, **settings})  # type: ignore[arg-type]
    return replace(bundle, second_look=replace(bundle.second_look, settings=look))


@pytest.fixture(scope="module")
def first() -> Bundle:
    return make_bundle(dense_model(), LABELS, name="first", recognizer=EAGER)


@pytest.fixture(scope="module")
def wide() -> Bundle:
    """A model of 1.5 s with more labels, in another order."""
    labels = ("silence", "unknown", "no", "up", "yes")
    return make_bundle(dense_model(elements=40 * 75, outputs=5), labels, name="wide")


@pytest.fixture(scope="module")
def noise() -> Pcm:
    """Bursts of noise."""
    rng = np.random.default_rng(5)
    levels = np.repeat(2.0 ** rng.integers(0, 14, 48), 4000)
    return np.rint(rng.uniform(-1, 1, len(levels)) * levels).astype(np.int16)


def words(lines: bytes) -> list[bytes]:
    """The words heard."""
    return [line.split()[1] for line in lines.splitlines() if line.startswith(b"Heard")]


def test_a_bundle_keeps_its_second_look(first: Bundle, wide: Bundle, tmp_path: Path) -> None:
    bundle = with_look(first, wide, thresholds={"yes": 99}, looks=2, every=3)
    written = write_bundle(bundle, tmp_path / "two")
    assert written == bundle
    assert written.second_look
    assert written.second_look.labels == wide.labels
    assert written.second_look.order_for(LABELS) == [0, 1, 4, 2]
    assert written.second_look.settings.label_thresholds(LABELS) == [128, 128, 99, 128]
    assert written.rules.recognizer.label_thresholds(LABELS) == [200, 200, 99, 128]
    assert (written.kept_frames, written.input_frames) == (87, 49)
    assert written.host_arena_bytes == max(first.arena_bytes, wide.arena_bytes)
    assert written.firmware_arena_bytes == max(first.arena_bytes, wide.program.arena_bytes)
    assert written.firmware_arena_bytes < written.host_arena_bytes
    look = tmp_path / "two" / "firmware" / "look"
    assert sorted(file.name for file in look.iterdir()) == [
        "compiled_model.cc",
        "compiled_model.h",
        "second_look.h",
    ]
    card = (tmp_path / "two" / "README.md").read_text()
    assert "up to 2 times, 120 ms apart" in card
    sold = replace(written, second_look=replace(written.second_look, data="Emo-DB"))
    assert any("Emo-DB" in item.part for item in licences_of(sold)), "its data count, too"
    assert change_bundle(tmp_path / "two", tmp_path / "same") == written, "nothing is adapted"
    faster = change_bundle(tmp_path / "two", tmp_path / "fast", Changes(inference_stride=1))
    assert faster.second_look
    assert (faster.stride, faster.second_look.settings.every) == (1, 12)
    again = change_bundle(tmp_path / "two", tmp_path / "plain", Changes(no_verify=True))
    assert again.second_look is None
    assert not (tmp_path / "plain" / "second_look.tflite").exists()


def test_outputs_in_another_order_are_found(first: Bundle, wide: Bundle) -> None:
    # The model's outputs are yes, silence, up, no, unknown.
    other = replace(wide, output_order=(1, 4, 3, 2, 0))
    look = first.verified_by(other).second_look
    assert look
    assert look.labels == ("yes", "silence", "up", "no", "unknown")
    assert look.order_for(LABELS) == [1, 4, 0, 3]


def test_the_second_model_decides(first: Bundle, wide: Bundle, noise: Pcm) -> None:
    proposed = words(Device(first).pipeline().feed(noise))
    assert len(proposed) > 5
    for thresholds, heard in (({"yes": 254, "no": 254}, 0), ({"yes": 255, "no": 0}, None)):
        bundle = with_look(first, wide, thresholds=thresholds)
        pipeline = Device(bundle).pipeline()
        confirmed = words(pipeline.feed(noise))
        assert pipeline.looks > 0
        assert b"yes" not in confirmed
        assert heard is None or len(confirmed) == heard
    assert words(Device(bundle.without_second_look()).pipeline().feed(noise)) == proposed


def test_scores_and_looks_give_the_pipelines_detections(
    first: Bundle, wide: Bundle, noise: Pcm
) -> None:
    bundle = with_look(first, wide, thresholds={"yes": 40, "no": 40}, every=2)
    text, times, scores, looks = Device(bundle).pipeline().trace_looks(noise)
    rows = bundle.rules.core_recognizer().run(scores, times, looks)
    said = [f"Heard {LABELS[k]} ({score}) @{ms}ms" for ms, k, score in rows.tolist() if k > 1]
    assert said == text.decode().splitlines()
    assert said
    alone = Device(bundle.without_second_look()).pipeline()
    np.testing.assert_array_equal(alone.trace(noise)[2], scores)
    with pytest.raises(_core.CoreError, match="no second look"):
        alone.trace_looks(noise)


def test_both_windows_have_to_confirm(first: Bundle, wide: Bundle, noise: Pcm) -> None:
    assert with_look(first, wide).earlier_ms == 240
    assert with_look(first, first).earlier_ms == 0, "its window is not longer"
    once = with_look(first, wide, earlier=0, thresholds={"yes": 40, "no": 40})
    assert once.earlier_ms == 0
    both = with_look(first, wide, earlier=first.stride, thresholds={"yes": 40, "no": 40})
    assert (once.kept_frames, both.kept_frames) == (75, 75 + first.stride)
    newest = Device(once).pipeline().trace_looks(noise)[3]
    lower = Device(both).pipeline().trace_looks(noise)[3]
    # The window that ended a stride earlier is the newest one of the inference before.
    np.testing.assert_array_equal(lower[1:], np.minimum(newest[1:], newest[:-1]))
    heard = [len(words(Device(bundle).pipeline().feed(noise))) for bundle in (once, both)]
    assert heard[0] > heard[1] > 0


def test_a_streaming_model_has_a_second_look_with_an_arena_of_its_own(
    wide: Bundle, tmp_path: Path, board_tools: None
) -> None:
    path, ten = default_bundle_path(), default_bundle_path().with_name("ten_words")
    looked = with_look(load_bundle(path), load_bundle(ten))
    looked = write_bundle(looked, tmp_path / "whole")
    assert looked.path
    small, _ = incremental_of_bundle(looked.path, tmp_path / "small", Changes())
    assert small.second_look == looked.second_look
    assert small.streams
    assert small.host_arena_bytes == small.firmware_arena_bytes == small.arena_bytes
    pcm = np.concatenate([speech("yes_slt"), speech("no_awb"), speech("five_mike")])
    lines = host_device.play(Device(small), pcm).text.splitlines()[1:]
    assert lines == host_device.play(Device(looked), pcm).text.splitlines()[1:]
    assert any("Heard" in line for line in lines)
    with_room = host_device.with_room(Device(small), pcm)
    expected = host_device.play(Device(small), with_room).text.splitlines()[1:]
    assert (
        Qemu().play(build("qemu", Device(small)).elf, with_room).text.splitlines()[1:] == expected
    )


def speech(name: str) -> Pcm:
    """A recording of the test matrix."""
    return load_clip(default_bundle_path().with_name("matrix") / f"{name}.flac")


@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize("compiled", [False, True])
def test_the_board_gives_the_hosts_lines(
    first: Bundle, wide: Bundle, noise: Pcm, tmp_path: Path, compiled: bool
) -> None:
    bundle = replace(with_look(first, wide, thresholds={"yes": 40, "no": 40}), compiled=compiled)
    device = Device(write_bundle(bundle, tmp_path / "two"))
    expected = host_device.play(device, noise).text.splitlines()[1:]
    assert len(expected) > 3
    assert Qemu().play(build("qemu", device).elf, noise).text.splitlines()[1:] == expected
    # Without the second look, the same folder is built without it.
    plain = device.without_second_looks()
    proposed = host_device.play(plain, noise).text.splitlines()[1:]
    assert proposed != expected
    assert Qemu().play(build("qemu", plain).elf, noise).text.splitlines()[1:] == proposed


def test_both_bundles_of_a_device_may_have_one(
    first: Bundle, wide: Bundle, noise: Pcm, tmp_path: Path, board_tools: None
) -> None:
    look = with_look(first, wide, thresholds={"yes": 40, "no": 40})
    device = with_commands(
        write_bundle(look, tmp_path / "one"), write_bundle(look, tmp_path / "two"), 1000
    )
    expected = host_device.play(device, noise).text.splitlines()[2:]
    assert sum("Listening" in line for line in expected) > 1
    assert Qemu().play(build("qemu", device).elf, noise).text.splitlines()[2:] == expected


def test_a_second_look_that_does_not_fit_is_refused(
    first: Bundle, tmp_path: Path, mixednet: Bundle
) -> None:
    few = make_bundle(dense_model(outputs=3), ("silence", "unknown", "yes"), name="few")
    with pytest.raises(UsageError, match="does not know no; it knows yes"):
        first.verified_by(few)
    with pytest.raises(UsageError, match="streams"):
        first.verified_by(mixednet)
    kept = replace(few, frontend=replace(few.frontend, keep_noise=True))
    with pytest.raises(UsageError, match="different features; train both with the same keep_noise"):
        first.verified_by(kept)
    with pytest.raises(KwsError, match="looks"):
        LookSettings(looks=0)
    with pytest.raises(KwsError, match="a threshold for 'up'"):
        LookSettings(thresholds={"up": 3}).label_thresholds(LABELS)


@pytest.fixture(scope="module")
def mixednet() -> Bundle:
    """A streaming model."""
    model = (ROOT / "tests" / "data" / "models" / "mixed_net.tflite").read_bytes()
    return make_bundle(model, LABELS, name="mixednet")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda b: (b / "second_look.tflite").unlink(), "(?i)no such file"),
        (lambda b: (b / "second_look.tflite").write_bytes(b"TFL3"), "SHA-256"),
        (lambda b: edit(b, "sha256 =", "sha257 ="), "sha256 is missing"),
        (lambda b: edit(b, "looks = 3", "looks = 0"), "looks"),
        (lambda b: edit(b, "looks = 3", "lokos = 3"), "unknown setting 'lokos'"),
        (lambda b: (b / "firmware" / "look" / "second_look.h").unlink(), "missing, or generated"),
    ],
)
def test_a_damaged_second_look_is_one_clear_line(
    first: Bundle, wide: Bundle, tmp_path: Path, damage: object, message: str
) -> None:
    folder = tmp_path / "two"
    write_bundle(with_look(first, wide), folder)
    damage(folder)  # type: ignore[operator]
    with pytest.raises(BundleError, match=message) as error:
        load_bundle(folder)
    assert "\n" not in str(error.value)


def edit(folder: Path, old: str, new: str) -> None:
    """Replace text of bundle.toml, from the table of the second look on."""
    file = folder / "bundle.toml"
    head, mark, table = file.read_text().partition("[second_look]")
    assert old in table
    file.write_text(head + mark + table.replace(old, new))


def test_an_explanation_names_a_refusal(kws: Run, tmp_path: Path) -> None:
    strict = tmp_path / "strict"
    assert kws("set", "yes_no", "--threshold", "254", "--out", strict)[0] == 0
    clip = default_bundle_path().with_name("matrix") / "yes_annie.flac"
    text = kws("run", "--model", strict, clip, "--explain")[1]
    assert "Heard" not in text
    (row,) = (line for line in text.splitlines() if line.startswith("yes "))
    assert "refused by the second look" in row


def test_bench_measures_both_models(kws: Run) -> None:
    code, text, error = kws("bench", "--model", "tiny", "--json")
    assert code == 0, error
    facts = json.loads(text)
    ops = [[name for name, _ in each["op_microseconds"]] for each in (facts, facts["second_look"])]
    assert ops[0] == ["DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "SOFTMAX"]
    assert len(ops[1]) > 20
    assert facts["inferences_per_second"] > facts["second_look"]["inferences_per_second"]
    assert "\nsecond look  " in kws("bench", "--model", "tiny")[1]


def test_set_adds_and_removes_one(kws: Run, tmp_path: Path) -> None:
    out = tmp_path / "two"
    code, text, error = kws("set", "yes_no", "--verify", "ten_words", "--out", out)
    assert code == 0, error
    assert "second look: " in text
    assert "up to 3 looks 240 ms apart\n" in text
    clip = default_bundle_path().with_name("matrix") / "yes_slt.flac"
    both = kws("run", "--model", out, clip)[1]
    assert "Heard yes" in both
    assert both != kws("run", "--model", out, "--no-verify", clip)[1], "another score"
    code, _, error = kws("set", out, "--verify", "tiny", "--no-verify")
    assert code == 2
    assert "cannot be combined" in error
    assert kws("set", out, "--no-verify")[0] == 0
    assert load_bundle(out).second_look is None


@pytest.mark.parametrize("compiled", [False, True])
def test_two_bundles_with_the_same_second_look_have_it_once_in_the_firmware(
    first: Bundle, wide: Bundle, compiled: bool
) -> None:
    one = with_look(first, wide)
    same, other = with_look(replace(first, name="same"), wide, proposal=70), with_look(first, first)
    if compiled:
        one, same, other = (replace(it, compiled=True) for it in (one, same, other))
    shared, own = then_sources(same, 5000, one), then_sources(other, 5000, one)
    assert [name for name in shared if name.startswith("look/")] == ["look/second_look.h"]
    assert "{\n    70, " in shared["look/second_look.h"], "the settings are its own"
    assert len([name for name in own if name.startswith("look/")]) > 1
