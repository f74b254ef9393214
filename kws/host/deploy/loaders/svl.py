# SPDX-License-Identifier: Apache-2.0
"""SparkFun's variable loader (SVL), spoken to over a USB-serial adapter.

All below was read from the loader's source (sparkfun/Apollo3_Uploader_SVL at fc89de7,
bootloader/src/main.c and svl_packet/svl_packet.c) and agrees with what SparkFun's own client does
(svl.py, the same place). A packet, either way, most significant byte first:

    length    2 bytes: of all that follows
    command   1 byte
    payload   length - 3 bytes
    CRC       2 bytes, over command and payload: polynomial 0x8005, from 0, nothing reflected

    VER 1     from the loader: its version, one byte
    BL 2      to the loader: stay, do not start the application
    NEXT 3    from the loader: the next frame
    FRAME 4   to the loader: up to 512 words for flash
    RETRY 5   from the loader: the last packet again
    DONE 6    to the loader: that was all; it resets the chip

**It listens for 0.2 s after a reset**, to one character `U`, whose five rising edges tell it the
rate: 57600, 115200, 230400, 460800 or 921600. A second `U` would be taken for a packet, and a wrong
one starts the application. So one is sent after each reset, and moment and rate are tried out, the
fastest rate first.

Frames carry no address: the loader counts on from 0x10000. One that it takes twice shifts all
that follows, and it asks again (RETRY) not only for a bad frame, but also where none comes for
0.5 s, as after a NEXT that got lost; in either case 0.177 s later, in which it hears nothing. So
`Svl` sends a frame again only where the loader cannot have taken it. In doubt a reset is safe: the
loader then counts from 0x10000 again. The loader cannot be asked for what it wrote: the CRC of each
frame and its own check of each write are all there is.
"""

from __future__ import annotations

import itertools
import re

from kws.host.deploy.real_board import Clock, ProtocolError
from kws.host.serial.ports import Link

VERSION, STAY, NEXT, FRAME, RETRY, DONE = 1, 2, 3, 4, 5, 6
FRAME_BYTES = 2048
"""Most that a frame may carry: the loader has a buffer of 512 words."""

RATES: tuple[int, ...] = (921600, 460800, 230400, 115200)
"""In bits per second, in the order in which they are tried."""

_DETECT = b"U"
# From reset to `U`, in seconds. SparkFun's client: nothing before 0.095, it waits 0.15.
_MOMENTS = (0.15, 0.2, 0.12, 0.25)
_GREETING = 0.4  # seconds at most for an answer to `U`; it comes at once, or never
_QUIET = 0.4  # seconds; more than a frame takes at 115200, less than the loader waits for one
# Seconds from a frame's start. A RETRY for what did not arrive whole comes after 0.68 at most. If a
# NEXT got lost, the loader asks again after that wait too, but from the frame's end on: 0.85 at
# 115200. A faster frame ends too soon to tell the two apart, so there only the RETRY for a wrong
# CRC counts: 0.177 from the frame's end on, 0.27 at 230400.
_LATE = 0.8
_LATE_IF_FAST = 0.5
_ARRIVED = 0.05  # seconds; DONE takes half a millisecond on its way
_TRIES = 4  # for one frame
_LONGEST = 64  # bytes of an answer; the loader's own have 6 at most


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
    """The first packet in what was read: command, payload, and what comes after it.

    What is in front of it is skipped: the loader's UART gives a pulse of 23 us when it is switched
    on, which some adapters take for a byte. None if there is no whole packet.
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
    """A loader that listens at the other end of a link."""

    def __init__(
        self, link: Link, answer: float, clock: Clock, rates: tuple[int, ...] = RATES
    ) -> None:
        """Reset the board and keep it in its loader.

        Args:
            link: to its serial port.
            answer: how long to wait for an answer, in seconds.
            clock: what measures it.
            rates: of `RATES`, those to try.

        Raises:
            ProtocolError: no such loader answers.
            PortLostError: the adapter went away.
        """
        self._link = link
        self._answer = answer
        self._clock = clock
        self.rate, self.version = self._enter(rates)
        """In bits per second; the loader's."""

    def send(self, data: bytes, address: int) -> None:
        """Have the loader write what comes next.

        Args:
            data: whole words, at most FRAME_BYTES.
            address: where the loader will write it, for messages alone.

        Raises:
            ProtocolError: it did not take it, did not answer, or answered nonsense.
            PortLostError: the adapter went away.
        """
        what = f"refused {_TRIES} times what was sent"
        doubtful = _LATE if self.rate == RATES[-1] else _LATE_IF_FAST
        for _ in range(_TRIES):
            self._link.drop_input()
            start = self._clock.monotonic()
            self._link.write(encode(FRAME, data))
            answer = self._read(self._answer)
            late = self._clock.monotonic() > start + doubtful
            # A RETRY may have been on its way before the frame; then NEXT comes after it. If not,
            # the rest of the frame has to be over before the loader listens again.
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
        """Have the board start what was written; nothing is answered.

        Raises:
            PortLostError: the adapter went away.
        """
        self._link.write(encode(DONE))
        self._clock.sleep(_ARRIVED)  # whoever opens the port next resets the board

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
            # A RETRY is as good: it has waited for the first frame for a while.
            invited = decode(self._read(self._answer))
            if invited is not None and invited[0] in (NEXT, RETRY):
                return rate, packet[1][0]
        said = (
            "answers, but not as SparkFun's variable loader" if first_answer else "does not answer"
        )
        raise ProtocolError(
            f"{self._link.device}: the board {said}; look at the adapter (3.3 V, with its DTR pin "
            "connected) and whether the board has that loader (docs/boards/sparkfun_edge.md)"
        )

    def _read(self, seconds: float) -> bytes:
        """What comes until a packet is whole; less, or nonsense, if that does not come in time."""
        received = b""
        end = self._clock.monotonic() + seconds
        while decode(received) is None and (remaining := end - self._clock.monotonic()) > 0:
            received += self._link.read(remaining)
            if len(received) > _LONGEST:
                break
        return received
