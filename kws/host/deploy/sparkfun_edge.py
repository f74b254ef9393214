# SPDX-License-Identifier: Apache-2.0
"""SparkFun Edge at a USB-serial adapter, with SparkFun's variable loader or Ambiq's own."""

from __future__ import annotations

from kws.errors import BoardError
from kws.host.deploy.image import Image, Memory
from kws.host.deploy.loaders import ambiq
from kws.host.deploy.loaders.svl import FRAME_BYTES, RATES, Svl
from kws.host.deploy.real_board import Bench, ProtocolError, RealBoard
from kws.host.serial.ports import Port, UsbId

# The board has no USB: the computer sees the adapter at its six-pin header. These are the ids of
# common adapters with 3.3 V and a DTR pin (Linux, drivers/usb/serial: ch341.c, ftdi_sio_ids.h,
# cp210x.c); SparkFun's Serial Basic is the first.
ADAPTERS = frozenset(
    {
        UsbId(0x1A86, 0x7523),  # CH340
        UsbId(0x0403, 0x6001),  # FT232R
        UsbId(0x0403, 0x6015),  # FT231X
        UsbId(0x10C4, 0xEA60),  # CP2102
    }
)

UPPER_HALF = 0x80000
"""Loaders before version 6 do not erase flash above this (its README, "Artemis SVL Versions")."""


class SparkFunEdge(RealBoard):
    """Reset by the adapter's DTR line, then written through SparkFun's loader."""

    name = "sparkfun_edge"
    title = "SparkFun Edge"
    application = usb = ADAPTERS
    adapter = True
    verifies = False
    # The chip's own bootloader is at 0, the loader at 0xC000, the application at USERCODE_OFFSET of
    # its source. 1 MB of flash, 384 KB of RAM (datasheet, 1).
    memory = Memory(range(0x10000, 0xFC000), range(0x10000000, 0x10060000), FRAME_BYTES)
    find = (
        "connect a 3.3 V USB-serial adapter to its six-pin header (the board has no USB of its "
        "own), or pass the adapter's port with --port"
    )
    recover = "the bootloader is untouched: run kws deploy again"
    probe = "ama3b1kk_kbr"

    def steps(self, image: Image) -> int:
        """One per block, because each is sent once."""
        return image.count

    def program(self, port: Port, image: Image, bench: Bench) -> None:
        """See `RealBoard.program`."""
        with bench.open_port(port.device, bench.timing.appear) as link:
            rates = RATES
            trouble: ProtocolError | None = None
            while True:
                try:
                    board = Svl(link, bench.timing.answer, bench.clock, rates)
                except ProtocolError as error:
                    raise trouble or error from None
                _check_version(board.version, port, image)
                sent = 0
                try:
                    for address, block in image.blocks():
                        board.send(block, address)
                        bench.advance(1)
                        sent += 1
                except ProtocolError as error:
                    # The line may be too noisy for this rate: reset, and send everything at a lower
                    # one.
                    rates = tuple(rate for rate in rates if rate < board.rate)
                    if not rates:
                        raise
                    trouble = error
                    bench.advance(-sent)
                else:
                    board.finish()
                    return


class SparkFunEdgeAsSold(SparkFunEdge):
    """The same board without SparkFun's loader: written through the chip's own bootloader."""

    # Only the lower half: the stage occupies the upper half, up to the loader's list.
    memory = Memory(range(0xC000, 0x84000), SparkFunEdge.memory.ram, FRAME_BYTES)
    options = "asb"
    hint = "hold the board's button 14 until kws writes"
    recover = "the bootloader is untouched: hold button 14 and run kws deploy again"

    def steps(self, image: Image) -> int:
        """One per DATA message."""
        return ambiq.plan(image).messages

    def program(self, port: Port, image: Image, bench: Bench) -> None:
        """See `RealBoard.program`."""
        plan = ambiq.plan(image)
        with bench.open_port(port.device, bench.timing.appear) as link:
            board = ambiq.Ambiq(link, bench.timing.answer, bench.clock)
            board.start_list()
            for update in plan.updates:
                board.announce(update)
                sent = 0
                while sent < len(update):
                    sent = board.send(update, sent)
                    bench.advance(1)
            board.finish(plan.pages)


def _check_version(version: int, port: Port, image: Image) -> None:
    end = image.address + len(image.data)
    if version < 6 and end > UPPER_HALF:
        raise BoardError(
            f"{port.device}: this firmware ends at 0x{end:x}, and version {version} "
            f"of the board's bootloader writes only up to 0x{UPPER_HALF:x}; use a smaller "
            "model, or a bootloader of version 6"
        )
