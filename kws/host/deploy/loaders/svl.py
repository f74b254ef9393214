# SPDX-License-Identifier: Apache-2.0
"""Client for SparkFun's variable loader (SVL), over a USB-serial adapter.

Source: the loader (sparkfun/Apollo3_Uploader_SVL at fc89de7, bootloader/src/main.c and
svl_packet/svl_packet.c); it agrees with SparkFun's client (svl.py in the same repository). A
packet, in either direction, is big-endian:

    length    2 bytes: of the following bytes
    command   1 byte
    payload   length - 3 bytes
    CRC       2 bytes, over command and payload: polynomial 0x8005, from 0, nothing reflected

    VER 1     from the loader: its version, one byte
    BL 2      to the loader: stay, do not start the application
    NEXT 3    from the loader: the next frame
    FRAME 4   to the loader: up to 512 words for flash
    RETRY 5   from the loader: the last packet again
    DONE 6    to the loader: the end; it resets the chip

**It listens for 0.2 s after a reset** for one character `U`, and measures the rate by its five
rising edges: 57600, 115200, 230400, 460800 or 921600. A second `U` would be read as a packet, and a
bad packet starts the application. So one `U` is sent per reset, and delays and rates are tried in
turn, the fastest rate first.

Frames carry no address: the loader counts from 0x10000. A frame that is accepted twice shifts all
later ones. It sends RETRY not only for a bad frame, but also if no frame comes for 0.5 s, as after
a lost NEXT; in either case after 0.177 s, during which it ignores input. So `Svl` repeats a frame
only if the loader cannot have taken it. If in doubt, a reset is safe: the loader then counts from
0x10000 again. Flash cannot be read back: the CRC of each frame and the loader's own check of each
write are the only checks.
"""

from __future__ import annotations

import itertools
import re

from kws.host.deploy.real_board import Clock, ProtocolError
from kws.host.serial.ports import Link

VERSION, STAY, NEXT, FRAME, RETRY, DONE = 1, 2, 3, 4, 5, 6
FRAME_BYTES = 2048
"""Maximum payload of a frame: the loader's buffer has 512 words."""

RATES: tuple[int, ...] = (921600, 460800, 230400, 115200)
"""Bits per second, in the order in which they are tried."""

_DETECT = b"U"
# From reset to `U`, in seconds. SparkFun's client: nothing before 0.095, it waits 0.15.
_MOMENTS = (0.15, 0.2, 0.12, 0.25)
_GREETING = 0.4  # seconds at most for an answer to `U`; it comes immediately or never
_QUIET = 0.4  # seconds; more than a frame takes at 115200, less than the loader waits for one
# Seconds from a frame's start. A RETRY for an incomplete frame comes after at most 0.68. After a
# lost NEXT, the loader sends RETRY after the same wait, but counted from the frame's end: 0.85 at
# 115200. At higher rates the two cannot be told apart, so there only the RETRY for a wrong CRC
# counts: 0.177 after the frame's end, 0.27 at 230400.
_LATE = 0.8
_LATE_IF_FAST = 0.5
_ARRIVED = 0.05  # seconds; DONE takes half a millisecond on the wire
_TRIES = 4  # per frame
_LONGEST = 64  # bytes of an answer; the loader's own have at most 6


def crc(data: bytes) -> int:
    """CRC-16 with the polynomial 0x8005, from 0, most significant bit first."""
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x8005 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def encode(command: int, payload: bytes = b"") -> bytes:
    """A packet's bytes."""
    body = bytes([command]) + payload
    return (len(body) + 2).to_bytes(2, "big") + body + crc(body).to_bytes(2, "big")


def decode(data: bytes) -> tuple[int, bytes, bytes] | None:
    """The first packet in `data`: command, payload, and the bytes after it; None if incomplete.

    Bytes before it are skipped: the loader's UART emits a pulse of 23 us when it is switched on,
    which some adapters read as a byte.
    """
    for start in range(len(data) - 4):
        end = start + 2 + int.from_bytes(data[start : start + 2], "big")
        body = data[start + 2 : end - 2]
        if body and end <= len(data) and crc(body) == int.from_bytes(data[end - 2 : end], "big"):
            return body[0], body[1:], data[end:]
    return None


