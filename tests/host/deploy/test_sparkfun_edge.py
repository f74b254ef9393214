"""`kws deploy --board sparkfun_edge` against a simulated loader that checks what it is told."""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kws.errors import BoardError
from kws.host.build import firmware
from kws.host.build.elf_sections import Size
from kws.host.deploy import deployment, svl
from kws.host.deploy.image import Image, make_image
from kws.host.deploy.monitor import Monitor, Received
from kws.host.deploy.real_board import Bench, Timing, find_real_board, real_boards
from kws.host.deploy.sparkfun_edge import SparkFunEdge
from kws.host.serial import ports
from kws.host.serial.ports import Link, Port, UsbId
from tests.host.conftest import Run
from tests.host.deploy.simulated_edge import (
    ADAPTER,
    BOOT_LINE,
    FLASH_SIZE,
    FRAME,
    ORIGIN,
    PAGE,
    Board,
    Loader,
    connect,
    packet,
    remainder,
)
from tests.host.deploy.test_image import elf_of

pytestmark = pytest.mark.usefixtures("no_hanging")

QUICK = Timing(answer=3, appear=3, boot=4, settle=0.1)
TARGET = SparkFunEdge()
RECOVER = "the bootloader is untouched: run kws deploy again"
GREETING = 2  # packets: U and BL


def program_of(size: int) -> bytes:
    """A program's bytes: a vector table, then what the seed gives."""
    head = struct.pack("<II", 0x10002000, ORIGIN + 0x101)
    return head + random.Random(size).randbytes(size - len(head))


def image_of(size: int) -> Image:
    return make_image([(ORIGIN, program_of(size))], TARGET.memory, "test")


def bench_of(board: Board) -> Bench:
    return Bench(board.lister, QUICK)


def flashed(board: Board, size: int) -> bool:
    return bytes(board.loader.flash[ORIGIN : ORIGIN + size]) == program_of(size)


