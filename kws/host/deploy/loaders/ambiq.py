# SPDX-License-Identifier: Apache-2.0
"""Client for Ambiq's secure bootloader (SBL), part of every Apollo3, over a USB-serial adapter.

Source: Ambiq's "Apollo3-Blue Secure Update Flow" 1.3 (AmbiqSuite 2, docs/secure_bootloader),
sections 4.1, 5.2 and 6.1; it agrees with Ambiq's scripts (tools/apollo3_scripts:
create_cust_image_blob.py, create_cust_wireupdate_blob.py, uart_wired_update.py). A message, in
either direction, is little-endian:

    CRC-32    4 bytes: as in Ethernet, over the following bytes
    type      2 bytes
    length    2 bytes: of the whole message
    payload

    HELLO 0     to the loader
    STATUS 1    its answer: version, maximum size of an update, and 18 more words
    OTADESC 2   to the loader: the page of flash for its list of images to install
    UPDATE 3    to the loader: size of the update that follows, its CRC-32, 0
    RESET 6     to the loader: 1; it restarts and installs the images of its list
    ACK 7       its answer to all but HELLO: type of the message, 0 or an error code, and the next
                byte of the update that it expects
    DATA 8      to the loader: position in the update, up to 8180 bytes of it

An *image* is the firmware with a header that holds its address. Each *update* is a header and part
of an image. The loader buffers an update in RAM, checks its CRC, then writes it to flash at the
update's address, the *stage*. Only after RESET is the image copied from there to its own address.
If anything fails before that, the board still holds its old firmware.

**It listens only while button 14 is held at a reset**, for a few seconds, at 115200 bit/s, or at
921600 on the first boards that were sold (SparkFun_Edge_BSP, issue 10; Arduino_Apollo3, issue 21).

A message that is refused, or has no complete answer, is sent again. DATA carries its position, so
the loader detects repeats. No source says how the loader recovers from a partial message. Some
boards do not answer RESET (SparkFun_Edge_BSP, issue 6): then the firmware's boot line is awaited.
"""

from __future__ import annotations

import itertools
import struct
import zlib
from dataclasses import dataclass

from kws.host.deploy.image import Image
from kws.host.deploy.real_board import Clock, ProtocolError
from kws.host.serial.lines import Boot, LineBuffer, parse_line
from kws.host.serial.ports import BAUD, Link

HELLO, STATUS, OTADESC, UPDATE, RESET, ACK, DATA = 0, 1, 2, 3, 6, 7, 8
PAGE = 8192
"""Bytes of flash per erase."""
LIST = 0xFE000
"""Address of the list of images, the last page of flash: the default of Ambiq's script."""
CHUNK = 8192 - 12
"""Bytes of an update per message: the loader's buffer has 8192, including DATA's header."""
MOST = 0x48000
"""Bytes of an image per update: the default of Ambiq's scripts for this chip."""

_HEADER = struct.Struct("<IHH")
_STATUS = struct.Struct("<20I")
_ACK = struct.Struct("<III")
_IMAGE_HEADER, _UPDATE_HEADER = 128, 96  # bytes

_RATES = (115200, 921600)
_MOMENTS = (0.25, 0.1, 0.6)  # seconds from a reset to HELLO
_GREETING = 0.5  # seconds to wait for an answer to HELLO
_PATIENCE = 20.0  # seconds for the user to press the button
_PAGE_SECONDS = 0.1  # at most, to erase and write a page: a comment in Ambiq's script
_START_SECONDS = 2.0  # from the end of the installation to the boot line
_QUIET = 0.1  # seconds; after refusing a message the loader may still be receiving its end
_TRIES = 4  # per message, as in Ambiq's script
_RESET_ANSWER = 0.5  # seconds at most for an answer to RESET; the firmware starts soon after
_SILENT_RESETS = 2  # give up after this many without an answer: the first may have been lost
_LONGEST = 24  # bytes of an answer shown to the user
_STRAY = 16  # bytes that line noise may produce
_MUCH = 1024  # bytes after which the input is not an answer; the longest answer has 88

_DONE, _POSITION = 0, 10
_REFUSALS = {
    1: "failure",
    2: "invalid INFO0",
    3: "wrong CRC",
    4: "security",
    5: "message too big",
    6: "unknown message",
    7: "invalid address",
    8: "invalid operation",
    9: "invalid parameter",
    _POSITION: "wrong position",
    11: "too much data",
}


