# SPDX-License-Identifier: Apache-2.0
"""`kws deploy --board sparkfun_edge` with a simulated board that checks what it receives."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kws.errors import BoardError
from kws.host.deploy import deployment
from kws.host.deploy.board_finder import BoardFinder
from kws.host.deploy.image import make_image
from kws.host.deploy.monitor import Monitor, Received
from kws.host.deploy.real_board import Bench, RealBoard, find_real_board, real_boards
from kws.host.serial import ports
from kws.host.serial.ports import Link, Port, UsbId
from tests.command_line import Run
from tests.host.deploy.programs import built_at_once
from tests.host.deploy.sparkfun_edge.edge_programs import (
    BOARD,
    Board,
    flashed,
    image_of,
    program_of,
    try_deploy,
)
from tests.host.deploy.sparkfun_edge.simulated_edge import (
    ADAPTER,
    BOOT_LINE,
    Clock,
    bench_of,
)
from tests.host.deploy.sparkfun_edge.simulated_svl import (
    FLASH_SIZE,
    FRAME,
    ORIGIN,
    PAGE,
)

pytestmark = pytest.mark.usefixtures("no_hanging")

BOARDS = tuple(real_boards().values())


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    # Nothing below the application has changed.
    assert bytes(board.loader.flash[:ORIGIN]) == b"\xb0\x07" * (ORIGIN // 2)


@pytest.mark.parametrize("size", [1024, FRAME - 1, FRAME, FRAME + 1, PAGE + 4, 20_481])
def test_writes_firmware_that_starts(board: Board, size: int) -> None:
    steps: list[int] = []
    image = image_of(size)
    before = bytes(board.loader.flash)
    done = deployment.deploy(BOARD, image, None, bench_of(board, advance=steps.append))
    assert board.loader.problems == []
    assert board.loader.packets == ["U", "BL", *["FRAME"] * image.count, "DONE"]
    assert flashed(board, size)
    end = -(-(ORIGIN + size) // PAGE) * PAGE
    assert set(board.loader.flash[ORIGIN + size : end]) <= {0xFF}
    assert bytes(board.loader.flash[end:]) == before[end:]
    assert done.boot is not None
    assert done.boot.model == "yes_no"
    assert (done.port, done.size, done.verified) == (board.device, len(image.data), False)
    assert "bytes written and checked; it runs: kws 0.1.0 on sparkfun_edge" in deployment.text(done)
    assert sum(steps) == BOARD.steps(image)


@pytest.mark.parametrize(
    ("address", "size", "text"),
    [
        (ORIGIN, FLASH_SIZE - ORIGIN + 1, "use a smaller model"),
        (0xC000, FRAME, "never overwrites"),
        (ORIGIN + FRAME, FRAME, "for another board"),
    ],
)
def test_images_that_do_not_fit_are_refused(address: int, size: int, text: str) -> None:
    program = struct.pack("<II", 0x10002000, address + 0x101) + bytes(size - 8)
    with pytest.raises(BoardError, match=text):
        make_image([(address, program)], BOARD.memory, "x.elf")


def test_firmware_of_the_nano_is_refused() -> None:
    """The Nano's firmware starts at the same address, but the RAM addresses differ."""
    program = struct.pack("<II", 0x20040000, ORIGIN + 0x101) + bytes(FRAME)
    with pytest.raises(BoardError, match="vector table for this board"):
        make_image([(ORIGIN, program)], BOARD.memory, "x.elf")


def test_silent_firmware_is_reported(board: Board) -> None:
    board.lines, board.answers = [], False
    assert "the firmware is written, but printed nothing" in try_deploy(board)


def test_a_missed_boot_line_is_accepted_if_the_board_answers(board: Board) -> None:
    board.lines = []
    done = deployment.deploy(BOARD, image_of(FRAME), None, bench_of(board))
    assert done.boot is None
    assert "the firmware answers" in deployment.text(done)


@pytest.mark.parametrize("before", [[], [BOOT_LINE]])
def test_the_firmwares_error_is_reported(board: Board, before: list[str]) -> None:
    board.lines = [*before, "error: no samples from the microphone"]
    assert "but reports: no samples from the microphone" in try_deploy(board)


def test_the_boot_line_of_another_board_is_an_error(board: Board) -> None:
    board.lines = [BOOT_LINE.replace("sparkfun_edge", "qemu")]
    assert "was built for qemu, not sparkfun_edge" in try_deploy(board)


