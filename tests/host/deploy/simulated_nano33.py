# SPDX-License-Identifier: Apache-2.0
"""An Arduino Nano 33 BLE on pseudo-terminals: its USB bootloader, its flash and an application.

`Bootloader` handles each byte as the real bootloader does, including the two stray bytes after V
and I (sources: kws/host/deploy/loaders/samba.py). It records in `problems` everything that a
careful client would not send. `Board` adds ports that appear and disappear, and faults.
"""

from __future__ import annotations

import binascii
import contextlib
import os
import select
import struct
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from kws.host.serial.ports import UsbId
from tests.host.deploy import programs
from tests.host.deploy.programs import STATS, boot_line
from tests.host.serial.pty_board import PtyBoard

APPLICATION, BOOTLOADER = UsbId(0x2341, 0x805A), UsbId(0x2341, 0x005A)
ORIGIN, PAGE, FLASH_SIZE = 0x10000, 4096, 0x100000
VERSION = b"Arduino Bootloader (SAM-BA extended) 2.0 [Arduino:IKXYZ]\n\r\0n"
CHIP = b"nRF52840-QIAA\n\r\0X"
BOOT_LINE = boot_line("nano33ble")

_BOOTLOADER_BYTES = b"\xb0\x07"


class Bootloader:
    """The bootloader's state, and its loop over bytes from USB."""

    def __init__(self) -> None:
        self.flash = bytearray(_BOOTLOADER_BYTES * (ORIGIN // 2) + b"\xff" * (FLASH_SIZE - ORIGIN))
        self.flash[ORIGIN : ORIGIN + 8] = struct.pack("<II", 0x20040000, 0x10101)  # an old one
        self.problems: list[str] = []
        self.packets: list[str] = []
        self.reset = False
        self.version = VERSION
        self.bad_address: int | None = None
        self._memory = bytearray(2 * PAGE)
        self._command = b""
        self._due = 0
        self._offset = 0
        self._copy = 0
        self._loaded = 0
        self._written: set[int] = set()
        self._verified: set[int] = set()

    def feed(self, data: bytes) -> bytes:
        """The answer to received bytes."""
        answer = b""
        for value in data:
            if self._due:
                self._memory[self._offset] = value
                self._offset += 1
                self._due -= 1
                if not self._due:
                    self.packets.append("data")
                continue
            self._command += bytes([value])
            if value == ord("#"):
                command, self._command = self._command, b""
                if command != b"#":
                    self.packets.append(command.decode("latin-1"))
                answer += self._obey(command[:1], command)
        return answer

    def blank(self) -> bool:
        """Whether flash has no application to start."""
        first, second = struct.unpack_from("<II", self.flash, ORIGIN)
        return 0xFFFFFFFF in (first, second)

    def _obey(self, letter: bytes, command: bytes) -> bytes:
        if letter == b"K":
            if self._written - self._verified:
                self._complain("reset before all was verified")
            self.reset = True
            return b""
        if letter == b"S":
            self._offset, self._due = self._numbers(command)
            if self._offset + self._due > len(self._memory):
                self._complain(f"{command!r} runs over the buffer")
                self._due = 0
            self._loaded = self._due
            return b""
        if letter == b"Y":
            return self._write(*self._numbers(command))
        if letter == b"Z":
            return self._checksum(*self._numbers(command))
        return {b"N": b"\n\r", b"V": self.version, b"I": CHIP, b"X": b"X\n\r"}.get(letter, b"")

    def _write(self, address: int, size: int) -> bytes:
        if size == 0:
            self._copy = address
            return b"Y\n\r"
        start = (address + ORIGIN) & 0xFFFFFFFF
        if start < ORIGIN or start + size > FLASH_SIZE:
            self._complain(f"write of {size} bytes to 0x{start:x}")
        elif start % PAGE or size % PAGE:
            self._complain(f"write of {size} bytes to 0x{start:x}: no whole pages, nothing erased")
        elif size != self._loaded:
            self._complain(f"write of {size} bytes where {self._loaded} were sent")
        else:
            self.flash[start : start + size] = self._memory[self._copy : self._copy + size]
            if self.bad_address is not None and start <= self.bad_address < start + size:
                self.flash[self.bad_address] ^= 0x10
            self._written.add(start)
            self._verified.discard(start)
        self._loaded = 0
        return b"Y\n\r"

    def _checksum(self, address: int, size: int) -> bytes:
        start = address + ORIGIN
        if size > PAGE:
            self._complain(f"checksum of {size} bytes runs over the buffer")
        if start not in self._written:
            self._complain(f"checksum of 0x{start:x}, which was not written")
        self._verified.add(start)
        return b"Z%08X#\n\r" % binascii.crc_hqx(bytes(self.flash[start : start + size]), 0)

    def _numbers(self, command: bytes) -> tuple[int, int]:
        """Two numbers. The second starts at the tenth character, whatever precedes it."""
        if len(command) < 12 or command[9:10] != b"," or len(command) > 19:
            self._complain(f"{command!r} is not of the usual form")
        first, second = command[1:9], command[10:].rstrip(b"#")
        with contextlib.suppress(ValueError):
            return int(first, 16), int(second, 16)
        return 0, 0

    def _complain(self, text: str) -> None:
        self.problems.append(text)


@dataclass
class Faults(programs.Faults):
    """More faults; commands and blocks of data are packets."""

    ignores_touch: bool = False
    does_not_return: bool = False
    """No port appears after the reset."""
    leaves_again: bool = False
    """The application's port disappears while its line is read."""


@dataclass
class Board(PtyBoard):
    """The board, with a port while it is plugged in and running."""

    faults: Faults = field(default_factory=Faults)
    lines: list[str] = field(default_factory=lambda: [BOOT_LINE])
    """The application's output when its port is opened."""
    answers: bool = True
    """Whether the application knows `stats`."""
    starts_as: UsbId = APPLICATION
    socket: str = "1-2"

    APPLICATION: ClassVar[UsbId] = APPLICATION
    BOOTLOADER: ClassVar[UsbId] = BOOTLOADER

    def __post_init__(self) -> None:
        super().__init__()
        self.bootloader = Bootloader()
        self.typed = b""
        self._lost = 0

    def plug(self) -> None:
        """Connect the cable for the first time."""
        self.appear(self.starts_as)

    def replug(self) -> None:
        """Reconnect the cable; the program in flash starts."""
        self.appear(self.BOOTLOADER if self.bootloader.blank() else self.APPLICATION)

    def write(self, data: bytes) -> None:
        """Send bytes as the application."""
        os.write(self._master, data)

    def appear(self, usb: UsbId) -> None:
        """Appear on the USB bus with this id, at a new port."""
        with self._lock:
            super().appear(usb)
            self._spoken = False

    def _run(self) -> None:
        while not self._ended.is_set():
            with self._lock:
                port, master = self._port, self._master
            if port is None:
                time.sleep(0.002)
                continue
            polled = events(master, 2)
            with self._lock:
                if self._port is port:  # not unplugged by the test meanwhile
                    self._step(port.usb, master, polled)
            time.sleep(0.002 if polled & select.POLLHUP or self._deaf() else 0)

    def _step(self, usb: UsbId | None, master: int, polled: int) -> None:
        if polled & select.POLLIN and not self._deaf():
            self._serve(usb, master, os.read(master, 512))
        elif polled & select.POLLHUP:  # the port is not open
            slow = termios.tcgetattr(master)[4] == termios.B1200
            # Closed after it was set to the slow rate, not about to be opened.
            closed = events(master, 0) & select.POLLHUP
            if usb == self.APPLICATION and slow and closed and not self.faults.ignores_touch:
                self.unplug()
                time.sleep(0.02)
                self.appear(self.BOOTLOADER)
        elif usb == self.APPLICATION and not self._spoken:
            self._spoken = True
            os.write(master, "".join(line + "\r\n" for line in self.lines).encode())
            if self.faults.leaves_again:
                time.sleep(0.05)
                self.unplug()

    def _serve(self, usb: UsbId | None, master: int, data: bytes) -> None:
        if usb == self.APPLICATION:
            self.typed += data
            if self.answers and b"stats\n" in data:
                os.write(master, f"{STATS}\r\n".encode())
            return
        for answer in self._answers(data):
            os.write(master, answer)
        if self._passed(self.faults.unplug_at):
            self.faults.unplug_at = None
            self.unplug()
        elif self.bootloader.reset:
            self.bootloader.reset = False
            self.unplug()
            if not self.faults.does_not_return:
                time.sleep(0.02)
                self.replug()

    def _answers(self, data: bytes) -> Iterator[bytes]:
        """Answer byte by byte, so that a fault affects the right packet."""
        for value in data:
            if self._lost:
                self._lost -= 1
                continue
            count = len(self.bootloader.packets)
            answer = self.bootloader.feed(bytes([value]))
            if len(self.bootloader.packets) == count:
                continue
            if self._passed(self.faults.unplug_at):
                return
            if self._passed(self.faults.lose_at):
                self.faults.lose_at = None
                self._lost = 7
            if self._passed(self.faults.silent_from):
                continue
            if answer and self._passed(self.faults.garble_at):
                self.faults.garble_at = None
                answer = b"?" + answer[1:]
            yield answer

    def _passed(self, packet: int | None) -> bool:
        return packet is not None and len(self.bootloader.packets) >= packet

    def _deaf(self) -> bool:
        return self._passed(self.faults.deaf_from)


def events(master: int, milliseconds: int) -> int:
    """The poll events of a pseudo-terminal; POLLHUP: it is not open."""
    poll = select.poll()
    poll.register(master, select.POLLIN)
    return dict(poll.poll(milliseconds)).get(master, 0)
