"""The firmware as flashed, in Renode with this project's models of the USBD and a host."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.build.firmware import build
from kws.host.emulate.renode import scripts

STALL = 0x20000

pytestmark = pytest.mark.renode


@pytest.fixture(scope="module")
def seen(
    yes_no: Bundle, board_tools: None, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Events that the host in usb_host.py recorded."""
    folder: Path = tmp_path_factory.mktemp("usb")
    (folder / "silence.raw").write_bytes(bytes(32000))
    script = folder / "usb.resc"
    usbd = scripts() / "peripherals" / "nrf52840_usbd.py"
    script.write_text(
        f"""logLevel 3
$elf=@{build("nano33ble", Device(yes_no)).elf}
include @{scripts() / "nano33ble.resc"}
machine PyDevFromFile @{usbd} 0x40027000 0x1000 True "usbd"
microphone SetInputFile @{folder / "silence.raw"}
python "seen_path = '{folder / "seen.json"}'"
include @{scripts() / "usb_host.py"}
quit
"""
    )
    options = ["--disable-xwt", "--console", "--plain", "--hide-log"]
    command = ["renode", *options, "-e", f"include @{script}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (folder / "seen.json").exists(), done.stdout + done.stderr
    result: dict[str, Any] = json.loads((folder / "seen.json").read_text())
    return result


def test_host_enumerates_and_configures_it(seen: dict[str, Any]) -> None:
    assert seen["attached"] == 1
    for session in (seen["first"], seen["second"]):
        assert bytes(session["device"])[8:12] == bytes.fromhex("41235a80")
        assert len(session["configuration"]) == 75
        texts = [bytes(string)[2:].decode("utf-16-le") for string in session["strings"][1:4]]
        assert texts == ["Arduino", "Nano 33 BLE", "0" * 16]  # FICR is not modelled
        assert session["strings"][4] == STALL
        assert session["qualifier"] == STALL
        assert session["chosen"] == [1]
        assert session["coding"] == [0x00, 0xC2, 0x01, 0x00, 0, 0, 8]
        assert session["address"] == session["configure"] == session["open"] == []


def test_boot_line_waits_for_the_terminal_and_its_echo(seen: dict[str, Any]) -> None:
    assert seen["quiet"] == ""
    assert seen["boot"].startswith("kws ")
    assert " on nano33ble, model " in seen["boot"]
    assert seen["boot"].count("\n") == 1


def test_commands_are_answered_and_no_audio_is_lost(seen: dict[str, Any]) -> None:
    assert seen["sent"] == 0
    assert seen["answer"].startswith("stats: ")
    assert ", 0 samples lost, " in seen["answer"]
    assert not seen["answer"].startswith("stats: 0 hops")


def test_works_after_the_cable_is_reconnected(seen: dict[str, Any]) -> None:
    assert seen["pulled"] == 0
    assert seen["attached_again"] == 1
    assert seen["second_answer"] == "gain -10 dB\n"


def test_touch_resets_into_the_bootloader(seen: dict[str, Any]) -> None:
    assert seen["touch"] == []  # answered first
    assert seen["before_reset"] == 0
    assert seen["reset"] is True
    assert seen["retained"] == 0xB0
