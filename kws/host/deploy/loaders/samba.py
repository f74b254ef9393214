# SPDX-License-Identifier: Apache-2.0
r"""The USB bootloader of Arduino's boards with an nRF52840, spoken to over its serial port.

It understands a subset of SAM-BA, the protocol of Atmel's bootloaders, with Arduino's extensions.
All below was read from the bootloader itself (ArduinoCore-mbed at b4ad4e72,
bootloaders/nano33ble/bootloader.elf, function main, by its symbols and disassembly) and agrees with
what the public client does (arduino/BOSSA, branch nrf, src/Samba.cpp, Device.cpp and Flasher.cpp).

A command is a letter, numbers in hexadecimal and `#`:

    N#                   binary mode; answers \n\r
    V#  I#               version with the letters it knows, name of the chip
    Saaaaaaaa,ssssssss#  the next s bytes go to offset a of a buffer in RAM; no answer
    Yaaaaaaaa,0#         the next Y writes from offset a of that buffer; answers Y\n\r
    Yaaaaaaaa,ssssssss#  erases and writes s bytes of flash; answers Y\n\r, even where that failed
    Zaaaaaaaa,ssssssss#  checksum of s bytes of flash, CRC-16/XMODEM: Zcccccccc#\n\r
    K#                   reset; no answer

X (erase) answers and does nothing; R (read) and G (go) are not there, so what was written can only
be checked with Z.

**Flash addresses count from 0x10000**: Y and Z add it to what they are given. That is why bossac is
called without an offset for a sketch that is linked to 0x10000 (ArduinoCore-mbed, platform.txt,
tools.bossac.upload.pattern; variants/ARDUINO_NANO33BLE/linker_script.ld). The sum wraps at 32 bits,
so an address near 2**32 would reach the bootloader itself: `Samba` checks each one.
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
"""A page of flash (nRF52840 product specification, NVMC): what Y erases has to be whole pages."""

_END = b"\n\r"
_QUIET = 0.1  # seconds; two stray bytes follow the answers to V and I
_VERSION = re.compile(rb"\[Arduino:([A-Z]*)\]")


class Samba:
    """A bootloader that listens at the other end of a link."""

    def __init__(self, link: Link, chip: str, flash: range, answer: float) -> None:
        """Greet the bootloader and check that it is the expected one.

        Args:
            link: to its serial port.
            chip: how it has to call itself.
            flash: addresses that may be written.
            answer: how long to wait for an answer, in seconds.

        Raises:
            ProtocolError: nobody answers, or another bootloader does.
            PortLostError: the board went away.
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
            BoardError: the address or the size is none that may be written.
            ProtocolError: there was no answer, or a wrong one.
            PortLostError: the board went away.
        """
        place = self._place(address, len(data))
        self._link.write(b"S%08X,%08X#" % (0, len(data)))
        self._link.write(data)
        self._command(b"Y%08X,0#" % 0, b"Y", address)
        self._command(b"Y%08X,%08X#" % (place, len(data)), b"Y", address)

    def verify(self, address: int, data: bytes) -> None:
        """Compare a block of flash with what was written there.

        Raises:
            ProtocolError: it differs, there was no answer, or a wrong one.
            PortLostError: the board went away.
        """
        place = self._place(address, len(data))
        answer = self._command(b"Z%08X,%08X#" % (place, len(data)), rb"Z[0-9A-F]{8}#", address)
        if int(answer[1:9], 16) != binascii.crc_hqx(data, 0):
            raise ProtocolError(
                f"{self._link.device}: what is in flash at 0x{address:x} is not what was written"
            )

    def reset(self) -> None:
        """Start what is in flash; the bootloader goes away at once.

        Raises:
            PortLostError: the board went away before.
        """
        self._link.write(b"K#")

    def _place(self, address: int, size: int) -> int:
        end = address + size
        inside = self._flash.start <= address < end <= self._flash.stop
        if address % BLOCK or size != BLOCK or not inside or address < ORIGIN:
            raise BoardError(f"0x{address:x} with {size} bytes is no block that may be written")
        return address - ORIGIN

    def _greet(self) -> None:
        if self._ask(b"N#") == _END:
            return
        # A run that broke off within a block leaves the bootloader counting bytes. These are the
        # rest of that block; the ones left over are commands without a letter, which it ignores.
        if not self._ask(b"#" * BLOCK + b"N#").endswith(_END):
            raise ProtocolError(f"{self._link.device}: the bootloader does not answer")

    def _text(self, command: bytes) -> bytes:
        """The line that a bootloader answers, without its end."""
        return self._ask(command).partition(_END)[0]

    def _ask(self, command: bytes) -> bytes:
        """All that comes after a command, until it is quiet."""
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
        """What comes, up to the end of a line; less if that does not come in time."""
        reply = b""
        end = time.monotonic() + self._answer
        while _END not in reply and (remaining := end - time.monotonic()) > 0:
            reply += self._link.read(remaining)
        return reply


def _show(text: bytes) -> str:
    """Bytes that may be anything, for a message."""
    return repr(text[:60].decode("latin-1"))