def encode(kind: int, payload: bytes = b"") -> bytes:
    """A message's bytes."""
    rest = struct.pack("<HH", kind, _HEADER.size + len(payload)) + payload
    return struct.pack("<I", zlib.crc32(rest)) + rest


def decode(data: bytes) -> tuple[int, bytes] | None:
    """Type and payload of the first complete message in `data`; None if there is none.

    Bytes before it are skipped: some boards send a stray byte first.
    """
    for start in range(len(data) - _HEADER.size + 1):
        crc, kind, length = _HEADER.unpack_from(data, start)
        whole = data[start : start + length]
        if length >= _HEADER.size and len(whole) == length and zlib.crc32(whole[4:]) == crc:
            return kind, whole[_HEADER.size :]
    return None


def pack_image(address: int, program: bytes) -> bytes:
    """Firmware (whole words) with the header of a non-secure image for `address`."""
    header = bytearray(_IMAGE_HEADER)
    size = _IMAGE_HEADER + len(program)
    struct.pack_into("<I", header, 0, 0xCB << 24 | size)  # the kind of image
    # No encryption, no signature (their key index would be 8), CRC check on.
    struct.pack_into("<I", header, 8, 1 << 28 | 8 << 12 | 8 << 4)
    struct.pack_into("<IIII", header, 112, address, 0, 0xFFFFFFFF, 0xFFFFFFFF)
    struct.pack_into("<I", header, 4, zlib.crc32(bytes(header[8:]) + program))
    return bytes(header) + program


def pack_updates(stage: int, image: bytes) -> list[bytes]:
    """An image as updates, in sending order.

    The first part is sent last, because its flag puts the image on the loader's list.
    """
    updates = []
    for start in range(0, len(image), MOST):
        part = image[start : start + MOST]
        header = bytearray(_UPDATE_HEADER)
        struct.pack_into("<I", header, 0, 8 << 24 | 8 << 8)  # as in the image: unused keys
        header[80] = 6  # a non-secure image
        header[81] = int(start == 0)
        # 0x12344321 is the key that enables writes to flash, the same in every chip.
        struct.pack_into("<III", header, 84, 0x12344321, stage + start, len(part))
        updates.append(bytes(header) + part)
    return updates[::-1]


def _read_ack(message: tuple[int, bytes] | None) -> tuple[int, int] | None:
    """Status and position of an ACK; None for any other message."""
    if message is None or message[0] != ACK or len(message[1]) != _ACK.size:
        return None
    _, status, position = _ACK.unpack(message[1])
    return status, position


