# SPDX-License-Identifier: Apache-2.0
"""Interface of boards for `kws deploy`. Each board is a subclass of RealBoard in its own file."""

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
    """A bootloader answered unexpectedly, or not at all."""


@dataclass(frozen=True)
class Timing:
    """How long to wait for a board, in seconds."""

    answer: float = 3.0
    """For a bootloader's answer to one command."""
    appear: float = 10.0
    """For a port to appear after a reset, and to be usable."""
    boot: float = 10.0
    """For the firmware's boot line; after half of this time, kws requests the stats."""
    gone: float = 2.0
    """For a board to leave the USB bus when a debug probe resets it."""
    settle: float = 1.5
    """For an error line after the boot line."""


BROWSER_TIMING = Timing(appear=60.0)
"""For a board at a browser, where the user has to choose its bootloader the first time."""


class Clock(Protocol):
    """The functions of the module `time` that are used."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment."""

    def sleep(self, seconds: float, /) -> None:
        """Wait."""


@dataclass(frozen=True)
class Bench:
    """A board's environment: this machine's ports and drives, the clock, the progress display."""

    lister: Lister = field(default_factory=lambda: ports.list_ports)
    timing: Timing = field(default_factory=Timing)
    advance: Callable[[int], None] = lambda _: None
    """Called with the number of completed steps (see `RealBoard.steps`)."""
    open_port: Callable[[str, float], Link] = field(default_factory=lambda: ports.open_soon)
    """Opens a port: name, timeout in seconds."""
    clock: Clock = time
    drives: Callable[[], list[Drive]] = field(default_factory=lambda: uf2_drive.list_drives)
    """Lists the mounted drives of bootloaders."""


class RealBoard(ABC):
    """A board that firmware can be written to through its own bootloader."""

    name: ClassVar[str]
    """As in `kws boards`."""

    title: ClassVar[str]

    usb: ClassVar[frozenset[UsbId]]
    """All its USB ids, as application or bootloader."""
    adapter: ClassVar[bool] = False
    """Whether `usb` are ids of USB-serial adapters: the user may name a port with another id, the
    port stays when the board restarts, and its id does not identify the board."""
    needs_port: ClassVar[bool] = True
    """Whether `program` needs a port; if not, it gets one without a name if there is none."""
    over_serial: ClassVar[bool] = False
    """Whether `program` needs nothing but a USB serial port of the board's own, so that the port
    may be at a browser."""
    verifies: ClassVar[bool] = True
    """Whether `program` reads back flash; if not, each block is checked in transit."""
    application: ClassVar[frozenset[UsbId]]
    """The subset of `usb` while an application runs."""
    memory: ClassVar[Memory]
    find: ClassVar[str]
    """Advice if the board is not found."""
    recover: ClassVar[str]
    """Advice after an interrupted deployment."""
    options: ClassVar[str] = ""
    """Build options that its bootloader needs, separated by commas."""
    hint: ClassVar[str] = ""
    """Instructions for the user while the board is written."""
    probe: ClassVar[str]
    """pyOCD's name of the microcontroller."""
    has_bootloader: ClassVar[bool] = True
    """Whether it has a bootloader that kws can write through and must not erase."""

    @abstractmethod
    def steps(self, image: Image) -> int:
        """Number of progress steps of `program`."""

    @abstractmethod
    def program(self, port: Port, image: Image, bench: Bench) -> None:
        """Write `image`, verify it as far as the bootloader can, and start it.

        Args:
            port: the port of its bootloader or application.
            image: fits `memory`.
            bench: ports, clock and progress callback.

        Raises:
            PortError: the port could not be opened; nothing was changed.
            PortLostError: the board disconnected.
            ProtocolError: an answer was wrong or missing, or verification failed.
        """


def real_boards() -> dict[str, RealBoard]:
    """The boards that firmware can be written to, by name."""
    return {board.name: _load(board.deploy) for board in boards() if board.deploy is not None}


def find_real_board(name: str, loader: str | None = None) -> RealBoard:
    """Find the real board `name`.

    Args:
        name: as in `kws boards`.
        loader: name of its bootloader; None is the board's usual one.

    Raises:
        UsageError: the board is emulated or unknown, or has no such bootloader.
    """
    known = real_boards()
    if name not in known:
        emulated = any(board.name == name for board in boards())
        reason = "is an emulated board" if emulated else "is not a board"
        near = did_you_mean(name, known)
        raise UsageError(f"{name} {reason}{near}; real boards are {', '.join(known)}")
    if loader is None:
        return known[name]
    loaders = find_board(name).loaders
    if loader not in loaders:
        there = f"--loader can be {', '.join(loaders)}" if loaders else "omit --loader"
        raise UsageError(f"{name} has no bootloader {loader!r}; {there}")
    return _load(loaders[loader])


def _load(place: str) -> RealBoard:
    module, _, name = place.partition(":")
    board = getattr(importlib.import_module(module), name)()
    assert isinstance(board, RealBoard)  # noqa: S101 - the JSON file names another class
    return board
