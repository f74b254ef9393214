# SPDX-License-Identifier: Apache-2.0
"""The boards that firmware can be built for: one JSON file each, in firmware/platform/boards.

PlatformIO reads these files too, except their table `kws`. There, `emulator` names the board's
emulator, `deploy` the class that writes to a real board, as `module:Class`, `loaders` the classes
for its other bootloaders, by name, and `pins` the pins that a keyword can set, with the numbers
for the port's SetPin. `uf2_family` is set if the bootloader accepts UF2 files.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kws.errors import UsageError, did_you_mean


@dataclass(frozen=True)
class Board:
    """A board that firmware can be built for."""

    name: str
    title: str

    flash: int
    """Bytes available to the firmware."""
    ram: int
    """Bytes for variables, arena and stack."""
    core: str = "cortex-m4"
    """Its processor, as in gcc's -mcpu."""
    dropped_samples: int = 0
    """Microphone samples that the firmware drops after power-on."""
    flash_start: int = 0
    """Flash address at which the firmware begins."""
    clock: int | None = None
    """Processor clock in Hz; None if the emulator does not model processing time."""
    option_clocks: Mapping[str, int] = field(default_factory=dict)
    """Clock in Hz with a build option, by option name; only for options that change it."""
    driver_cycles: int = 0
    """Cycles per hop outside frontend and model (microphone interrupt, ring, offset, level):
    instructions counted in Renode plus 20 %."""
    uf2_family: int | None = None
    """The chip's UF2 family id; None if the bootloader does not accept UF2 files."""
    emulator: str | None = None
    """The emulator's name in `kws.host.emulate.emulators`."""
    pins: Mapping[str, int] = field(default_factory=dict)
    """Pins that a keyword can set, by the names printed on the board."""
    deploy: str | None = None
    """Its subclass of `RealBoard`, as `module:Class`; None for an emulated board."""
    loaders: Mapping[str, str] = field(default_factory=dict)
    """`RealBoard` subclasses for other bootloaders, by the name for `kws deploy --loader`."""


def firmware_folder() -> Path:
    """The installed C++ sources and PlatformIO files."""
    return Path(str(importlib.resources.files("kws") / "firmware"))


def boards() -> list[Board]:
    """All supported boards, sorted by name."""
    files = sorted((firmware_folder() / "platform" / "boards").glob("*.json"))
    return [_read_board(file) for file in files]


def find_board(name: str) -> Board:
    """Find the board `name`.

    Raises:
        UsageError: the board is unknown.
    """
    known = {board.name: board for board in boards()}
    if name not in known:
        near = did_you_mean(name, known)
        raise UsageError(f"there is no board {name!r}{near}; there are {', '.join(known)}")
    return known[name]


def _read_board(file: Path) -> Board:
    description = json.loads(file.read_text(encoding="utf-8"))
    limits = description["upload"]
    defines = description["build"].get("defines", {})
    tools = description.get("kws", {})
    return Board(
        file.stem,
        description["name"],
        flash=limits["maximum_size"],
        ram=limits["maximum_ram_size"],
        core=_core(description["build"]["machine_flags"]),
        dropped_samples=defines.get("KWS_DROPPED_SAMPLES", 0),
        clock=_clock(description["build"]),
        option_clocks={
            name: clock
            for name, option in description["build"].get("options", {}).items()
            if (clock := _clock(option)) is not None
        },
        driver_cycles=tools.get("driver_cycles", 0),
        flash_start=int(limits.get("offset_address", "0"), 16),
        uf2_family=int(tools["uf2_family"], 16) if "uf2_family" in tools else None,
        emulator=tools.get("emulator"),
        pins=tools.get("pins", {}),
        deploy=tools.get("deploy"),
        loaders=tools.get("loaders", {}),
    )


def _core(flags: Sequence[str]) -> str:
    return next(flag.removeprefix("-mcpu=") for flag in flags if flag.startswith("-mcpu="))


def _clock(settings: Mapping[str, str]) -> int | None:
    """The clock of a board or one of its options, in PlatformIO's notation: 64000000L."""
    return int(settings["f_cpu"].rstrip("L")) if "f_cpu" in settings else None
