# SPDX-License-Identifier: Apache-2.0
"""Firmware with a model compiled to C++: no interpreter, smaller, same detections."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device, with_commands
from kws.bundle.reading import load_bundle
from kws.host.build.boards import find_board
from kws.host.build.elf_sections import symbols
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.faults import check_faults
from kws.host.emulate.qemu import Qemu
from kws.host.emulate.recordings import default_matrix
from kws.host.emulate.renode import Renode
from kws.host.measure.footprint import read_footprint
from tests.command_line import Run
from tests.host.rooms import between_silence

pytestmark = pytest.mark.usefixtures("board_tools")

ASSETS = default_bundle_path().parent
YES, LEFT = (load_clip(default_matrix() / f"{name}.flac") for name in ("yes_slt", "left_slt"))


@pytest.fixture(scope="module")
def tiny() -> Bundle:
    return load_bundle(ASSETS / "tiny")


def test_the_interpreter_is_not_linked(tiny: Bundle) -> None:
    parts = ("MicroInterpreter", "GraphBuilder", "FlatBuffer", "OpResolver", "Prepare", "g_model")
    compiled = " ".join(symbols(build("qemu", Device(tiny).as_compiled()).elf))
    assert [part for part in parts if part in compiled] == []
    alone = Device(tiny).without_second_looks()
    interpreted = " ".join(symbols(build("qemu", alone).elf))
    assert [part for part in parts if part not in interpreted] == []
    assert "invoke" in compiled
    assert "invoke" not in interpreted, "interpreted firmware has not grown"


def test_flash_and_ram_of_tiny_conv(tiny: Bundle) -> None:
    tiny = tiny.without_second_look()
    interpreted = read_footprint(build("qemu", Device(tiny)).map)
    both = interpreted.flash_without("model", "pipeline")
    assert both <= 17_500
    assert both - interpreted.flash["frontend"] <= 13_000
    firmware = build("qemu", Device(tiny).as_compiled())
    compiled = read_footprint(firmware.map)
    assert "interpreter" not in compiled.flash
    both = compiled.flash_without("model", "pipeline")
    assert both <= 10_700
    assert both - compiled.flash["frontend"] <= 6_000
    assert compiled.flash["model"] <= 17_100
    assert firmware.size.arena == tiny.program.arena_bytes < tiny.arena_bytes
    assert firmware.size.model == tiny.program.constant_bytes


def test_flash_and_ram_with_a_second_look(tiny: Bundle) -> None:
    assert tiny.second_look
    first, look = tiny.program, tiny.second_look.program
    firmware = build("qemu", Device(tiny).as_compiled())
    compiled = read_footprint(firmware.map)
    assert "interpreter" not in compiled.flash
    both = compiled.flash_without("model", "pipeline")
    assert both <= 21_000
    assert both - compiled.flash["frontend"] <= 16_300
    assert compiled.flash["model"] <= 169_200
    assert firmware.size.arena == look.arena_bytes < tiny.second_look.arena_bytes
    assert firmware.size.model == first.constant_bytes + look.constant_bytes


@pytest.mark.parametrize("name", ["tiny", "yes_no", "ten_words"])
def test_a_second_look_adds_little_ram(name: str) -> None:
    bundle = load_bundle(ASSETS / name)
    assert bundle.second_look
    size = build("nano33ble", Device(bundle)).size
    alone = build("nano33ble", Device(bundle.without_second_look())).size
    assert size.arena == max(bundle.arena_bytes, bundle.second_look.program.arena_bytes)
    assert size.ram - alone.ram <= 8_000
    assert size.flash - alone.flash <= 180_000


def test_build_reports_both_sizes(tiny: Bundle, tmp_path: Path, kws: Run) -> None:
    options = ("--compiled", "--no-verify")
    command = ("build", "--board", "qemu", "--model", tiny.path, "--out", tmp_path, *options)
    code, text, _ = kws(*command, "--json")
    assert code == 0
    report = json.loads(text)
    other = report["interpreted"]
    assert report["flash"] < other["flash"] - 9_000
    assert report["ram"] < other["ram"]
    assert sum(part["flash"] for part in report["parts"].values()) == report["flash"]
    _, text, _ = kws(*command)
    assert f"flash {report['flash']} bytes, RAM {report['ram']}; with an interpreter" in text
    assert f"({other['flash'] - report['flash']} and {other['ram'] - report['ram']} more)" in text


def test_a_compiled_bundle_needs_no_option(tmp_path: Path, kws: Run) -> None:
    folder = shutil.copytree(ASSETS / "tiny", tmp_path / "tiny")
    code, text, _ = kws("set", folder, "--compiled")
    assert code == 0
    assert "compiled: 3 calls, " in text
    bundle = load_bundle(folder)
    assert (
        build("qemu", Device(bundle)).elf
        == build("qemu", Device(load_bundle(ASSETS / "tiny")).as_compiled()).elf
    )
    code, _, _ = kws("set", folder, "--interpreted")
    assert code == 0
    assert not load_bundle(folder).compiled


@pytest.mark.parametrize("name", ["tiny", "yes_no", "ten_words"])
def test_the_board_writes_the_hosts_lines(name: str) -> None:
    bundle = load_bundle(ASSETS / name)
    pcm = between_silence(np.concatenate([YES, quiet_room(8000), LEFT]))
    with Qemu() as emulator:
        board = emulator.play(build("qemu", Device(bundle).as_compiled()).elf, pcm)
    host = host_device.play(Device(bundle), pcm)
    assert board.text.partition("\n")[2] == host.text.partition("\n")[2]
    assert board.heard


def test_two_compiled_bundles_take_turns() -> None:
    pair = with_commands(load_bundle(ASSETS / "yes_no"), load_bundle(ASSETS / "ten_words"))
    pcm = np.concatenate([quiet_room(16000), YES, quiet_room(16000), LEFT, quiet_room(32000)])
    with Qemu() as emulator:
        board = emulator.play(build("qemu", pair.as_compiled()).elf, pcm)
    host = host_device.play(pair, pcm)
    assert board.text.splitlines()[2:] == host.text.splitlines()[2:]
    assert "Waiting for the wake word" in board.text


def test_faults_are_reported(tiny: Bundle) -> None:
    rows = check_faults("qemu", Device(tiny).as_compiled())
    assert [row.name for row in rows if not row.ok] == []
    assert "an arena one byte too small" in {row.name for row in rows}


@pytest.mark.slow
@pytest.mark.renode
@pytest.mark.parametrize("board", ["nano33ble", "sparkfun_edge", "b_l475e_iot01a"])
def test_boards_in_renode_write_the_hosts_lines(board: str, tiny: Bundle) -> None:
    pcm = between_silence(YES)
    with Renode(find_board(board)) as device:
        serial = device.play(build(board, Device(tiny).as_compiled()).elf, pcm)
    host = host_device.play(Device(tiny), pcm)
    assert serial.text.partition("\n")[2] == host.text.partition("\n")[2]
    assert serial.heard
