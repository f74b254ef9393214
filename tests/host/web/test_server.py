"""`kws listen --web` and those who mean it no good: it stays up, and what they cost is bounded."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from kws.errors import KwsError
from kws.host.web import server as web
from kws.host.web.hub import MOST_CLIENTS, Client, Hub
from kws.host.web.server import Server
from tests.host.conftest import Run
from tests.host.web.conftest import Serve


def join(url: str, **options: Any) -> ClientConnection:
    """A client of the server at `url`."""
    options = {"origin": Origin(url.rstrip("/")), **options}
    client: ClientConnection = connect(f"ws{url.removeprefix('http')}live", legacy=True, **options)
    return client


class Page:
    """A server on its own, with a hub that nobody fills."""

    def __init__(self, **options: Any) -> None:
        self.wishes: list[tuple[dict[str, Any], bool]] = []
        self.hub = Hub({"labels": ["silence", "unknown", "yes"]})
        self.server = Server("127.0.0.1", 0, self.hub, self._wish, **options)
        self.address = ("127.0.0.1", self.server.port)
        self.origin = f"http://127.0.0.1:{self.server.port}"

    def _wish(self, wish: dict[str, Any], near: bool) -> None:
        if "type" not in wish:
            raise KeyError("type")
        self.wishes.append((wish, near))

    def connect(self, **options: Any) -> ClientConnection:
        return join(f"{self.origin}/", **options)

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(*self.address, timeout=5)
        connection.request("GET", path, headers=headers)
        return connection.getresponse()

    def works(self) -> bool:
        with self.connect() as client:
            return bool(json.loads(client.recv(timeout=5))["type"] == "hello")


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    monkeypatch.setattr(web, "_REQUEST_SECONDS", 0.5)
    served = Page(ping=0.5)
    served.server.start()
    yield served
    served.server.stop()


def test_the_page_and_nothing_else_is_served(page: Page) -> None:
    for path, kind in {
        "/": "text/html",
        "/live.js": "text/javascript",
        "/spectrogram.js": "text/javascript",
        "/classes.js": "text/javascript",
        "/live.css": "text/css",
    }.items():
        answer = page.get(path)
        assert answer.status == 200
        assert kind in str(answer.getheader("content-type"))
        assert "default-src 'self'" in str(answer.getheader("content-security-policy"))
        text = answer.read().decode()
        for elsewhere in ("http://", "https://", "//cdn"):
            assert elsewhere not in text.replace("http://www.w3.org/2000/svg", "")
    for path in (
        "/docs",
        "/openapi.json",
        "/../server.py",
        "/%2e%2e/server.py",
        "/clips/x.wav",
        "/page/",
    ):
        assert page.get(path).status == 404


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1:1", "localhost", "", "a@localhost:{port}",
     "localhost:{port}:{port}", "[::1", "127.0.0.1.evil.example:{port}", "192.168.1.5:{port}"],
)  # fmt: skip
def test_another_host_s_name_gets_nothing(page: Page, host: str) -> None:
    """Names that lead here by a trick (DNS rebinding) are not this server's."""
    assert page.get("/", Host=host.format(port=page.server.port)).status in (400, 403)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_own_names_get_the_page(page: Page, name: str) -> None:
    assert page.get("/", Host=f"{name}:{page.server.port}").status == 200


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "http://127.0.0.1", "http://localhost:{port}",
     "https://127.0.0.1:{port}", "http://127.0.0.1:{port}.evil.example"],
)  # fmt: skip
def test_a_page_from_elsewhere_hears_nothing(page: Page, origin: str | None) -> None:
    wanted = origin.format(port=page.server.port) if origin else None
    with pytest.raises(InvalidHandshake):
        page.connect(origin=wanted)
    assert page.works()


def test_with_the_network_let_in_addresses_count_and_strange_names_do_not() -> None:
    hub = Hub({})
    server = Server("0.0.0.0", 0, hub, lambda _wish, _near: None)
    server.start()
    try:
        assert server.url.startswith("http://localhost:")
        for name, status in (("192.168.1.5", 200), ("evil.example", 403), ("localhost", 200)):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
            connection.request("GET", "/", headers={"Host": f"{name}:{server.port}"})
            assert connection.getresponse().status == status
    finally:
        server.stop()


@pytest.mark.parametrize(
    "message",
    ["x" * 100_000, "x", "[]", "7", "{}", "[" * 900, b"\0\1\2", '{"type"', "\N{SNOWMAN}" * 200],
)
def test_what_no_page_sends_ends_that_connection_only(page: Page, message: str | bytes) -> None:
    with page.connect() as client:
        client.recv(timeout=5)
        with contextlib.suppress(ConnectionClosed):
            client.send(message)
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=5)
    assert page.wishes == []
    assert page.works()


