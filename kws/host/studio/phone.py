# SPDX-License-Identifier: Apache-2.0
"""Recording with a phone: a second server, in the local network, that only takes recordings.

Browsers give a page the microphone only over HTTPS. No authority certifies a private address, so
the certificate is this machine's own, and the phone's browser warns about it.
"""

from __future__ import annotations

import datetime
import io
import secrets
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from kws.errors import KwsError, os_reason
from kws.extras import require
from kws.host.studio.guard import TOKEN

_EXTRA, _PURPOSE = "studio", "recording with a phone"
_DAYS = 30  # that a certificate is valid
_MAX_CONNECTIONS = 16
_ELSEWHERE = ("192.0.2.1", 9)  # RFC 5737: an address of no machine
_START_S = 10.0


@dataclass(frozen=True)
class Place:
    """Where the phone's page is served."""

    address: str
    """This machine's IPv4 address in the local network."""

    port: int
    token: str

    @property
    def url(self) -> str:
        """Opens the page."""
        return f"https://{self.address}:{self.port}/?{TOKEN}={self.token}"


class Phone:
    """Switches the phone's page on and off. Methods may be called from several threads."""

    def __init__(self, make_app: Callable[[Place], ASGIApp]) -> None:
        """`make_app` makes the page's application; off at first."""
        self._make_app = make_app
        self._lock = threading.Lock()
        self._running: tuple[Place, uvicorn.Server, threading.Thread] | None = None

    @property
    def place(self) -> Place | None:
        """Where it is served; None while it is off."""
        running = self._running
        return running[0] if running and running[2].is_alive() else None

    def start(self) -> None:
        """Serve the page with a new token.

        Raises:
            ToolError: a package is not installed.
            KwsError: this machine is in no network, or the port cannot be opened.
        """
        with self._lock:
            if self.place:
                return
            address = _own_address()
            context = _new_certificate(address)
            try:
                listener = socket.create_server((address, 0))
            except OSError as error:
                raise KwsError(f"{address}: {os_reason(error)}; check the network") from None
            place = Place(address, listener.getsockname()[1], secrets.token_urlsafe(12))
            server = uvicorn.Server(
                uvicorn.Config(
                    self._make_app(place),
                    ssl_context_factory=lambda _, __: context,
                    log_level="critical",  # phones drop connections
                    lifespan="off",
                    server_header=False,
                    limit_concurrency=_MAX_CONNECTIONS,
                    timeout_graceful_shutdown=1,
                )
            )
            thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
            thread.start()
            self._running = place, server, thread

    def stop(self) -> None:
        """End the page's server. A recording that is being sent is still saved."""
        with self._lock:
            if self._running:
                _, server, thread = self._running
                server.should_exit = True
                thread.join(_START_S)
            self._running = None


def qr_code(text: str) -> bytes:
    """A QR code as SVG, dark on light with its border: cameras read it on dark pages, too.

    Raises:
        ToolError: segno is not installed.
    """
    picture = io.BytesIO()
    segno = require("segno", _EXTRA, _PURPOSE)
    code = segno.make(text, micro=False)
    code.save(picture, kind="svg", border=3, light="white", svgclass=None, lineclass=None)
    return picture.getvalue()


def _own_address() -> str:
    """This machine's address in the network of its default route.

    Raises:
        KwsError: there is none.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as finder:
            finder.connect(_ELSEWHERE)  # selects a route; sends nothing
            address = str(finder.getsockname()[0])
    except OSError:
        address = ""
    if not address or address.startswith("127."):
        raise KwsError("this machine is in no network; connect it to the phone's network")
    return address


def _new_certificate(address: str) -> ssl.SSLContext:
    """A server's context with a new certificate for an address.

    Raises:
        ToolError: trustme is not installed.
    """
    trustme = require("trustme", _EXTRA, _PURPOSE)
    end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=_DAYS)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert(address, not_after=end).configure_cert(context)
    return context
