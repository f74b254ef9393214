# SPDX-License-Identifier: Apache-2.0
"""Raspberry Pi Pico: a file is copied onto the drive of the chip's boot ROM."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kws.errors import BoardError, os_reason
from kws.host.build.boards import find_board
from kws.host.deploy.image import Image, Memory
from kws.host.deploy.loaders import uf2_drive
from kws.host.deploy.loaders.uf2_drive import Drive
from kws.host.deploy.real_board import Bench, ProtocolError, RealBoard
from kws.host.deploy.sparkfun_edge import ADAPTERS
from kws.host.serial.ports import Port, PortLostError, UsbId

# Raspberry Pi's Debug Probe, and the firmware that makes one of a Pico (raspberrypi/usb-pid).
DEBUG_PROBES = frozenset({UsbId(0x2E8A, 0x000C), UsbId(0x2E8A, 0x0004)})

BOARD_ID = "RPI-RP2"
"""Of any board with an RP2040, and the drive's label (raspberrypi/pico-bootrom-rp2040)."""


class RpiPico(RealBoard):
    """Started in its boot ROM by the button BOOTSEL, written by a copy onto its drive.

    The firmware's serial port is a UART, so it is seen to start only if an adapter is connected.
    """

    name = "rpi_pico"
    title = "Raspberry Pi Pico"
    application = usb = ADAPTERS | DEBUG_PROBES
    adapter = True
    needs_port = False
    verifies = False
    # 2 MB of flash and all RAM; boot2 is before the vectors (boards/rpi_pico/rp2040.ld).
    memory = Memory(
        range(0x10000000, 0x10200000), range(0x20000000, 0x20042000), 4096, vectors=0x100
    )
    find = "hold BOOTSEL while you plug in its USB cable"
    recover = "hold BOOTSEL while you plug in its USB cable, and run kws deploy again"
    hint = f"hold BOOTSEL while you plug in the Pico's USB cable: its drive {BOARD_ID} appears"
    probe = "rp2040"
    has_bootloader = False

    def steps(self, image: Image) -> int:
        """Parts of the file."""
        return len(self._parts(image))

    def program(self, port: Port, image: Image, bench: Bench) -> None:  # noqa: ARG002
        """See `RealBoard.program`; the board is found by its drive, not by `port`."""
        drive = _find_drive(bench)
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
            # The board restarts after the last block, maybe before the system has finished.
            bench.advance(1)
        _wait_until_left(drive, bench)

    def _parts(self, image: Image) -> list[bytes]:
        family = find_board(self.name).uf2_family
        assert family is not None  # noqa: S101 - the board's JSON file says it
        return uf2_drive.parts_in_order(image, family)


def _find_drive(bench: Bench) -> Drive:
    """The board's drive; waits for the user to plug it in."""
    end = bench.clock.monotonic() + bench.timing.appear
    while bench.clock.monotonic() < end:
        drives = _drives(bench)
        if len(drives) > 1:
            names = ", ".join(str(drive.path) for drive in drives)
            raise BoardError(f"{len(drives)} drives of this kind are mounted, {names}: unplug one")
        if drives:
            return drives[0]
        bench.clock.sleep(0.05)
    raise ProtocolError(
        f"the drive {BOARD_ID} is not mounted; if /dev/disk/by-label/{BOARD_ID} exists, run "
        f"`udisksctl mount -b /dev/disk/by-label/{BOARD_ID}`"
    )


def _wait_until_left(drive: Drive, bench: Bench) -> None:
    end = bench.clock.monotonic() + bench.timing.appear
    while any(present.path == drive.path for present in _drives(bench)):
        if bench.clock.monotonic() > end:
            raise ProtocolError(f"{drive.path}: the board did not accept the file")
        bench.clock.sleep(0.02)


def _drives(bench: Bench) -> list[Drive]:
    """Drives of this kind of board."""
    line = re.compile(rf"^Board-ID: {BOARD_ID}\s*$", re.M)
    return [drive for drive in bench.drives() if line.search(drive.info)]
