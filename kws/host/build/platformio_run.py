# SPDX-License-Identifier: Apache-2.0
"""Runs PlatformIO to build firmware from the C++ sources and a bundle's generated files."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from kws import __version__
from kws.errors import ToolError
from kws.host.build.boards import firmware_folder
from kws.host.build.programs import COMPILER, cache_folder, find_tool

ELF, BINARY, HEX, MAP, BUILD_LOG = (
    "firmware.elf",
    "firmware.bin",
    "firmware.hex",
    "firmware.map",
    "build.log",
)

PROJECT_FILE = "platformio.ini"

COMMANDS = "commands"
"""File in a build's folder: the commands it ran, one JSON array per line, in order of start."""

NO_SOURCES = frozenset({"test", "__pycache__", ".pio", "compile_commands.json"})
"""Names in the firmware's folder that a build does not need."""

# GNU ld's message; the regions are defined in the ports' linker scripts.
_OVERFLOW = re.compile(r"region `(flash|ram)' overflowed by (\d+) bytes")

# Environment variables that change gcc's search paths or output.
_COMPILERS_VARIABLES = frozenset(
    {
        *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH"),
        *("GCC_EXEC_PREFIX", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"),
    }
)

# A line of a failed build that states the reason.
_REASON = re.compile(r"error:|undefined reference|overflowed|No such file", re.IGNORECASE)


class TooLargeError(ToolError):
    """The linker ran out of flash or RAM.

    Attributes:
        flash: excess bytes of flash; 0 if only the RAM is too small.
        ram: excess bytes of RAM.
    """

    def __init__(self, environment: str, flash: int, ram: int) -> None:
        super().__init__(f"{environment}: {flash} bytes of flash and {ram} of RAM too many")
        self.flash, self.ram = flash, ram


def run_platformio(environment: str, generated: Path | None, work: Path, result: Path) -> None:
    """Build in `work` and copy the firmware, its map and the build's log into `result`.

    Args:
        environment: a section of platformio.ini, without `env:`.
        generated: a bundle's generated C++; None for firmware without a model.
        work: an empty folder for everything that PlatformIO writes.
        result: an empty folder.

    Raises:
        TooLargeError: the firmware does not fit the board.
        ToolError: the compiler is missing or the build failed; the message names the log.
    """
    _check_compiler()
    # A copy, because PlatformIO refuses a read-only project.
    project = work / "project"
    shutil.copytree(firmware_folder(), project, ignore=shutil.ignore_patterns(*NO_SOURCES))
    run = subprocess.run(
        [
            *(sys.executable, "-m", "platformio", "run", "--environment", environment),
            *("--project-dir", str(project), "--jobs", str(os.cpu_count() or 1)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=process_environment(work, generated),
        check=False,
    )
    if run.returncode != 0:
        raise build_error(environment, run.stdout, work)
    copy_results(work / "build" / environment, run.stdout, result)


def copy_results(built: Path, output: str, result: Path) -> None:
    """Copy the firmware and its map from `built` into `result`, with the output as the log."""
    for name in (ELF, BINARY, HEX, MAP):
        shutil.copyfile(built / name, result / name)
    (result / BUILD_LOG).write_text(output, encoding="utf-8")


def build_error(environment: str, output: str, work: Path) -> ToolError:
    """The error for a failed build in `work`; saves its output next to that folder."""
    failed = work.parent / f"{environment}-failed.log"
    failed.write_text(output, encoding="utf-8")
    excess = {region: int(size) for region, size in _OVERFLOW.findall(output)}
    if excess:
        return TooLargeError(environment, excess.get("flash", 0), excess.get("ram", 0))
    lines = [line.strip() for line in output.splitlines() if _REASON.search(line)]
    first = lines[0] if lines else "no reason given"
    return ToolError(
        f"building the firmware for {environment} failed: {first}; the log is {failed}"
    )


def compiler_environment() -> dict[str, str]:
    """The user's environment without variables that change the compiler's behaviour."""
    return {name: value for name, value in os.environ.items() if name not in _COMPILERS_VARIABLES}


def process_environment(work: Path, generated: Path | None) -> dict[str, str]:
    """An environment in which PlatformIO writes only below `work`."""
    variables = {
        name: value
        for name, value in compiler_environment().items()
        if not name.startswith("PLATFORMIO_")
    }
    variables |= {
        "KWS_VERSION": __version__,
        "KWS_COMMANDS": str(work / COMMANDS),
        "PLATFORMIO_CORE_DIR": str(work / "core"),
        "PLATFORMIO_WORKSPACE_DIR": str(work),
        "PLATFORMIO_BUILD_DIR": str(work / "build"),
        "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
        "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
        "PLATFORMIO_NO_ANSI": "true",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if not shutil.which(COMPILER):
        # PlatformIO downloads its own compiler; keep it for later builds.
        variables["PLATFORMIO_PACKAGES_DIR"] = str(_packages())
    if generated is not None:
        variables["KWS_BUNDLE"] = str(generated.parent.resolve())
    return variables


def _packages() -> Path:
    """Folder for a compiler that PlatformIO downloaded."""
    return cache_folder() / "platformio" / "packages"


def _check_compiler() -> None:
    """Fail early if there is no compiler: offline, PlatformIO would retry for a minute."""
    if shutil.which(COMPILER) or any(_packages().glob("toolchain-*")) or _can_download():
        return
    find_tool(COMPILER)


def _can_download() -> bool:
    """Whether one of PlatformIO's package servers answers, through a proxy if set."""
    import platformio  # noqa: PLC0415 - both are slow to import, and a compiler is usually there
    import requests  # noqa: PLC0415

    for host in platformio.__registry_mirror_hosts__:
        with contextlib.suppress(requests.RequestException):
            requests.get(f"https://api.{host}", timeout=5, allow_redirects=False)
            return True
    return False
