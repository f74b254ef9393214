# SPDX-License-Identifier: Apache-2.0
"""`kws deploy` with a simulated bootloader that checks each packet and fails in many ways."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from kws.errors import BoardError, StoppedError, UsageError
from kws.host.deploy import deployment
from kws.host.deploy.loaders.samba import Samba
from kws.host.deploy.real_board import Bench, find_real_board
from kws.host.serial import ports
from kws.host.serial.ports import Link, Port, PortLostError, UsbId
from tests.command_line import Run
from tests.host.deploy.nano33ble_programs import QUICK, TARGET, bench_of, image_of, program_of
from tests.host.deploy.programs import built_at_once, refused
from tests.host.deploy.simulated_nano33 import (
    APPLICATION,
    BOOT_LINE,
    BOOTLOADER,
    ORIGIN,
    PAGE,
    Board,
    Faults,
)
from tests.host.serial.pty_board import raw_pty

RECOVER = "the bootloader is untouched: tap reset twice"


def try_deploy(board: Board, size: int = 3 * PAGE) -> str:
    """The error of a deployment that must fail."""
    return refused(lambda: deployment.deploy(TARGET, image_of(size), None, bench_of(board)))


@pytest.fixture
def board() -> Iterator[Board]:
    with Board() as board:
        yield board
    # Nothing below the application has changed.
    assert bytes(board.bootloader.flash[:ORIGIN]) == b"\xb0\x07" * (ORIGIN // 2)


@pytest.mark.parametrize("size", [1024, PAGE - 1, PAGE, PAGE + 1, 61_441])
def test_writes_and_verifies_firmware_that_starts(board: Board, size: int) -> None:
    steps: list[int] = []
    image = image_of(size)
    bench = Bench(board.lister, QUICK, steps.append)
    done = deployment.deploy(TARGET, image, None, bench)
    assert board.bootloader.problems == []
    assert bytes(board.bootloader.flash[ORIGIN : ORIGIN + size]) == program_of(size)
    assert set(board.bootloader.flash[ORIGIN + size :]) == {0xFF}
    assert done.boot is not None
    assert done.boot.model == "yes_no"
    assert done.port == board.device
    assert done.size == len(image.data)
    assert sum(steps) == TARGET.steps(image)


def test_a_board_in_its_bootloader_needs_no_touch() -> None:
    with Board(starts_as=BOOTLOADER) as board:
        deployment.deploy(TARGET, image_of(PAGE), None, bench_of(board))
        assert board.bootloader.problems == []


def test_the_first_block_is_written_last(board: Board) -> None:
    """After a power failure the board starts its bootloader, not an incomplete application."""
    packets = range(5, 24, 4)  # greeting: N, V, I; a block: S, data, Y, Y
    for packet in packets:
        board.faults.unplug_at = len(board.bootloader.packets) + packet + 2
        text = try_deploy(board, 5 * PAGE)
        assert "disconnected" in text
        assert RECOVER in text
        assert board.bootloader.blank()
        board.replug()
        assert board.lister()[0].usb == BOOTLOADER
    deployment.deploy(TARGET, image_of(5 * PAGE), None, bench_of(board))
    assert bytes(board.bootloader.flash[ORIGIN : ORIGIN + 5 * PAGE]) == program_of(5 * PAGE)


@pytest.mark.parametrize("packet", range(1, 29))
def test_the_next_run_works_after_unplugging_at_any_packet(board: Board, packet: int) -> None:
    # 3 packets of greeting, 5 blocks of 4, 4 checksums, 1 reset
    board.faults.unplug_at = packet
    text = try_deploy(board, 4 * PAGE)
    if packet == 28:  # the reset: the board disconnects, as it should, but does not return
        assert "did not come back" in text
        return
    assert "the board disconnected" in text
    assert RECOVER in text
    board.replug()
    deployment.deploy(TARGET, image_of(4 * PAGE), None, bench_of(board))
    assert board.bootloader.problems == []


@pytest.mark.parametrize("packet", [1, 2, 3, 6, 7, 20, 21])
def test_a_missing_answer_is_reported(board: Board, packet: int) -> None:
    board.faults.silent_from = packet
    text = try_deploy(board)
    assert RECOVER in text
    expected = {1: "does not answer", 2: "calls itself ''", 3: "says the chip is ''"}
    assert expected.get(packet, "did not answer at flash address 0x1") in text


@pytest.mark.parametrize("packet", [3, 6, 7, 11, 20, 21, 22])
def test_a_wrong_answer_is_reported(board: Board, packet: int) -> None:
    board.faults.garble_at = packet
    text = try_deploy(board)
    assert RECOVER in text


@pytest.mark.parametrize("packet", [4, 8, 12])
def test_the_next_run_works_after_lost_bytes(board: Board, packet: int) -> None:
    """The bootloader waits for the rest of the block, which the next run sends."""
    board.faults.lose_at = packet
    text = try_deploy(board)
    assert "did not answer" in text
    assert RECOVER in text
    deployment.deploy(TARGET, image_of(3 * PAGE), None, bench_of(board))
    assert bytes(board.bootloader.flash[ORIGIN : ORIGIN + 3 * PAGE]) == program_of(3 * PAGE)


@pytest.mark.parametrize(
    "version",
    [
        b"v1.1 Dec 15 2018 [Arduino:XYZ]\n\r",
        b"Arduino Bootloader 3.0 [Arduino:IK]\n\r",
        b"\xff\x00\x1b[2J\n\r",
    ],
)
def test_an_unknown_bootloader_is_refused(board: Board, version: bytes) -> None:
    board.bootloader.version = version
    text = try_deploy(board)
    assert "calls itself" in text
    assert text.isprintable()
    assert not any(packet[0] in "SY" for packet in board.bootloader.packets)


@pytest.mark.parametrize("address", [ORIGIN, ORIGIN + 2 * PAGE + 77])
def test_flash_that_reads_back_wrong_is_an_error(board: Board, address: int) -> None:
    board.bootloader.bad_address = address
    text = try_deploy(board)
    assert f"flash at 0x{address // PAGE * PAGE:x} differs from the image" in text
    assert RECOVER in text
    assert "K#" not in board.bootloader.packets


def test_one_wrong_answer_to_the_greeting_is_accepted(board: Board) -> None:
    board.faults.garble_at = 1
    deployment.deploy(TARGET, image_of(PAGE), None, bench_of(board))
    assert board.bootloader.problems == []


def test_a_board_that_accepts_no_more_data_is_an_error(board: Board) -> None:
    board.faults.deaf_from = 4
    text = try_deploy(board, 8 * PAGE)
    assert "did not answer" in text
    assert RECOVER in text


def test_a_full_port_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "WRITE_SECONDS", 0.2)
    master, name = raw_pty()
    with Link(name) as link, pytest.raises(PortLostError, match="accepts no more data"):
        link.write(bytes(1 << 20))
    os.close(master)


def test_a_touch_without_effect_is_reported(board: Board) -> None:
    board.faults.ignores_touch = True
    text = try_deploy(board)
    assert "did not enter its bootloader" in text
    assert RECOVER in text


def test_a_board_that_does_not_return_is_reported(board: Board) -> None:
    board.faults.does_not_return = True
    assert "written, but the board did not come back" in try_deploy(board)


def test_a_board_that_disconnects_again_is_reported() -> None:
    with Board(faults=Faults(leaves_again=True), lines=[]) as board:
        assert "the board disconnected again" in try_deploy(board)


def test_silent_firmware_is_reported() -> None:
    with Board(lines=[], answers=False) as board:
        assert "written, but printed nothing" in try_deploy(board)


def test_a_missed_boot_line_is_accepted_if_the_board_answers() -> None:
    with Board(lines=[]) as board:
        done = deployment.deploy(TARGET, image_of(PAGE), None, bench_of(board))
        assert done.boot is None
        assert b"stats\n" in board.typed


@pytest.mark.parametrize("before", [[], [BOOT_LINE]])
def test_the_firmwares_error_is_reported(before: list[str]) -> None:
    fault = "error: no samples from the microphone"
    with Board(lines=[*before, fault]) as board:
        assert "but reports: no samples from the microphone" in try_deploy(board)


def test_the_boot_line_of_another_board_is_an_error() -> None:
    with Board(lines=[BOOT_LINE.replace("nano33ble", "qemu")]) as board:
        assert "was built for qemu, not nano33ble" in try_deploy(board)


@pytest.mark.slow
def test_the_next_run_works_after_ctrl_c(board: Board) -> None:
    def stop() -> None:
        while len(board.bootloader.packets) < 40:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(StoppedError, match=RECOVER) as caught:
        deployment.deploy(TARGET, image_of(400 * 1024), None, bench_of(board))
    thread.join()
    assert caught.value.exit_code == 130
    deployment.deploy(TARGET, image_of(PAGE), None, bench_of(board))


def test_a_missing_board_is_an_error() -> None:
    with pytest.raises(BoardError, match=r"no Arduino Nano 33 BLE was found; plug it in .* twice"):
        deployment.deploy(TARGET, image_of(PAGE), None, Bench(list, QUICK))


def test_one_of_several_boards_must_be_named() -> None:
    with Board(socket="1-1") as first, Board(socket="1-2") as second:
        bench = Bench(lambda: first.lister() + second.lister(), QUICK)
        with pytest.raises(BoardError, match=r"2 boards of this kind.*--port") as caught:
            deployment.deploy(TARGET, image_of(PAGE), None, bench)
        assert first.device in str(caught.value)
        assert second.device in str(caught.value)
        done = deployment.deploy(TARGET, image_of(PAGE), second.device, bench)
        assert done.port == second.device
        assert first.bootloader.packets == []
        assert second.bootloader.problems == []


def test_the_port_of_another_device_is_refused() -> None:
    other = Port("/dev/null", UsbId(0x1A86, 0x7523), "1-1")
    with pytest.raises(BoardError, match="this is a 1a86:7523, not the Arduino"):
        deployment.find_port(TARGET, "/dev/null", [other])
    with pytest.raises(BoardError, match="/dev/ttyNone: there is no such port"):
        deployment.find_port(TARGET, "/dev/ttyNone", [other])


def test_a_missing_port_is_an_error(board: Board) -> None:
    with pytest.raises(BoardError, match="/dev/ttyACM99: there is no such port"):
        deployment.deploy(TARGET, image_of(PAGE), "/dev/ttyACM99", bench_of(board))


def test_a_file_instead_of_a_port_is_refused(board: Board, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(BoardError, match="cannot be opened as a serial port"):
        deployment.deploy(TARGET, image_of(PAGE), str(file), bench_of(board))


def test_a_busy_port_is_reported(board: Board) -> None:
    with (
        Link(board.device),
        pytest.raises(BoardError, match="another program has this port open"),
    ):
        deployment.deploy(TARGET, image_of(PAGE), None, bench_of(board))


def test_a_denied_permission_is_reported(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise serial.SerialException(13, "could not open port: Permission denied")

    monkeypatch.setattr(serial.Serial, "open", refuse)
    with pytest.raises(BoardError, match=r"permission denied; run `sudo usermod -aG \w+ \$USER`"):
        deployment.deploy(TARGET, image_of(PAGE), None, bench_of(board))


def test_a_board_that_cannot_be_deployed_to_is_refused() -> None:
    with pytest.raises(UsageError, match=r"qemu is an emulated board; real boards are .*nano33ble"):
        find_real_board("qemu")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    return built_at_once(monkeypatch, tmp_path, ORIGIN, program_of(2 * PAGE))


def test_command_writes_the_firmware(
    kws: Run, board: Board, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "list_ports", board.lister)
    code, out, err = kws("deploy", "--board", "nano33ble")
    assert (code, err) == (0, "")
    assert out == (
        f"{board.device}: 8192 bytes written and verified; it runs: kws 0.1.0 on nano33ble, "
        "model yes_no 09e5e2a9, arena 5796 of 5800 bytes\n"
    )
    code, out, err = kws("deploy", "--board", "nano33ble", "--port", board.device, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["boot"]["sha8"] == "09e5e2a9"
    assert board.bootloader.problems == []


def test_command_looks_for_a_board_before_building(
    kws: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "list_ports", list)
    code, out, err = kws("deploy", "--board", "nano33ble")
    assert (code, out) == (1, "")
    assert err.startswith("kws: no Arduino Nano 33 BLE was found; plug it in")
    assert err.count("\n") == 1


def test_command_refuses_an_emulated_board(kws: Run) -> None:
    code, _, err = kws("deploy", "--board", "qemu")
    assert code == 2
    assert "qemu is an emulated board" in err


@pytest.mark.parametrize(
    ("address", "size"),
    [
        (0, PAGE),
        (ORIGIN - PAGE, PAGE),
        (2**32 - ORIGIN, PAGE),
        (ORIGIN + 1, PAGE),
        (ORIGIN, PAGE - 4),
        (ORIGIN, 2 * PAGE),
        (0xE0000, PAGE),
        (0xDF000, PAGE),
    ],
)
def test_the_client_refuses_other_addresses(address: int, size: int) -> None:
    with Board(starts_as=BOOTLOADER) as board, Link(board.device) as link:
        samba = Samba(link, "nRF52840-QIAA", TARGET.memory.flash, 0.3)
        with pytest.raises(BoardError, match="not a writable block"):
            samba.write(address, bytes(size))
        assert board.bootloader.packets == ["N#", "V#", "I#"]


def test_the_touch_is_at_1200_bps(board: Board) -> None:
    assert board.lister()[0].usb == APPLICATION
    with Link(board.device):
        pass
    time.sleep(0.05)
    assert board.lister()[0].usb == APPLICATION
    ports.touch(board.device)
    assert ports.wait_for(board.lister, lambda port: port.usb == BOOTLOADER, 2)
