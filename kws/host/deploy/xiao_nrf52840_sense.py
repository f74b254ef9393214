# SPDX-License-Identifier: Apache-2.0
"""Seeed XIAO nRF52840 Sense with Adafruit's UF2 bootloader: a file is copied onto its drive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kws.errors import BoardError, os_reason
from kws.host.build.boards import find_board
from kws.host.deploy.image import Image, Memory
from kws.host.deploy.loaders import uf2_drive
from kws.host.deploy.loaders.uf2_drive import Drive
from kws.host.deploy.real_board import Bench, ProtocolError, RealBoard
from kws.host.serial import ports
from kws.host.serial.ports import Port, PortLostError, UsbId

# Seeed-Studio/Adafruit_nRF52_Arduino, boards.txt, xiaonRF52840Sense.
APPLICATION = UsbId(0x2886, 0x8045)
BOOTLOADER = UsbId(0x2886, 0x0045)

# Seeed's bootloader (0.6.1 and 0.6.2), and newer ones (adafruit/Adafruit_nRF52_Bootloader,
# src/boards/xiao_nrf52840_ble_sense/board.h).
BOARD_IDS = frozenset({"Seeed_XIAO_nRF52840_Sense", "nRF52840-SeeedXiaoSense-v1"})

LABEL = "XIAO-SENSE"
"""The drive's label (same file)."""


class XiaoNrf52840Sense(RealBoard):
    """Started by a touch at 1200 bps, written by a copy onto its drive."""

    name = "xiao_nrf52840_sense"
    title = "Seeed XIAO nRF52840 Sense"
    application = frozenset({APPLICATION})
    usb = application | {BOOTLOADER}
    verifies = False
    # The SoftDevice S140 7.x ends at 0x27000, where the bootloader starts the application
    # (dfu_types.h, CODE_REGION_1_START). The drive accepts nothing from 0xEA000 on: 40 KB below the
    # bootloader are reserved for an application's data (CMakeLists.txt, DFU_APP_DATA_RESERVED).
    memory = Memory(range(0x27000, 0xE8000), range(0x20000000, 0x20040000), 4096)
    find = (
        "plug it in with a USB cable that carries data; if it is plugged in, tap its reset button "
        f"twice, quickly (the drive {LABEL} then appears), and run this again"
    )
    recover = (
        "the bootloader is untouched: tap reset twice, quickly, until the drive "
        f"{LABEL} appears, and run kws deploy again"
    )
    probe = "nrf52840"

    def steps(self, image: Image) -> int:
        """Parts of the file."""
        return len(self._parts(image))

    def program(self, port: Port, image: Image, bench: Bench) -> None:
        """See `RealBoard.program`."""
        drive = self._find_drive(port, bench)
        check_info(drive)
        parts = self._parts(image)
        reached = 0

        def counted() -> Iterator[bytes]:
            nonlocal reached
            for part in parts:
                reached += 1
                yield part
                bench.advance(1)

        try:
            drive.write(uf2_drive.FILE, counted())
        except OSError as error:
            if reached < len(parts):
                text = f"{drive.path}: the drive disappeared ({os_reason(error)})"
                raise PortLostError(text) from None
            # The board restarts after the last block, often before the system has finished.
            bench.advance(1)
        self._wait_until_left(port, drive, bench)

    def _parts(self, image: Image) -> list[bytes]:
        family = find_board(self.name).uf2_family
        assert family is not None  # noqa: S101 - the board's JSON file says it
        return uf2_drive.safe_parts(image, family)

    def _find_drive(self, port: Port, bench: Bench) -> Drive:
        """The board's drive; restarts running firmware into the bootloader."""
        before = {drive.path for drive in _drives(bench)}
        if port.usb != BOOTLOADER:
            ports.touch(port.device)
        else:
            before = set()
        end = bench.clock.monotonic() + bench.timing.appear
        while bench.clock.monotonic() < end:
            drives = [drive for drive in _drives(bench) if drive.path not in before]
            if len(drives) > 1:
                names = ", ".join(str(drive.path) for drive in drives)
                raise BoardError(
                    f"{len(drives)} drives of this kind are mounted, {names}: unplug one"
                )
            if drives:
                return drives[0]
            bench.clock.sleep(0.05)
        if any(present.usb == BOOTLOADER for present in bench.lister()):
            raise ProtocolError(
                f"the board is in its bootloader, but its drive {LABEL} is not mounted; if "
                f"/dev/disk/by-label/{LABEL} exists, run `udisksctl mount -b "
                f"/dev/disk/by-label/{LABEL}`, then run this again"
            )
        raise ProtocolError(f"{port.device}: the board did not enter its bootloader")

    def _wait_until_left(self, port: Port, drive: Drive, bench: Bench) -> None:
        def is_there() -> bool:
            return any(
                present.usb == BOOTLOADER and (present.socket == port.socket or not port.socket)
                for present in bench.lister()
            )

        end = bench.clock.monotonic() + bench.timing.appear
        while is_there():
            if bench.clock.monotonic() > end:
                raise ProtocolError(f"{drive.path}: the board did not accept the file")
            bench.clock.sleep(0.02)


def check_info(drive: Drive) -> None:
    """Check that the bootloader starts applications at 0x27000.

    Raises:
        BoardError: it does not; nothing was written.
    """
    soft_device = re.search(r"^SoftDevice: (.*?)\s*$", drive.info, re.M)
    version = soft_device[1] if soft_device else "not found"
    if not re.match(r"S140 (version )?7\.", version):
        raise BoardError(
            f"{drive.path}: the bootloader would not start this firmware, which needs the "
            f"SoftDevice S140 7.x below it ({uf2_drive.INFO} says: {version}); restore Seeed's "
            "bootloader with SoftDevice (docs/boards/xiao_nrf52840_sense.md)"
        )


def _drives(bench: Bench) -> list[Drive]:
    """Drives of this kind of board."""
    return [drive for drive in bench.drives() if _board_id(drive) in BOARD_IDS]


def _board_id(drive: Drive) -> str:
    line = re.search(r"^Board-ID: (.*?)\s*$", drive.info, re.M)
    return line[1] if line else ""
