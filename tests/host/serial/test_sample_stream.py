"""Sound from a board's serial port: all samples, or a count of the missing ones."""

from __future__ import annotations

import time

import numpy as np
import pytest

from kws.errors import BoardError
from kws.host.deploy.board_finder import BoardFinder
from kws.host.deploy.nano33ble import Nano33Ble
from kws.host.deploy.sound_recording import Recording, record_sound
from kws.host.serial.lines import PcmBegin, PcmEnd, Samples, Scores, parse_line
from kws.host.serial.ports import Link
from kws.host.serial.sample_stream import Arrival, SampleStream, follow_samples
from tests.host.serial.sounding_board import LINE, SoundingBoard, pcm_line

SOUND = np.random.default_rng(1).integers(-32768, 32767, 48000).astype(np.int16)


def record(
    board: SoundingBoard, seconds: int = 1, arrived: list[Arrival] | None = None
) -> Recording:
    finder = BoardFinder((Nano33Ble(),), None, lister=board.lister)
    return record_sound(finder, seconds, (arrived if arrived is not None else []).append)


def test_lines_are_parsed() -> None:
    line = parse_line(pcm_line(65537 * LINE, SOUND[:64]).rstrip())
    assert isinstance(line, Samples)
    assert line.number == 1
    assert np.array_equal(line.pcm, SOUND[:64])
    assert parse_line("pcm: 5 s at 1000000 bit/s") == PcmBegin(5, 1000000)
    assert parse_line("pcm: 80000 samples, 3 lost") == PcmEnd(80000, 3)
    assert parse_line("scores 3 10 240 @4056ms") == Scores((3, 10, 240), 4056)


def test_damaged_lines_are_not_samples() -> None:
    good = pcm_line(128, SOUND[:64]).rstrip()
    for place in range(4, len(good)):
        for wrong in "x7+=":
            if good[place] != wrong:
                damaged = good[:place] + wrong + good[place + 1 :]
                line = parse_line(damaged)
                assert line is None or not isinstance(line, Samples), damaged
        assert not isinstance(parse_line(good[:place] + good[place + 1 :]), Samples)


def test_every_sample_arrives() -> None:
    arrived: list[Arrival] = []
    with SoundingBoard(SOUND, real_time=False, rate=1000000) as board:
        done = record(board, 2, arrived)
    assert np.array_equal(done.pcm, SOUND[:32000])
    assert (done.lost, done.missing) == (0, 0)
    assert board.typed == ["pcm 2"]
    assert sum(arrival.text.startswith("kws 0.1.0") for arrival in arrived) == 1


def test_lost_samples_are_zero_and_counted() -> None:
    def spoil(index: int, line: str) -> str:
        if index == 10 * LINE:
            return ""
        if index == 20 * LINE:
            return line.replace(line[30], "+" if line[30] != "+" else "-")
        if index in (99 * LINE, 249 * LINE):  # the last line, too
            return line[:40] + "\n"
        return line

    with SoundingBoard(SOUND, spoil=spoil, real_time=False, lost=7) as board:
        done = record(board)
    expected = SOUND[:16000].copy()
    for index in (10, 20, 99, 249):
        expected[index * LINE : (index + 1) * LINE] = 0
    assert np.array_equal(done.pcm, expected)
    assert (done.lost, done.missing) == (7, 4 * LINE)


def test_numbers_of_lines_wrap() -> None:
    with SoundingBoard(SOUND) as board, Link(board.device) as link:
        stream = SampleStream(link)
        stream.take(PcmBegin(600, 0))
        count = 0
        for number in (0, 1, 30000, 1, 60000, 90000, 120000):
            line = parse_line(pcm_line(number * LINE, SOUND[:LINE]).rstrip())
            count += len(stream.take(line))
    assert count == 120001 * LINE
    assert stream.missing == count - 6 * LINE


def test_a_disconnected_board_is_an_error() -> None:
    with SoundingBoard(SOUND) as board:

        def leave(arrival: Arrival) -> None:
            if len(arrival.pcm):
                board.unplug()

        finder = BoardFinder((Nano33Ble(),), None, lister=board.lister)
        with pytest.raises(BoardError, match="the board disconnected; record again"):
            record_sound(finder, 5, leave)


def fast_clock() -> float:
    return 6 * time.monotonic()


def test_firmware_without_the_command_is_an_error() -> None:
    refusal = "error: unknown command; choose from gain N"
    with SoundingBoard(SOUND, refusal=refusal) as board, Link(board.device) as link:
        with pytest.raises(BoardError, match=r"no samples: unknown command.*kws deploy"):
            list(follow_samples(SampleStream(link), link, 1, fast_clock))
        assert board.typed.count("pcm 1") > 1


def test_a_lease_is_renewed() -> None:
    count = 0
    with SoundingBoard(SOUND) as board, Link(board.device) as link:
        for arrival in follow_samples(SampleStream(link), link, None, fast_clock):
            count += len(arrival.pcm)
            if count > 2.5 * 16000:
                break
    assert board.typed.count("pcm 10") >= 3
