# SPDX-License-Identifier: Apache-2.0
"""The WebAssembly core, run in Node.js with the page's scripts, is bit-identical to the host."""

from __future__ import annotations

import base64
import dataclasses
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kws import _core
from kws.audio.sound_files import load_clip, read_recording, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.changes import Changes
from kws.bundle.device import Device, with_commands
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.convert.incremental.bundle import incremental_of_bundle
from kws.errors import ModelError
from kws.features.frontend_settings import FrontendSettings
from kws.host.emulate import host_device
from kws.host.web.browser_core import sources_digest
from kws.host.web.export import export_page
from kws.host.web.site_files import MODEL, WASM
from tests.host.rooms import between_silence
from tests.host.web.exported_page import check_same, check_same_lines, looks_of, page_of, trace
from tests.paths import ROOT
from tests.small_models import LABELS, dense_model

CLIPS = sorted((ROOT / "kws" / "assets" / "matrix").glob("*.flac"))

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed"),
]


@pytest.fixture(scope="module")
def wavs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The test matrix's clips and extreme sounds, as 16-bit WAV."""
    folder = tmp_path_factory.mktemp("wavs")
    rng = np.random.default_rng(7)
    sounds = {clip.stem: load_clip(clip) for clip in CLIPS}
    sounds["loudest"] = rng.choice(np.array([-32768, 32767], np.int16), 20_000)
    sounds["offset"] = sounds["yes_slt"] // 2 - 9000
    sounds["zeros"] = np.zeros(16_000, np.int16)
    sounds["one_sample"] = np.array([5], np.int16)
    for name, pcm in sounds.items():
        write_clip(folder / f"{name}.wav", pcm)
    return sorted(folder.iterdir())


def test_the_default_model_gives_the_hosts_lines(wavs: list[Path], tmp_path: Path) -> None:
    bundle = load_bundle(default_bundle_path())
    page = page_of(Device(bundle), tmp_path / "page")
    assert check_same(bundle, trace(page, wavs), wavs) >= 4
    check_same(bundle, trace(page, wavs[:3], block=1), wavs[:3])
    check_same(bundle, trace(page, wavs[:3], block=477), wavs[:3])


@pytest.mark.parametrize("report_unknown", [False, True])
def test_unknown_is_reported_only_if_configured(
    wavs: list[Path], tmp_path: Path, report_unknown: bool
) -> None:
    recognizer = RecognizerSettings(detection_threshold=90, report_unknown=report_unknown)
    bundle = dataclasses.replace(load_bundle(default_bundle_path()), recognizer=recognizer)
    said = trace(page_of(Device(bundle), tmp_path / "page"), wavs)
    check_same(bundle, said, wavs)
    assert ("Heard unknown" in "".join(clip["text"] for clip in said["clips"])) is report_unknown


def test_the_gate_skips_the_same_inferences_as_on_the_host(
    wavs: list[Path], tmp_path: Path
) -> None:
    room = np.random.default_rng(2).normal(0, 100, 8 * _core.SAMPLE_RATE).astype(np.int16)
    voice = load_clip(wavs[-1])
    room[5 * _core.SAMPLE_RATE :][: len(voice)] += voice
    wav = tmp_path / "room.wav"
    write_clip(wav, room)
    recognizer = RecognizerSettings(detection_threshold=90, gate_db=0.8)
    bundle = dataclasses.replace(load_bundle(default_bundle_path()), recognizer=recognizer)
    pipeline = Device(bundle).pipeline()
    pipeline.trace(between_silence(load_clip(wav)))
    assert 10 < pipeline.skipped < pipeline.inferences - 10
    check_same(bundle, trace(page_of(Device(bundle), tmp_path / "page"), [wav]), [wav])


