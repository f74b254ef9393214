# SPDX-License-Identifier: Apache-2.0
"""Deployment through SparkFun's loader: faults at each packet, and no frame is sent twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kws.errors import StoppedError
from kws.host.deploy import deployment
from kws.host.deploy.loaders import svl
from tests.host.deploy.sparkfun_edge.edge_programs import (
    BOARD,
    GREETING,
    RECOVER,
    Board,
    check_deploy,
    flashed,
    image_of,
    program_of,
    try_deploy,
)
from tests.host.deploy.sparkfun_edge.simulated_edge import bench_of
from tests.host.deploy.sparkfun_edge.simulated_svl import (
    FRAME,
    ORIGIN,
    Loader,
    packet,
    remainder,
)

pytestmark = pytest.mark.usefixtures("no_hanging")

payloads = st.binary(max_size=100)


SLOWEST, FASTEST = svl.RATES[-1], svl.RATES[0]


@pytest.fixture(params=[FASTEST, SLOWEST])
def board(request: pytest.FixtureRequest) -> Iterator[Board]:
    """Boards with an adapter for all rates, and with an adapter for the slowest rate only."""
    board = Board(fastest=request.param)
    yield board
    # Nothing below the application has changed.
    assert bytes(board.loader.flash[:ORIGIN]) == b"\xb0\x07" * (ORIGIN // 2)


@given(command=st.integers(0, 255), payload=payloads, junk=st.binary(max_size=3))
def test_packets_equal_the_loaders(command: int, payload: bytes, junk: bytes) -> None:
    whole = svl.encode(command, payload)
    assert whole == packet(command, payload)
    assert remainder(whole[2:]) == 0  # so the loader could also check it
    assert svl.decode(whole + junk) == (command, payload, junk)
    assert svl.decode(whole[:-1]) is None or len(payload) > 3  # a part may look like a packet


@given(payload=payloads, bit=st.integers(0, 1 << 16))
def test_a_flipped_bit_is_detected(payload: bytes, bit: int) -> None:
    body = bytearray(svl.encode(svl.FRAME, payload)[2:])
    body[bit // 8 % len(body)] ^= 1 << bit % 8
    assert svl.crc(bytes(body[:-2])) != int.from_bytes(body[-2:], "big")


def test_crc_has_the_published_check_value() -> None:
    """This is CRC-16/UMTS; the check value is the CRC of these nine digits."""
    assert svl.crc(b"123456789") == 0xFEE8


@pytest.mark.parametrize(
    ("starting", "window"), [(0.0, 0.6), *((start, Loader.window) for start in (0.0, 0.17, 0.22))]
)
def test_any_timing_of_the_loader_works(board: Board, starting: float, window: float) -> None:
    board.loader.starting, board.loader.window = starting, window
    check_deploy(board, FRAME)


def test_a_stray_byte_before_the_version_is_ignored(board: Board) -> None:
    board.faults.pulse = True
    deployment.deploy(BOARD, image_of(FRAME), None, bench_of(board))
    assert board.loader.packets.count("U") == 1


@pytest.mark.parametrize("packets", range(1, 8))
def test_the_next_run_works_after_unplugging_at_any_packet(board: Board, packets: int) -> None:
    # U, BL, 4 frames, DONE
    board.faults.unplug_at = packets
    text = try_deploy(board, 4 * FRAME)
    if packets == 7:  # all is written; the port is missing when it is opened for the boot line
        assert "the firmware is written, but" in text
        return
    assert "the board disconnected" in text
    assert RECOVER in text
    board.replug()
    check_deploy(board, 4 * FRAME)


@pytest.mark.parametrize("packets", [1, 2, 3, 5])
def test_a_missing_answer_is_reported(board: Board, packets: int) -> None:
    board.faults.silent_from = packets
    text = try_deploy(board)
    assert RECOVER in text
    if packets <= GREETING:
        assert "has this loader" in text
    else:
        address = ORIGIN + FRAME * (packets - GREETING - 1)
        assert f"the bootloader did not answer at flash address 0x{address:x}" in text


def test_without_dtr_the_error_names_the_adapter(board: Board) -> None:
    board.faults.no_dtr = True
    board.loader.start()
    text = try_deploy(board)
    assert "the board does not answer; check the adapter (3.3 V, with its DTR pin" in text
    assert board.loader.packets == []


def test_a_board_without_the_loader_is_reported(board: Board) -> None:
    """A board as sold: each reset starts the application, which writes lines."""
    board.loader.deaf = True
    board.loader.window = 0.3
    text = try_deploy(board)
    assert "answers, but not as SparkFun's variable loader" in text
    assert "docs/boards/sparkfun_edge.md" in text
    assert board.resets >= 4


@pytest.mark.parametrize("packets", [1, 2])
def test_one_wrong_answer_to_the_greeting_is_accepted(board: Board, packets: int) -> None:
    board.faults.garble_at = packets
    check_deploy(board, FRAME)


@pytest.mark.parametrize("packets", [3, 4, 5])
def test_a_wrong_answer_to_a_frame_sends_nothing_twice(board: Board, packets: int) -> None:
    """It is unknown whether the frame was written; sent twice, it would shift all later frames."""
    board.faults.garble_at = packets
    if board.fastest == SLOWEST:
        text = try_deploy(board)
        assert "the bootloader answered 00 03 0" in text
        assert RECOVER in text
        assert board.loader.packets.count("FRAME") == packets - GREETING
    check_deploy(board)


@pytest.mark.parametrize("packets", [3, 4])
def test_a_lost_answer_is_not_a_refusal(board: Board, packets: int) -> None:
    """The loader wrote the frame and asks for the next one, so the frame must not be sent again."""
    board.faults.swallow_at = packets
    if board.fastest == SLOWEST:
        text = try_deploy(board)
        assert "the bootloader answered 00 03 05" in text
        assert "too late at flash address" in text
        assert board.loader.packets.count("FRAME") == packets - GREETING
    check_deploy(board)


@pytest.mark.parametrize("packets", [2, 3, 4])
def test_lost_bytes_are_sent_again(board: Board, packets: int) -> None:
    board.faults.lose_at = packets
    check_deploy(board)
    assert "bad" in board.loader.packets


def test_a_frame_with_a_gap_is_sent_again(board: Board) -> None:
    """At a fast rate this looks like a lost answer, so all is sent again at the next lower rate."""
    board.faults.lose_at, board.faults.lose_after = 3, 100
    check_deploy(board)
    assert board.loader.packets.count("U") == (1 if board.fastest == SLOWEST else 2)


@pytest.mark.parametrize("fastest", svl.RATES)
def test_the_fastest_rate_of_the_adapter_is_used(fastest: int) -> None:
    board = Board(fastest=fastest)
    rates: set[int] = set()
    bench = bench_of(board, advance=lambda _: rates.add(board.rate))
    deployment.deploy(BOARD, image_of(20 * FRAME), None, bench)
    assert rates == {fastest}
    assert flashed(board, 20 * FRAME)
    assert board.loader.problems == []


@pytest.mark.parametrize("good", svl.RATES[1:])
def test_a_noisy_line_gets_a_slower_rate(good: int) -> None:
    """Above that rate each frame has two damaged bytes, so none is accepted."""
    board = Board()
    board.faults.noisy_above = good
    steps: list[int] = []
    image = image_of(3 * FRAME)
    deployment.deploy(BOARD, image, None, bench_of(board, advance=steps.append))
    assert flashed(board, 3 * FRAME)
    assert sum(steps) == BOARD.steps(image)
    assert board.loader.packets.count("bad") == 4 * svl.RATES.index(good)
    assert board.loader.problems == []


def test_a_line_that_is_noisy_at_any_rate_is_an_error(board: Board) -> None:
    board.faults.noisy_above = 0
    assert "refused the data 4 times at flash address 0x10000" in try_deploy(board)


@pytest.mark.parametrize("packets", [2, 3, 4])
def test_a_damaged_block_is_sent_again(board: Board, packets: int) -> None:
    board.faults.damage_at = packets
    check_deploy(board)
    assert board.loader.packets.count("bad") == 1


@pytest.mark.parametrize("times", [1, 3])
def test_flash_that_fails_at_first_is_written(board: Board, times: int) -> None:
    board.loader.refuses = times
    check_deploy(board)


def test_flash_that_always_fails_is_an_error(board: Board) -> None:
    board.loader.refuses = 100
    text = try_deploy(board)
    assert "refused the data 4 times at flash address 0x10000" in text
    assert RECOVER in text
    assert "DONE" not in board.loader.packets


@pytest.mark.parametrize("pause", [0.55, 0.69, 0.9])
def test_nothing_is_sent_twice_after_the_computer_slept(board: Board, pause: float) -> None:
    """A RETRY sent by the loader during the pause is not taken for a later frame's answer."""

    def slow(_: int) -> None:
        board.clock.sleep(pause)

    deployment.deploy(BOARD, image_of(3 * FRAME), None, bench_of(board, advance=slow))
    assert flashed(board, 3 * FRAME)


