# SPDX-License-Identifier: Apache-2.0
"""Ambiq's secure bootloader, simulated: its answers and the images that it installs.

Source: "Apollo3-Blue Secure Update Flow" 1.3, sections 4.1, 5 and 6.1. Assumptions: times; a new
UPDATE starts again; after a byte at a wrong rate nothing is received; incomplete messages
(`patience`); bytes after a bad message (`discards`).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

from tests.host.deploy.sparkfun_edge.simulated_edge import AnyLoader

FLASH_SIZE, PAGE = 0x100000, 8192
ORIGIN = 0xC000
"""Start of the application; the loader is below."""
MESSAGE = 8192
"""Maximum size of a message, in bytes."""

_NAMES = {0: "HELLO", 2: "OTADESC", 3: "UPDATE", 6: "RESET", 8: "DATA"}
_LENGTHS = {0: 8, 2: 12, 3: 20, 6: 12}
_QUIET = 0.02  # seconds, after a bad message
_PAGE_SECONDS = 0.05
_BOOT, _LISTEN, _DEAF, _WRITE, _INSTALL = range(5)


def message(kind: int, *words: int, data: bytes = b"") -> bytes:
    """A message as sent over the wire."""
    payload = struct.pack(f"<{len(words)}I", *words) + data
    rest = struct.pack("<HH", kind, 8 + len(payload)) + payload
    return struct.pack("<I", zlib.crc32(rest)) + rest


@dataclass
class Loader(AnyLoader):
    """The loader, which waits for HELLO after a reset without an application or with button 14."""

    starting: float = 0.05
    window: float = 5.0
    rate: int = 115200
    most: int = 0x4FFA0
    """Maximum size of an update in bytes, from STATUS; the default is from a real board."""
    held_from: float = 0.0
    """Time at which the user presses button 14; it is released at the first DATA."""
    holds_on: bool = False
    """The button is never released."""
    patience: float | None = None
    """Seconds of silence after which an incomplete message is dropped; None: never."""
    discards: bool = True
    """Whether bytes after a bad message are dropped until the line is quiet."""
    refusals: dict[int, int] = field(default_factory=dict)
    """Status that refuses a message, by message number."""
    stray: bytes = b""
    """Bytes sent before STATUS."""
    acks_reset: bool = True

    def __post_init__(self) -> None:
        old = struct.pack("<II", 0x10001000, ORIGIN + 0x101) * (PAGE // 8)
        self.flash = bytearray(b"\xb0\x07" * (ORIGIN // 2) + old * ((FLASH_SIZE - ORIGIN) // PAGE))
        self._state = _BOOT
        self.list_at: int | None = None
        super().__post_init__()

    def reset(self, now: float) -> None:
        """Reset by pin or power."""
        if not self.running and self._state in (_WRITE, _INSTALL):
            self.problems.append("a reset while it wrote flash")
        self.running = False
        self._state, self._since, self._now = _BOOT, now, now
        self._forget()
        self._connected = False
        self._update: bytearray | None = None
        self._size = self._crc = 0
        if self.starting == 0:
            self._boot()

    def step(  # noqa: PLR0911 - a line for each state
        self, now: float, data: bytes, speed: int
    ) -> bytes:
        """Like `AnyLoader.step`."""
        self._now = now
        if self.running:
            return b""
        if self._state == _BOOT and now >= self._since + self.starting:
            self._boot()
            return b""  # the bytes arrived before the loader listened
        if self._state == _INSTALL and now >= self._since:
            self._install()
            self._boot()
        if self._state == _WRITE:
            if data:
                self.problems.append("something was sent while it wrote flash")
            if now < self._since:
                return b""
            self._state = _LISTEN
            return self._ack(8, 0, self._size)
        if self._state != _LISTEN:
            return b""
        if data and speed != self.rate:
            self._state = _DEAF
            return b""
        if not self._connected and now >= self._since + self.window:
            self.start()
            return b""
        return self._receive(data)

    def _held(self) -> bool:
        return self._now >= self.held_from and (self.holds_on or "DATA" not in self.packets)

    def _boot(self) -> None:
        stack, reset = struct.unpack_from("<II", self.flash, ORIGIN)
        there = 0x10000000 < stack <= 0x10060000 and ORIGIN < reset < FLASH_SIZE
        if there and not self._held():
            self.start()
        else:
            self._state, self._since = _LISTEN, self._now

    def _forget(self) -> None:
        self._buffer = b""
        self._last = self._now
        self._discard = False

    def _receive(self, data: bytes) -> bytes:  # noqa: PLR0911 - and for what may be wrong
        if self._discard and self._now >= self._last + _QUIET:
            self._forget()
        if self._buffer and self.patience and self._now >= self._last + self.patience:
            self._forget()
        if data:
            self._last = self._now
        if self._discard:
            return b""
        self._buffer += data
        if len(self._buffer) < 8:
            return b""
        crc, kind, length = struct.unpack_from("<IHH", self._buffer)
        if not 8 <= length <= MESSAGE or kind not in _NAMES:
            return self._bad(kind, 6)
        if len(self._buffer) < length:
            return b""
        whole, self._buffer = self._buffer[:length], self._buffer[length:]
        if zlib.crc32(whole[4:]) != crc:
            return self._bad(kind, 3)
        self.packets.append(_NAMES[kind])
        if self._buffer:
            self.problems.append("something was sent before the answer")
        refusal = self.refusals.pop(len(self.packets), None)
        if refusal is not None:
            return self._ack(kind, refusal, 0 if self._update is None else len(self._update))
        if kind in _LENGTHS and length != _LENGTHS[kind]:
            self.problems.append(f"{_NAMES[kind]} of {length} bytes")
            return self._ack(kind, 9)
        return self._take(kind, whole[8:])

    def _bad(self, kind: int, status: int) -> bytes:
        self.packets.append("bad")
        self._forget()
        self._discard = self.discards
        return self._ack(kind, status, 0 if self._update is None else len(self._update))

    def _ack(self, kind: int, status: int, position: int = 0) -> bytes:
        return message(7, kind, status, position)

    def _take(self, kind: int, payload: bytes) -> bytes:  # noqa: PLR0911 - and for each message
        words = struct.unpack_from(f"<{len(payload) // 4}I", payload)
        if kind == 0:
            self._connected = True
            return self.stray + message(1, 3, self.most, 2, 7, *[0xFFFFFFFF] * 16)
        if not self._connected:
            self.problems.append(f"{_NAMES[kind]} before HELLO")
            return self._ack(kind, 8)
        if kind == 2:
            if words[0] % PAGE or not 0x80000 <= words[0] < FLASH_SIZE:
                self.problems.append(f"a list at 0x{words[0]:x}")
                return self._ack(kind, 7)
            self.list_at = words[0]
            self.flash[self.list_at : self.list_at + PAGE] = b"\xff" * PAGE
            return self._ack(kind, 0)
        if kind == 3:
            return self._begin(*words)
        if kind == 6:
            return self._restart(words[0])
        return self._data(words[0], payload[4:])

    def _begin(self, size: int, crc: int, piggyback: int) -> bytes:
        if self.list_at is None:
            self.problems.append("an update before OTADESC")
        if piggyback or size % 4 or size <= 96:
            self.problems.append(f"an update of {size} bytes with {piggyback}")
            return self._ack(3, 9)
        if size - 96 > self.most:
            self.problems.append("an update too big")
            return self._ack(3, 5)
        self._update, self._size, self._crc = bytearray(), size, crc
        return self._ack(3, 0)

    def _data(self, position: int, data: bytes) -> bytes:
        if self._update is None:
            self.problems.append("data without an update")
            return self._ack(8, 8)
        if position != len(self._update) or not data:
            return self._ack(8, 10, len(self._update))
        if position + len(data) > self._size:
            self.problems.append("too much data")
            return self._ack(8, 11, position)
        self._update += data
        if len(self._update) < self._size:
            return self._ack(8, 0, len(self._update))
        return self._store(bytes(self._update))

    def _store(self, update: bytes) -> bytes:
        """Check each field of an update's header, and write the update to flash."""
        header, part = update[:96], update[96:]
        kind, options, nothing = struct.unpack_from("<BBH", header, 80)
        key, address, size = struct.unpack_from("<III", header, 84)
        if zlib.crc32(update) != self._crc:
            return self._ack(8, 3)
        algorithms, keys = header[0] | header[2], header[1:4:2]
        if algorithms or keys != b"\x08\x08" or any(header[4:80]) or nothing or kind != 6:
            self.problems.append("the header of an update")
            return self._ack(8, 4)
        if key != 0x12344321 or size != len(part) or options > 1:
            self.problems.append("key, size or options of an update")
            return self._ack(8, 9)
        if address % PAGE or not ORIGIN <= address < address + size <= (self.list_at or 0):
            self.problems.append(f"an update at 0x{address:x}")
            return self._ack(8, 7)
        pages = -(-size // PAGE)
        self.flash[address : address + pages * PAGE] = part.ljust(pages * PAGE, b"\xff")
        if options:
            assert self.list_at is not None
            place = self.list_at
            while self.flash[place : place + 4] != b"\xff" * 4:
                place += 4
            struct.pack_into("<I", self.flash, place, address | 3)
        self._state, self._since = _WRITE, self._now + _PAGE_SECONDS * pages
        return b""

    def _restart(self, how: int) -> bytes:
        if how != 1:
            self.problems.append(f"a reset {how}")
        self._state, self._since = _INSTALL, self._now + self.starting
        for _, program in self.images():
            self._since += _PAGE_SECONDS * -(-len(program) // PAGE)
        return self._ack(6, 0) if self.acks_reset else b""

    def images(self) -> list[tuple[int, bytes]]:
        """Address and program of each listed image; checks the headers."""
        images = []
        place = self.list_at
        while place is not None and (entry := struct.unpack_from("<I", self.flash, place)[0]) & 1:
            if entry == 0xFFFFFFFF:
                break
            stage = entry & ~3
            kind, crc, security, zero = struct.unpack_from("<IIII", self.flash, stage)
            size = kind & 0xFFFFF
            blob = bytes(self.flash[stage : stage + size])
            address, version, first, second = struct.unpack_from("<IIII", blob, 112)
            end = address + size - 128
            if kind >> 20 != 0xCB0 or security != 0x10008080 or zero or any(blob[16:112]):
                self.problems.append("the header of an image")
            elif version or (first, second) != (0xFFFFFFFF, 0xFFFFFFFF) or address % PAGE:
                self.problems.append("address or version of an image")
            elif zlib.crc32(blob[8:]) != crc:
                self.problems.append("the CRC of an image")
            elif address < ORIGIN or end > stage:
                self.problems.append("an image that would overwrite what it is made from")
            else:
                images.append((address, blob[128:]))
            place += 4
        return images

    def _install(self) -> None:
        for address, program in self.images():
            pages = -(-len(program) // PAGE)
            self.flash[address : address + pages * PAGE] = program.ljust(pages * PAGE, b"\xff")
        self.list_at = None