def test_a_huge_frame_without_end_is_not_waited_for(page: Page) -> None:
    with page.connect() as client:
        client.recv(timeout=5)
        # A frame's header that promises 2^40 bytes (RFC 6455 section 5.2).
        client.socket.sendall(b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"\0\0\0\0")
        with pytest.raises(ConnectionClosed):
            client.recv(timeout=5)
    assert page.works()


def test_of_200_clients_some_are_served_and_all_others_told(page: Page) -> None:
    clients: list[ClientConnection] = []
    served = refused = 0
    for _ in range(200):
        try:
            clients.append(page.connect(open_timeout=10))
        except (OSError, InvalidHandshake):
            refused += 1
    for client in clients:
        try:
            client.recv(timeout=5)
            served += 1
        except ConnectionClosed as closed:
            refused += 1
            assert closed.rcvd is None or closed.rcvd.code == 1013
    assert served == MOST_CLIENTS
    assert served + refused == 200
    page.server.call(page.hub.say, "notice", "still there")
    for client in clients[:MOST_CLIENTS]:
        assert json.loads(client.recv(timeout=5))["text"] == "still there"
    for client in clients:
        client.close()
    time.sleep(0.5)
    assert page.works(), "those who left made room"


def test_200_sockets_that_say_nothing_are_closed(page: Page) -> None:
    process = psutil.Process()
    before = process.num_fds()
    sockets = []
    for number in range(200):
        half = socket.create_connection(page.address, timeout=5)
        half.sendall(b"" if number % 2 else b"GET / HTTP/1.1\r\nHost: ")
        sockets.append(half)
    time.sleep(1.5)
    assert page.works()
    # Ours are still open; the server's are not.
    assert process.num_fds() - before < 200 + 20
    for half in sockets:
        half.close()


def test_a_client_that_is_gone_without_a_word_is_let_go(page: Page) -> None:
    """It neither reads nor answers, as a laptop that was closed."""
    client = page.connect(ping_interval=None)
    client.recv(timeout=5)
    raw = client.socket.dup()
    # Its thread would answer pings; a raw handshake has none.
    client.close()
    raw.close()
    half = socket.create_connection(page.address, timeout=5)
    half.sendall(
        (
            f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{page.server.port}\r\nOrigin: {page.origin}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ).encode()
    )
    assert b"101" in half.recv(12)
    time.sleep(0.2)
    assert len(page.hub._clients) == 1
    for _ in range(40):
        page.server.call(page.hub.columns, bytes(50_000))
    (waiting,) = page.hub._clients
    assert len(waiting._waiting) <= 100
    end = time.monotonic() + 5
    while page.hub._clients and time.monotonic() < end:
        time.sleep(0.05)
    assert not page.hub._clients
    half.close()


def test_a_flood_of_wishes_is_bounded_and_listening_goes_on(serve: Serve, words: Path) -> None:
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


def test_thresholds_are_saved_from_this_machine_only(page: Page) -> None:
    with page.connect() as client:
        client.recv(timeout=5)
        client.send('{"type": "save"}')
        end = time.monotonic() + 5
        while not page.wishes and time.monotonic() < end:
            time.sleep(0.02)
    assert page.wishes == [({"type": "save"}, True)]
    assert web._is_loopback("::ffff:127.0.0.1")
    assert not web._is_loopback("192.168.1.5")


def test_a_port_that_is_taken_and_a_host_of_elsewhere_are_one_line(kws: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = kws("listen", "--web", "--port", port, "--input", "x.wav")
    assert code == 1
    assert err.count("\n") == 1
    assert f"port {port}" in err
    assert "--port" in err
    with pytest.raises(KwsError, match=r"cannot be served at 192\.0\.2\.1"):
        Server("192.0.2.1", 0, Hub({}), lambda _wish, _near: None)


def run_apart(work: Coroutine[Any, Any, list[bytes | str]]) -> list[bytes | str]:
    """In a thread of its own: Playwright keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_a_page_gets_what_waits_in_its_order() -> None:
    """A word's mark belongs to the column that was there when it was heard."""

    async def get() -> list[bytes | str]:
        client = Client()
        for message in (b"a", b"b", "heard", b"c", "state"):
            client.put(message)
        return await client.get()

    assert run_apart(get()) == [b"ab", "heard", b"c", "state"]


def test_what_waits_for_a_page_that_takes_nothing_is_bounded() -> None:
    async def get() -> list[bytes | str]:
        client = Client()
        for second in range(1000):
            client.put(str(second))
            client.put(second.to_bytes(2, "big"))
        return await client.get()

    messages = run_apart(get())
    assert messages[-2:] == ["999", (999).to_bytes(2, "big")]
    assert 10 < len(b"".join(one for one in messages if isinstance(one, bytes))) <= 200
    assert 10 < len([one for one in messages if isinstance(one, str)]) <= 64
