# SPDX-License-Identifier: Apache-2.0
"""Commands reach a board at a browser's USB: the page is a thread here, the board a pty."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kws.errors import BoardError
from kws.host.deploy import deployment
from kws.host.deploy.board_finder import BoardFinder
from kws.host.deploy.nano33ble import Nano33Ble
from kws.host.deploy.real_board import Bench
from kws.host.serial import ports
from kws.host.serial.ports import Link, Port, PortError, PortLostError
from kws.host.studio.browser_ports import BrowserPorts
from tests.command_line import Run
from tests.host.deploy.nano33ble_programs import QUICK, image_of
from tests.host.deploy.simulated_nano33 import BOOT_LINE, PAGE, Board

NAME = "0123456789abcdef"


class PageThread:
    """Does what browser_ports.js does."""

    def __init__(self, offered: BrowserPorts, board: Board) -> None:
        self._offered, self._board = offered, board
        self._numbers: dict[Port, int] = {}
        self._links: dict[str, Link] = {}
        self._ended, self._offers = threading.Event(), threading.Event()
        self.opens = True
        self._threads = [
            threading.Thread(target=run, daemon=True) for run in (self._obey, self._watch)
        ]

    def __enter__(self) -> PageThread:
        for thread in self._threads:
            thread.start()
        assert self._offers.wait(5)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(5)

    def _watch(self) -> None:
        """Offers the ports that are plugged in, and sends what they write."""
        offered: list[Port] | None = None
        while not self._ended.is_set():
            present = self._board.lister()
            for port in present:
                self._numbers.setdefault(port, len(self._numbers) + 1)
            rows = [
                {"id": self._numbers[it], "vendor": it.usb.vendor, "product": it.usb.product}
                for it in present
                if it.usb
            ]
            if present != offered and self._offered.offer(NAME, rows):
                offered = present
                self._offers.set()
            for number, link in list(self._links.items()):
                try:
                    if data := link.read(0.001):
                        self._offered.receive(NAME, number, data)
                except PortLostError:
                    self._links.pop(number, None)
            time.sleep(0.002)

    def _obey(self) -> None:
        events = self._offered.events(NAME)
        for event in events:
            if self._ended.is_set():
                events.close()
                return
            if event:
                self._do(event["port"], event)

    def _do(self, number: str, event: dict[str, object]) -> None:
        devices = {str(it): port.device for port, it in self._numbers.items()}
        link = self._links.get(number)
        if rate := event.get("open"):
            try:
                assert self.opens
                self._links[number] = Link(devices[number], int(str(rate)))
            except (PortError, AssertionError):
                self._offered.answer(NAME, number, "failed")
                return
            self._offered.answer(NAME, number, "open")
        elif event.get("close"):
            if link := self._links.pop(number, None):
                link.close()
            self._offered.answer(NAME, number, "closed")
        elif link and "write" in event:
            link.write(base64.b64decode(str(event["write"])))
        elif link and event.get("dtr") is False:
            link.lower_dtr()


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "browser.port")


@pytest.fixture
def board(file: str) -> Iterator[Board]:
    """A board whose port a page offers."""
    with Board() as plugged, PageThread(BrowserPorts(Path(file)), plugged):
        yield plugged


def test_a_board_at_the_browser_is_written_and_started(board: Board, file: str) -> None:
    lister, chosen = ports.choose(file)
    assert chosen is None
    image = image_of(3 * PAGE)
    done = deployment.deploy(Nano33Ble(), image, chosen, Bench(lister, QUICK))
    start = image.address
    assert board.bootloader.flash[start : start + len(image.data)] == image.data
    assert not board.bootloader.problems
    assert done.boot
    assert done.port.startswith(f"{file}#{NAME}.")


def test_its_lines_are_read_and_commands_answered(board: Board, file: str) -> None:
    lister, chosen = ports.choose(file)
    port, link = BoardFinder((Nano33Ble(),), chosen, lister=lister).first()
    with link:
        assert link.read(5).decode().startswith(BOOT_LINE[:3])
        assert not link.set_rate(1_000_000)
        link.write(b"stats\n")
        text = b""
        while b"\n" not in text:
            text += link.read(5)
        with pytest.raises(PortError, match="another command uses this board"):
            Link(port.device)
        board.unplug()
        with pytest.raises(PortLostError):
            for _ in range(100):
                link.read(0.1)
    wanted = ports.wait_for(lister, lambda _: True, 0)
    assert wanted is None
    with pytest.raises(PortError, match="choose the board again"):
        Link(port.device)


def test_a_port_that_the_browser_cannot_open(file: str) -> None:
    with Board() as plugged, PageThread(BrowserPorts(Path(file)), plugged) as page:
        page.opens = False
        (port,) = ports.choose(file)[0]()
        with pytest.raises(PortError, match="the browser cannot open it"):
            Link(port.device)
        page.opens = True
        chosen = ports.choose(port.device)
        assert chosen[1] == port.device
        assert deployment.find_port(Nano33Ble(), chosen[1], chosen[0]()) == port
        with Link(port.device) as link:
            assert link.read(5)


def test_without_a_page_the_command_says_where_to_choose(file: str) -> None:
    with pytest.raises(BoardError, match="open step Board in the browser"):
        ports.choose(file)[0]()
    Path(file).write_text('{"port": 1, "token": "x"}')
    with pytest.raises(BoardError, match="open step Board in the browser"):
        ports.choose(file)[0]()


def test_the_file_is_private_and_a_wrong_token_gets_nothing(board: Board, file: str) -> None:
    assert Path(file).stat().st_mode & 0o777 == 0o600
    place = json.loads(Path(file).read_text())
    lines = (b'{"list": true}', b'{"list": true, "token": "x"}', b"[]", b"\xff", b"[" * 100_000)
    for line in lines:
        with socket.create_connection(("127.0.0.1", place["port"]), 5) as connection:
            connection.sendall(line + b"\n")
            assert connection.recv(100) == b"", line[:40]
    assert len(ports.choose(file)[0]()) == 1


@pytest.mark.parametrize(
    "offered",
    [
        None,
        [1],
        [{}],
        [{"id": -1, "vendor": 1, "product": 1}],
        [{"id": 1, "vendor": 1, "product": 1}] * 17,
        [{"id": "1.x", "vendor": 1, "product": 1}],
    ],
)
def test_a_page_cannot_offer_nonsense(board: Board, file: str, offered: object) -> None:
    other = BrowserPorts(Path(file))
    events = other.events(NAME)
    next(events)
    assert not other.offer(NAME, offered)
    assert not other.offer("other", [])
    other.answer(NAME, "1", "open")
    other.receive(NAME, "1", b"x")
    events.close()


def test_a_board_that_needs_more_than_its_port_is_refused_before_the_build(
    kws: Run, file: str
) -> None:
    code, out, err = kws("deploy", "--board", "xiao_nrf52840_sense", "--port", file)
    assert (code, out) == (2, "")
    assert "cannot be written through a browser" in err
    code, _, err = kws("deploy", "--board", "nano33ble", "--port", file)
    assert code == 1
    assert "open step Board in the browser" in err