_REFUSED = re.compile(b"(%s)+" % re.escape(encode(RETRY)), re.DOTALL)
_TAKEN = re.compile(b"(%s)*%s" % (re.escape(encode(RETRY)), re.escape(encode(NEXT))), re.DOTALL)


class Svl:
    """A connection to the loader.

    All methods raise `PortLostError` if the adapter disconnects, and `ProtocolError` if the loader
    refuses a packet, does not answer, or answers nonsense.
    """

    def __init__(
        self, link: Link, answer: float, clock: Clock, rates: tuple[int, ...] = RATES
    ) -> None:
        """Reset the board and keep it in its loader.

        Args:
            link: connection to its serial port.
            answer: timeout for an answer, in seconds.
            clock: measures it.
            rates: the subset of `RATES` to try.
        """
        self._link = link
        self._answer = answer
        self._clock = clock
        self.rate, self.version = self._enter(rates)
        """Bits per second; the loader's version."""

    def send(self, data: bytes, address: int) -> None:
        """Send the next frame for the loader to write.

        Args:
            data: whole words, at most FRAME_BYTES.
            address: its flash address, used only in messages.
        """
        what = f"refused the data {_TRIES} times"
        doubtful = _LATE if self.rate == RATES[-1] else _LATE_IF_FAST
        for _ in range(_TRIES):
            self._link.drop_input()
            start = self._clock.monotonic()
            self._link.write(encode(FRAME, data))
            answer = self._read(self._answer)
            late = self._clock.monotonic() > start + doubtful
            # The RETRY may have been sent before the frame; then NEXT follows. If not, the rest of
            # the frame must be over before the loader listens again.
            while _REFUSED.fullmatch(answer) and (more := self._link.read(_QUIET)):
                answer += more
            if _TAKEN.fullmatch(answer):
                return
            if late or not _REFUSED.fullmatch(answer):
                what = f"answered {answer[:_LONGEST].hex(' ')}" if answer else "did not answer"
                what += " too late" if late and answer else ""
                break
        raise ProtocolError(
            f"{self._link.device}: the bootloader {what} at flash address 0x{address:x}"
        )

    def finish(self) -> None:
        """Start the firmware; the loader does not answer."""
        self._link.write(encode(DONE))
        self._clock.sleep(_ARRIVED)  # opening the port again resets the board

    def _enter(self, rates: tuple[int, ...]) -> tuple[int, int]:
        first_answer = b""
        for moment, rate in itertools.product(_MOMENTS, rates):
            if not self._link.set_rate(rate):
                continue
            self._link.restart()
            self._clock.sleep(moment)
            self._link.drop_input()
            self._link.write(_DETECT)
            answer = self._read(min(self._answer, _GREETING))
            first_answer = first_answer or answer
            packet = decode(answer)
            if packet is None or packet[0] != VERSION or len(packet[1]) != 1:
                continue
            self._link.write(encode(STAY))
            # RETRY means that it has already waited for the first frame for a while.
            invited = decode(self._read(self._answer))
            if invited is not None and invited[0] in (NEXT, RETRY):
                return rate, packet[1][0]
        said = (
            "answers, but not as SparkFun's variable loader" if first_answer else "does not answer"
        )
        raise ProtocolError(
            f"{self._link.device}: the board {said}; check the adapter (3.3 V, with its DTR pin "
            "connected) and that the board has this loader (docs/boards/sparkfun_edge.md)"
        )

    def _read(self, seconds: float) -> bytes:
        """Bytes received until a packet is complete, or until the timeout."""
        received = b""
        end = self._clock.monotonic() + seconds
        while decode(received) is None and (remaining := end - self._clock.monotonic()) > 0:
            received += self._link.read(remaining)
            if len(received) > _LONGEST:
                break
        return received
