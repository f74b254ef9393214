# SPDX-License-Identifier: Apache-2.0
"""Deployment through Ambiq's bootloader, with a fault at each message."""

from __future__ import annotations

import struct

import pytest

from kws.errors import BoardError, StoppedError
from kws.host.deploy import deployment
from kws.host.deploy.image import make_image
from kws.host.deploy.loaders import ambiq
from tests.host.deploy.sparkfun_edge.ambiq_programs import (
    BOARD,
    COUNTED,
    LONGEST,
    MESSAGES,
    RECOVER,
    SIZE,
    Edge,
    deploy,
    flashed,
    image_of,
    try_deploy,
    untouched,
    works_after,
)
from tests.host.deploy.sparkfun_edge.simulated_ambiq import (
    ORIGIN,
    PAGE,
)
from tests.host.deploy.sparkfun_edge.simulated_edge import bench_of

pytestmark = pytest.mark.usefixtures("no_hanging")


@pytest.mark.parametrize("size", [1024, 2049, ambiq.CHUNK, 3 * PAGE, 0x48001, LONGEST])
@pytest.mark.parametrize("rate", [115200, 921600])
def test_writes_firmware_that_starts(board: Edge, size: int, rate: int) -> None:
    board.loader.rate = rate
    steps: list[int] = []
    image = image_of(size)
    before = bytes(board.loader.flash)
    done = deployment.deploy(BOARD, image, None, bench_of(board, advance=steps.append))
    assert board.loader.problems == []
    data, updates = len(steps), 1 + (size > 0x48000)
    assert sorted(board.loader.packets) == sorted(
        ["HELLO", "OTADESC", *["UPDATE"] * updates, *["DATA"] * data, "RESET"]
    )
    assert flashed(board, size)
    end = -(-(ORIGIN + len(image.data)) // PAGE) * PAGE
    stage = (0xFE000 - (len(image.data) + 128)) // PAGE * PAGE
    assert bytes(board.loader.flash[end:stage]) == before[end:stage]
    assert done.boot is not None
    assert (done.port, done.size, done.verified) == (board.device, len(image.data), False)
    assert sum(steps) == BOARD.steps(image) == data


@pytest.mark.parametrize(
    ("address", "size", "text"),
    [
        (ORIGIN, LONGEST + 1, "use a smaller model"),
        (0xA000, 2048, "never overwrites"),
        (0x10000, 2048, "for another board"),
    ],
)
def test_too_large_images_are_refused(address: int, size: int, text: str) -> None:
    program = struct.pack("<II", 0x10002000, address + 0x101) + bytes(size - 8)
    with pytest.raises(BoardError, match=text):
        make_image([(address, program)], BOARD.memory, "x.elf")


@pytest.mark.parametrize("number", COUNTED)
def test_unplugging_at_any_message_keeps_the_old_firmware(board: Edge, number: int) -> None:
    board.faults.unplug_at = number
    text = try_deploy(board)
    assert "the board disconnected" in text
    assert RECOVER in text
    assert untouched(board)
    board.loader.packets.clear()
    board.replug()
    assert works_after(board)


@pytest.mark.parametrize("number", COUNTED)
@pytest.mark.parametrize("stray", [b"", b"\x80"])
def test_a_lost_answer_is_recovered(board: Edge, number: int, stray: bytes) -> None:
    """The message is sent again; the loader reports its position."""
    board.loader.stray = stray
    board.faults.swallow_at = number
    deploy(board)
    assert flashed(board)
    assert board.loader.problems == []


@pytest.mark.parametrize("number", COUNTED)
def test_a_damaged_answer_is_recovered(board: Edge, number: int) -> None:
    board.faults.garble_at = number
    deploy(board)
    assert flashed(board)
    assert board.loader.problems == []


@pytest.mark.parametrize("number", COUNTED[:-1])
def test_a_silent_loader_is_reported(board: Edge, number: int) -> None:
    board.faults.silent_from = number
    text = try_deploy(board)
    assert RECOVER in text
    assert untouched(board)
    if number == 1:
        assert "the board does not answer; hold its button 14" in text
    else:
        what = [
            "for its list of images",
            "for an update",
            *(f"at byte {n * 8180}" for n in range(3)),
        ]
        assert f"the bootloader did not answer {what[number - 2]}" in text
    assert works_after(board)


@pytest.mark.parametrize("number", COUNTED[1:])
@pytest.mark.parametrize("length", ["whole", "head", "tail"])
def test_a_lost_or_cut_message_is_sent_again(board: Edge, number: int, length: str) -> None:
    """The loader drops an incomplete message after a second."""
    board.loader.patience = 1.0
    lose(board, number, length)
    deploy(board)
    assert flashed(board)
    assert board.loader.problems == []


@pytest.mark.parametrize("number", COUNTED[1:])
@pytest.mark.parametrize("length", ["whole", "head", "tail"])
@pytest.mark.parametrize("discards", [False, True])
def test_a_cut_message_that_the_loader_waits_for(
    board: Edge, number: int, length: str, discards: bool
) -> None:
    """It is undocumented whether the loader waits. The result is success or a one-line error."""
    board.loader.discards = discards
    lose(board, number, length)
    try:
        deploy(board)
        assert flashed(board)
    except BoardError as error:
        assert str(error).endswith(RECOVER) or "the firmware is written, but" in str(error)
        assert untouched(board) or flashed(board)
        assert works_after(board)


def lose(board: Edge, number: int, length: str) -> None:
    """Lose a message or a part of it."""
    sizes = [8, 12, 20, 8192, 8192, 12 + 20_480 + 224 - 2 * 8180, 12]
    size = sizes[number - 1]
    board.faults.lose_at = number - 1
    board.faults.lose_count = {"whole": size, "head": 7, "tail": size - 9}[length]
    board.faults.lose_after = {"whole": 0, "head": 0, "tail": 9}[length]


@pytest.mark.parametrize("number", COUNTED[1:])
@pytest.mark.parametrize("byte", [1, 3, 7, 9, 12])
def test_a_damaged_message_is_sent_again(board: Edge, number: int, byte: int) -> None:
    """The CRC, the length or the content is damaged."""
    board.faults.damage_at, board.faults.damage_after = number - 1, byte
    board.loader.patience = 1.0
    deploy(board)
    assert flashed(board)
    assert board.loader.problems == []


@pytest.mark.parametrize("number", COUNTED[1:])
@pytest.mark.parametrize("status", [1, 3, 8, 10, 99])
def test_a_refused_message_is_sent_again(board: Edge, number: int, status: int) -> None:
    board.loader.refusals[number] = status
    deploy(board)
    assert flashed(board)
    assert board.loader.problems == []
    assert len(board.loader.packets) == len(MESSAGES) + 1


@pytest.mark.parametrize("number", COUNTED[1:])
@pytest.mark.parametrize(("status", "name"), [(3, "wrong CRC"), (7, "invalid address"), (99, "")])
def test_a_message_that_is_always_refused_is_an_error(
    board: Edge, number: int, status: int, name: str
) -> None:
    board.loader.refusals = dict.fromkeys(range(number, 100), status)
    text = try_deploy(board)
    if MESSAGES[number - 1] == "RESET":
        assert "the bootloader refused to start the firmware" in text
    else:
        assert f"the bootloader refused the data ({name or 'status 99'})" in text
    assert RECOVER in text
    assert board.loader.packets[number - 1 :] == [MESSAGES[number - 1]] * 4
    assert untouched(board)
    board.loader.refusals.clear()
    assert works_after(board)


@pytest.mark.parametrize("silent", [False, True])
def test_an_unanswered_reset_may_succeed(board: Edge, silent: bool) -> None:
    """Some boards do not answer; then the error tells whether the firmware was installed."""
    board.loader.acks_reset = False
    if not silent:
        deploy(board)
        assert flashed(board)
        return
    board.faults.lose_at, board.faults.lose_count = 6, 1000
    text = try_deploy(board)
    assert "the bootloader did not answer at the end, and no firmware starts" in text
    assert untouched(board)
    assert works_after(board)


@pytest.mark.parametrize("pressed", [0.5, 6.0, 15.0])
def test_the_button_may_be_pressed_late(board: Edge, pressed: float) -> None:
    board.loader.held_from = pressed
    deploy(board)
    assert flashed(board)
    assert board.loader.problems == []


def test_a_missing_button_press_is_reported(board: Edge) -> None:
    """Each reset starts the application, which writes lines."""
    board.loader.held_from = 1e9
    text = try_deploy(board)
    assert "the board answers, but not as Ambiq's bootloader; hold its button 14" in text
    assert untouched(board)
    assert board.loader.packets == []
    assert 20 < board.clock.monotonic() < 25


def test_a_button_held_too_long_is_reported(board: Edge) -> None:
    board.loader.holds_on = True
    assert "the firmware is written, but printed nothing" in try_deploy(board)
    assert flashed(board)


def test_without_dtr_the_reset_button_works(board: Edge) -> None:
    """The first press may come just before an attempt at the other rate."""
    board.faults.no_dtr, board.faults.presses = True, [4.0, 6.1, 8.3]
    board.loader.held_from = 3.0
    deploy(board)
    assert flashed(board)


def test_a_board_without_an_application_can_be_written(board: Edge) -> None:
    """The loader listens without the button."""
    board.loader.flash[ORIGIN : ORIGIN + PAGE] = b"\xff" * PAGE
    board.loader.held_from = 1e9
    deploy(board)
    assert flashed(board)


def test_an_update_larger_than_the_loader_accepts_is_refused(board: Edge) -> None:
    board.loader.most = 16 * 1024
    text = try_deploy(board)
    assert (
        "accepts updates of 16384 bytes, and this firmware has 20704; use a smaller model" in text
    )
    assert untouched(board)


def test_a_wrong_image_is_not_installed(board: Edge) -> None:
    """Tests the simulated loader: it detects a flipped bit in the staging area."""
    deploy(board)
    loader = board.loader
    stage = (0xFE000 - (20_480 + 128)) // PAGE * PAGE
    struct.pack_into("<I", loader.flash, 0xFE000, stage | 3)
    loader.list_at = 0xFE000
    for place, text in ((200, "CRC"), (8, "header"), (124, "version")):
        loader.problems.clear()
        loader.flash[stage + place] ^= 2
        assert loader.images() == []
        assert text in loader.problems[0]
        loader.flash[stage + place] ^= 2
    assert len(loader.images()) == 1


def test_ctrl_c_during_writing_keeps_the_old_firmware(board: Edge) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(StoppedError, match=RECOVER) as caught:
        deployment.deploy(BOARD, image_of(SIZE), None, bench_of(board, advance=stop))
    assert caught.value.exit_code == 130
    assert untouched(board)
    assert works_after(board)
