# SPDX-License-Identifier: Apache-2.0
"""`kws deploy` to a simulated XIAO, whose bootloader checks sectors and can fail in many ways."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kws.errors import BoardError
from kws.host.build import uf2
from kws.host.deploy import deployment
from kws.host.deploy.loaders import uf2_drive
from kws.host.deploy.loaders.uf2_drive import Drive
from kws.host.deploy.real_board import Bench, Timing
from kws.host.deploy.xiao_nrf52840_sense import XiaoNrf52840Sense
from tests.command_line import Run
from tests.host.deploy.programs import built_at_once, programs, refused
from tests.host.deploy.xiao.simulated_xiao import (
    BOOTLOADER,
    END,
    FAMILY,
    INFO,
    PAGE,
    START,
    Board,
    Uf2Bootloader,
)

QUICK = Timing(answer=1.5, appear=2, boot=3, settle=0.2)
TARGET = XiaoNrf52840Sense()
program_of, image_of = programs(TARGET, START, stack=0x20040000)


def bench_of(board: Board, steps: list[int] | None = None) -> Bench:
    advance = steps.append if steps is not None else lambda _: None
    return Bench(board.lister, QUICK, advance, drives=board.drives)


def try_deploy(board: Board, size: int = 3 * PAGE) -> str:
    """The error of a deployment that must fail."""
    return refused(lambda: deployment.deploy(TARGET, image_of(size), None, bench_of(board)))


@pytest.fixture
def board() -> Iterator[Board]:
    with Board() as board:
        yield board
    # SoftDevice and bootloader are never changed.
    assert bytes(board.uf2.flash[:START]) == b"\xd5\x5d" * (START // 2)
    assert set(board.uf2.flash[END:]) == {0xFF}
    assert board.uf2.problems == []


@pytest.mark.parametrize("size", [1024, PAGE - 1, PAGE, PAGE + 1, 97_000])
def test_writes_firmware_that_starts(board: Board, size: int) -> None:
    steps: list[int] = []
    image = image_of(size)
    done = deployment.deploy(TARGET, image, None, bench_of(board, steps))
    assert bytes(board.uf2.flash[START : START + size]) == program_of(size)
    assert set(board.uf2.flash[START + size : END]) == {0xFF}
    assert done.boot is not None
    assert done.port == board.device
    assert not done.verified
    assert sum(steps) == TARGET.steps(image)


def test_firmware_may_fill_flash_to_the_last_block(board: Board) -> None:
    deployment.deploy(TARGET, image_of(END - START), None, bench_of(board))
    assert bytes(board.uf2.flash[START:END]) == program_of(END - START)
    with pytest.raises(BoardError, match="use a smaller model"):
        image_of(END - START + 1)


def test_a_board_in_its_bootloader_needs_no_touch() -> None:
    with Board(starts_as=BOOTLOADER) as board:
        deployment.deploy(TARGET, image_of(PAGE), None, bench_of(board))
        assert board.uf2.problems == []


@pytest.mark.parametrize(
    "sectors", [(1, 26, 51), pytest.param(range(1, 52), marks=pytest.mark.slow)]
)
def test_unplugging_at_any_sector_leaves_no_incomplete_firmware(
    sectors: Sequence[int], board: Board
) -> None:
    """The board starts the old firmware, the complete new one, or its bootloader."""
    before = bytes(board.uf2.flash)
    size = 3 * PAGE
    whole = before[:START] + program_of(size) + before[START + size :]
    outcomes = set()
    # 1 block that blanks the first page, 2 pages of 16 blocks, the first page; a directory sector
    # after each part
    for sector in sectors:
        board.uf2.flash[:] = before
        board.sectors = 0
        board.unplug()
        board.replug()
        board.faults.unplug_at_sector = sector
        text = try_deploy(board, size)
        assert "the drive disappeared" in text or "did not come back" in text
        board.replug()
        flash = bytes(board.uf2.flash)
        outcome = {before: "old", whole: "new"}.get(flash, "blank" if board.uf2.blank() else "half")
        outcomes.add(outcome)
        deployment.deploy(TARGET, image_of(size), None, bench_of(board))
        assert bytes(board.uf2.flash) == whole
    assert outcomes == {"old", "blank", "new"}


def test_an_unmounted_drive_is_reported(board: Board) -> None:
    board.faults.is_not_mounted = True
    text = try_deploy(board)
    assert "its drive XIAO-SENSE is not mounted" in text
    assert "udisksctl mount" in text


def test_a_touch_without_effect_is_reported(board: Board) -> None:
    board.faults.ignores_touch = True
    text = try_deploy(board)
    assert "did not enter its bootloader" in text
    assert "tap reset twice" in text


def test_a_file_that_the_board_does_not_accept_is_reported(board: Board) -> None:
    board.faults.refuses = True
    assert "/media/XIAO-SENSE: the board did not accept the file" in try_deploy(board)


def test_a_board_that_does_not_return_is_reported(board: Board) -> None:
    board.faults.does_not_return = True
    assert "did not come back" in try_deploy(board)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("SoftDevice: not found\r\n", "says: not found"),
        ("SoftDevice: S140 6.1.1\r\n", "says: S140 6.1.1"),
        ("", "says: not found"),
    ],
)
def test_a_board_with_another_softdevice_is_not_written(line: str, says: str) -> None:
    with Board(info=INFO.replace("SoftDevice: S140 version 7.3.0\r\n", line)) as board:
        assert says in try_deploy(board)
        assert board.sectors == 0


def test_the_drive_of_another_board_is_not_written() -> None:
    with Board(info=INFO.replace("XIAO_nRF52840_Sense", "XIAO_nRF52840")) as board:
        assert "is not mounted" in try_deploy(board)
        assert board.sectors == 0


@pytest.mark.parametrize(
    "info",
    [
        INFO.replace("Seeed_XIAO_nRF52840_Sense", "nRF52840-SeeedXiaoSense-v1"),
        INFO.replace("S140 version 7.3.0", "S140 7.3.0"),
    ],
)
def test_newer_bootloaders_are_known(info: str) -> None:
    with Board(info=info) as board:
        deployment.deploy(TARGET, image_of(PAGE), None, bench_of(board))


def test_the_blocks_of_a_uf2_file_may_come_in_any_order() -> None:
    program = program_of(3 * PAGE + 5)
    file = uf2.encode(uf2.payloads(START, program), FAMILY)
    sectors = [file[at : at + 512] for at in range(0, len(file), 512)]
    random.Random(2).shuffle(sectors)
    board = Uf2Bootloader()
    for sector in sectors:
        assert not board.reset
        board.write_sector(sector)
    assert board.reset
    assert board.problems == []
    assert bytes(board.flash[START : START + len(program)]) == program


def test_a_drive_gets_the_file(tmp_path: Path) -> None:
    parts = uf2_drive.safe_parts(image_of(2 * PAGE), FAMILY)
    Drive(tmp_path, INFO).write("FIRMWARE.UF2", parts)
    assert (tmp_path / "FIRMWARE.UF2").read_bytes() == b"".join(parts)
    assert len(b"".join(parts)) == (2 * PAGE // 256 + 1) * 512


def test_only_mounted_drives_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "XIAO SENSE").mkdir()
    (tmp_path / "XIAO SENSE" / "INFO_UF2.TXT").write_text(INFO)
    (tmp_path / "camera").mkdir()
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/sda1 {tmp_path}/XIAO\\040SENSE vfat rw 0 0\n"
        f"/dev/sdb1 {tmp_path}/camera vfat rw 0 0\n"
        "proc /proc proc rw 0 0\n"
    )
    monkeypatch.setattr(uf2_drive, "MOUNTS", mounts)
    drives = uf2_drive.list_drives()
    assert [drive.path.name for drive in drives] == ["XIAO SENSE"]
    assert drives[0].info.splitlines() == INFO.splitlines()


def test_windows_drives_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # on this system, D:/ is a folder
    monkeypatch.setattr(uf2_drive, "MOUNTS", tmp_path / "missing")
    (tmp_path / "D:").mkdir()
    (tmp_path / "D:" / "INFO_UF2.TXT").write_text(INFO)
    (tmp_path / "E:").mkdir()
    monkeypatch.setattr(sys, "platform", "win32")
    drives = uf2_drive.list_drives()
    monkeypatch.undo()
    assert [drive.path for drive in drives] == [Path("D:")]


def test_command_writes_the_firmware(
    kws: Run, board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built_at_once(monkeypatch, tmp_path, START, program_of(2 * PAGE))
    monkeypatch.setattr("kws.host.serial.ports.list_ports", board.lister)
    monkeypatch.setattr("kws.host.deploy.loaders.uf2_drive.list_drives", board.drives)
    monkeypatch.setattr("kws.host.deploy.real_board.Timing", lambda: QUICK)
    code, out, err = kws("deploy", "--board", "xiao_nrf52840_sense")
    assert (code, err) == (0, "")
    assert "8192 bytes written and checked; it runs: kws 0.1.0 on xiao_nrf52840_sense" in out
