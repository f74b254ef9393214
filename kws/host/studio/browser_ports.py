# SPDX-License-Identifier: Apache-2.0
"""Lets commands use boards that are plugged in where the browser runs.

The page opens serial ports with WebSerial. A command that opens one connects to `BrowserPorts`
(kws/host/serial/browser_serial.py has the protocol), which passes on bytes between the two.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
import queue
import secrets
import socket
import socketserver
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from kws.errors import KwsError, os_reason
from kws.host.serial.browser_serial import CLOSE_SECONDS, OPEN_SECONDS

STATES = ("open", "failed", "closed")
"""What a page answers for a port that it had to open or close."""

_MOST_PORTS = 16
_MOST_LINE = 1 << 17  # bytes
_ID = 0xFFFF
"""Highest vendor and product of a USB device."""


@dataclass
class _Opened:
    """A port that a command has opened."""

    connection: socket.socket
    answered: threading.Event = field(default_factory=threading.Event)
    ready: threading.Event = field(default_factory=threading.Event)
    """The command knows that the port is open; a board's first bytes may be earlier."""
    closed: threading.Event = field(default_factory=threading.Event)
    has_ended: bool = False
    """Whether the command has ended."""
    problem: bool = False
    """Whether the browser could not open it."""


@dataclass
class _Page:
    """A page that offers ports."""

    events: queue.SimpleQueue[dict[str, Any]] = field(default_factory=queue.SimpleQueue)
    ports: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Vendor and product by the port's number."""
    opened: dict[str, _Opened] = field(default_factory=dict)