def try_deploy(board: Board, size: int = 3 * FRAME) -> str:
    """The message of a deployment that has to fail."""
    with pytest.raises(BoardError) as caught:
        deployment.deploy(TARGET, image_of(size), None, bench_of(board))
    text = str(caught.value)
    assert "\n" not in text
    assert text.isprintable()
    return text


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Iterator[Board]:
    with Board() as board:
        connect(monkeypatch, board)
        yield board
    # Whatever happened, what lies below the application is as it was.
    assert bytes(board.loader.flash[:ORIGIN]) == b"\xb0\x07" * (ORIGIN // 2)


payloads = st.binary(max_size=100)


@given(command=st.integers(0, 255), payload=payloads, junk=st.binary(max_size=3))
def test_packets_are_as_the_loader_has_them(command: int, payload: bytes, junk: bytes) -> None:
    whole = svl.encode(command, payload)
    assert whole == packet(command, payload)
    assert remainder(whole[2:]) == 0  # so the loader could also check it
    assert svl.decode(whole + junk) == (command, payload, junk)
    assert svl.decode(whole[:-1]) is None or len(payload) > 3  # part of it may look like one


@given(payload=payloads, bit=st.integers(0, 1 << 16))
def test_a_turned_bit_is_noticed(payload: bytes, bit: int) -> None:
    body = bytearray(svl.encode(svl.FRAME, payload)[2:])
    body[bit // 8 % len(body)] ^= 1 << bit % 8
    assert svl.crc(bytes(body[:-2])) != int.from_bytes(body[-2:], "big")


def test_the_crc_of_the_catalogue() -> None:
    """CRC-16/UMTS is this one; its check value is that of the nine digits."""
    assert svl.crc(b"123456789") == 0xFEE8


@pytest.mark.parametrize("size", [1024, FRAME - 1, FRAME, FRAME + 1, PAGE + 4, 20_481])
def test_writes_and_sees_it_start(board: Board, size: int) -> None:
    steps: list[int] = []
    image = image_of(size)
    before = bytes(board.loader.flash)
    done = deployment.deploy(TARGET, image, None, Bench(board.lister, QUICK, steps.append))
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
    assert sum(steps) == TARGET.steps(image)


def test_at_the_boards_own_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deaf for 0.1 s, then listening for 0.2 s; a busy machine may need a second try."""
    with Board(loader=Loader(starting=0.1, window=0.2)) as board:
        connect(monkeypatch, board)
        deployment.deploy(TARGET, image_of(FRAME), None, bench_of(board))
        assert flashed(board, FRAME)
        assert board.loader.problems == []


@pytest.mark.parametrize("starting", [0.0, 0.17, 0.22])
def test_a_board_that_wakes_at_another_moment(
    monkeypatch: pytest.MonkeyPatch, starting: float
) -> None:
    with Board(loader=Loader(starting=starting)) as board:
        connect(monkeypatch, board)
        deployment.deploy(TARGET, image_of(FRAME), None, bench_of(board))
        assert flashed(board, FRAME)
        assert board.loader.problems == []


def test_a_stray_byte_before_the_version_is_no_fault(board: Board) -> None:
    board.faults.pulse = True
    deployment.deploy(TARGET, image_of(FRAME), None, bench_of(board))
    assert board.loader.packets.count("U") == 1


@pytest.mark.parametrize("packets", range(1, 8))
def test_unplugged_at_any_packet(
    board: Board, packets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # U, BL, 4 frames, DONE
    monkeypatch.setattr(svl, "_ARRIVED", 0.5)  # a pseudo-terminal of a busy machine takes its time
    board.faults.unplug_at = packets
    text = try_deploy(board, 4 * FRAME)
    if packets == 7:  # all is written; the port is gone when it is opened to see it start
        assert "the firmware is written, but" in text
        return
    assert "the board went away" in text
    assert RECOVER in text
    board.replug()
    deployment.deploy(TARGET, image_of(4 * FRAME), None, bench_of(board))
    assert flashed(board, 4 * FRAME)
    assert board.loader.problems == []


@pytest.mark.parametrize("packets", [1, 2, 3, 5])
def test_no_answer(board: Board, packets: int) -> None:
    board.faults.silent_from = packets
    text = try_deploy(board)
    assert RECOVER in text
    if packets <= GREETING:
        assert "has that loader" in text
    else:
        address = ORIGIN + FRAME * (packets - GREETING - 1)
        assert f"the bootloader did not answer at flash address 0x{address:x}" in text


def test_without_dtr_nothing_resets_the_board(board: Board) -> None:
    board.faults.no_dtr = True
    board.loader._state = 4  # its application runs
    text = try_deploy(board)
    assert "the board does not answer; look at the adapter (3.3 V, with its DTR pin" in text
    assert board.loader.packets == []


def test_a_board_without_the_loader(board: Board) -> None:
    """As it is sold: each reset starts the application, which speaks."""
    board.loader.deaf = True
    board.loader.window = 0.3
    text = try_deploy(board)
    assert "answers, but not as SparkFun's variable loader" in text
    assert "docs/boards/sparkfun_edge.md" in text
    assert board.resets >= 4


@pytest.mark.parametrize("packets", [1, 2])
def test_one_wrong_answer_to_the_greeting_is_no_fault(board: Board, packets: int) -> None:
    board.faults.garble_at = packets
    deployment.deploy(TARGET, image_of(FRAME), None, bench_of(board))
    assert flashed(board, FRAME)


@pytest.mark.parametrize("packets", [3, 4, 5])
def test_a_wrong_answer_to_a_frame(board: Board, packets: int) -> None:
    """The frame may have been taken or not; one that is sent twice would shift all others."""
    board.faults.garble_at = packets
    text = try_deploy(board)
    assert "the bootloader answered 00 03 0" in text
    assert RECOVER in text
    assert board.loader.packets.count("FRAME") == packets - GREETING
    deployment.deploy(TARGET, image_of(3 * FRAME), None, bench_of(board))
    assert flashed(board, 3 * FRAME)


@pytest.mark.parametrize("packets", [3, 4])
def test_a_lost_answer_is_not_taken_for_a_refusal(board: Board, packets: int) -> None:
    """The loader has the frame, misses the next one and asks again: that one would come twice."""
    board.faults.swallow_at = packets
    text = try_deploy(board)
    assert "the bootloader answered 00 03 05" in text
    assert "too late at flash address" in text
    assert board.loader.packets.count("FRAME") == packets - GREETING


@pytest.mark.parametrize("packets", [2, 3, 4])
def test_lost_bytes_are_asked_for_again(board: Board, packets: int) -> None:
    board.faults.lose_at = packets
    deployment.deploy(TARGET, image_of(3 * FRAME), None, bench_of(board))
    assert flashed(board, 3 * FRAME)
    assert "bad" in board.loader.packets


@pytest.mark.parametrize("packets", [2, 3, 4])
def test_a_damaged_block_is_asked_for_again(board: Board, packets: int) -> None:
    board.faults.damage_at = packets
    deployment.deploy(TARGET, image_of(3 * FRAME), None, bench_of(board))
    assert flashed(board, 3 * FRAME)
    assert board.loader.packets.count("bad") == 1
    assert board.loader.problems == []


@pytest.mark.parametrize("times", [1, 3])
def test_flash_that_refuses_at_first(board: Board, times: int) -> None:
    board.loader.refuses = times
    deployment.deploy(TARGET, image_of(3 * FRAME), None, bench_of(board))
    assert flashed(board, 3 * FRAME)
    assert board.loader.problems == []


def test_flash_that_refuses_for_good(board: Board) -> None:
    board.loader.refuses = 100
    text = try_deploy(board)
    assert "refused 4 times what was sent at flash address 0x10000" in text
    assert RECOVER in text
    assert "DONE" not in board.loader.packets


@pytest.mark.parametrize("pause", [0.55, 0.69, 0.9])
def test_a_computer_that_slept_sends_nothing_twice(board: Board, pause: float) -> None:
    """The loader asks again meanwhile; its RETRY is not an answer to what is sent after it."""

    def slow(_: int) -> None:
        time.sleep(pause)

    deployment.deploy(TARGET, image_of(3 * FRAME), None, Bench(board.lister, QUICK, slow))
    assert flashed(board, 3 * FRAME)


def test_a_board_that_takes_no_more(board: Board) -> None:
    board.faults.deaf_from = 4
    text = try_deploy(board, 8 * FRAME)
    assert "refused" in text or "did not answer" in text
    assert RECOVER in text


def test_old_loaders_write_the_lower_half_only(board: Board) -> None:
    """Before version 6 they do not erase the upper one."""
    board.loader.version = 5
    assert "version 5 of the board's bootloader writes up to 0x80000" in try_deploy(
        board, 0x70000 + 1
    )
    assert "FRAME" not in board.loader.packets
    deployment.deploy(TARGET, image_of(FRAME), None, bench_of(board))
    assert flashed(board, FRAME)


def test_an_image_across_the_halves_of_flash() -> None:
    """The simulated loader itself: what it does there is why old ones are refused."""
    for version, same in ((5, False), (6, True)):
        loader = Loader(version=version)
        program = program_of(0x78000)
        for start in range(0, len(program), FRAME):
            assert loader._write(program[start : start + FRAME])
        assert (bytes(loader.flash[ORIGIN:][: len(program)]) == program) == same


@pytest.mark.parametrize(
    ("address", "size", "text"),
    [
        (ORIGIN, FLASH_SIZE - ORIGIN + 1, "use a smaller model"),
        (0xC000, FRAME, "never overwrites"),
        (ORIGIN + FRAME, FRAME, "for another board"),
    ],
)
def test_images_that_do_not_fit(address: int, size: int, text: str) -> None:
    program = struct.pack("<II", 0x10002000, address + 0x101) + bytes(size - 8)
    with pytest.raises(BoardError, match=text):
        make_image([(address, program)], TARGET.memory, "x.elf")


def test_firmware_of_the_nano_is_refused() -> None:
    """It begins at the same address, but its RAM lies elsewhere."""
    program = struct.pack("<II", 0x20040000, ORIGIN + 0x101) + bytes(FRAME)
    with pytest.raises(BoardError, match="vector table for this board"):
        make_image([(ORIGIN, program)], TARGET.memory, "x.elf")


def test_it_says_nothing(board: Board) -> None:
    board.lines, board.answers = [], False
    assert "the firmware is written, but says nothing" in try_deploy(board)


def test_a_missed_boot_line_is_no_fault_if_the_board_answers(board: Board) -> None:
    board.lines = []
    done = deployment.deploy(TARGET, image_of(FRAME), None, bench_of(board))
    assert done.boot is None
    assert "the firmware answers" in deployment.text(done)


@pytest.mark.parametrize("before", [[], [BOOT_LINE]])
def test_it_says_what_is_wrong(board: Board, before: list[str]) -> None:
    board.lines = [*before, "error: no samples from the microphone"]
    assert "but says: no samples from the microphone" in try_deploy(board)


def test_the_line_of_another_board(board: Board) -> None:
    board.lines = [BOOT_LINE.replace("sparkfun_edge", "qemu")]
    assert "was built for qemu, not sparkfun_edge" in try_deploy(board)


@pytest.mark.slow
def test_ctrl_c_while_it_writes(board: Board) -> None:
    def stop() -> None:
        while len(board.loader.packets) < 6:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(deployment.StoppedError, match=RECOVER) as caught:
        deployment.deploy(TARGET, image_of(400 * 1024), None, bench_of(board))
    thread.join()
    assert caught.value.exit_code == 130
    # The loader still waits for frames; the next run's reset takes it out of that.
    deployment.deploy(TARGET, image_of(FRAME), None, bench_of(board))
    assert flashed(board, FRAME)


def test_no_board() -> None:
    with pytest.raises(BoardError, match=r"no SparkFun Edge was found; connect .* --port"):
        deployment.deploy(TARGET, image_of(FRAME), None, Bench(list, QUICK))


def test_several_adapters_and_the_right_one_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with Board(socket="1-1") as first, Board(socket="1-2") as second:
        connect(monkeypatch, first, second)
        bench = Bench(lambda: first.lister() + second.lister(), QUICK)
        with pytest.raises(BoardError, match=r"2 USB-serial adapters were found.*--port"):
            deployment.deploy(TARGET, image_of(FRAME), None, bench)
        done = deployment.deploy(TARGET, image_of(FRAME), second.device, bench)
        assert done.port == second.device
        assert (first.resets, first.loader.packets) == (0, [])


@pytest.mark.parametrize("usb", [None, UsbId(0x067B, 0x2303)])
def test_any_adapter_may_be_named(monkeypatch: pytest.MonkeyPatch, usb: UsbId | None) -> None:
    with Board(usb=usb) as board:
        connect(monkeypatch, board)
        done = deployment.deploy(TARGET, image_of(FRAME), board.device, bench_of(board))
        assert done.port == board.device
        assert done.boot is not None


def test_the_port_of_another_board_is_refused() -> None:
    other = Port("/dev/null", UsbId(0x2341, 0x805A), "1-1")
    with pytest.raises(BoardError, match="this is a 2341:805a, no SparkFun Edge"):
        deployment.find_port(TARGET, "/dev/null", [other])


def test_a_port_that_is_not_there(board: Board) -> None:
    with pytest.raises(BoardError, match="/dev/ttyUSB99: there is no such port"):
        deployment.deploy(TARGET, image_of(FRAME), "/dev/ttyUSB99", bench_of(board))


def test_a_busy_port(board: Board) -> None:
    with (
        Link(board.device),
        pytest.raises(BoardError, match="another program has this port open"),
    ):
        deployment.deploy(TARGET, image_of(FRAME), None, bench_of(board))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A build that gives a small program at once."""
    elf = tmp_path / "firmware.elf"
    elf.write_bytes(elf_of([(ORIGIN, program_of(2 * FRAME))]))
    size = Size({}, 2 * FRAME, 0, 0, 0, 0)
    monkeypatch.setattr(firmware, "build", lambda *_: firmware.Firmware(tmp_path, size))


def test_the_command(kws: Run, board: Board, built: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "list_ports", board.lister)
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


def test_the_command_looks_for_a_board_before_it_builds(
    kws: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "list_ports", list)
    code, out, err = kws("deploy", "--board", "sparkfun_edge")
    assert (code, out) == (1, "")
    assert err.startswith("kws: no SparkFun Edge was found; connect")
    assert err.count("\n") == 1


def watch(board: Board, count: int, act: Callable[[], None] = lambda: None) -> list[str]:
    """The lines that `kws monitor` shows until there are enough."""
    texts: list[str] = []

    def show(received: Received) -> None:
        texts.append(received.text)
        if len(texts) == 1:
            act()
        if len(texts) >= count:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Monitor(tuple(real_boards().values()), None, show, lister=board.lister).run()
    return texts


def test_the_monitor_finds_it_and_sees_its_first_line(board: Board) -> None:
    """Opening the port resets the board, so the boot line comes again."""
    assert watch(board, 1) == [BOOT_LINE]
    assert watch(board, 1) == [BOOT_LINE]


def test_the_monitor_finds_it_again(board: Board) -> None:
    def pull() -> None:
        board.unplug()
        time.sleep(0.2)
        board.replug()

    assert watch(board, 2, pull) == [BOOT_LINE] * 2


def test_the_monitor_takes_a_board_rather_than_an_adapter() -> None:
    nano = Port("/dev/ttyACM0", UsbId(0x2341, 0x805A), "1-1")
    adapter = Port("/dev/ttyUSB0", ADAPTER, "1-2")
    any_board = Monitor(tuple(real_boards().values()), None, print)
    assert any_board._fitting([adapter, nano]) == [nano]
    assert any_board._fitting([adapter]) == [adapter]
    edge = Monitor((find_real_board("sparkfun_edge"),), None, print)
    assert edge._fitting([adapter, nano]) == [adapter]
