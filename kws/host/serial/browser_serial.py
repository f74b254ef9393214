# SPDX-License-Identifier: Apache-2.0
"""Serial ports of a browser, which the page of `kws studio` passes on (WebSerial).

The studio writes a file with its address and a token. A command connects there with TCP, on this
machine, and sends lines of JSON. The first one is a request:

    {"token": T, "list": true}              answer: {"ports": [{"id", "vendor", "product"}, ...]}
    {"token": T, "open": id, "baud": rate}  answer: {} or {"errno": number}

After `open`, both sides send {"data": base64}, and the command {"dtr": true or false}. The end of
the connection closes the port; if the studio ends it, the board disconnected.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import select
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import serial

from kws.errors import BoardError

SUFFIX = ".port"
"""Of the studio's file. A port's name is the file, `#`, and the browser's number for it."""

OPEN_SECONDS = 10.0
"""Timeout for the browser to open a port."""

CLOSE_SECONDS = 2.0
"""Timeout for the browser to close a port."""

_CHUNK = 1 << 15
"""Maximum number of bytes in a line."""


@dataclass(frozen=True)
class BrowserPort:
    """A port that the user has chosen in the browser."""

    device: str
    vendor: int
    product: int


def is_browser_port(name: str) -> bool:
    """Whether a port's name is the file of a studio, or one of its ports."""
    return Path(name.partition("#")[0]).suffix == SUFFIX


def list_browser_ports(file: str) -> list[BrowserPort]:
    """The ports that the browser offers now.

    Raises:
        BoardError: no studio answers.
    """
    with _connect(file, {"list": True}) as connection, connection.makefile("rb") as answer:
        try:
            ports = _object(answer.readline())["ports"]
        except OSError:
            raise BoardError(f"{file}: kws studio ended") from None
    return [BrowserPort(f"{file}#{it['id']}", it["vendor"], it["product"]) for it in ports]


class BrowserSerial:
    """An open port of a browser, with the part of `serial.Serial` that kws uses."""

    def __init__(self, device: str, baud: int) -> None:
        """Open a port.

        Raises:
            BoardError: no studio answers.
            serial.SerialException: the browser cannot open the port; it has an `errno`.
        """
        self.timeout = 0.0
        self._received = b""
        self._lines = b""
        self._is_lost = False
        file, _, number = device.partition("#")
        self._socket = _connect(file, {"open": number, "baud": baud})
        try:
            self._socket.settimeout(OPEN_SECONDS)
            first = self._socket.recv(_CHUNK)
            while b"\n" not in first and (more := self._socket.recv(_CHUNK)):
                first += more
            line, _, rest = first.partition(b"\n")
            failed = _object(line).get("errno") if line else errno.EIO
            self._take(rest)
        except OSError:
            failed = errno.EIO
        if failed:
            self._socket.close()
            raise serial.SerialException(failed, "the browser cannot open the port")

    def read(self, size: int) -> bytes:
        """Up to `size` received bytes; waits for them until `timeout`."""
        end = time.monotonic() + self.timeout
        while len(self._received) < size and self._receive(end - time.monotonic()):
            pass
        data, self._received = self._received[:size], self._received[size:]
        if not data and size and self._is_lost:
            raise serial.SerialException(errno.EIO, "the board disconnected")
        return data

    @property
    def in_waiting(self) -> int:
        """Number of bytes that can be read at once."""
        while self._receive(0):
            pass
        return len(self._received)

    def write(self, data: bytes) -> None:
        """Send bytes."""
        for start in range(0, len(data), _CHUNK):
            part = base64.b64encode(data[start : start + _CHUNK]).decode()
            self._send({"data": part})

    @property
    def dtr(self) -> bool:
        """The line `data terminal ready`, which can only be set."""
        raise NotImplementedError

    @dtr.setter
    def dtr(self, on: bool) -> None:
        self._send({"dtr": on})

    @property
    def baudrate(self) -> int:
        """The rate, which an open port of a browser cannot change."""
        raise NotImplementedError

    @baudrate.setter
    def baudrate(self, _: int) -> None:
        raise ValueError("a browser opens a port with one rate")

    def close(self) -> None:
        """Close the port, and wait until the browser has, so that it can be opened again."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
            self._socket.settimeout(CLOSE_SECONDS)
            while self._socket.recv(_CHUNK):
                pass
        self._socket.close()

    def _send(self, message: dict[str, Any]) -> None:
        self._socket.settimeout(OPEN_SECONDS)
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def _receive(self, seconds: float) -> bool:
        """Take what arrives within this time; False if nothing does."""
        if self._is_lost or not select.select([self._socket], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = self._socket.recv(_CHUNK)
        except OSError:
            data = b""
        self._is_lost = not data
        self._take(data)
        return not self._is_lost

    def _take(self, data: bytes) -> None:
        *lines, self._lines = (self._lines + data).split(b"\n")
        self._received += b"".join(base64.b64decode(_object(line)["data"]) for line in lines)


def _connect(file: str, request: dict[str, Any]) -> socket.socket:
    """A connection to the studio of a file, after sending a request."""
    try:
        place = json.loads(Path(file).read_text(encoding="utf-8"))
        connection = socket.create_connection(("127.0.0.1", place["port"]), OPEN_SECONDS)
        line = json.dumps({"token": place["token"], **request})
        connection.sendall(line.encode() + b"\n")
    except (OSError, ValueError, KeyError, TypeError):
        raise BoardError(
            f"{file}: no page of kws studio offers a board; open step Board in the browser and "
            "choose the board there"
        ) from None
    return connection


def _object(line: bytes) -> dict[str, Any]:
    """The JSON object of a line; without a complete one, the board is lost."""
    try:
        message: dict[str, Any] = json.loads(line)
    except ValueError:
        raise serial.SerialException(errno.EIO, "the studio ended") from None
    return message
