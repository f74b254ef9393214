# SPDX-License-Identifier: Apache-2.0
r"""Client for the USB bootloader of Arduino's boards with an nRF52840.

It understands a subset of SAM-BA, the protocol of Atmel's bootloaders, with Arduino's extensions.
Source: the bootloader's symbols and disassembly (ArduinoCore-mbed at b4ad4e72,
bootloaders/nano33ble/bootloader.elf, function main); it agrees with the public client
(arduino/BOSSA, branch nrf, src/Samba.cpp, Device.cpp and Flasher.cpp).

A command is a letter, numbers in hexadecimal and `#`:

    N#                   binary mode; answers \n\r
    V#  I#               version with the supported letters, name of the chip
    Saaaaaaaa,ssssssss#  the next s bytes go to offset a of a buffer in RAM; no answer
    Yaaaaaaaa,0#         the next Y writes from offset a of that buffer; answers Y\n\r
    Yaaaaaaaa,ssssssss#  erases and writes s bytes of flash; answers Y\n\r, even if that failed
    Zaaaaaaaa,ssssssss#  checksum of s bytes of flash, CRC-16/XMODEM: Zcccccccc#\n\r
    K#                   reset; no answer

X (erase) answers and does nothing; R (read) and G (go) do not exist, so flash can only be verified
with Z.

**Flash addresses count from 0x10000**: Y and Z add it to their argument. So bossac is called
without an offset for a sketch that is linked to 0x10000 (ArduinoCore-mbed, platform.txt,
tools.bossac.upload.pattern; variants/ARDUINO_NANO33BLE/linker_script.ld). The sum wraps at 32 bits,
so an address near 2**32 would reach the bootloader itself: `Samba` checks each address.
"""

from __future__ import annotations

import binascii
import re
import time

from kws.errors import BoardError
from kws.host.deploy.real_board import ProtocolError
from kws.host.serial.ports import Link

ORIGIN = 0x10000
"""Flash address that the bootloader calls 0."""

BLOCK = 4096
"""A page of flash (nRF52840 product specification, NVMC); Y erases whole pages."""

_END = b"\n\r"
_QUIET = 0.1  # seconds; two stray bytes follow the answers to V and I
_VERSION = re.compile(rb"\[Arduino:([A-Z]*)\]")


class Samba:
    """A connection to the bootloader.

    All methods raise `PortLostError` if the board disconnects, and `ProtocolError` if the answer is
    missing or wrong.
    """

    def __init__(self, link: Link, chip: str, flash: range, answer: float) -> None:
        """Greet the bootloader and check that it is the expected one.

        Args:
            link: connection to its serial port.
            chip: the expected name of the chip.
            flash: writable addresses.
            answer: timeout for an answer, in seconds.
        """
        self._link = link
        self._flash = flash
        self._answer = answer
        self._greet()
        version = self._text(b"V#")
        known = _VERSION.search(version)
        if known is None or set(b"IKYZ") - set(known[1]):
            raise ProtocolError(
                f"{link.device}: the bootloader calls itself {_show(version)}, which kws does not "
                "know; --probe writes through a debug probe instead"
            )
        name = self._text(b"I#")
        if name != chip.encode():
            raise ProtocolError(
                f"{link.device}: the bootloader says the chip is {_show(name)}, not {chip}; "
                "is this another board?"
            )

    def write(self, address: int, data: bytes) -> None:
        """Erase a block of flash and write it.

        Raises:
            BoardError: the address is not writable, or the size is not one block.
        """
        place = self._place(address, len(data))
        self._link.write(b"S%08X,%08X#" % (0, len(data)))
        self._link.write(data)
        self._command(b"Y%08X,0#" % 0, b"Y", address)
        self._command(b"Y%08X,%08X#" % (place, len(data)), b"Y", address)

    def verify(self, address: int, data: bytes) -> None:
        """Compare a block of flash with `data`; raises `ProtocolError` if it differs."""
        place = self._place(address, len(data))
        answer = self._command(b"Z%08X,%08X#" % (place, len(data)), rb"Z[0-9A-F]{8}#", address)
        if int(answer[1:9], 16) != binascii.crc_hqx(data, 0):
            raise ProtocolError(
                f"{self._link.device}: flash at 0x{address:x} differs from the image"
            )

    def reset(self) -> None:
        """Start the application; the bootloader disconnects immediately."""
        self._link.write(b"K#")

    def _place(self, address: int, size: int) -> int:
        end = address + size
        inside = self._flash.start <= address < end <= self._flash.stop
        if address % BLOCK or size != BLOCK or not inside or address < ORIGIN:
            raise BoardError(f"0x{address:x} with {size} bytes is not a writable block")
        return address - ORIGIN

    def _greet(self) -> None:
        if self._ask(b"N#") == _END:
            return
        # An interrupted run leaves the bootloader waiting for the rest of a block. Fill that block;
        # any surplus `#` is a command without a letter, which it ignores.
        if not self._ask(b"#" * BLOCK + b"N#").endswith(_END):
            raise ProtocolError(f"{self._link.device}: the bootloader does not answer")

    def _text(self, command: bytes) -> bytes:
        """The answer's line, without its end."""
        return self._ask(command).partition(_END)[0]

    def _ask(self, command: bytes) -> bytes:
        """The complete answer to a command, until the line is quiet."""
        self._link.drop_input()
        self._link.write(command)
        answer = self._read()
        while more := self._link.read(_QUIET):
            answer += more
        return answer

    def _command(self, command: bytes, answer: bytes, address: int) -> bytes:
        self._link.write(command)
        reply = self._read()
        if not re.fullmatch(answer + _END, reply):
            what = f"answered {_show(reply)}" if reply else "did not answer"
            raise ProtocolError(
                f"{self._link.device}: the bootloader {what} at flash address 0x{address:x}"
            )
        return reply

    def _read(self) -> bytes:
        """One line, or less after the timeout."""
        reply = b""
        end = time.monotonic() + self._answer
        while _END not in reply and (remaining := end - time.monotonic()) > 0:
            reply += self._link.read(remaining)
        return reply


def _show(text: bytes) -> str:
    """Arbitrary bytes, printable in a message."""
    return repr(text[:60].decode("latin-1"))
