"""The programs that kws calls: where they are, and what to do where they are missing."""

from __future__ import annotations

import grp
import importlib.metadata
import os
import shutil
import subprocess
from ctypes.util import find_library
from dataclasses import dataclass, replace
from pathlib import Path

from kws.errors import ToolError

COMPILER = "arm-none-eabi-g++"
QEMU = "qemu-system-arm"

_PACKAGES = {  # command: (Debian packages, what it is for)
    "g++": ("g++", "building kws itself"),
    COMPILER: (
        "gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib",
        "building firmware",
    ),
    QEMU: ("qemu-system-arm", "the emulated board"),
    "espeak-ng": ("espeak-ng", "making data sets with kws synth"),
    "flite": ("flite", "making data sets with kws synth"),
}

_MACHINE = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]


@dataclass(frozen=True)
class Check:
    """What `kws doctor` found of one thing."""

    name: str
    needed_for: str
    found: str
    """Version or path; empty where it is missing."""
    remedy: str
    """What to do where it is missing."""
    optional: bool = False
    """Whether all is well without it."""


def find_tool(command: str) -> Path:
    """Where a program is.

    Raises:
        ToolError: it is not on PATH; the text names the package to install.
    """
    path = shutil.which(command)
    if path is None:
        package, purpose = _PACKAGES[command]
        raise ToolError(
            f"{command} was not found on PATH; it is needed for {purpose}: "
            f"on Debian or Ubuntu, apt-get install {package}"
        )
    return Path(path)


def cache_folder() -> Path:
    """Where what can be made again is kept: $KWS_CACHE_DIR, or kws in the user's cache folder."""
    if own := os.environ.get("KWS_CACHE_DIR"):
        return Path(own).absolute()
    if user := os.environ.get("XDG_CACHE_HOME"):
        return Path(user).absolute() / "kws"
    try:
        return Path.home() / ".cache" / "kws"
    except RuntimeError:
        raise ToolError(
            "no home folder to keep built firmware in; set KWS_CACHE_DIR to a folder"
        ) from None


def check_all() -> list[Check]:
    """Everything that some command needs, found or not; nothing is changed."""
    checks = [_check_command(command) for command in _PACKAGES]
    checks.insert(2, _check_newlib())
    checks += [
        _check_package("platformio", "building firmware", "pip install platformio==6.2.0"),
        _check_package("scons", "building firmware", "pip install scons==4.11.1"),
        _check_package("tensorflow", "kws train and kws evaluate", "pip install 'kws[train]'"),
        _check_portaudio(),
        _check_package("pyserial", "kws deploy and kws monitor", "pip install pyserial"),
        replace(
            _check_package("pyocd", "kws deploy --probe", "pip install 'kws[probe]'"), optional=True
        ),
        _check_serial_rights(),
        _check_plugged_in(),
        _check_renode(),
    ]
    return checks


def _check_command(command: str) -> Check:
    package, purpose = _PACKAGES[command]
    return Check(command, purpose, shutil.which(command) or "", f"apt-get install {package}")


def _check_newlib() -> Check:
    packages, purpose = _PACKAGES[COMPILER]
    found = ""
    if shutil.which(COMPILER):
        answer = _ask([COMPILER, *_MACHINE, "-print-file-name=libc_nano.a"])
        headers = _ask([COMPILER, *_MACHINE, "-print-file-name=libstdc++.a"])
        # Without the file the compiler gives back the bare name.
        if "/" in answer and "/" in headers:
            found = str(Path(answer).resolve())
    return Check("newlib and libstdc++ for Arm", purpose, found, f"apt-get install {packages}")


def _check_renode() -> Check:
    found = shutil.which("renode") or shutil.which("renode-run") or ""
    remedy = "install Renode 1.15.3 or newer (https://renode.io)"
    return Check("Renode", "kws test on real boards' firmware", found, remedy, optional=True)


def _check_package(name: str, purpose: str, remedy: str) -> Check:
    try:
        return Check(name, purpose, importlib.metadata.version(name), remedy)
    except importlib.metadata.PackageNotFoundError:
        return Check(name, purpose, "", remedy)


def _check_portaudio() -> Check:
    found = find_library("portaudio") or ""
    return Check("PortAudio", "kws record and kws listen", found, "apt-get install libportaudio2")


def _check_serial_rights() -> Check:
    """Whether this user may open the ports that are there, or those of a board to come."""
    ports = [*Path("/dev").glob("ttyACM*"), *Path("/dev").glob("ttyUSB*")]
    if ports:
        allowed = all(os.access(port, os.R_OK | os.W_OK) for port in ports)
        found = ", ".join(map(str, sorted(ports))) if allowed else ""
    else:
        groups = {group.gr_name for group in grp.getgrall() if group.gr_gid in os.getgroups()}
        found = "root" if os.geteuid() == 0 else ", ".join(groups & {"dialout", "uucp"})
    remedy = "sudo usermod -aG dialout $USER, or the udev rule in docs/deploy.md"
    return Check(
        "right to serial ports", "kws deploy and kws monitor", found, remedy, optional=True
    )


def _check_plugged_in() -> Check:
    """Which boards are at this machine's serial ports, by their USB ids."""
    try:
        from kws.host.deploy import flow  # noqa: PLC0415
        from kws.host.serial import ports  # noqa: PLC0415 - pyserial may be missing

        found = ", ".join(flow.name_ports(ports.list_ports()))
    except ImportError:
        found = ""
    remedy = "plug one in with a USB cable that carries data; see docs/deploy.md"
    return Check("a board", "kws deploy and kws monitor", found, remedy, optional=True)


def _ask(command: list[str]) -> str:
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout.strip()
