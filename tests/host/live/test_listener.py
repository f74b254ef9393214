# SPDX-License-Identifier: Apache-2.0
"""`kws listen --input` prints the lines of `kws run`, at any speed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from kws.audio.background_noises import quiet_room
from kws.audio.capture.blocks import Block
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.features.frontend_settings import HOP
from kws.host.emulate import host_device
from kws.host.live.listener import Hop, Listener, Said, file_blocks
from tests.command_line import Run
from tests.host.live.listening import CLIPS, NO, YES
from tests.host.rooms import between_silence


@pytest.mark.parametrize("speed", [["--fast"], []])
def test_a_recording_gives_the_output_of_kws_run(kws: Run, speed: list[str]) -> None:
    expected = kws("run", YES)
    assert "Heard yes" in expected[1]
    assert kws("listen", "--input", YES, *speed) == expected


@pytest.mark.parametrize(("rate", "channels"), [(44100, 2), (22050, 1), (48000, 1)])
def test_other_rates_give_the_output_of_kws_run(
    kws: Run, tmp_path: Path, rate: int, channels: int
) -> None:
    sound = soxr.resample(load_clip(YES).astype(np.float32) / 32768, 16000, rate)
    path = tmp_path / "clip.wav"
    soundfile.write(path, np.stack([sound] * channels, axis=1), rate)
    expected = kws("run", path)
    assert "Heard yes" in expected[1]
    assert kws("listen", "--input", path, "--fast") == expected


def test_blocks_of_any_size_give_the_same_lines(bundle: Bundle) -> None:
    pcm = between_silence(load_clip(NO))
    listener, random = Listener(Device(bundle)), np.random.default_rng(1)
    text, at = [listener.boot[0].text], 0
    while at < len(pcm):
        size = int(random.integers(0, 2000))
        text += [e.text for e in listener.hear(Block(pcm[at : at + size])) if isinstance(e, Said)]
        at += size
    assert "\n".join(text) + "\n" == host_device.play(Device(bundle), pcm).text
    assert text[1].startswith("Heard no")


def test_hops_have_the_cores_values(bundle: Bundle) -> None:
    bundle = bundle.without_second_look()  # a report's score is the mean
    pcm = between_silence(load_clip(YES))
    pcm[40000] = -32768
    hops = [e for e in Listener(Device(bundle)).hear(Block(pcm)) if isinstance(e, Hop)]
    assert [hop.time_ms for hop in hops[:3]] == [20, 40, 60]
    from kws.features.spectrogram import spectrogram

    assert len(hops[0].frame) == 0
    np.testing.assert_array_equal(np.stack([hop.frame for hop in hops[1:]]), spectrogram(pcm))
    assert [hop.time_ms for hop in hops if hop.clipped] == [(40000 // HOP + 1) * 20]
    heard = host_device.play(Device(bundle), pcm).heard[0]
    assert hops[heard.time_ms // 20 - 1].means[2] == heard.score
    assert hops[0].means == (0, 0, 0, 0)


def test_a_second_look_gives_its_scores(bundle: Bundle) -> None:
    assert bundle.second_look
    device = Device(bundle)
    pcm = between_silence(load_clip(YES))
    proposal = bundle.second_look.settings.proposal
    assert device.proposals == (None, None, proposal, proposal)
    hops = [e for e in Listener(device).hear(Block(pcm)) if isinstance(e, Hop)]
    looks = {hop.time_ms: hop for hop in hops if hop.looked}
    assert len(looks) < len(hops) / 20
    heard = host_device.play(device, pcm).heard[0]
    assert looks[heard.time_ms].looked[2] == heard.score
    assert all(max(hop.means[2:]) > proposal for hop in looks.values())
    _, times, _, scores = device.pipeline().trace_looks(pcm)
    seen = {
        time: tuple(int(score) + 128 for score in row)
        for time, row in zip(times, scores, strict=True)
    }
    assert all(seen[time] == hop.looked for time, hop in looks.items())
    alone = Device(bundle.without_second_look())
    assert alone.proposals == (None,) * 4
    events = Listener(alone).hear(Block(pcm))
    assert not any(e.looked for e in events if isinstance(e, Hop))


def test_a_new_threshold_applies_immediately(bundle: Bundle) -> None:
    bundle = bundle.without_second_look()
    pcm = between_silence(load_clip(YES))
    long_mean = replace(bundle.recognizer, average_window_ms=1000)  # no word scores 255 for so long
    listener = Listener(Device(replace(bundle, recognizer=long_mean)))
    assert listener.thresholds == tuple(bundle.recognizer.label_thresholds(bundle.labels))
    listener.set_threshold(2, 254)
    assert listener.thresholds[2] == 254
    assert not [e for e in listener.hear(Block(pcm)) if isinstance(e, Said)]
    listener.set_threshold(2, 100)
    assert [e for e in listener.hear(Block(pcm)) if isinstance(e, Said)]


def test_the_last_seconds_are_kept_in_order(bundle: Bundle) -> None:
    listener = Listener(Device(bundle))
    pcm = np.arange(5 * 16000 // 7 * 7, dtype=np.int32).astype(np.int16)
    for start in range(0, len(pcm), 1000):
        list(listener.hear(Block(pcm[start : start + 1000])))
    whole = pcm[: len(pcm) // HOP * HOP]
    np.testing.assert_array_equal(listener.recent(), whole[-3 * 16000 :])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fast"], "--input"),
        (["--input", YES, "--device", "x"], "choose one"),
        (["--input", "nowhere.wav"], "nowhere.wav: no such file"),
        (["--input", "kws/cli/main.py"], "not a readable recording"),
        (["--input", YES, "--on", "yes"], "word=command"),
        (["--input", YES, "--on", "maybe=true"], "the model has no word 'maybe'"),
        (["--input", YES, "--on", "yes=no_such_program"], "no program 'no_such_program'"),
        (["--input", YES, "--on", "yes=echo 'x"], "quote is not closed"),
        (["--input", YES, "--record-misses", YES], "cannot be written"),
        (["--input", YES, "--keep", YES], "yes_slt.flac"),
        (["--model", "nowhere"], "no such bundle"),
    ],
)
def test_wrong_use_gives_a_one_line_error(kws: Run, arguments: list[object], said: str) -> None:
    code, _out, err = kws("listen", *arguments)
    assert code in (1, 2)
    assert said in err
    assert err.count("\n") == 1


def test_no_file_is_written_unless_requested(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = YES.absolute()
    monkeypatch.chdir(tmp_path)
    kws("listen", "--input", clip, "--fast")
    assert not list(tmp_path.iterdir())


def test_json_has_the_keys_of_kws_monitor(kws: Run) -> None:
    text = kws("listen", "--input", YES, "--json")[1]
    boot, heard = map(json.loads, text.splitlines())
    assert (boot["kind"], boot["board"], heard["kind"], heard["label"]) == (
        "boot",
        "host",
        "heard",
        "yes",
    )
    assert heard["line"] == f"Heard yes ({heard['score']}) @{heard['time_ms']}ms"
    assert heard["delay_ms"] >= 0


def minutes_of_words(path: Path, minutes: int) -> Path:
    names = ["yes_slt", "no_awb", "yes_rob", "left_slt", "no_rms", "go_travis"]
    clips = [load_clip(CLIPS / f"{name}.flac") for name in names]
    pcm = quiet_room(minutes * 60 * 16000)
    random = np.random.default_rng(0)
    for at in range(16000, len(pcm) - 4 * 16000, 4 * 16000):
        clip = clips[random.integers(len(clips))]
        start = at + int(random.integers(16000))
        pcm[start : start + len(clip)] += clip
    soundfile.write(path, pcm, 16000)
    return path


@pytest.mark.slow
def test_a_long_recording_is_fast_and_needs_no_more_memory(kws: Run, tmp_path: Path) -> None:
    def listen(minutes: int) -> tuple[str, int, float]:
        path = minutes_of_words(tmp_path / f"{minutes}.wav", minutes)
        script = (
            "import sys, time; from kws.cli.main import app; app(standalone_mode=False)\n"
            "for line in open('/proc/self/status'):\n"
            "    if line.startswith('VmHWM'): print(line.split()[1], file=sys.stderr)\n"
            "print(time.process_time(), file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, "listen", "--input", str(path), "--fast"],
            capture_output=True,
            text=True,
            check=True,
        )
        memory, seconds = done.stderr.split()
        return done.stdout, int(memory), float(seconds)

    _text, little, _ = listen(1)
    text, much, seconds = listen(5)
    assert text == kws("run", tmp_path / "5.wav")[1]
    assert text.count("Heard") > 40
    assert much - little < 2000, "KiB more for five times the sound"
    assert seconds < 300 / 20, "CPU time, which other processes do not affect"


def test_real_time_takes_as_long_as_the_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a simulated clock that advances only in sleep."""
    now = 100.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    samples = 0
    for block in file_blocks(YES, 1000, fast=False):
        assert isinstance(block, Block)
        samples += len(block.pcm)
        assert now == pytest.approx(block.captured) == pytest.approx(100 + samples / 16000)
    assert samples == len(load_clip(YES)) + 16000
    now += 7
    blocks = file_blocks(YES, 1000, fast=False)
    next(blocks)
    now += 3  # a busy machine
    before = now
    for _ in range(90):
        next(blocks)
    assert now == before, "it catches up"
