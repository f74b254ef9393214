"""The HTTP server of `kws listen --web`: a few files, sound of the last words, one websocket.

Pages of other sites cannot read it, nor send to it: a request has to name this server as its host,
and a websocket has to come from this server's own page. Everything that a client can send or leave
open is bounded in size, number and time.
"""

from __future__ import annotations

import asyncio
import importlib.resources
import ipaddress
import json
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kws.errors import KwsError, ToolError
from kws.host.web.hub import Client, Hub

try:
    import uvicorn
    from fastapi import FastAPI, Response, WebSocket, WebSocketDisconnect
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError:
    raise ToolError(
        "kws listen --web needs FastAPI and uvicorn, which are not installed: "
        "pip install 'kws[live]'"
    ) from None

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PORT = 8765

_LARGEST_MESSAGE = 1024  # bytes; a wish of the page has 40
_MOST_CONNECTIONS = 64
_REQUEST_SECONDS = 10.0  # until a connection has asked for something
_PING_SECONDS = 20.0  # a page that does not answer for so long has gone
_TRY_AGAIN_LATER = 1013  # websocket close codes (RFC 6455 section 7.4, IANA's registry)
_POLICY_VIOLATION = 1008

_FILES = {
    "/": "index.html",
    "/live.js": "live.js",
    "/spectrogram.js": "spectrogram.js",
    "/classes.js": "classes.js",
    "/live.css": "live.css",
    "/icon.svg": "icon.svg",
}
_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}

Wish = Callable[[dict[str, Any], bool], None]
"""Takes what a page sent, and whether the page is on this machine."""


class Server:
    """Serves a hub from a thread of its own."""

    def __init__(self, host: str, port: int, hub: Hub, wish: Wish, *, ping: float = _PING_SECONDS):
        """Takes the port at once; `port` 0 is any that is free.

        Raises:
            KwsError: the port is taken, or the host is none of this machine's.
        """
        self._socket = _listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        self.host = host
        app = _Guard(_app(hub, wish), host, self.port)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                http=_Protocol,
                ws="websockets-sansio",
                ws_max_size=_LARGEST_MESSAGE,
                ws_ping_interval=ping,
                ws_ping_timeout=ping,
                ws_per_message_deflate=False,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
                lifespan="off",
            )
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kws-web", daemon=True)

    @property
    def url(self) -> str:
        """Where the page is."""
        name = "localhost" if _is_any(self.host) else self.host
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}/"

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """Close every connection and end."""
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Have the server's thread call something of the hub, soon."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            self._ready.set()
            await self._server.serve(sockets=[self._socket])

        asyncio.run(serve())


class _Protocol(H11Protocol):
    """HTTP with an end to patience: uvicorn itself waits for ever for a first request."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > _MOST_CONNECTIONS:
            self.connections.discard(self)
            transport.abort()
            return
        self.loop.call_later(_REQUEST_SECONDS, self._expire, transport)

    def _expire(self, transport: Any) -> None:
        # A websocket has another protocol by now; a request that was answered leaves its cycle.
        if transport.get_protocol() is self and self.cycle is None:
            transport.abort()


class _Guard:
    """Lets in what was meant for this server and comes from its own page."""

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self._app = app
        self._host = host
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        allowed = self._is_us(host)
        if scope["type"] == "websocket":
            allowed &= headers.get(b"origin", b"").decode("latin-1") == f"http://{host}"
        if allowed:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        else:
            await Response("not for this host\n", 403)(scope, receive, send)

    def _is_us(self, header: str) -> bool:
        """Whether a Host header names this server; a name that leads here by trickery does not."""
        try:
            parts = urlsplit(f"//{header}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self._port or parts.username is not None or parts.path:
            return False
        if name == "localhost" or name == self._host.lower():
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return not _is_loopback(self._host) and name == socket.gethostname().lower()
        return address.is_loopback or not _is_loopback(self._host)


def _app(hub: Hub, wish: Wish) -> FastAPI:
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    page = importlib.resources.files("kws.host.web") / "page"
    for path, name in _FILES.items():
        content = (page / name).read_bytes()
        app.get(path)(_file(content, _TYPES[name.rpartition(".")[2]]))

    @app.get("/clips/{name}.wav")
    async def clip(name: str) -> Response:
        wav = hub.clip(name)
        return Response(wav, media_type="audio/wav") if wav else Response(status_code=404)

    @app.websocket("/live")
    async def live(websocket: WebSocket) -> None:
        await websocket.accept()
        client = hub.join()
        if client is None:
            await websocket.close(_TRY_AGAIN_LATER, "too many pages are open; close one")
            return
        tasks = {
            asyncio.create_task(_send(websocket, client)),
            asyncio.create_task(_receive(websocket, wish)),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hub.leave(client)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    return app


def _file(content: bytes, kind: str) -> Callable[[], Any]:
    async def file() -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8")

    return file


async def _send(websocket: WebSocket, client: Client) -> None:
    while True:
        for message in await client.get():
            if isinstance(message, bytes):
                await websocket.send_bytes(message)
            else:
                await websocket.send_text(message)


async def _receive(websocket: WebSocket, wish: Wish) -> None:
    near = websocket.client is not None and _is_loopback(websocket.client.host)
    try:
        while True:
            message = json.loads(await websocket.receive_text())
            if not isinstance(message, dict):
                raise ValueError
            wish(message, near)
    except WebSocketDisconnect:
        return
    except (ValueError, KeyError, RecursionError):  # no text, no JSON, or not what a page sends
        await websocket.close(_POLICY_VIOLATION, "not understood")


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(k.encode(), v.encode()) for k, v in _HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return sending


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise KwsError(
            f"the page cannot be served at {host} port {port} ({reason}); "
            "choose another with --port or --host"
        ) from None


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _is_any(host: str) -> bool:
    return host in {"0.0.0.0", "::", ""}  # noqa: S104 - compared with, not bound to
