# SPDX-License-Identifier: Apache-2.0
"""Only firmware for this board, at its address, is written to a board."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.errors import BoardError
from kws.host.build.firmware import build
from kws.host.deploy.image import Memory, make_image, read_elf
from kws.host.deploy.real_board import find_real_board, real_boards
from tests.host.deploy.programs import elf_of

MEMORY = Memory(range(0x10000, 0xE0000), range(0x20000000, 0x20040000), 4096)
PROGRAM = struct.pack("<II", 0x20040000, 0x10101) + bytes(1000)


def refusal(parts: list[tuple[int, bytes]]) -> str:
    with pytest.raises(BoardError) as caught:
        make_image(parts, MEMORY, "x.elf")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_elf_file_becomes_whole_blocks_with_erased_gaps(tmp_path: Path) -> None:
    file = tmp_path / "firmware.elf"
    file.write_bytes(elf_of([(0x10000, PROGRAM), (0x11800, b"data"), (0x20000000, b"")]))
    image = read_elf(file, MEMORY)
    assert image.address == 0x10000
    assert image.data[: len(PROGRAM)] == PROGRAM
    assert image.data[0x1800:0x1804] == b"data"
    assert set(image.data[len(PROGRAM) : 0x1800] + image.data[0x1804:]) == {0xFF}
    assert image.count == 2
    assert [address for address, _ in image.blocks()] == [0x10000, 0x11000]


@pytest.mark.parametrize("address", [0, 0xFFFC, 0x8000])
def test_the_bootloader_is_never_overwritten(address: int) -> None:
    assert "bootloader, which kws never overwrites" in refusal([(address, PROGRAM)])
    assert "never overwrites" in refusal([(0x10000, PROGRAM), (address, b"1234")])


def test_too_large_images_are_refused() -> None:
    assert "ends at 0xe0004" in refusal([(0x10000, PROGRAM), (0xE0000, b"1234")])
    full = PROGRAM + bytes(0xD0000 - len(PROGRAM))
    assert make_image([(0x10000, full)], MEMORY, "x").count == 0xD0


def test_images_at_other_addresses_are_refused() -> None:
    assert "ends at 0x20000004" in refusal([(0x10000, PROGRAM), (0x20000000, b"1234")])
    assert "begins at 0x12000" in refusal([(0x12000, PROGRAM)])
    assert "it is empty" in refusal([(0x10000, b"")])


@pytest.mark.parametrize(
    ("stack", "reset"),
    [
        (0xFFFFFFFF, 0xFFFFFFFF),  # erased flash
        (0, 0x10101),
        (0x20040004, 0x10101),
        (0x20000000, 0x10101),
        (0x2003FFFE, 0x10101),
        (0x20040000, 0x10100),  # not Thumb
        (0x20040000, 0x0201),  # in the bootloader
        (0x20040000, 0x10000 + 1008 + 1),  # past the end
        (0x10000000, 0x10101),  # RAM of another board
    ],
)
def test_vectors_that_cannot_start_are_refused(stack: int, reset: int) -> None:
    words = struct.pack("<II", stack, reset)
    assert "vector table" in refusal([(0x10000, words + PROGRAM[8:])])
    assert make_image([(0x10000, PROGRAM)], MEMORY, "x").count == 1


def test_files_that_are_not_firmware_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "firmware.elf"
    with pytest.raises(BoardError, match="no such file"):
        read_elf(file, MEMORY)
    file.write_text("hello")
    with pytest.raises(BoardError, match="build the firmware again"):
        read_elf(file, MEMORY)
    whole = elf_of([(0x10000, PROGRAM)])
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        with pytest.raises(BoardError):
            read_elf(file, MEMORY)


@pytest.mark.parametrize(  # without boards whose vectors are read by this project's own boot2
    "board", [name for name, board in real_boards().items() if not board.memory.vectors]
)
@pytest.mark.emulator
def test_the_firmware_sets_its_stack_pointer(board_tools: None, board: str) -> None:
    """SparkFun's bootloader jumps to the reset handler without loading the stack pointer."""
    firmware = build(board, Device(load_bundle(default_bundle_path())))
    image = read_elf(firmware.elf, find_real_board(board).memory)
    stack, reset = struct.unpack_from("<II", image.data)
    load, move = struct.unpack_from("<HH", image.data, reset - 1 - image.address)
    # LDR r0, [pc, #4 * n]; MOV sp, r0 (Armv7-M, A7.7.44 and A7.7.77)
    assert (load & 0xFF00, move) == (0x4800, 0x4685)
    literal = (reset - 1 + 4 & ~3) + (load & 0xFF) * 4 - image.address
    assert struct.unpack_from("<I", image.data, literal) == (stack,)


@pytest.mark.parametrize("board", real_boards())
def test_the_linker_scripts_addresses_are_accepted(board_tools: None, board: str) -> None:
    """`kws deploy` accepts the firmware of `kws build`."""
    # The Pico has no RAM for the second look.
    firmware = build(board, Device(load_bundle(default_bundle_path())).without_second_looks())
    image = read_elf(firmware.elf, find_real_board(board).memory)
    binary = firmware.image.read_bytes()
    assert image.data[: len(binary)] == binary
    assert set(image.data[len(binary) :]) <= {0xFF}
