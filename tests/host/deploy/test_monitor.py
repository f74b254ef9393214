# SPDX-License-Identifier: Apache-2.0
"""`kws monitor` on pseudo-terminals: lines, commands, noise, and a replugged board."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from kws.errors import BoardError, UsageError
from kws.host.deploy import monitor
from kws.host.deploy.board_finder import BoardFinder
from kws.host.deploy.monitor import Monitor, Received
from kws.host.deploy.real_board import find_real_board, real_boards
from kws.host.serial import ports
from kws.host.serial.lines import Heard, Level, LineBuffer, Stats, parse_line
from kws.host.serial.ports import Link, Port, UsbId
from tests.command_line import Run
from tests.host.deploy.programs import STATS
from tests.host.deploy.simulated_nano33 import APPLICATION, BOOT_LINE, BOOTLOADER, Board
from tests.host.live.listening import wait_for

pytestmark = pytest.mark.usefixtures("no_hanging")

BOARDS = tuple(real_boards().values())
HEARD = "Heard yes (201) @4056ms"
FAULT = "error: lost 320 samples: use a smaller model"
LEVEL = "level: peak 1200, RMS 310, offset -12, 0.5 % clipped"


class Screen:
    """Collects a number of lines, then presses Ctrl-C."""

    def __init__(self, count: int, then: Callable[[int], None] = lambda _: None) -> None:
        self.lines: list[Received] = []
        self._count = count
        self._then = then

    def __call__(self, received: Received) -> None:
        self.lines.append(received)
        if len(self.lines) >= self._count:
            raise KeyboardInterrupt
        self._then(len(self.lines))

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]


def later(act: Callable[[], None]) -> None:
    """Call `act` soon, while the monitor runs."""
    threading.Timer(0.1, act).start()


def follow(board: Board, screen: Screen, typed: int | None = None) -> None:
    with pytest.raises(KeyboardInterrupt):
        Monitor(BoardFinder(BOARDS, None, lister=board.lister), screen, typed=typed).run()


def test_lines_are_recognized() -> None:
    with Board(lines=[BOOT_LINE, HEARD, FAULT, STATS, "hello"]) as board:
        screen = Screen(5)
        follow(board, screen)
    assert [line.kind for line in screen.lines] == ["boot", "heard", "error", "stats", "text"]
    assert screen.lines[1].line == Heard("yes", 201, 4056)
    assert screen.lines[3].line == Stats(1234, 0, 83.2, 10752, 400, 593, 5796, 1412, 8192)


def test_stats_in_another_format_are_text() -> None:
    assert parse_line(STATS) is not None
    assert parse_line(STATS[:-1]) is None
    assert parse_line("stats: none") is None


def test_level_is_requested_again_and_again() -> None:
    def answer() -> None:
        wait_for(lambda: board.typed.count(b"level\n") >= 2)
        board.write(LEVEL.encode() + b"\n")

    with Board() as board:
        screen = Screen(2, lambda count: later(answer) if count == 1 else None)
        with pytest.raises(KeyboardInterrupt):
            Monitor(BoardFinder(BOARDS, None, lister=board.lister), screen, level_seconds=0.2).run()
    assert screen.lines[-1].line == Level(1200, 310, -12, 0.5)


def test_level_is_shown_in_decibels() -> None:
    text = monitor.level_text(Level(1200, 328, -12, 0.5))
    assert text == (
        f" -40.0 dB RMS   -28.7 dB peak  offset    -12   0.5 % clipped  [{'#' * 10}{' ' * 20}]"
    )
    assert monitor.level_text(Level(32767, 20000, 0, 4.0)).endswith("lower the gain")
    assert "microphone is dead" in monitor.level_text(Level(0, 0, 0, 0.0))


def test_typed_lines_are_sent_to_the_board() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"gain 12\nstats\n\n")
    with Board() as board:
        screen = Screen(2)
        follow(board, screen, reader)
        assert board.typed == b"gain 12\nstats\n"
    assert sorted(line.kind for line in screen.lines) == ["boot", "stats"]
    os.close(reader)
    os.close(writer)


def test_the_monitor_continues_after_the_input_ends() -> None:
    reader, writer = os.pipe()
    os.close(writer)
    with Board(lines=[BOOT_LINE, HEARD]) as board:
        follow(board, Screen(2), reader)
    os.close(reader)


def test_a_replugged_board_is_found_again(capsys: pytest.CaptureFixture[str]) -> None:
    def pull(count: int) -> None:
        board.unplug()
        if count < 3:
            board.replug()

    with Board() as board:
        screen = Screen(3, pull)
        follow(board, screen)
    assert screen.texts == [BOOT_LINE] * 3
    notices = capsys.readouterr().err.splitlines()
    assert [("disconnected" in line, ": connected" in line) for line in notices] == [
        (False, True),
        (True, False),
    ] * 2 + [(False, True)]


def test_an_incomplete_line_is_shown_when_the_board_disconnects() -> None:
    def leave() -> None:
        board.write(b"Heard yes (2")
        time.sleep(0.5)
        board.unplug()
        board.lines = [HEARD]
        board.replug()

    with Board() as board:
        screen = Screen(3, lambda count: later(leave) if count == 1 else None)
        follow(board, screen)
    assert screen.texts == [BOOT_LINE, "Heard yes (2", HEARD]
    assert [line.kind for line in screen.lines] == ["boot", "text", "heard"]


def test_a_bootloaders_port_is_not_opened() -> None:
    """While another process deploys, the monitor must not open the bootloader's port."""
    looks = 0
    opened: list[UsbId | None] = []

    def lister() -> list[Port]:
        nonlocal looks
        looks += 1
        return board.lister()

    def open_port(device: str, seconds: float, baud: int) -> Link:
        # Found by USB id, because the next port may get the same name.
        opened.extend(port.usb for port in board.lister() if port.device == device)
        return ports.open_soon(device, seconds, baud)

    def restart() -> None:
        board.unplug()
        board.appear(BOOTLOADER)
        before = looks
        wait_for(lambda: looks >= before + 3)
        board.unplug()
        board.replug()

    with Board() as board:
        screen = Screen(2, lambda count: later(restart) if count == 1 else None)
        with pytest.raises(KeyboardInterrupt):
            Monitor(BoardFinder(BOARDS, None, lister=lister, open_port=open_port), screen).run()
        assert opened == [APPLICATION, APPLICATION]