def test_a_missing_board_is_an_error() -> None:
    with pytest.raises(BoardError, match=r"no SparkFun Edge was found; connect .* --port"):
        deployment.deploy(BOARD, image_of(FRAME), None, Bench(list))


def test_one_of_several_adapters_must_be_named() -> None:
    clock = Clock()
    first, second = Board(socket="1-1", clock=clock), Board(socket="1-2", clock=clock)
    bench = bench_of(first, second)
    with pytest.raises(BoardError, match=r"2 USB-serial adapters were found.*--port"):
        deployment.deploy(BOARD, image_of(FRAME), None, bench)
    done = deployment.deploy(BOARD, image_of(FRAME), second.device, bench)
    assert done.port == second.device
    assert (first.resets, first.loader.packets) == (0, [])


@pytest.mark.parametrize("usb", [None, UsbId(0x067B, 0x2303)])
def test_any_adapter_may_be_named(usb: UsbId | None) -> None:
    board = Board(usb=usb)
    done = deployment.deploy(BOARD, image_of(FRAME), board.device, bench_of(board))
    assert done.port == board.device
    assert done.boot is not None


def test_the_port_of_another_board_is_refused() -> None:
    other = Port("/dev/null", UsbId(0x2341, 0x805A), "1-1")
    with pytest.raises(BoardError, match="this is a 2341:805a, not the SparkFun Edge"):
        deployment.find_port(BOARD, "/dev/null", [other])


def test_a_missing_port_is_an_error(board: Board) -> None:
    with pytest.raises(BoardError, match="/dev/ttyUSB99: there is no such port"):
        deployment.deploy(BOARD, image_of(FRAME), "/dev/ttyUSB99", bench_of(board))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    return built_at_once(monkeypatch, tmp_path, ORIGIN, program_of(2 * FRAME))


def test_command_writes_the_firmware(
    kws: Run, board: Board, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "list_ports", board.lister)
    monkeypatch.setattr(ports, "open_soon", board.open_port)
    board.loader.starting = 0.0  # the command waits in real time, not in board time
    code, out, err = kws("deploy", "--board", "sparkfun_edge")
    assert (code, err) == (0, "")
    assert out == (
        f"{board.device}: 4096 bytes written and checked; it runs: kws 0.1.0 on sparkfun_edge, "
        "model yes_no 09e5e2a9, arena 5796 of 5800 bytes\n"
    )
    code, out, err = kws("deploy", "--board", "sparkfun_edge", "--port", board.device, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["verified"] is False
    assert board.loader.problems == []


def test_command_looks_for_a_board_before_building(
    kws: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "list_ports", list)
    code, out, err = kws("deploy", "--board", "sparkfun_edge")
    assert (code, out) == (1, "")
    assert err.startswith("kws: no SparkFun Edge was found; connect")
    assert err.count("\n") == 1


def watch(board: Board, count: int, act: Callable[[], None] = lambda: None) -> list[str]:
    """The first lines that `kws monitor` shows."""
    texts: list[str] = []

    def show(received: Received) -> None:
        texts.append(received.text)
        if len(texts) == 1:
            act()
        if len(texts) >= count:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finder = BoardFinder(BOARDS, None, lister=board.lister, open_port=board.open_port)
        Monitor(finder, show).run()
    return texts


def test_the_monitor_shows_the_boot_line(board: Board) -> None:
    """Opening the port resets the board, so the boot line is written again."""
    assert watch(board, 1) == [BOOT_LINE]
    assert watch(board, 1) == [BOOT_LINE]


def test_the_monitor_finds_a_replugged_board(board: Board) -> None:
    def pull() -> None:
        board.unplug()
        board.replug()

    assert watch(board, 2, pull) == [BOOT_LINE] * 2


def opened(boards: tuple[RealBoard, ...], *present: Port) -> str:
    """The port that `kws monitor` opens."""
    names: list[str] = []

    def open_port(device: str, seconds: float, baud: int) -> Link:
        names.append(device)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finder = BoardFinder(boards, None, lister=lambda: list(present), open_port=open_port)
        Monitor(finder, print).run()
    return names[0]


def test_the_monitor_prefers_a_board_to_an_adapter() -> None:
    nano = Port("/dev/ttyACM0", UsbId(0x2341, 0x805A), "1-1")
    adapter = Port("/dev/ttyUSB0", ADAPTER, "1-2")
    assert opened(BOARDS, adapter, nano) == nano.device
    assert opened(BOARDS, adapter) == adapter.device
    assert opened((find_real_board("sparkfun_edge"),), adapter, nano) == adapter.device
