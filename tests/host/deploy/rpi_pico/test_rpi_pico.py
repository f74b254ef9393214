# SPDX-License-Identifier: Apache-2.0
"""`kws deploy` to a simulated Raspberry Pi Pico, whose boot ROM erases flash by block numbers."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from kws.errors import BoardError
from kws.host.build import uf2
from kws.host.deploy import deployment
from kws.host.deploy.image import Image, make_image
from kws.host.deploy.loaders import uf2_drive
from kws.host.deploy.real_board import Bench
from kws.host.deploy.rpi_pico import RpiPico
from kws.host.serial.ports import Port, UsbId
from tests.command_line import Run
from tests.host.deploy.programs import built_at_once, refused
from tests.host.deploy.rpi_pico.simulated_pico import (
    ADAPTER,
    ERASED_AT_ONCE,
    FAMILY,
    INFO,
    START,
    Board,
    BootRom,
)

TARGET = RpiPico()


def program_of(size: int) -> bytes:
    """boot2, vectors, and random bytes with the size as the seed."""
    vectors = struct.pack("<II", 0x20002000, START + 0x109)
    content = random.Random(size).randbytes(size)
    return content[:0x100] + vectors + content[0x108:]


def image_of(size: int) -> Image:
    return make_image([(START, program_of(size))], TARGET.memory, "test")


def bench_of(board: Board, steps: list[int] | None = None) -> Bench:
    advance = steps.append if steps is not None else lambda _: None
    return Bench(
        board.lister,
        advance=advance,
        open_port=board.open_port,
        clock=board,
        drives=board.drives,
    )


@pytest.mark.parametrize("size", [1024, 4095, 4096, 4097, 97_000])
def test_writes_firmware_without_an_adapter(size: int) -> None:
    board, steps = Board(), list[int]()
    before = bytes(board.rom.flash)
    done = deployment.deploy(TARGET, image_of(size), None, bench_of(board, steps))
    end = -(-size // ERASED_AT_ONCE) * ERASED_AT_ONCE
    assert board.rom.flash[:size] == program_of(size)
    assert set(board.rom.flash[size:end]) <= {0xFF}
    assert board.rom.flash[end:] == before[end:]
    assert board.rom.problems == []
    assert (done.port, done.boot, done.verified) == ("", None, False)
    assert sum(steps) == TARGET.steps(image_of(size))
    assert "plug in the board's USB cable or serial adapter" in deployment.text(done)


def test_an_adapter_shows_that_it_starts() -> None:
    done = deployment.deploy(TARGET, image_of(5000), None, bench_of(Board(adapter=True)))
    assert done.port == ADAPTER.device
    assert done.boot is not None
    assert done.boot.board == "rpi_pico"


def test_one_of_several_adapters_must_be_named() -> None:
    present = [ADAPTER, Port("/dev/ttyUSB0", UsbId(0x1A86, 0x7523), "1-3")]
    assert deployment.needs_port(TARGET, None, present)
    with pytest.raises(BoardError, match="2 USB-serial adapters were found"):
        deployment.find_port(TARGET, None, present)


def test_a_board_that_is_not_plugged_in_is_reported() -> None:
    board = Board(plugged_at=1e9)
    text = refused(lambda: deployment.deploy(TARGET, image_of(999), None, bench_of(board)))
    assert "the drive RPI-RP2 is not mounted" in text
    assert "hold BOOTSEL" in text


def test_the_drive_of_another_chip_is_not_written() -> None:
    board = Board(info=INFO.replace("RPI-RP2", "RP2350"))
    text = refused(lambda: deployment.deploy(TARGET, image_of(999), None, bench_of(board)))
    assert "is not mounted" in text
    assert board.sectors == 0


def test_two_boards_are_refused() -> None:
    board = Board()
    bench = bench_of(board)
    twice = Bench(bench.lister, clock=board, drives=lambda: board.drives() * 2)
    text = refused(lambda: deployment.deploy(TARGET, image_of(999), None, twice))
    assert "2 drives of this kind are mounted" in text
    assert board.sectors == 0


@pytest.mark.parametrize("sector", [1, 2, 17, 47])
def test_a_pulled_cable_is_reported_and_the_next_try_works(sector: int) -> None:
    board = Board(unplug_at_sector=sector)
    size = 3 * ERASED_AT_ONCE
    image = image_of(size)
    # 47 of 48 blocks: after the last one, a restart and a pulled cable look the same.
    text = refused(lambda: deployment.deploy(TARGET, image, None, bench_of(board)))
    assert "the drive disappeared" in text
    assert "hold BOOTSEL" in text
    flash = board.rom.flash
    board = Board()
    board.rom.flash[:] = flash
    deployment.deploy(TARGET, image, None, bench_of(board))
    assert board.rom.flash[:size] == program_of(size)


def test_a_file_that_the_board_does_not_accept_is_reported() -> None:
    board = Board(refuses=True)
    text = refused(lambda: deployment.deploy(TARGET, image_of(999), None, bench_of(board)))
    assert "/media/RPI-RP2: the board did not accept the file" in text


def test_the_order_for_another_bootloader_would_damage_the_firmware() -> None:
    """Shows why `parts_in_order` is needed; `safe_parts` is for Adafruit's bootloader."""
    rom, size = BootRom(), 2 * ERASED_AT_ONCE
    file = b"".join(uf2_drive.safe_parts(image_of(size), FAMILY))
    for at in range(0, len(file), uf2.BLOCK):
        rom.write_sector(file[at : at + uf2.BLOCK])
    assert rom.flash[:size] != program_of(size)


def test_vectors_are_checked_behind_boot2() -> None:
    with pytest.raises(BoardError, match="vector table"):
        make_image([(START, bytes(1000))], TARGET.memory, "test")
    with pytest.raises(BoardError, match="vector table"):
        make_image([(START, program_of(512)[:0x100])], TARGET.memory, "test")


def test_command_writes_the_firmware(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = Board(plugged_at=0, restarts_after=0)
    built_at_once(monkeypatch, tmp_path, START, program_of(8192))
    monkeypatch.setattr("kws.host.serial.ports.list_ports", board.lister)
    monkeypatch.setattr("kws.host.deploy.loaders.uf2_drive.list_drives", board.drives)
    code, out, err = kws("deploy", "--board", "rpi_pico", "--no-verify")
    assert code == 0, err
    assert "8192 bytes written and checked; plug in the board's USB cable" in out
    assert "hold BOOTSEL" in err
    assert board.rom.flash[:8192] == program_of(8192)
