# SPDX-License-Identifier: Apache-2.0
"""Nordic's nRF52840 DK, programmed by its on-board debugger, which is also the serial port."""

from __future__ import annotations

from kws.host.deploy.image import Image, Memory
from kws.host.deploy.loaders import probe
from kws.host.deploy.real_board import Bench, RealBoard
from kws.host.serial.ports import Port, UsbId

# SEGGER's J-Link on the board: first versions, with a drive, with two serial ports.
DEBUGGERS = frozenset({UsbId(0x1366, 0x0105), UsbId(0x1366, 0x1015), UsbId(0x1366, 0x1051)})


class Nrf52840Dk(RealBoard):
    """Programmed through its on-board debugger; there is no bootloader."""

    name = "nrf52840_dk"
    title = "nRF52840 DK"
    application = usb = DEBUGGERS
    adapter = True
    # All of flash and RAM (Product Specification v1.7, 4.1); a page of flash is 4 KB.
    memory = Memory(range(0xFE000), range(0x20000000, 0x20040000), 4096)
    find = "connect the USB plug of its debugger (J2) and switch the board on (SW8)"
    recover = "run kws deploy again"
    probe = "nrf52840"
    has_bootloader = False

    def steps(self, image: Image) -> int:
        """Number of steps, as counted by the probe."""
        return probe.steps(image)

    def program(self, port: Port, image: Image, bench: Bench) -> None:  # noqa: ARG002
        """See `RealBoard.program`; the debugger is found by its probe id, not by `port`."""
        probe.program(self, image, bench)
