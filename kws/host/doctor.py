# SPDX-License-Identifier: Apache-2.0
"""`kws doctor`: checks the requirements of all commands."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from ctypes.util import find_library
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from kws.errors import ToolError
from kws.host.build.programs import COMPILER, NODE, PACKAGES, QEMU, WASM_COMPILER, find_tool
from kws.host.deploy import deployment
from kws.host.emulate.rp2040js import PACKAGE, find_rp2040js, install_command
from kws.host.serial import ports

try:
    import grp
except ImportError:  # Windows
    grp = None  # type: ignore[assignment]

_EXTRAS = {
    "studio": "kws studio",
    "train": "kws train, wake, sweep, models and convert --also",
    "evaluate": "kws evaluate and calibrate",
    "plots": "pictures of any command",
    "live": "kws listen and record",
    "probe": "kws deploy --probe",
    "ray": "kws sweep --ray",
    "voices": "voices of Piper and Kokoro",
}

_MACHINE = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]

_PORT_USERS = "kws deploy and kws monitor"


@dataclass(frozen=True)
class Check:
    """A requirement of some commands."""

    name: str
    needed_for: str
    present: str
    """Its version or path; empty if it is missing."""
    remedy: str
    """How to install it."""
    optional: bool = False
    """Whether kws can build, test and run models without it."""


def check_all() -> list[Check]:
    """All requirements, present or not; nothing is changed."""
    return [
        _check_packages(""),
        _check_command(COMPILER),
        _check_newlib(),
        _check_command(QEMU),
        _check_renode(),
        _check_rp2040js(),
        _check_command("espeak-ng", optional=True),
        _check_command("flite", optional=True),
        _check_command(WASM_COMPILER, optional=True),
        *(_check_packages(extra) for extra in _EXTRAS),
        _check_portaudio(),
        _check_serial_rights(),
        _check_connected_boards(),
    ]


def _check_packages(extra: str) -> Check:
    """The Python packages of an extra, or of the base install if `extra` is empty."""
    versions: dict[str, str] = {}
    for package in _packages(extra):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = ""
    missing = [package for package, version in versions.items() if not version]
    present = "" if missing else ", ".join(f"{name} {it}" for name, it in versions.items())
    if not extra:
        remedy = f"{', '.join(missing)} is missing: pip install kws again"
        return Check("Python packages", "all commands", present, remedy)
    remedy = f"pip install 'kws[{extra}]'"
    return Check(f"kws[{extra}]", _EXTRAS[extra], present, remedy, optional=True)


def _packages(extra: str) -> list[str]:
    """Names of the packages of an extra, or of the base install, from kws's metadata."""
    packages = []
    for requirement in importlib.metadata.requires("kws") or []:
        name = re.match(r"[\w.-]+", requirement)
        wanted = re.search(r"""extra == ['"]([\w-]+)['"]""", requirement)
        if name and name[0] != "kws" and (wanted[1] if wanted else "") == extra:
            packages.append(name[0])
    return packages


def _check_command(command: str, *, optional: bool = False) -> Check:
    package, purpose = PACKAGES[command]
    present = shutil.which(command) or ""
    return Check(command, purpose, present, f"apt-get install {package}", optional)


def _check_newlib() -> Check:
    packages, purpose = PACKAGES[COMPILER]
    present = ""
    if shutil.which(COMPILER):
        answer = _output([COMPILER, *_MACHINE, "-print-file-name=libc_nano.a"])
        headers = _output([COMPILER, *_MACHINE, "-print-file-name=libstdc++.a"])
        # If the file is missing, the compiler prints only the name.
        if "/" in answer and "/" in headers:
            present = str(Path(answer).resolve())
    return Check("newlib and libstdc++ for Arm", purpose, present, f"apt-get install {packages}")


def _check_renode() -> Check:
    present = shutil.which("renode") or shutil.which("renode-run") or ""
    remedy = "install Renode 1.15.3 or newer (https://renode.io)"
    return Check("Renode", "kws test on real boards' firmware", present, remedy, optional=True)


def _check_rp2040js() -> Check:
    try:
        find_tool(NODE)
        present = str(find_rp2040js() / PACKAGE)
    except ToolError:
        present = ""
    remedy = f"apt-get install nodejs npm; {install_command()}"
    return Check(PACKAGE, PACKAGES[NODE][1], present, remedy, optional=True)


def _check_portaudio() -> Check:
    present = find_library("portaudio") or ""
    if sys.platform in ("darwin", "win32") and find_spec("sounddevice"):
        present = "in the package sounddevice"
    remedy = "apt-get install libportaudio2"
    return Check("PortAudio", _EXTRAS["live"], present, remedy, optional=True)


def _check_serial_rights() -> Check:
    """Whether this user may open the connected ports, or a board's port if there are none."""
    serial_ports = [*Path("/dev").glob("ttyACM*"), *Path("/dev").glob("ttyUSB*")]
    if grp is None:
        present = "every user has it on this system"
    elif serial_ports:
        allowed = all(os.access(port, os.R_OK | os.W_OK) for port in serial_ports)
        present = ", ".join(map(str, sorted(serial_ports))) if allowed else ""
    else:
        groups = {group.gr_name for group in grp.getgrall() if group.gr_gid in os.getgroups()}
        present = "root" if os.geteuid() == 0 else ", ".join(groups & {"dialout", "uucp"})
    remedy = "sudo usermod -aG dialout $USER, or the udev rule in docs/deploy.md"
    return Check("access to serial ports", _PORT_USERS, present, remedy, optional=True)


def _check_connected_boards() -> Check:
    """The boards at this machine's serial ports, by their USB ids."""
    present = ", ".join(deployment.name_ports(ports.list_ports()))
    remedy = "plug one in with a USB cable that carries data; see docs/deploy.md"
    return Check("a board", _PORT_USERS, present, remedy, optional=True)


def _output(command: list[str]) -> str:
    """A program's output; empty if it fails."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout.strip()
