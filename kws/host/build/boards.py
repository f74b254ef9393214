# SPDX-License-Identifier: Apache-2.0
"""The boards that firmware can be built for: one JSON file each, in firmware/platform/boards.

PlatformIO reads these files too, all but their table `kws`: `emulator` names what runs the board's
firmware, `deploy` the class that writes it to a real board, as `module:Class`, `loaders` those for
its other bootloaders, by name, and `pins` the pins that a keyword can set, with the numbers that
the port's SetPin takes. `uf2_family` is there where a bootloader takes UF2 files.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kws.errors import UsageError, did_you_mean


@dataclass(frozen=True)
class Board:
    """A board that firmware can be built for."""

    name: str
    title: str

    flash: int
    """Bytes that a firmware may take."""

    ram: int
    """Bytes for variables, arena and stack."""

    dropped_samples: int = 0
    """Samples of the microphone after power-on that the firmware drops."""

    flash_start: int = 0
    """Where in flash a firmware begins."""

    clock: int | None = None
    """Cycles per second of its processor; None where time stands still while it works."""

    option_clocks: Mapping[str, int] = field(default_factory=dict)
    """The same with an option, by its name; only those that change it."""

    driver_cycles: int = 0
    """What the firmware takes each hop beside the frontend and the model: the microphone's
    interrupt, the ring, offset and level. Renode's instructions and a fifth more."""

    uf2_family: int | None = None
    """The chip's number in UF2 files; None where the board's bootloader takes none."""

    emulator: str | None = None
    """What runs its firmware without the board: a name in `kws.host.emulate.emulators`."""

    pins: Mapping[str, int] = field(default_factory=dict)
    """Pins that a keyword can set, by the names that are printed on the board."""

    deploy: str | None = None
    """The subclass of `RealBoard` for it, as `module:Class`; None for an emulated board."""

    loaders: Mapping[str, str] = field(default_factory=dict)
    """The same for bootloaders other than the usual one, by the name of `kws deploy --loader`."""


def firmware_folder() -> Path:
    """The C++ sources and PlatformIO's files, as installed."""
    return Path(str(importlib.resources.files("kws") / "firmware"))


def boards() -> list[Board]:
    """The boards that there is a port for, by name."""
    files = sorted((firmware_folder() / "platform" / "boards").glob("*.json"))
    return [_read_board(file) for file in files]


def find_board(name: str) -> Board:
    """The board `name`.

    Raises:
        UsageError: there is no port for it.
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


def _clock(settings: Mapping[str, str]) -> int | None:
    """The clock of a board, or of one of its options, written as PlatformIO has it: 64000000L."""
    return int(settings["f_cpu"].rstrip("L")) if "f_cpu" in settings else None