class BrowserPorts:
    """The ports of all pages. The methods may be called from any thread."""

    def __init__(self, file: Path) -> None:
        """Offer nothing yet.

        Args:
            file: the file that tells commands where to connect; written by the first page.
        """
        self._file = file
        self._lock = threading.RLock()
        self._pages: dict[str, _Page] = {}
        self._server: _Server | None = None
        self._token = secrets.token_urlsafe(24)

    # --- the page's side --------------------------------------------------------------------------

    def events(self, name: str) -> Generator[dict[str, Any] | None]:
        """What a page has to do, while the page is there; None if there was nothing for a moment.

        An event has `port` and one of `open` (a rate), `write` (base64), `dtr` and `close`.

        Raises:
            KwsError: commands cannot be told where to connect.
        """
        page = _Page()
        with self._lock:
            self._serve()
            old, self._pages[name] = self._pages.get(name), page
        if old:
            self._lose(old, list(old.opened))
        try:
            while True:
                try:
                    yield page.events.get(timeout=0.5)
                except queue.Empty:
                    yield None
        finally:
            with self._lock:
                if self._pages.get(name) is page:
                    del self._pages[name]
            self._lose(page, list(page.opened))

    def offer(self, name: str, ports: object) -> bool:
        """Set the ports of a page: objects with `id`, `vendor` and `product`; 0 if unknown.

        Returns False if the page or the list is not understood.
        """
        if not isinstance(ports, list) or len(ports) > _MOST_PORTS:
            return False
        offered = dict(map(_port_of, ports))
        with self._lock:
            page = self._pages.get(name)
            if page is None or None in offered:
                return False
            page.ports = {number: usb for number, usb in offered.items() if number}
            gone = [number for number in page.opened if number not in page.ports]
        self._lose(page, gone)
        return True

    def answer(self, name: str, number: str, state: str) -> None:
        """Take a page's answer, one of STATES. It is late if the command has ended."""
        opened = self._opened(name, number)
        if opened is None:
            return
        if state != "closed":
            opened.problem = state == "failed"
            opened.answered.set()
        elif opened.has_ended:
            opened.closed.set()
        else:
            with self._lock:
                self._lose(self._pages[name], [number])

    def receive(self, name: str, number: str, data: bytes) -> None:
        """Pass on bytes that a board sent. If no command reads them, they are lost."""
        opened = self._opened(name, number)
        if opened is None:
            return
        opened.ready.wait(OPEN_SECONDS)
        with contextlib.suppress(OSError):  # the command has ended
            _send(opened.connection, {"data": base64.b64encode(data).decode()})

    def _opened(self, name: str, number: str) -> _Opened | None:
        with self._lock:
            page = self._pages.get(name)
            return page.opened.get(number) if page else None

    def _lose(self, page: _Page, numbers: list[str]) -> None:
        """Tell the commands that these boards disconnected."""
        with self._lock:
            lost = [page.opened.pop(number) for number in numbers if number in page.opened]
        for opened in lost:
            opened.problem = True
            for event in (opened.answered, opened.ready, opened.closed):
                event.set()
            _end(opened.connection)

    # --- the commands' side -----------------------------------------------------------------------

    def _serve(self) -> None:
        """Start to listen, once, and tell commands where."""
        if self._server is None:
            self._server = _Server(("127.0.0.1", 0), _Handler)
            self._server.ports = self
            threading.Thread(target=self._server.serve_forever, daemon=True).start()
        place = {"port": self._server.server_address[1], "token": self._token}
        try:
            self._file.unlink(missing_ok=True)
            handle = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                json.dump(place, file)
        except OSError as error:
            raise KwsError(f"{self._file}: cannot be written ({os_reason(error)})") from None

    def serve(self, connection: socket.socket, lines: Iterator[bytes]) -> None:
        """Answer a command until it ends."""
        request = _object(next(lines, b""))
        token = request.get("token")
        if not isinstance(token, str) or not secrets.compare_digest(token, self._token):
            return
        if "open" not in request:
            _send(connection, {"ports": self._listed()})
            return
        name, _, number = str(request["open"]).partition(".")
        with self._lock:
            page = self._pages.get(name)
            problem = errno.ENOENT if page is None or number not in page.ports else 0
            if page and not problem and number in page.opened:
                problem = errno.EBUSY
            if page is None or problem:
                _send(connection, {"errno": problem})
                return
            opened = page.opened[number] = _Opened(connection)
        page.events.put({"port": number, "open": request.get("baud")})
        is_open = opened.answered.wait(OPEN_SECONDS) and not opened.problem
        try:
            if is_open:
                _send(connection, {})
                opened.ready.set()
            while is_open and (line := next(lines, b"")):
                message = _object(line)
                if isinstance(message.get("data"), str):
                    page.events.put({"port": number, "write": message["data"]})
                elif isinstance(message.get("dtr"), bool):
                    page.events.put({"port": number, "dtr": message["dtr"]})
        finally:
            # The port is free for the next command only when the page has closed it.
            opened.has_ended = True
            page.events.put({"port": number, "close": True})
            opened.closed.wait(CLOSE_SECONDS)
            with self._lock:
                if page.opened.get(number) is opened:
                    del page.opened[number]
        if not is_open:
            _send(connection, {"errno": errno.EIO})

    def _listed(self) -> list[dict[str, Any]]:
        with self._lock:
            return [
                {"id": f"{name}.{number}", "vendor": vendor, "product": product}
                for name, page in self._pages.items()
                for number, (vendor, product) in page.ports.items()
            ]


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    ports: BrowserPorts


class _Handler(socketserver.StreamRequestHandler):
    server: _Server
    timeout = None

    def handle(self) -> None:
        lines = iter(lambda: self.rfile.readline(_MOST_LINE), b"")
        with contextlib.suppress(OSError):  # the command ended
            self.server.ports.serve(self.connection, lines)


def _send(connection: socket.socket, message: dict[str, Any]) -> None:
    connection.sendall(json.dumps(message).encode() + b"\n")


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the command has ended
        connection.shutdown(socket.SHUT_RDWR)


def _object(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _port_of(port: object) -> tuple[str | None, tuple[int, int]]:
    """Number, vendor and product of a page's port; None if they are not understood."""
    if not isinstance(port, dict):
        return None, (0, 0)
    number, vendor, product = (port.get(key) for key in ("id", "vendor", "product"))
    if not (_is_id(number) and _is_id(vendor) and _is_id(product)):
        return None, (0, 0)
    return str(number), (vendor, product)


def _is_id(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and 0 <= value <= _ID
