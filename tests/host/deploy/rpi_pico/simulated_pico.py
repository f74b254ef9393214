# SPDX-License-Identifier: Apache-2.0
"""A simulated Raspberry Pi Pico: its boot ROM's drive, its flash, and an adapter at its UART.

`BootRom` handles each sector as the RP2040's boot ROM does (source: kws/host/deploy/loaders/
uf2_drive.py): it erases flash by the numbers of blocks, so a file that is not in the order of its
addresses would leave wrong bytes. It records in `problems` everything that a careful client would
not write. Time is simulated.
"""

from __future__ import annotations

import errno
import random
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from kws.host.deploy.loaders.uf2_drive import Drive
from kws.host.serial.ports import Link, Port, UsbId
from tests.host.deploy.programs import boot_line

FAMILY = 0xE48BFF56
START, END, ERASED_AT_ONCE = 0x10000000, 0x10200000, 4096
SECTOR = 512
INFO = "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n"
ADAPTER = Port("/dev/simulated", UsbId(0x2E8A, 0x000C), "1-2")


class BootRom:
    """The boot ROM's handling of sectors written to the drive."""

    def __init__(self) -> None:
        self.flash = bytearray(random.Random(0).randbytes(END - START))  # an old firmware
        self.problems: list[str] = []
        self.complete = False
        self._count = 0
        self._numbers: set[int] = set()
        self._erased: set[int] = set()

    def write_sector(self, data: bytes) -> None:
        """Write a sector, anywhere on the drive."""
        start_0, start_1, flags, address, size, number, count, family = struct.unpack_from(
            "<8I", data
        )
        (end,) = struct.unpack_from("<I", data, SECTOR - 4)
        if (start_0, start_1, end) != (0x0A324655, 0x9E5D5157, 0x0AB16F30):
            return  # a directory, a table, another file
        if flags != 0x2000 or family != FAMILY or size != 256:
            self.problems.append(f"block {number}: flags {flags:x}, {size} bytes, {family:x}")
            return
        if not START <= address < END or address % 256 or number >= count:
            self.problems.append(f"block {number} of {count}: 0x{address:x} ends the transfer")
            return
        if count != self._count:
            self._count, self._numbers, self._erased = count, set(), set()
        if number in self._numbers:
            self.problems.append(f"block {number} comes again")
            return
        place = address - START
        page = number * 256 // ERASED_AT_ONCE
        if page not in self._erased:
            self._erased.add(page)
            sector = place - place % ERASED_AT_ONCE
            self.flash[sector : sector + ERASED_AT_ONCE] = b"\xff" * ERASED_AT_ONCE
        for i, value in enumerate(data[32 : 32 + size]):
            self.flash[place + i] &= value  # writing only clears bits
        self._numbers.add(number)
        self.complete = len(self._numbers) == count


class SimulatedDrive(Drive):
    """The drive, which exists while the boot ROM runs."""

    def __init__(self, board: Board) -> None:
        super().__init__(Path("/media/RPI-RP2"), board.info)
        self.board = board

    def write(self, name: str, parts: Iterable[bytes]) -> None:
        """Write sectors instead of files; within a part in any order."""
        assert len(name.partition(".")[0]) <= 8, name
        for part in parts:
            assert len(part) % SECTOR == 0
            sectors = [part[at : at + SECTOR] for at in range(0, len(part), SECTOR)]
            self.board.random.shuffle(sectors)
            for sector in [*sectors, b"\0" * SECTOR]:  # the last one is a directory
                self.board.take(sector)


class SimulatedLink(Link):
    """The open port of the adapter."""

    def __init__(self, board: Board) -> None:
        self.device = ADAPTER.device
        self.board = board

    def __enter__(self) -> Self:
        return self

    def close(self) -> None:
        """Nothing to release."""

    def read(self, timeout: float) -> bytes:
        """The board's output."""
        self.board.sleep(timeout)
        sent, self.board.sent = self.board.sent, b""
        return sent

    def write(self, data: bytes) -> None:
        """These tests send no input."""
        raise AssertionError(data)


@dataclass
class Board:
    """The board; also replaces the module `time`."""

    plugged_at: float = 0.5
    """When the user plugs it in with BOOTSEL held, in seconds."""
    adapter: bool = False
    info: str = INFO
    refuses: bool = False
    """The drive accepts sectors but does not write them."""
    unplug_at_sector: int | None = None
    """The cable is pulled after this sector, counted from 1."""
    restarts_after: float = 1.0
    """Seconds from the last block to the restart; 0: within its transfer."""
    random: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        self.rom = BootRom()
        self.now = 0.0
        self.sectors = 0
        self.sent = b""
        self.restarts_at: float | None = None
        self.is_gone = False

    def monotonic(self) -> float:
        """Seconds since the start."""
        return self.now

    def sleep(self, seconds: float, /) -> None:
        """Let time pass."""
        self.now += seconds
        if self.restarts_at is not None and self.now >= self.restarts_at:
            self.restarts_at, self.is_gone = None, True
            self.sent += (boot_line("rpi_pico") + "\n").encode()

    def lister(self) -> list[Port]:
        """Replaces `kws.host.serial.ports.list_ports`."""
        return [ADAPTER] if self.adapter else []

    def open_port(self, device: str, _seconds: float) -> Link:
        """Replaces `kws.host.serial.ports.open_soon`."""
        assert device == ADAPTER.device
        return SimulatedLink(self)

    def drives(self) -> list[Drive]:
        """Replaces `uf2_drive.list_drives`."""
        return [] if self.is_gone or self.now < self.plugged_at else [SimulatedDrive(self)]

    def take(self, sector: bytes) -> None:
        """Write one sector of the drive."""
        if self.is_gone:
            raise OSError(errno.EIO, "Input/output error")
        self.sectors += 1
        if self.refuses:
            return
        self.rom.write_sector(sector)
        if self.unplug_at_sector == self.sectors:
            self.is_gone = True
        elif self.rom.complete and self.restarts_at is None:
            self.restarts_at = self.now + self.restarts_after
            self.sleep(0)
