# SPDX-License-Identifier: Apache-2.0
"""What `kws deploy` has to know of a board. Each board is a subclass of RealBoard in a file."""

from __future__ import annotations

import importlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from kws.errors import BoardError, UsageError, did_you_mean
from kws.host.build.boards import boards, find_board
from kws.host.deploy.image import Image, Memory
from kws.host.deploy.loaders import uf2_drive
from kws.host.deploy.loaders.uf2_drive import Drive
from kws.host.serial import ports
from kws.host.serial.ports import Link, Lister, Port, UsbId


class ProtocolError(BoardError):
    """A bootloader answered with something else than it should, or not at all."""


@dataclass(frozen=True)
class Timing:
    """How long to wait for a board, in seconds."""

    answer: float = 3.0
    """For a bootloader's answer to one command."""

    appear: float = 10.0
    """For a port to come after a reset, and to be usable."""

    boot: float = 10.0
    """For the firmware's boot line; half of it is waited before it is asked for its stats."""

    gone: float = 2.0
    """For a board to leave the USB bus when a debug probe resets it."""

    settle: float = 1.5
    """For an error line after the boot line."""


class Clock(Protocol):
    """The part of the module `time` that counts."""

    def monotonic(self) -> float:
        """Seconds from some moment on."""

    def sleep(self, seconds: float, /) -> None:
        """Wait."""


@dataclass(frozen=True)
class Bench:
    """What surrounds a board: this machine's ports, the clock, the user who waits."""

    lister: Lister = field(default_factory=lambda: ports.list_ports)
    timing: Timing = field(default_factory=Timing)
    advance: Callable[[int], None] = lambda _: None
    """Called with the number of steps (see `RealBoard.steps`) that were just done."""
    open_port: Callable[[str, float], Link] = field(default_factory=lambda: ports.open_soon)
    """Opens a port by its name, which may take so many seconds to be usable."""
    clock: Clock = time
    drives: Callable[[], list[Drive]] = field(default_factory=lambda: uf2_drive.list_drives)
    """The drives of bootloaders that are mounted."""


class RealBoard(ABC):
    """A board that firmware can be written to through its own bootloader."""

    name: ClassVar[str]
    """As in `kws boards`."""

    title: ClassVar[str]

    usb: ClassVar[frozenset[UsbId]]
    """All ids under which it may show up, as application or bootloader."""

    adapter: ClassVar[bool] = False
    """Whether these are the ids of USB-serial adapters: another one may be named, the port stays
    when the board restarts, and what is behind such a port is not known before it is asked."""

    verifies: ClassVar[bool] = True
    """Whether `program` compares flash with the image; if not, each block is checked on its way."""

    application: ClassVar[frozenset[UsbId]]
    """Of those, the ones that it has while an application runs."""

    memory: ClassVar[Memory]

    find: ClassVar[str]
    """What the user can do where the board is not seen."""

    recover: ClassVar[str]
    """How the board is saved after a deployment that broke off, and why nothing is lost."""

    options: ClassVar[str] = ""
    """Options of the firmware that its bootloader needs, with commas between."""

    hint: ClassVar[str] = ""
    """What the user has to do while it is written."""

    probe: ClassVar[str]
    """pyOCD's name of the microcontroller."""

    has_bootloader: ClassVar[bool] = True
    """Whether there is a way without a debug probe, and a bootloader to lose."""

    @abstractmethod
    def steps(self, image: Image) -> int:
        """How often `program` moves the progress on."""

    @abstractmethod
    def program(self, port: Port, image: Image, bench: Bench) -> None:
        """Write `image`, check it as well as the bootloader can, and start it.

        Args:
            port: where the board is, as bootloader or as application.
            image: fits `memory`.
            bench: whose ports to look at, and whom to tell of the progress.

        Raises:
            PortError: the port could not be opened; nothing was changed.
            PortLostError: the board went away.
            ProtocolError: it answered nonsense, or what it holds is not what was sent.
        """


def real_boards() -> dict[str, RealBoard]:
    """The boards that firmware can be written to, by name; their JSON files name the classes."""
    return {board.name: _load(board.deploy) for board in boards() if board.deploy is not None}


def find_real_board(name: str, loader: str | None = None) -> RealBoard:
    """How to deploy to the board `name`.

    Args:
        name: as in `kws boards`.
        loader: the bootloader that is on it; None is the board's usual one.

    Raises:
        UsageError: that board is emulated, or unknown, or has no such bootloader.
    """
    known = real_boards()
    if name not in known:
        emulated = any(board.name == name for board in boards())
        reason = "is an emulated board" if emulated else "is no board"
        near = did_you_mean(name, known)
        raise UsageError(f"{name} {reason}{near}; real boards are {', '.join(known)}")
    if loader is None:
        return known[name]
    loaders = find_board(name).loaders
    if loader not in loaders:
        there = f"it may have {', '.join(loaders)}" if loaders else "leave out --loader"
        raise UsageError(f"{name} has no other bootloader {loader!r}; {there}")
    return _load(loaders[loader])


def _load(place: str) -> RealBoard:
    module, _, name = place.partition(":")
    board = getattr(importlib.import_module(module), name)()
    assert isinstance(board, RealBoard)  # noqa: S101 - the JSON file names another class
    return board