@dataclass(frozen=True)
class Plan:
    """The updates to send for an image."""

    updates: list[bytes]
    pages: int
    """Pages of flash that the installed image occupies."""

    @property
    def messages(self) -> int:
        """Number of DATA messages."""
        return sum(-(-len(update) // CHUNK) for update in self.updates)


def plan(image: Image) -> Plan:
    """Split an image into updates.

    The stage ends where the loader's list begins, as far as possible from the running firmware.
    """
    blob = pack_image(image.address, image.data)
    stage = (LIST - len(blob)) // PAGE * PAGE
    return Plan(pack_updates(stage, blob), -(-len(image.data) // PAGE))


class Ambiq:
    """A connection to the loader.

    All methods raise `PortLostError` if the adapter disconnects, and `ProtocolError` if the loader
    refuses a message or does not answer.
    """

    def __init__(self, link: Link, answer: float, clock: Clock) -> None:
        """Reset the board until its loader answers; the user holds the button.

        Args:
            link: connection to its serial port.
            answer: timeout for an answer, in seconds.
            clock: measures it.
        """
        self._link = link
        self._answer = answer
        self._clock = clock
        self.rate, self.most = self._enter()
        """Bits per second; maximum bytes of an update."""

    def start_list(self) -> None:
        """Tell the loader to start a new list of images."""
        self._send(OTADESC, struct.pack("<I", LIST), "for its list of images")

    def announce(self, update: bytes) -> None:
        """Announce the update that the next DATA messages belong to."""
        if len(update) > self.most:
            raise ProtocolError(
                f"{self._link.device}: the bootloader accepts updates of {self.most} bytes, and "
                f"this firmware has {len(update)}; use a smaller model"
            )
        payload = struct.pack("<III", len(update), zlib.crc32(update), 0)
        self._send(UPDATE, payload, "for an update")

    def send(self, update: bytes, start: int) -> int:
        """Send the part of an update at `start`; returns the start of the next part."""
        part = update[start : start + CHUNK]
        end = start + len(part)
        # After the last part it writes the update to flash.
        writing = _PAGE_SECONDS * -(-len(update) // PAGE) if end == len(update) else 0.0
        what = f"at byte {start} of an update"
        self._send(DATA, struct.pack("<I", start) + part, what, end, writing)
        return end

    def finish(self, pages: int) -> None:
        """Tell the loader to install the images on its list, and wait until the firmware starts.

        Args:
            pages: pages of flash to write; a reset before that is done could corrupt the firmware.
        """
        what = "refused to start the firmware"
        silences = 0
        for _ in range(_TRIES):
            self._link.set_rate(self.rate)
            self._link.drop_input()
            self._link.write(encode(RESET, struct.pack("<I", 1)))
            received, answer = self._read(min(self._answer, _RESET_ANSWER))
            ack = _read_ack(answer)
            if ack is not None and ack[0] != _DONE:
                self._clock.sleep(_QUIET)
                continue
            if self._starts(pages, received) or ack is not None:
                return
            silences += 1
            if silences == _SILENT_RESETS:
                what = "did not answer at the end, and no firmware starts"
                break
        raise ProtocolError(f"{self._link.device}: the bootloader {what}")

    def _starts(self, pages: int, received: bytes) -> bool:
        """Wait for the boot line, which may begin in `received`."""
        self._link.set_rate(BAUD)
        end = self._clock.monotonic() + _PAGE_SECONDS * pages + _START_SECONDS
        buffer = LineBuffer()
        while (remaining := end - self._clock.monotonic()) > 0:
            for line in buffer.feed(received):
                if isinstance(parse_line(line[max(0, line.find("kws ")) :]), Boot):
                    return True
            received = self._link.read(remaining)
        return False

    def _enter(self) -> tuple[int, int]:
        heard = b""
        end = self._clock.monotonic() + _PATIENCE
        for moment, rate in itertools.cycle(itertools.product(_MOMENTS, _RATES)):
            if self._clock.monotonic() > end:
                break
            if not self._link.set_rate(rate):
                continue
            self._link.restart()
            self._clock.sleep(moment)
            heard += self._link.read(0)
            self._link.write(encode(HELLO))
            received, answer = self._read(_GREETING)
            heard += received
            if answer and answer[0] == STATUS and len(answer[1]) == _STATUS.size:
                return rate, _STATUS.unpack(answer[1])[1]
        speaks = len(heard) > _STRAY
        said = "answers, but not as Ambiq's bootloader" if speaks else "does not answer"
        raise ProtocolError(
            f"{self._link.device}: the board {said}; hold its button 14 until kws writes, and "
            "check the adapter (3.3 V; without a DTR pin, press RST now and then while you hold 14)"
        )

    def _send(
        self, kind: int, payload: bytes, what: str, end: int | None = None, seconds: float = 0.0
    ) -> None:
        """Send a message until the loader accepts it; `end` is the position it expects next."""
        message = encode(kind, payload)
        patience = 10 * len(message) / self.rate + self._answer + seconds
        problem = ""
        for _ in range(_TRIES):
            self._link.drop_input()
            self._link.write(message)
            received, answer = self._read(patience)
            ack = _read_ack(answer)
            if ack is None:
                shown = received[:_LONGEST].hex(" ")
                problem = f"answered {shown}" if received else "did not answer"
                continue
            if ack[0] == _DONE or ack == (_POSITION, end):
                return  # it expects `end`: it has this message, and its answer was lost
            problem = f"refused the data ({_REFUSALS.get(ack[0], f'status {ack[0]}')})"
            self._clock.sleep(10 * len(message) / self.rate + _QUIET)
        raise ProtocolError(f"{self._link.device}: the bootloader {problem} {what}")

    def _read(self, seconds: float) -> tuple[bytes, tuple[int, bytes] | None]:
        """Bytes received until a message is complete, and the message, None after the timeout."""
        received = b""
        end = self._clock.monotonic() + seconds
        while (message := decode(received)) is None:
            remaining = end - self._clock.monotonic()
            if remaining <= 0 or len(received) > _MUCH:
                break
            received += self._link.read(remaining)
        return received, message
