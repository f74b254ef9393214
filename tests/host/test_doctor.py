# SPDX-License-Identifier: Apache-2.0
"""`kws doctor` distinguishes missing tools from optional ones."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import sys
from pathlib import Path

import pytest

from kws.host import doctor
from kws.host.serial import ports
from kws.host.serial.ports import Port, UsbId
from tests.command_line import Run

EXTRAS = {  # each with one of its packages
    "train": "tensorflow",
    "evaluate": "scipy",
    "plots": "matplotlib",
    "live": "sounddevice",
    "probe": "pyocd",
    "ray": "ray",
}


@pytest.fixture
def only_the_base(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without any extra."""
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name in EXTRAS.values():
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)


@pytest.mark.usefixtures("board_tools", "only_the_base")
def test_base_install_is_complete_and_extras_are_optional(kws: Run) -> None:
    _, text, _ = kws("doctor")
    assert "kws can build, test and run models here." in text.splitlines()
    code, out, _ = kws("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(out)}
    assert code == 0
    assert "platformio 6" in checks["Python packages"]["present"]
    for extra in EXTRAS:
        check = checks[f"kws[{extra}]"]
        assert (check["present"], check["optional"]) == ("", True)
        assert check["remedy"] == f"pip install 'kws[{extra}]'"


def test_every_extra_for_users_is_checked(kws: Run) -> None:
    _, out, _ = kws("doctor", "--json")
    names = {check["name"] for check in json.loads(out)}
    declared = set(importlib.metadata.metadata("kws").get_all("Provides-Extra") or [])
    maintainers = {"check", "docs", "release", "test", "test-all"}
    assert {f"kws[{extra}]" for extra in declared - maintainers} <= names


def test_a_serial_port_is_named_by_its_usb_id(kws: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    edge = Port("/dev/ttyUSB7", UsbId(0x1A86, 0x7523), "1-1")
    monkeypatch.setattr(ports, "list_ports", lambda: [edge, Port("/dev/ttyUSB8", UsbId(1, 2), "")])
    _, out, _ = kws("doctor")
    assert "/dev/ttyUSB7: an adapter, possibly of a SparkFun Edge\n" in out


def test_windows_needs_no_rights_and_no_portaudio(
    kws: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "grp", None)
    monkeypatch.setattr(doctor, "find_library", lambda _: None)
    monkeypatch.setattr(ports, "list_ports", list)
    monkeypatch.setattr(sys, "platform", "win32")
    checks = {check.name: check.present for check in doctor.check_all()}
    assert checks["access to serial ports"] == "every user has it on this system"
    assert checks["PortAudio"] == "in the package sounddevice"


@pytest.mark.usefixtures("board_tools")
def test_missing_compiler_has_its_package_and_exit_code_1(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qemu-system-arm").symlink_to(str(shutil.which("qemu-system-arm")))
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, _ = kws("doctor")
    assert code == 1
    lines = {tuple(line.split()[:2]): line for line in out.splitlines()}
    assert ("found", "qemu-system-arm") in lines
    assert "apt-get install gcc-arm-none-eabi" in lines["missing", "arm-none-eabi-g++"]
    assert "apt-get install espeak-ng" in lines["optional", "espeak-ng"]
    assert ("optional", "Renode") in lines
    assert (
        "kws build and kws test cannot run without arm-none-eabi-g++, newlib and libstdc++ for "
        "Arm: apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi"
    ) in out
    assert "cannot run without qemu" not in out
    assert (
        out.splitlines()[-1]
        == "Parts marked optional are needed only by the commands on their lines."
    )
