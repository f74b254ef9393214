# SPDX-License-Identifier: Apache-2.0
"""A wake-word bundle, then a command bundle: the same lines on the host and on the board."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device, with_commands
from kws.bundle.reading import load_bundle
from kws.errors import UsageError
from kws.features.frontend_settings import FrontendSettings
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.expectations import Recording, clip_recording
from kws.host.emulate.player import HOST, play_all
from kws.host.emulate.qemu import Qemu
from kws.host.emulate.recordings import default_matrix, held_out_after_wake_word
from kws.host.serial.lines import Heard, Listening, Then, Waiting, parse_line
from tests.command_line import Run
from tests.tones import make_tones

TEN_WORDS = default_bundle_path().parent / "ten_words"
YES, NO, LEFT = (
    load_clip(default_matrix() / f"{name}.flac") for name in ("yes_slt", "no_awb", "left_slt")
)


def pause(seconds: float) -> Pcm:
    return quiet_room(round(seconds * 16000), seed=2)


def labels_of(text: str) -> list[str]:
    """Reports and changes of the active bundle, without scores and times."""
    return [line.split(" (")[0].split(" @")[0] for line in text.splitlines()[2:]]


@pytest.fixture
def pair() -> Device:
    return with_commands(load_bundle(default_bundle_path()), load_bundle(TEN_WORDS))


@pytest.fixture(scope="module")
def conversation() -> Pcm:
    """A command; yes and a command; the command again; yes, a pause past the timeout, a command."""
    early = (pause(1), LEFT, pause(1.5))
    answered = (YES, pause(1), LEFT, pause(2), LEFT, pause(1.5))
    late = (YES, pause(7), LEFT, pause(1.5))
    return np.concatenate([*early, *answered, *late])


HAND_OVERS = [
    "Heard yes",
    "Listening for commands",
    "Heard left",
    "Waiting for the wake word",
    "Heard yes",
    "Listening for commands",
    "Waiting for the wake word",
]


def test_a_command_is_heard_once_and_only_after_a_wake_word(
    pair: Device, conversation: Pcm
) -> None:
    serial = host_device.play(pair, conversation)
    assert labels_of(serial.text) == HAND_OVERS
    last, waiting = serial.events[-2:]
    assert isinstance(last, Listening)
    assert isinstance(waiting, Waiting)
    assert waiting.time_ms - last.time_ms == 5000
    assert [heard.label for heard in serial.heard] == ["yes", "left", "yes"]


def test_a_word_of_both_bundles_is_reported_by_one_at_a_time(pair: Device) -> None:
    alone = np.concatenate([pause(1), YES, pause(8)])
    assert labels_of(host_device.play(pair, alone).text) == [
        "Heard yes",
        "Listening for commands",
        "Waiting for the wake word",
    ]
    twice = np.concatenate([pause(1), YES, pause(1), YES, pause(1.5)])
    assert labels_of(host_device.play(pair, twice).text) == [
        "Heard yes",
        "Listening for commands",
        "Heard yes",
        "Waiting for the wake word",
    ]


def test_a_wake_word_that_is_not_a_command_does_not_extend_the_time(pair: Device) -> None:
    commands = load_bundle(TEN_WORDS)
    deaf = commands.with_thresholds([255] * len(commands.labels))
    pair = with_commands(pair.bundle, deaf, 4000)
    pcm = np.concatenate([pause(1), YES, pause(1), YES, pause(4)])
    events = host_device.play(pair, pcm).events
    assert [type(event) for event in events] == [Heard, Listening, Waiting]
    assert events[2].time_ms - events[1].time_ms == 4000


def without_arenas(text: str) -> str:
    """The lines without the arenas' sizes: the host interprets second looks, firmware does not."""
    changed, count = re.subn(r", arena \d+ of \d+ bytes$", "", text, flags=re.MULTILINE)
    assert count == 2
    return changed


@pytest.mark.usefixtures("board_tools")
def test_host_and_emulator_write_the_same_lines(pair: Device, conversation: Pcm) -> None:
    elf = build("qemu", pair).elf
    rounded = with_commands(pair.bundle, load_bundle(TEN_WORDS), 1234)
    elf_rounded = build("qemu", rounded).elf
    many = np.tile(np.concatenate([YES, pause(1), NO, pause(0.7), LEFT, pause(1)]), 4)
    plays: list[tuple[Device, Path, Pcm]] = [
        (pair, elf, conversation),
        (pair, elf, many[: 20 * 16000 + 123]),
        (rounded, elf_rounded, conversation),
    ]
    with Qemu() as emulator, ThreadPoolExecutor(2) as pool:
        boards = list(pool.map(lambda play: emulator.play(play[1], play[2]), plays))
    for (device, _, pcm), board in zip(plays, boards, strict=True):
        host = host_device.play(device, pcm).text
        assert without_arenas(board.text) == without_arenas(host.replace("on host", "on qemu", 1))
        assert "Listening for commands" in host
    then = parse_line(boards[2].text.splitlines()[1])
    assert isinstance(then, Then)
    assert (then.model, then.listen_ms) == ("ten_words", 1234)
    assert then.arena_size == pair.arena_bytes