@pytest.mark.parametrize("seed", range(3))
def test_noise_does_not_stop_the_monitor(seed: int) -> None:
    noise = random.Random(seed).randbytes(20_000)

    def shout() -> None:
        for start in range(0, len(noise), 500):  # fits in a pseudo-terminal's buffer
            board.write(noise[start : start + 500])
            time.sleep(0.005)
        board.write(b"\n" + HEARD.encode() + b"\n")

    def watch(count: int) -> None:
        if count == 1:
            later(shout)
        if screen.lines[-1].kind == "heard":
            raise KeyboardInterrupt

    with Board() as board:
        screen = Screen(10_000, watch)
        follow(board, screen)
    assert len(screen.lines) > 20
    assert all(line.text.isprintable() for line in screen.lines)


def test_an_endless_line_is_cut() -> None:
    buffer = LineBuffer()
    shown = [line for _ in range(10) for line in buffer.feed(b"x" * 400)]
    assert len(shown) == 3
    assert all(len(line) == 1000 for line in shown)


@pytest.mark.parametrize("piece", [1, 2, 7])
def test_lines_may_arrive_in_pieces(piece: int) -> None:
    data = f"{BOOT_LINE}\r\n{HEARD}\r\nhalf".encode()
    buffer = LineBuffer()
    lines = [
        line for start in range(0, len(data), piece) for line in buffer.feed(data[start:][:piece])
    ]
    assert lines == [BOOT_LINE, HEARD]
    assert buffer.rest() == "half"
    assert buffer.rest() == ""


def received(text: str) -> Received:
    return Received(datetime(2026, 1, 2, 1, 2, 3, 45_678).astimezone(), text, parse_line(text))


def test_text_has_times_and_colours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    show = monitor.show_text()
    for text in (BOOT_LINE, HEARD, FAULT, STATS, "[bold]no markup[/bold]"):
        show(received(text))
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("\x1b[2m01:02:03.045 \x1b[0m\x1b[1;36mkws 0.1.0")
    assert "\x1b[1;32mHeard yes (201) @4056ms" in out[1]
    assert "\x1b[1;31merror: " in out[2]
    assert "\x1b[35mstats: " in out[3]
    assert "[bold]no markup[/bold]" in out[4]