@pytest.mark.parametrize("keep_noise", [False, True])
def test_settings_reach_the_core(keep_noise: bool, wavs: list[Path], tmp_path: Path) -> None:
    recognizer = RecognizerSettings(
        average_window_ms=500,
        detection_threshold=90,
        suppression_ms=300,
        minimum_count=5,
        thresholds={"yes": 255, "grün": 40},
    )
    bundle = dataclasses.replace(
        load_bundle(default_bundle_path()).without_second_look(),
        name="other",
        labels=("silence", "unknown", "yes", "grün"),
        recognizer=recognizer,
        inference_stride=3,
        frontend=FrontendSettings(keep_noise=keep_noise),
    )
    said = trace(page_of(Device(bundle), tmp_path / "page"), wavs)
    assert said["thresholds"] == [90, 90, 255, 40]
    check_same(bundle, said, wavs)
    heard = "".join(clip["text"] for clip in said["clips"])
    assert "Heard grün (" in heard
    assert "Heard yes" not in heard


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Statistics for quantized inputs")
@pytest.mark.parametrize("family", ["conv", "ds_cnn", "tc_resnet8", "bc_resnet", "crnn", "lstm"])
def test_models_of_each_kind_give_the_hosts_scores(
    family: str, wavs: list[Path], tmp_path: Path
) -> None:
    from tests.runtime import families

    model = (
        families.lstm()
        if family == "lstm"
        else families.from_layers(families.FAMILIES[family][0], (49, 40, 1))
    )
    bundle = make_bundle(model, LABELS, name=family, recognizer=RecognizerSettings(200))
    check_same(bundle, trace(page_of(Device(bundle), tmp_path / "page"), wavs[:4]), wavs[:4])


@pytest.mark.slow
def test_a_streaming_model_gets_each_frame_once(wavs: list[Path], tmp_path: Path) -> None:
    from tests.runtime import families

    model = families.low_latency_svdf()
    bundle = make_bundle(model, LABELS, name="svdf", inference_stride=1)
    check_same(bundle, trace(page_of(Device(bundle), tmp_path / "page"), wavs[:4]), wavs[:4])


# --- a wake word, then commands -------------------------------------------------------------------


def test_commands_after_a_wake_word(wavs: list[Path], tmp_path: Path) -> None:
    clips = {clip.stem: load_clip(clip) for clip in CLIPS}
    pause = np.zeros(9600, np.int16)
    spoken = [clips[name] for name in ("left_slt", "yes_slt", "left_slt", "no_awb", "pink_noise")]
    wav = tmp_path / "spoken.wav"
    write_clip(wav, np.concatenate([part for clip in spoken for part in (clip, pause)]))
    yes_no = load_bundle(default_bundle_path())
    ten_words = load_bundle(default_bundle_path().with_name("ten_words"))
    device = with_commands(yes_no, ten_words, 3000)
    page = page_of(device, tmp_path / "page")
    # After a recording that ends while the second bundle is active, the pipeline starts again.
    text = check_same_lines(device, trace(page, [wav, *wavs]), [wav, *wavs])
    first = text.splitlines()[:6]
    assert [line.split()[:2] for line in first] == [
        ["Heard", "yes"], ["Listening", "for"], ["Heard", "left"], ["Waiting", "for"],
        ["Heard", "no"], ["Listening", "for"],
    ]  # fmt: skip
    assert all(int(line.split("(")[1].split(")")[0]) > 60 for line in first if "Heard" in line)
    check_same_lines(device, trace(page, [wav], block=477), [wav])