@pytest.mark.usefixtures("board_tools")
def test_thresholds_of_both_bundles_can_be_set_on_the_serial_line(pair: Device) -> None:
    with Qemu() as emulator:
        typed = "threshold yes 90\nthreshold left\nstats\n"
        text = emulator.play(build("qemu", pair).elf, quiet_room(16000), typed).text
    answers = text.splitlines()[2:]
    assert pair.commands is not None
    usual = pair.commands.rules.thresholds["left"]
    assert answers[:2] == ["threshold yes 90, yes 90", f"threshold left {usual}"]
    assert f"arena {pair.arena_bytes} bytes" in answers[2]


@pytest.mark.usefixtures("board_tools")
def test_two_bundles_need_little_more_ram_than_one(pair: Device) -> None:
    one, two = (build("nano33ble", one).size for one in (Device(pair.bundle), pair))
    assert two.ram < 64_000
    assert two.arena == pair.arena_bytes
    assert (two.ram - two.arena) - (one.ram - one.arena) < 1024
    assert len(pair.models) == 4, "each with a second look"
    looks = [part.second_look.program for part in pair.parts if part.second_look]
    models = sum(len(part.model) for part in pair.parts)
    assert two.model == models + sum(look.constant_bytes for look in looks)


@pytest.mark.parametrize("board", [HOST, pytest.param("qemu", marks=pytest.mark.slow)])
def test_a_recording_with_both_words_is_expected_in_order(
    pair: Device, tmp_path: Path, board: str
) -> None:
    file = tmp_path / "both.wav"
    write_clip(file, np.concatenate([YES, pause(1), LEFT]))
    clips = [f"yes,left={file}", f"yes,no={file}"]
    recordings = [clip_recording(clip, pair.words) for clip in clips]
    results = play_all(board, pair, recordings)
    assert [result.rows[0].ok for result in results] == [True, False]
    with pytest.raises(UsageError, match="no label 'lefft'"):
        clip_recording(f"yes,lefft={file}", pair.words)


def test_held_out_commands_are_played_alone_and_after_a_wake_word(tmp_path: Path) -> None:
    data = make_tones(tmp_path)
    recordings = held_out_after_wake_word(data, ["low"], ["high", "low"], 2)
    labels = [recording.expected[0].label for recording in recordings]
    assert labels == ["low, high", "unknown", "low, high", "unknown", "low, low", "low, low"]
    assert all(isinstance(recording, Recording) for recording in recordings)


def test_bundles_with_different_frontends_are_refused() -> None:
    first, commands = load_bundle(default_bundle_path()), load_bundle(TEN_WORDS)
    other = replace(commands, frontend=FrontendSettings(stride_samples=160))
    with pytest.raises(
        UsageError, match=r"^yes_no and ten_words .* stride_samples is 320 in one and 160"
    ):
        with_commands(first, other)
    kept = first.frontend.keep_noise
    other = replace(commands, frontend=FrontendSettings(keep_noise=not kept))
    with pytest.raises(UsageError, match=f"keep_noise is {kept} in one and {not kept} in the"):
        with_commands(first, other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--then", TEN_WORDS, "--for", "0s"),
            "listening time 0 s: must be between 20 ms and 10 min",
        ),
        (
            ("--then", TEN_WORDS, "--for", "601s"),
            "listening time 601 s: must be between 20 ms and 10 min",
        ),
        (("--then", TEN_WORDS, "--for", "5"), "--for '5': write a time with its unit, such as 5s"),
        (("--then", TEN_WORDS, "--for", "-5s"), "--for '-5s': write a time with its unit"),
        (("--then", "missing"), "missing: no such bundle"),
        (("--for", "5s"), "--for is the time of a second bundle; pass it with --then"),
    ],
)
@pytest.mark.parametrize("command", ["build", "run", "listen"])
def test_wrong_use_gives_a_one_line_error(
    kws: Run, command: str, options: tuple[object, ...], message: str
) -> None:
    more = {"build": ("--board", "qemu"), "run": (default_matrix() / "fan.flac",), "listen": ()}
    code, out, err = kws(command, *more[command], *options)
    assert (code, out) == (1 if "missing" in message else 2, "")
    assert message in err
    assert err.count("\n") == 1


def test_run_and_listen_print_the_devices_lines(
    kws: Run, pair: Device, conversation: Pcm, tmp_path: Path
) -> None:
    file = tmp_path / "conversation.wav"
    write_clip(file, conversation)
    options = ("--then", TEN_WORDS, "--for", "2.5s")
    code, out, _ = kws("run", file, *options)
    assert code == 0
    assert out.splitlines()[1].startswith("then model ten_words ")
    assert " for 2500 ms, " in out
    assert labels_of(out) == HAND_OVERS
    assert kws("listen", "--input", file, "--fast", *options) == (code, out, "")
