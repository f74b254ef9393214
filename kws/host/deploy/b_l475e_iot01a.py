# SPDX-License-Identifier: Apache-2.0
"""ST's B-L475E-IOT01A, programmed through its ST-LINK, which is also the serial port."""

from __future__ import annotations

from kws.host.deploy.image import Image, Memory
from kws.host.deploy.loaders import probe
from kws.host.deploy.real_board import Bench, RealBoard
from kws.host.serial.ports import Port, UsbId

# ST-LINK/V2-1, with and without its drive (pyOCD, pyocd/probe/stlink/usb.py).
DEBUGGERS = frozenset({UsbId(0x0483, 0x374B), UsbId(0x0483, 0x3752)})


class BL475eIot01a(RealBoard):
    """Programmed through its on-board debugger; there is no bootloader in flash."""

    name = "b_l475e_iot01a"
    title = "B-L475E-IOT01A"
    application = usb = DEBUGGERS
    adapter = True
    # The first bank of flash and SRAM1 (DS10969, 3.4 and 3.5); a page of flash is 2 KB.
    memory = Memory(range(0x08000000, 0x08080000), range(0x20000000, 0x20018000), 2048)
    find = "connect the USB plug of its debugger (CN7)"
    recover = "run kws deploy again"
    probe = "stm32l475xg"
    has_bootloader = False

    def steps(self, image: Image) -> int:
        """Number of steps, as counted by the probe."""
        return probe.steps(image)

    def program(self, port: Port, image: Image, bench: Bench) -> None:  # noqa: ARG002
        """See `RealBoard.program`; the debugger is found by its probe id, not by `port`."""
        probe.program(self, image, bench)