def test_a_board_that_accepts_no_more_data_is_an_error(board: Board) -> None:
    board.faults.deaf_from = 4
    text = try_deploy(board, 8 * FRAME)
    assert "the board accepts no more data" in text
    assert RECOVER in text


def test_old_loaders_write_the_lower_half_only(board: Board) -> None:
    """Versions before 6 do not erase the upper half."""
    board.loader.version = 5
    assert "version 5 of the board's bootloader writes only up to 0x80000" in try_deploy(
        board, 0x70000 + 1
    )
    assert "FRAME" not in board.loader.packets
    check_deploy(board, FRAME)


def test_old_loaders_damage_an_image_across_the_halves_of_flash() -> None:
    """Tests the simulated loader, to show why old versions are refused."""
    for version, same in ((5, False), (6, True)):
        loader = Loader(version=version)
        program = program_of(0x78000)
        for start in range(0, len(program), FRAME):
            assert loader.write(program[start : start + FRAME])
        assert (bytes(loader.flash[ORIGIN:][: len(program)]) == program) == same


def test_the_next_run_works_after_ctrl_c(board: Board) -> None:
    def stop(_: int) -> None:
        if len(board.loader.packets) >= 6:
            raise KeyboardInterrupt

    with pytest.raises(StoppedError, match=RECOVER) as caught:
        deployment.deploy(BOARD, image_of(400 * 1024), None, bench_of(board, advance=stop))
    assert caught.value.exit_code == 130
    # The loader still waits for frames; the next run resets it.
    check_deploy(board, FRAME)