def test_text_in_a_file_has_no_colours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monitor.show_text()(received(STATS + " " * 200))
    assert capsys.readouterr().out == f"01:02:03.045 {STATS}{' ' * 200}\n"


def test_json_has_an_object_per_line(capsys: pytest.CaptureFixture[str]) -> None:
    show = monitor.show_json()
    for text in (HEARD, STATS, FAULT, 'odd "text"'):
        show(received(text))
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["kind"] for one in rows] == ["heard", "stats", "error", "text"]
    assert (rows[0]["label"], rows[0]["score"], rows[0]["time_ms"]) == ("yes", 201, 4056)
    assert rows[0]["line"] == HEARD
    assert rows[0]["time"].startswith("2026-01-02T01:02:03.045")
    assert rows[1]["idle_percent"] == 83.2


def test_csv_has_a_row_per_line(capsys: pytest.CaptureFixture[str]) -> None:
    show = monitor.show_csv()
    for text in (HEARD, 'odd, "text"'):
        show(received(text))
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert (rows[0]["label"], rows[0]["score"], rows[0]["time_ms"]) == ("yes", "201", "4056")
    assert (rows[1]["kind"], rows[1]["line"]) == ("text", 'odd, "text"')


def refusal(present: list[Port], wanted: str | None = None) -> str:
    with pytest.raises(BoardError) as caught:
        Monitor(BoardFinder(BOARDS, wanted, lister=lambda: present), Screen(1)).run()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_errors_without_a_board() -> None:
    said = refusal([])
    assert said.startswith("no board was found; plug it in")
    two = [Port("/dev/ttyACM0", APPLICATION, "1"), Port("/dev/ttyACM1", APPLICATION, "2")]
    assert "2 boards were found: choose one with --port, /dev/ttyACM0, /dev/ttyACM1" in refusal(two)
    assert "is in its bootloader" in refusal([Port("/dev/ttyACM0", BOOTLOADER, "1")])
    assert "is in its bootloader" in refusal([Port("/dev/x", BOOTLOADER, "1")], "/dev/x")
    assert "/dev/ttyACM77: there is no such port" in refusal([], "/dev/ttyACM77")


def test_a_busy_port_is_reported_immediately() -> None:
    with Board() as board, Link(board.device):
        assert "another program has this port open" in refusal(board.lister())


def test_command_refuses_wrong_options(kws: Run) -> None:
    code, _, err = kws("monitor", "--json", "--csv")
    assert (code, err.count("\n")) == (2, 1)
    assert kws("monitor", "--board", "qemu")[0] == 2
    assert kws("monitor", "--port", "/dev/ttyACM77")[0] == 1
    assert kws("monitor", "--port", "/dev/null")[0] == 1
    with pytest.raises(UsageError):
        find_real_board("qemu")


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_command_runs_until_ctrl_c(tmp_path: Path, form: str) -> None:
    """As a process: lines are not buffered, a replugged board is found, the exit code is 0."""
    name = tmp_path / "port"
    program = "import sys; from kws.cli.main import main; sys.argv[0] = 'kws'; main()"
    with Board(lines=[BOOT_LINE, HEARD]) as board:
        name.symlink_to(board.device)
        process = subprocess.Popen(
            [sys.executable, "-c", program, "monitor", "--port", str(name), form],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdin
            assert process.stdout
            rows = 3 if form == "--csv" else 2
            first = [process.stdout.readline() for _ in range(rows)]
            assert "yes_no" in first[-2]
            assert "4056" in first[-1]
            process.stdin.write("stats\n")
            process.stdin.flush()
            assert "1234 hops" in process.stdout.readline()
            assert process.stderr
            notices = [process.stderr.readline()]
            name.unlink()
            board.unplug()
            notices.append(process.stderr.readline())
            board.replug()
            name.symlink_to(board.device)
            assert "yes_no" in process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0
    notices += err.splitlines()
    assert [line.split(": ", 2)[2].split(";")[0].strip() for line in notices] == [
        "connected",
        "the board disconnected",
        "connected",
    ]


def test_ports_of_this_machine_can_be_listed() -> None:
    assert all(port.usb is not None for port in ports.list_ports())
