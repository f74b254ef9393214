# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of `kws listen --web`: a few files, clips of the last words, one websocket.

Pages of other sites can neither read from it nor write to it: a request has to name this server as
its host, and a websocket has to come from this server's own page. The size, number and duration of
requests and connections are limited.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import socket
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from kws.errors import KwsError, ToolError
from kws.host.web.hub import Client, Hub
from kws.host.web.site_files import content_type

try:
    from websockets.asyncio.server import ServerConnection, serve
    from websockets.datastructures import Headers
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request, Response
except ImportError:
    raise ToolError(
        "kws listen --web needs websockets, which is not installed: pip install 'kws[live]'"
    ) from None

WEBSOCKET = "/live"
CLIPS = "/clips/"

REQUEST_SECONDS = 10.0
"""A connection without a request is closed after this time."""

PING_SECONDS = 20.0
"""Interval of pings. A page that does not answer or read for twice as long is disconnected."""

MAX_CONNECTIONS = 64
"""Maximum number of open connections, including those without a request."""

_MAX_MESSAGE = 1024  # bytes; the page's own messages have 50
_CLOSE_SECONDS = 5.0  # for a file to reach a slow client, and for a page to answer a close
_STOP_SECONDS = 2.0
_TRY_AGAIN_LATER = 1013  # websocket close codes (RFC 6455 section 7.4, IANA's registry)
_POLICY_VIOLATION = 1008

_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Connection": "close",
}

OnMessage = Callable[[dict[str, Any], bool], None]
"""Handles a page's message; the second argument is whether the page is on this machine.

Raises ValueError or KeyError for an invalid message.
"""


class Server:
    """Serves the page's files and a hub's messages in its own thread."""

    def __init__(
        self,
        address: tuple[str, int],
        files: Mapping[str, bytes],
        hub: Hub,
        on_message: OnMessage,
        *,
        ping_seconds: float = PING_SECONDS,
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        """Opens the port.

        Args:
            address: host and port; port 0 is any free port.
            files: contents by name; `index.html` is served as `/`.
            hub: source of the websocket's messages.
            on_message: called in the server's thread.
            ping_seconds: see PING_SECONDS.
            request_seconds: see REQUEST_SECONDS.

        Raises:
            KwsError: the port is in use, or the host is not an address of this machine.
        """
        self.host, port = address
        self._socket = _listen(self.host, port)
        self.port: int = self._socket.getsockname()[1]
        self._files = {f"/{name}": content for name, content in files.items()}
        self._files["/"] = self._files.pop("/index.html")
        self._hub = hub
        self._on_message = on_message
        self._ping_seconds = ping_seconds
        self._request_seconds = request_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kws-web", daemon=True)

    @property
    def url(self) -> str:
        """Address of the page."""
        is_any = self.host in {"0.0.0.0", "::", ""}  # noqa: S104 - compared, not bound to
        name = "localhost" if is_any else self.host
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}/"

    def start(self) -> None:
        """Start serving."""
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """Close all connections and stop."""
        self.call(self._stop.set)
        self._thread.join(_STOP_SECONDS)
        self._socket.close()

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Schedule a call of a hub's function in the server's thread."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with serve(
            self._talk,
            sock=self._socket,
            process_request=self._answer,
            create_connection=_bounded_connections(),
            compression=None,
            server_header=None,
            open_timeout=self._request_seconds,
            ping_interval=self._ping_seconds,
            ping_timeout=self._ping_seconds,
            close_timeout=_CLOSE_SECONDS,
            max_size=_MAX_MESSAGE,
        ):
            self._ready.set()
            await self._stop.wait()

    # --- files ------------------------------------------------------------------------------------

    def _answer(self, _: ServerConnection, request: Request) -> Response | None:
        """Answer a request; None accepts a websocket from this server's own page."""
        if request.method != "GET":
            return _response(HTTPStatus.METHOD_NOT_ALLOWED, b"use GET\n")
        hosts = request.headers.get_all("Host")
        if len(hosts) != 1 or not self._is_own_name(hosts[0]):
            return _response(HTTPStatus.FORBIDDEN, b"wrong Host header\n")
        path = urlsplit(request.path).path
        if path == WEBSOCKET:
            if request.headers.get_all("Origin") == [f"http://{hosts[0]}"]:
                return None
            return _response(HTTPStatus.FORBIDDEN, b"wrong Origin header\n")
        if path.startswith(CLIPS):
            content = self._hub.clip(path.removeprefix(CLIPS).removesuffix(".wav"))
        else:
            content = self._files.get(path)
        if content is None:
            return _response(HTTPStatus.NOT_FOUND, b"not found\n")
        name = "index.html" if path == "/" else path
        return _response(HTTPStatus.OK, content, content_type(name))

    def _is_own_name(self, header: str) -> bool:
        """Whether a Host header names this server; others could be DNS rebinding."""
        try:
            parts = urlsplit(f"//{header}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port or parts.username is not None or parts.path:
            return False
        if name == "localhost" or name == self.host.lower():
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return not is_loopback(self.host) and name == socket.gethostname().lower()
        return address.is_loopback or not is_loopback(self.host)

    # --- websocket --------------------------------------------------------------------------------

    async def _talk(self, connection: ServerConnection) -> None:
        client = self._hub.join()
        if client is None:
            await connection.close(_TRY_AGAIN_LATER, "too many pages are open; close one")
            return
        sending = asyncio.create_task(self._send(connection, client))
        try:
            await self._receive(connection)
        finally:
            self._hub.leave(client)
            sending.cancel()

    async def _send(self, connection: ServerConnection, client: Client) -> None:
        try:
            while True:
                for message in await client.get():
                    async with asyncio.timeout(2 * self._ping_seconds):
                        await connection.send(message)
        except TimeoutError:  # the page does not read; a ping would queue after the unread data
            connection.transport.abort()
        except ConnectionClosed:
            return

    async def _receive(self, connection: ServerConnection) -> None:
        near = is_loopback(connection.remote_address[0])
        try:
            async for text in connection:
                message = json.loads(text) if isinstance(text, str) else None
                if not isinstance(message, dict):
                    raise ValueError
                self._on_message(message, near)
        except ConnectionClosed:
            return
        except (ValueError, KeyError, RecursionError):  # not a message of the page
            await connection.close(_POLICY_VIOLATION, "not understood")


def _bounded_connections() -> type[ServerConnection]:
    """The server's connection class: it closes a new connection if MAX_CONNECTIONS are open."""
    connections: set[ServerConnection] = set()

    class Connection(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            connections.add(self)
            if len(connections) > MAX_CONNECTIONS:
                self.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            connections.discard(self)
            super().connection_lost(exc)

    return Connection


def is_loopback(host: str) -> bool:
    """Whether a host is `localhost` or a loopback address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _response(status: HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8") -> Response:
    headers = {"Content-Type": kind, "Content-Length": str(len(body)), **_HEADERS}
    return Response(status.value, status.phrase, Headers(headers), body)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except (OSError, OverflowError, UnicodeError) as error:
        code = getattr(error, "errno", None) or 0
        # create_server repeats the address in its text; an unknown name has no errno > 0.
        reason = os.strerror(code) if code > 0 else getattr(error, "strerror", None) or str(error)
        raise KwsError(
            f"the page cannot be served at {host} port {port} ({reason.lower()}); "
            "choose another with --web-port or --host"
        ) from None
