# SPDX-License-Identifier: Apache-2.0
"""A simulated Seeed XIAO nRF52840 Sense: its ports, its UF2 bootloader, its flash and its drive.

`Uf2Bootloader` handles each sector as Adafruit's bootloader does (sources:
kws/host/deploy/loaders/uf2_drive.py): it writes flash through a page buffer and counts blocks by
their numbers. It records in `problems` everything that a careful client would not write.
`SimulatedDrive` writes the sectors of each part out of order, as a system may do, with a directory
sector.
"""

from __future__ import annotations

import errno
import random
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from kws.host.deploy.loaders.uf2_drive import Drive
from kws.host.serial.ports import UsbId
from tests.host.deploy import simulated_nano33
from tests.host.deploy.programs import boot_line

APPLICATION, BOOTLOADER = UsbId(0x2886, 0x8045), UsbId(0x2886, 0x0045)
FAMILY = 0xADA52840
START, END, PAGE = 0x27000, 0xE8000, 4096
MBR, TAKEN_END = 0x1000, 0xEA000
SECTOR = 512
BOOT_LINE = boot_line("xiao_nrf52840_sense")
INFO = """UF2 Bootloader 0.6.1 lib/nrfx (v2.0.0) lib/tinyusb (0.10.1-293-gaf8e5a90)\r
Model: Seeed XIAO nRF52840\r
Board-ID: Seeed_XIAO_nRF52840_Sense\r
SoftDevice: S140 version 7.3.0\r
Date: Nov 12 2021\r
"""

_SOFT_DEVICE = b"\xd5\x5d"


class Uf2Bootloader:
    """The bootloader's handling of sectors written to the drive."""

    def __init__(self) -> None:
        self.flash = bytearray(_SOFT_DEVICE * (START // 2) + b"\xff" * (0x100000 - START))
        self.flash[START : START + 8] = struct.pack("<II", 0x20040000, START + 0x101)  # an old one
        self.problems: list[str] = []
        self.reset = False
        self._page: int | None = None
        self._buffer = bytearray()
        self._numbers: set[int] = set()
        self._count = 0

    def start(self) -> None:
        """Restart: only flash is kept."""
        self.reset = False
        self._page = None
        self._numbers = set()
        self._count = 0

    def blank(self) -> bool:
        """Whether flash has no application to start."""
        return self.flash[START : START + 8] == b"\xff" * 8

    def write_sector(self, data: bytes) -> None:
        """Write a sector, anywhere on the drive."""
        start_0, start_1, flags, address, size, number, count, family = struct.unpack_from(
            "<8I", data
        )
        (end,) = struct.unpack_from("<I", data, SECTOR - 4)
        if (start_0, start_1, end) != (0x0A324655, 0x9E5D5157, 0x0AB16F30):
            return  # a directory, a table, another file
        if flags != 0x2000 or size != 256 or address % 256:
            self.problems.append(f"block {number}: flags {flags:x}, {size} bytes, 0x{address:x}")
            return
        if family != FAMILY:
            self.problems.append(f"block {number} is for the family {family:x}")
            return
        if not MBR <= address < TAKEN_END:
            self.problems.append(f"block {number}: 0x{address:x} is refused, and it never ends")
            return
        if address < START:
            self.problems.append(f"block {number} overwrites the SoftDevice, 0x{address:x}")
        if self._count not in (0, count):
            self.problems.append(f"block {number} is one of {count}, others of {self._count}")
        if number >= count or number in self._numbers:
            self.problems.append(f"block {number} of {count} comes again, or is none of them")
        self._write(address, data[32 : 32 + size])
        self._count = count
        self._numbers.add(number)
        if len(self._numbers) >= count:
            self._flush()
            self.reset = True

    def _write(self, address: int, data: bytes) -> None:
        page = address & -PAGE
        if page != self._page:
            self._flush()
            self._page, self._buffer = page, self.flash[page : page + PAGE]
        self._buffer[address - page : address - page + len(data)] = data

    def _flush(self) -> None:
        if self._page is not None:
            self.flash[self._page : self._page + PAGE] = self._buffer
        self._page = None


@dataclass
class Faults(simulated_nano33.Faults):
    """More faults; sectors are counted from 1."""

    unplug_at_sector: int | None = None
    """The cable is pulled after this sector."""
    is_not_mounted: bool = False
    refuses: bool = False
    """The drive accepts sectors but does not write them."""


class SimulatedDrive(Drive):
    """The drive, which exists while the bootloader runs."""

    def __init__(self, path: Path, board: Board) -> None:
        super().__init__(path, board.info)
        self.board = board

    def write(self, name: str, parts: Iterable[bytes]) -> None:
        """Write sectors instead of files."""
        assert len(name.partition(".")[0]) <= 8, name
        for part in parts:
            assert len(part) % SECTOR == 0
            sectors = [part[at : at + SECTOR] for at in range(0, len(part), SECTOR)]
            self.board.random.shuffle(sectors)
            for sector in [*sectors, b"\0" * SECTOR]:  # the last one is a directory
                self.board.take(sector)


@dataclass
class Board(simulated_nano33.Board):
    """The board, with the ports of the simulated Nano, and a drive while its bootloader runs."""

    APPLICATION: ClassVar[UsbId] = APPLICATION
    BOOTLOADER: ClassVar[UsbId] = BOOTLOADER

    faults: Faults = field(default_factory=Faults)
    lines: list[str] = field(default_factory=lambda: [BOOT_LINE])
    starts_as: UsbId = APPLICATION
    info: str = INFO
    random: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.uf2 = Uf2Bootloader()
        self.sectors = 0

    def drives(self) -> list[Drive]:
        """Replaces `uf2_drive.list_drives`."""
        ports = self.lister()
        if self.faults.is_not_mounted or not ports or ports[0].usb != BOOTLOADER:
            return []
        return [SimulatedDrive(Path("/media/XIAO-SENSE"), self)]

    def take(self, sector: bytes) -> None:
        """Write one sector of the drive."""
        if not self.drives():
            raise OSError(errno.EIO, "Input/output error")
        self.sectors += 1
        if self.faults.refuses:
            return
        self.uf2.write_sector(sector)
        if self.faults.unplug_at_sector == self.sectors:
            self.faults.unplug_at_sector = None
            self.unplug()
        elif self.uf2.reset:
            self.unplug()
            if not self.faults.does_not_return:
                self.replug()

    def replug(self) -> None:
        """Reconnect the cable; the program in flash starts."""
        self.uf2.start()
        self.appear(BOOTLOADER if self.uf2.blank() else APPLICATION)