@pytest.mark.parametrize("windows", [(25, 110), (110, 25)])
def test_two_windows_share_the_frames(windows: tuple[int, int], tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    levels = np.repeat(2.0 ** rng.integers(0, 14, 48), 4000)
    wav = tmp_path / "bursts.wav"
    write_clip(wav, np.rint(rng.uniform(-1, 1, len(levels)) * levels).astype(np.int16))
    settings = RecognizerSettings(200, 60, 300, 1, gate_db=0.8)
    first, second = (
        make_bundle(
            dense_model(elements=40 * frames), LABELS, name=f"f{frames}", recognizer=settings
        )
        for frames in windows
    )
    device = with_commands(first, second, 1500)
    said = trace(page_of(device, tmp_path / "page"), [wav])
    assert check_same_lines(device, said, [wav]).count("Listening") > 2


@pytest.mark.parametrize("incremental", [False, True])
def test_a_second_look_gives_the_hosts_lines(
    wavs: list[Path], tmp_path: Path, incremental: bool
) -> None:
    ten_words = load_bundle(default_bundle_path().with_name("ten_words"))
    first = load_bundle(default_bundle_path())
    if incremental:  # a streaming model, so the second look has an arena of its own
        path, step = default_bundle_path(), Changes(inference_stride=6)
        first, _ = incremental_of_bundle(path, tmp_path / "small", step)
    eager = dataclasses.replace(first.recognizer, thresholds={"yes": 60, "no": 60}, gate_db=0.0)
    bundle = dataclasses.replace(first, recognizer=eager).verified_by(ten_words)
    assert bundle.second_look
    strict = dataclasses.replace(bundle.second_look.settings, proposal=60, thresholds={"no": 254})
    look = dataclasses.replace(bundle.second_look, settings=strict)
    bundle = dataclasses.replace(bundle, second_look=look)
    device = Device(bundle)
    said = check_same_lines(device, trace(page_of(device, tmp_path / "page"), wavs), wavs)
    plain = Device(bundle.without_second_look())
    proposed = check_same_lines(plain, trace(page_of(plain, tmp_path / "plain"), wavs), wavs)
    assert 4 <= said.count("Heard") < proposed.count("Heard"), "some are refused"
    sounds = [host_device.with_room(device, read_recording(wav).pcm) for wav in wavs]
    assert sum(len(looks_of(device, pcm)) for pcm in sounds) > said.count("Heard")
    assert not any(looks_of(plain, pcm) for pcm in sounds)


def test_a_damaged_second_model_gives_the_hosts_error(tmp_path: Path) -> None:
    good = dataclasses.replace(load_bundle(default_bundle_path()), path=None)
    second = load_bundle(default_bundle_path().with_name("ten_words"))
    cut = dataclasses.replace(second, model=second.model[:5000])
    page = page_of(with_commands(good, second), tmp_path / "page")
    whole, damaged = (base64.b64encode(part.model).decode() for part in (second, cut))
    (page / MODEL).write_text((page / MODEL).read_text().replace(whole, damaged))
    said = trace(page, [])
    assert "damaged" in said["problem"]
    assert said == {"problem": host_error(with_commands(good, cut), good.model)}


# --- errors ---------------------------------------------------------------------------------------


def damage(page: Path, change: Any) -> None:
    """Change the bytes of the exported model."""
    file = page / MODEL
    text = file.read_text()
    match = re.search(r'KWS_MODELS = \["([^"]*)"', text)
    assert match
    model = bytearray(base64.b64decode(match[1]))
    model = change(model) or model
    file.write_text(text.replace(match[1], base64.b64encode(model).decode()))


def host_error(device: Device, model: bytes) -> str | None:
    """The error of the host's core for a model, or None."""
    damaged = dataclasses.replace(device.bundle, model=model)
    try:
        dataclasses.replace(device, bundle=damaged).pipeline()
    except ModelError as error:
        return "error: " + str(error).split(": ", 1)[1]
    return None


@pytest.mark.slow
def test_a_damaged_model_gives_the_hosts_error(tmp_path: Path) -> None:
    bundle = dataclasses.replace(load_bundle(default_bundle_path()), path=None)
    rng = np.random.default_rng(3)
    page = page_of(Device(bundle), tmp_path / "page")
    whole = (page / MODEL).read_text()
    refused = 0
    for round_ in range(40):
        (page / MODEL).write_text(whole)
        kept: list[bytes] = []

        def change(model: bytearray, round_: int = round_, kept: list[bytes] = kept) -> bytearray:
            if round_ < 10:
                del model[len(model) * round_ // 10 :]
            else:
                for place in rng.integers(0, 800, 6):
                    model[place] ^= int(rng.integers(1, 256))
            kept.append(bytes(model))
            return model

        damage(page, change)
        said = trace(page, [])
        assert said.get("problem") == host_error(Device(bundle), kept[0])
        refused += "problem" in said
        assert "\n" not in said.get("problem", "")
    assert refused >= 20


def test_a_too_small_arena_is_reported(tmp_path: Path) -> None:
    bundle = load_bundle(default_bundle_path()).without_second_look()
    bundle = dataclasses.replace(bundle, arena_bytes=3000)
    said = trace(page_of(Device(bundle), tmp_path / "page"), [])
    assert said == {"problem": "error: tensor arena is too small; make it larger than 3000 bytes"}


def test_a_model_larger_than_the_initial_memory_runs(wavs: list[Path], tmp_path: Path) -> None:
    model = dense_model() + bytes(3 << 20)
    bundle = make_bundle(model, LABELS, name="large")
    check_same(bundle, trace(page_of(Device(bundle), tmp_path / "page"), wavs[:1]), wavs[:1])


def wav(path: Path, *, rate: int = 16_000, channels: int = 1, bits: int = 16, cut: int = 0) -> Path:
    body = bytes(3200)
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI4s4sI",
        *(b"RIFF", 48 + len(body), b"WAVE", b"fmt ", 16, 1, channels, rate),
        *(rate * channels * bits // 8, channels * bits // 8, bits),
        *(b"LIST", 4, b"INFO", b"data", len(body)),
    )
    path.write_bytes((head + body)[: len(head) + len(body) - cut])
    return path


def test_only_exact_recordings_are_read_without_the_browser(tmp_path: Path) -> None:
    bundle = load_bundle(default_bundle_path())
    page = page_of(Device(bundle), tmp_path / "page")
    text = tmp_path / "text.wav"
    text.write_text("not a readable recording")
    files = [
        wav(tmp_path / "fits.wav"),
        wav(tmp_path / "rate.wav", rate=44_100),
        wav(tmp_path / "channels.wav", channels=2),
        wav(tmp_path / "bits.wav", bits=8),
        text,
        wav(tmp_path / "damaged.wav", cut=101),
    ]
    clips = trace(page, files)["clips"]
    assert [clip.get("problem") for clip in clips] == [None, *["not exact"] * 4, None]
    # The page reads the same part of a truncated file as libsndfile.
    for file, clip in ((files[0], clips[0]), (files[5], clips[5])):
        check_same(bundle, {**trace(page, []), "clips": [clip]}, [file])


# --- the build ------------------------------------------------------------------------------------


def test_the_committed_core_has_the_current_sources() -> None:
    committed = WASM.with_name(f"{WASM.name}.sources").read_text(encoding="utf-8").strip()
    assert committed == sources_digest(), "run make wasm and commit kws.wasm and kws.wasm.sources"


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("em++") is None, reason="emscripten is not installed (make wasm installs it)"
)
def test_make_wasm_builds_the_committed_core(tmp_path: Path) -> None:
    """Only with the same compiler; otherwise the tests above check the core."""
    version = subprocess.run(["em++", "-v"], capture_output=True, text=True, check=True).stderr
    if "3.1.6" not in version or "clang version 14.0.6" not in version:
        pytest.skip(f"kws.wasm needs emscripten 3.1.6 with clang 14.0.6, not {version!r}")
    if not (ROOT / "Makefile").is_file():
        pytest.skip("not a git checkout")
    built = tmp_path / "kws.wasm"
    subprocess.run(["make", "-s", "wasm", f"WASM={built}"], cwd=ROOT, check=True, timeout=900)
    assert built.read_bytes() == WASM.read_bytes(), "run make wasm and commit kws.wasm"


def test_the_page_without_the_model_is_small(tmp_path: Path) -> None:
    bundle = load_bundle(default_bundle_path())
    page = tmp_path / "page"
    size = export_page(Device(bundle), page)
    everything = sum(file.stat().st_size for file in page.iterdir())
    assert size == everything - (page / MODEL).stat().st_size
    assert size < 300_000
