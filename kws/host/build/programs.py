# SPDX-License-Identifier: Apache-2.0
"""Locates the external programs that kws runs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from kws.errors import ToolError

COMPILER = "arm-none-eabi-g++"
QEMU = "qemu-system-arm"
WASM_COMPILER = "em++"
NODE = "node"

PACKAGES = {
    COMPILER: (
        "gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib",
        "kws build and kws test",
    ),
    QEMU: ("qemu-system-arm", "kws test --board qemu"),
    WASM_COMPILER: ("emscripten", "kws export web --compiled"),
    "riscv64-unknown-elf-g++": (
        "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf",
        "kws bench --board riscv32",
    ),
    "qemu-system-riscv32": ("qemu-system-misc", "kws bench --board riscv32"),
    "xtensa-lx106-elf-g++": (
        "gcc-xtensa-lx106 picolibc-xtensa-lx106-elf",
        "kws bench --board xtensa",
    ),
    "qemu-system-xtensa": ("qemu-system-misc", "kws bench --board xtensa"),
    "aarch64-linux-gnu-g++": ("g++-aarch64-linux-gnu", "kws bench --board aarch64"),
    "qemu-aarch64": ("qemu-user", "kws bench --board aarch64"),
    "arm-linux-gnueabihf-g++": ("g++-arm-linux-gnueabihf", "kws bench --board arm-linux"),
    "qemu-arm": ("qemu-user", "kws bench --board arm-linux"),
    NODE: ("nodejs", "kws test --board rpi_pico"),
    "espeak-ng": ("espeak-ng", "kws synth"),
    "flite": ("flite", "kws synth"),
}
"""Debian packages of each command, and the kws commands that need it."""


def find_tool(command: str) -> Path:
    """The path of a program.

    Raises:
        ToolError: it is not on PATH; the message names the package to install.
    """
    path = shutil.which(command)
    if path is None:
        package, purpose = PACKAGES[command]
        raise ToolError(
            f"{command} was not found on PATH; it is needed for {purpose}: "
            f"on Debian or Ubuntu, apt-get install {package}"
        )
    return Path(path)


def cache_folder() -> Path:
    """The cache folder: $KWS_CACHE_DIR, or kws in the user's cache folder."""
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
