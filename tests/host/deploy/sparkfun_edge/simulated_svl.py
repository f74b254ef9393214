# SPDX-License-Identifier: Apache-2.0
"""SparkFun's variable loader, simulated: its timed answers to each byte, and its flash.

Sources: kws/host/deploy/loaders/svl.py.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tests.host.deploy.sparkfun_edge.simulated_edge import AnyLoader

ORIGIN, FLASH_SIZE, PAGE, FRAME = 0x10000, 0x100000, 8192, 2048

_NAMES = {1: "VER", 2: "BL", 3: "NEXT", 4: "FRAME", 5: "RETRY", 6: "DONE"}
_RATES = {57600, 115200, 230400, 460800, 921600}
_FLUSH = 0.177  # seconds
_BOOT, _DETECT, _GREET, _LOAD = range(4)


def remainder(data: bytes) -> int:
    """The CRC by definition: the remainder of the data, as a polynomial, divided by 0x18005."""
    value = int.from_bytes(data, "big") << 16
    for bit in range(value.bit_length() - 1, 15, -1):
        if value >> bit & 1:
            value ^= 0x18005 << bit - 16
    return value


def packet(command: int, payload: bytes = b"") -> bytes:
    """A packet in the loader's format."""
    body = bytes([command]) + payload
    return struct.pack(">H", len(body) + 2) + body + struct.pack(">H", remainder(body))


@dataclass
class Loader(AnyLoader):
    """The loader, which listens for `U` after a reset."""

    starting: float = 0.1
    window: float = 0.2
    version: int = 6
    deaf: bool = False
    """There is no such loader: all bytes go to the application."""
    refuses: int = 0
    """Number of failing writes to flash."""

    def __post_init__(self) -> None:
        self.flash = bytearray(b"\xb0\x07" * (ORIGIN // 2) + bytes(FLASH_SIZE - ORIGIN))
        super().__post_init__()

    def reset(self, now: float) -> None:
        """Reset by pin or power."""
        self.running = False
        self._state = _BOOT if self.starting else _DETECT
        self._buffer = b""
        self._since = now
        self._need = 2
        self._flush: float | None = None
        self._rate = 0
        self._address = ORIGIN
        self._erased = 0

    def step(self, now: float, data: bytes, speed: int) -> bytes:
        """Like `AnyLoader.step`."""
        if self.running:
            return b""
        if self._state == _BOOT and now >= self._since + self.starting:
            self._state, self._since = _DETECT, now
            if data:
                return b""  # the bytes arrived before the loader listened
        if self._state == _DETECT:
            return self._detect(now, data, speed)
        if self._state == _BOOT:
            return b""
        if data and speed != self._rate:
            self.problems.append("the rate was changed")
        self._buffer = (self._buffer + data)[: 2048 + 512 - 1]
        return self._listen(now)

    def _detect(self, now: float, data: bytes, speed: int) -> bytes:
        if data and not self.deaf:
            if data[:1] != b"U" or speed not in _RATES:
                self.start()
                return b""
            self.packets.append("U")
            self._state, self._since, self._rate = _GREET, now, speed
            self._buffer = data[1:]
            return packet(1, bytes([self.version]))
        if now >= self._since + self.window:
            self.start()
        return b""

    def _listen(self, now: float) -> bytes:
        """Wait for a packet: half a second for the length, then half a second for the rest."""
        if self._flush is not None:
            if now < self._flush:
                return b""
            self._flush, self._buffer = None, b""
            return self._ask(now, 5)
        while len(self._buffer) >= self._need:
            if self._need > 2:
                return self._take(now)
            length = struct.unpack(">H", self._buffer[:2])[0]
            if not 3 <= length <= FRAME + 3:
                return self._bad(now)
            self._need, self._since = 2 + length, now
        if now >= self._since + 0.5:
            if self._buffer or self._state == _GREET:
                return self._bad(now)
            self._flush = now + _FLUSH
        return b""

    def _take(self, now: float) -> bytes:
        whole, self._buffer = self._buffer[: self._need], self._buffer[self._need :]
        body = whole[2:-2]
        if remainder(body) != struct.unpack(">H", whole[-2:])[0]:
            return self._bad(now)
        self.packets.append(_NAMES.get(body[0], "?"))
        if self._buffer:
            self.problems.append("something was sent before it was asked for")
        if self._state == _GREET:
            if body != b"\x02":
                self.problems.append("no BL after the version")
                self.start()
                return b""
            self._state = _LOAD
            return self._ask(now, 3)
        if body == b"\x06":
            if self._address == ORIGIN:
                self.problems.append("done before there was a frame")
            self.reset(now)
            return b""
        if body[0] != 4:
            self.problems.append(f"command {body[0]} while it loads")
            return self._ask(now, 5)
        return self._ask(now, 3 if self.write(body[1:]) else 5)

    def write(self, data: bytes) -> bool:
        """Write a frame to flash; return whether it succeeded."""
        if not data or len(data) % 4:
            self.problems.append(f"a frame of {len(data)} bytes")
            return False
        end = self._address + len(data)
        if end > FLASH_SIZE:
            self.problems.append("a frame past the end of flash")
            return False
        page = self._address // PAGE
        if page > self._erased and (self.version >= 6 or self._address < FLASH_SIZE // 2):
            self._erased = page
            self.flash[page * PAGE : (page + 1) * PAGE] = b"\xff" * PAGE
        if self.refuses:
            self.refuses -= 1
            return False
        old = self.flash[self._address : end]
        self.flash[self._address : end] = bytes(a & b for a, b in zip(old, data, strict=True))
        self._address = end
        return True

    def _ask(self, now: float, command: int) -> bytes:
        self._need, self._since = 2, now
        return packet(command)

    def _bad(self, now: float) -> bytes:
        """Start the application, or drop bytes for a while and ask again."""
        self.packets.append("bad")
        if self._state == _GREET:
            self.start()
        else:
            self._flush = now + _FLUSH
        return b""
