# SPDX-License-Identifier: Apache-2.0
"""`kws listen --web` and hostile clients: it keeps running, and their cost is bounded."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from kws.errors import KwsError
from kws.host.web.hub import MAX_CLIENTS, Hub
from kws.host.web.server import MAX_CONNECTIONS, PING_SECONDS, Server, is_loopback
from kws.host.web.site_files import live_page
from tests.command_line import Run
from tests.host.web.conftest import Serve


def join(url: str, **options: Any) -> ClientConnection:
    """A client of the server at `url`."""
    options = {"origin": Origin(url.rstrip("/")), **options}
    client: ClientConnection = connect(f"ws{url.removeprefix('http')}live", legacy=True, **options)
    return client


def wait_until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Wait until a condition holds; fail after a timeout."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


class Page:
    """A server with an empty hub."""

    def __init__(self, host: str = "127.0.0.1", **options: Any) -> None:
        self.messages: list[tuple[dict[str, Any], bool]] = []
        self.hub = Hub({"labels": ["silence", "unknown", "yes"]})
        self.server = Server((host, 0), live_page(), self.hub, self._take, **options)
        self.address = ("127.0.0.1", self.server.port)
        self.origin = f"http://127.0.0.1:{self.server.port}"

    def _take(self, message: dict[str, Any], near: bool) -> None:
        if "type" not in message:
            raise KeyError("type")
        self.messages.append((message, near))

    def connect(self, **options: Any) -> ClientConnection:
        return join(f"{self.origin}/", **options)

    def get(self, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(*self.address, timeout=5)
        connection.request(method, path, headers=headers)
        return connection.getresponse()

    def works(self) -> bool:
        with self.connect() as client:
            return bool(json.loads(client.recv(timeout=5))["type"] == "hello")


def served_page(caplog: pytest.LogCaptureFixture, ping_seconds: float) -> Iterator[Page]:
    served = Page(ping_seconds=ping_seconds, request_seconds=0.5)
    served.server.start()
    yield served
    served.server.stop()
    errors = [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR]
    assert errors == [], "clients cause no output on the terminal"


@pytest.fixture
def page(caplog: pytest.LogCaptureFixture) -> Iterator[Page]:
    yield from served_page(caplog, 0.5)


@pytest.fixture
def patient(caplog: pytest.LogCaptureFixture) -> Iterator[Page]:
    """A server that tolerates late answers from clients on a busy machine."""
    yield from served_page(caplog, PING_SECONDS)


def test_the_page_and_nothing_else_is_served(page: Page) -> None:
    for path, kind in {
        "/": "text/html",
        "/app.js": "text/javascript",
        "/live_source.js": "text/javascript",
        "/page.css": "text/css",
        "/icon.svg": "image/svg+xml",
    }.items():
        answer = page.get(path)
        assert answer.status == 200
        assert kind in str(answer.getheader("content-type"))
        assert "default-src 'self'" in str(answer.getheader("content-security-policy"))
        text = answer.read().decode()
        for address in ("http://", "https://", "//cdn"):
            assert address not in text.replace("http://www.w3.org/2000/svg", "")
    assert page.get("/?a=b").status == 200
    assert page.get("/", "DELETE").status == 405
    for path in (
        "/index.html",
        "/kws.wasm",
        "/browser_source.js",
        "/../server.py",
        "/%2e%2e/server.py",
        "/clips/x.wav",
        "/site/",
    ):
        assert page.get(path).status == 404


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1:1", "localhost", "", "a@localhost:{port}",
     "localhost:{port}:{port}", "[::1", "127.0.0.1.evil.example:{port}", "192.168.1.5:{port}"],
)  # fmt: skip
def test_requests_for_another_host_are_refused(page: Page, host: str) -> None:
    """Foreign names that resolve to this server (DNS rebinding) are refused."""
    assert page.get("/", Host=host.format(port=page.server.port)).status in (400, 403)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_requests_for_own_names_get_the_page(page: Page, name: str) -> None:
    assert page.get("/", Host=f"{name}:{page.server.port}").status == 200


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "http://127.0.0.1", "http://localhost:{port}",
     "https://127.0.0.1:{port}", "http://127.0.0.1:{port}.evil.example"],
)  # fmt: skip
def test_a_page_of_another_site_is_refused(page: Page, origin: str | None) -> None:
    wanted = origin.format(port=page.server.port) if origin else None
    with pytest.raises(InvalidHandshake):
        page.connect(origin=wanted)
    assert page.works()


def test_on_all_interfaces_addresses_are_accepted_and_foreign_names_refused() -> None:
    page = Page("0.0.0.0")
    page.server.start()
    try:
        assert page.server.url.startswith("http://localhost:")
        for name, status in (("192.168.1.5", 200), ("evil.example", 403), ("localhost", 200)):
            assert page.get("/", Host=f"{name}:{page.server.port}").status == status
    finally:
        page.server.stop()


@pytest.mark.parametrize(
    "message",
    ["x" * 100_000, "x", "[]", "7", "{}", "[" * 900, b"\0\1\2", '{"type"', "\N{SNOWMAN}" * 200],
)
def test_an_invalid_message_ends_only_that_connection(page: Page, message: str | bytes) -> None:
    with page.connect() as client:
        client.recv(timeout=5)
        with contextlib.suppress(ConnectionClosed):
            client.send(message)
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=5)
    assert page.messages == []
    assert page.works()


def test_a_huge_frame_ends_the_connection(page: Page) -> None:
    with page.connect() as client:
        client.recv(timeout=5)
        # The header of a frame of 2^40 bytes (RFC 6455 section 5.2).
        client.socket.sendall(b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"\0\0\0\0")
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=5)
    assert page.works()


def test_more_clients_than_the_limit_are_refused(patient: Page) -> None:
    clients: list[ClientConnection] = []
    served = refused = 0
    for _ in range(200):
        try:
            clients.append(patient.connect(open_timeout=10))
        # The server may close it before the request is sent, or after.
        except (OSError, InvalidHandshake, ConnectionClosed):
            refused += 1
    for client in clients:
        try:
            client.recv(timeout=5)
            served += 1
        except ConnectionClosed as closed:
            refused += 1
            assert closed.rcvd is None or closed.rcvd.code == 1013
    assert served == MAX_CLIENTS
    assert served + refused == 200
    patient.server.call(patient.hub.say, "notice", "still there")
    for client in clients[:MAX_CLIENTS]:
        assert json.loads(client.recv(timeout=5))["text"] == "still there"
    for client in clients:
        client.close()
    wait_until(lambda: patient.hub.clients == 0)
    assert patient.works(), "there is room again"


def silent_clients(page: Page) -> list[socket.socket]:
    """Clients that connect and send nothing, or the start of a request."""
    clients = []
    for number in range(200):
        client = socket.create_connection(page.address, timeout=5)
        client.sendall(b"" if number % 2 else b"GET / HTTP/1.1\r\nHost: ")
        clients.append(client)
    return clients


def test_silent_clients_are_disconnected(page: Page) -> None:
    process = psutil.Process()
    before = process.num_fds()
    clients = silent_clients(page)
    for client in clients:  # this process has both ends
        with contextlib.suppress(ConnectionResetError):
            while client.recv(100):
                pass  # until the server closes it
    wait_until(lambda: process.num_fds() == before + len(clients))
    assert page.works()
    for client in clients:
        client.close()


def test_the_number_of_connections_is_bounded() -> None:
    page = Page(request_seconds=600.0)
    page.server.start()
    process = psutil.Process()
    before = process.num_fds()
    clients = silent_clients(page)
    wait_until(lambda: process.num_fds() - before <= len(clients) + MAX_CONNECTIONS)
    for client in clients:
        client.close()
    wait_until(lambda: process.num_fds() <= before)
    assert page.works()
    page.server.stop()


def half_open(page: Page) -> socket.socket:
    """A websocket whose client neither reads nor answers, like a closed laptop."""
    client = socket.create_connection(page.address, timeout=5)
    client.sendall(
        (
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{page.server.port}\r\nOrigin: {page.origin}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ).encode()
    )
    assert b"101" in client.recv(12)
    return client


@pytest.mark.process
@pytest.mark.parametrize("megabytes", [0, 20])
def test_a_client_that_vanished_is_disconnected(page: Page, megabytes: int) -> None:
    """With only pings to send, and with a full socket, in which a ping would wait."""
    with half_open(page):
        wait_until(lambda: page.hub.clients == 1)
        for _ in range(20 * megabytes):
            page.server.call(page.hub.columns, bytes(50_000))
        wait_until(lambda: page.hub.clients == 0)


def test_the_server_stops_quickly_despite_a_silent_client(page: Page) -> None:
    with half_open(page):
        wait_until(lambda: page.hub.clients == 1)
        start = time.monotonic()
        page.server.stop()
        assert time.monotonic() - start < 3


@pytest.mark.process
def test_listening_continues_during_a_flood_of_messages(serve: Serve, words: Path) -> None:
    program, url = serve("--input", words)
    process = psutil.Process(program.process.pid)
    with join(url) as client:
        before = process.memory_info().rss

        def flood() -> None:
            with contextlib.suppress(ConnectionClosed):
                for number in range(20_000):
                    client.send(
                        json.dumps({"type": "threshold", "label": 3, "value": number % 200})
                    )

        thread = threading.Thread(target=flood)
        thread.start()
        program.until("Heard")
        thread.join()
        assert process.memory_info().rss - before < 30 << 20
        for wrong in (
            {"type": "threshold", "label": 4, "value": 1},
            {"type": "threshold", "label": -1, "value": 1},
            {"type": "threshold", "label": 1, "value": 256},
            {"type": "threshold", "label": True, "value": 1},
            {"type": "threshold", "label": "yes", "value": 1},
            {"type": "threshold", "label": 1, "value": 1e3},
            {"type": "threshold"},
            {"type": "delete"},
            {"type": None},
        ):
            with join(url) as other:
                other.send(json.dumps(wrong))
                with pytest.raises(ConnectionClosed):
                    while True:
                        other.recv(timeout=5)
    assert program.process.poll() is None


def test_the_server_knows_whether_a_page_is_local(page: Page) -> None:
    with page.connect() as client:
        client.recv(timeout=5)
        client.send('{"type": "save"}')
        wait_until(lambda: page.messages)
    assert page.messages == [({"type": "save"}, True)]
    assert is_loopback("::ffff:127.0.0.1")
    assert not is_loopback("192.168.1.5")


def test_a_used_port_and_an_unknown_host_give_one_line_errors(kws: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = kws("listen", "--web", "--web-port", port, "--input", "x.wav")
    assert code == 1
    assert err.count("\n") == 1
    assert f"port {port}" in err
    assert "--web-port" in err
    with pytest.raises(KwsError, match=r"cannot be served at 192\.0\.2\.1"):
        Page("192.0.2.1")
