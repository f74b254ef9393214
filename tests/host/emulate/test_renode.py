# SPDX-License-Identifier: Apache-2.0
"""Boards in Renode write the host's lines; an error is one line and leaves no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kws.audio.background_noises import quiet_room
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.errors import BoardError
from kws.host.build.boards import find_board
from kws.host.build.elf_sections import content_of
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.faults import check_faults
from kws.host.emulate.processes import PARALLEL
from kws.host.emulate.recordings import default_matrix, load_matrix
from kws.host.emulate.renode import Renode
from kws.host.measure.real_time import schedule
from tests.command_line import Run

BOARD = "nano33ble"
BOARDS = (
    BOARD,
    "nano33ble_rev2",
    "xiao_nrf52840_sense",
    "nrf52840_dk",
    "sparkfun_edge",
    "b_l475e_iot01a",
)
RECORDINGS = {"yes by slt", "no by awb", "down by awb", "no, and at once yes"}


def built(board: str, device: Device) -> Path:
    """The firmware with the sample ring that `kws build` gives it."""
    return build(board, device, ring_hops=schedule(find_board(board), device).ring_hops).elf


@pytest.mark.renode
@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize("board_name", BOARDS)
def test_board_writes_the_hosts_lines(board_name: str, bundle: Bundle) -> None:
    every = load_matrix(default_matrix(), bundle.labels)
    streams = [r.pcm for r in every if r.expected[0].name in RECORDINGS]
    assert len(streams) == len(RECORDINGS)
    elf = built(board_name, Device(bundle))
    with Renode(find_board(board_name)) as device, ThreadPoolExecutor(PARALLEL) as pool:
        boards = list(pool.map(lambda pcm: device.play(elf, pcm), streams))
    for pcm, board in zip(streams, boards, strict=True):
        host = host_device.play(Device(bundle), pcm)
        assert board.boot is not None
        assert board.boot.board == board_name
        assert board.text.partition("\n")[2] == host.text.partition("\n")[2]
    assert any(board.heard for board in boards)


@pytest.mark.renode
@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize(
    ("board_name", "options"),
    [
        ("sparkfun_edge", "96mhz,asb"),
        ("sparkfun_edge", "mic0"),
        ("sparkfun_edge", "mic1"),
        ("b_l475e_iot01a", "mic2"),
    ],
)
def test_board_detects_words_with_its_options(
    board_name: str, options: str, bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KWS_OPTIONS", options)
    every = load_matrix(default_matrix(), bundle.labels)
    pcm = next(r.pcm for r in every if r.expected[0].name == "yes by slt")
    with Renode(find_board(board_name)) as device:
        board = device.play(built(board_name, Device(bundle)), pcm)
    assert [heard.label for heard in board.heard] == ["yes"]
    assert "error" not in board.text


@pytest.mark.renode
@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize("board_name", BOARDS)
def test_deliberate_faults_are_reported(board_name: str, bundle: Bundle) -> None:
    rows = check_faults(board_name, Device(bundle))
    assert len(rows) >= 5
    assert [row for row in rows if not row.ok] == []


@pytest.mark.renode
@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
def test_endless_polling_of_a_peripheral_gives_a_one_line_error(
    bundle: Bundle, tmp_path: Path
) -> None:
    """The error comes after a quarter of a second of board time, in a run of an hour."""
    good = built("sparkfun_edge", Device(bundle))
    content = bytearray(good.read_bytes())
    place = content_of(good, "KwsUartInterrupt").start - 1  # the address of Thumb code is odd
    # ldr r0, [pc, #4]; ldr r1, [r0]; b to the previous one; the address of PWRCTRL.DEVPWRSTATUS
    assert place % 4 == 0
    content[place : place + 12] = bytes.fromhex("01480168fde700bf18100240")
    elf = tmp_path / "polls.elf"
    elf.write_bytes(content)
    with (
        Renode(find_board("sparkfun_edge")) as device,
        pytest.raises(BoardError, match=r"hangs: .* reads power \+ 0x18 forever"),
    ):
        device.play(elf, quiet_room(16000), seconds=3600)


@pytest.mark.usefixtures("no_tools")
def test_missing_renode_gives_a_one_line_error(kws: Run) -> None:
    code, out, err = kws("test", "--board", BOARD)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "renode was not found on PATH" in err


@pytest.mark.renode
def test_file_that_is_not_firmware_gives_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "x.elf").write_bytes(b"\x7fELF nonsense")
    with Renode(find_board(BOARD)) as device, pytest.raises(BoardError) as caught:
        device.play(tmp_path / "x.elf", None, seconds=0.1)
    assert "x.elf: Renode failed: " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.renode
@pytest.mark.usefixtures("board_tools")
def test_interrupt_leaves_no_renode(bundle: Bundle) -> None:
    """Ctrl-C reaches only kws."""
    built(BOARD, Device(bundle))  # so that the command starts Renode immediately
    process = subprocess.Popen(
        [Path(sys.executable).parent / "kws", "test", "--board", BOARD],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "KWS_TEST_RUN": str(os.getpid())},
    )
    mark = f"KWS_TEST_RUN={os.getpid()}".encode()
    deadline = time.monotonic() + 120
    while not renodes(mark) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert renodes(mark)
    time.sleep(2)  # it may be a script that starts Renode
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)  # the recording would take longer
    assert process.returncode == 130, err
    assert "Traceback" not in err
    deadline = time.monotonic() + 5
    while renodes(mark) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert renodes(mark) == []


def renodes(mark: bytes) -> list[str]:
    """Processes of Renode, or of a script that starts it, with the test's environment variable."""
    names = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            marked = mark in (process / "environ").read_bytes().split(b"\0")
            if marked and b"include @run.resc" in (process / "cmdline").read_bytes():
                names.append(process.name)
        except OSError:
            continue
    return names
