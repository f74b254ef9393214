# SPDX-License-Identifier: Apache-2.0
"""What is to be written into a board's flash, checked before anything is written."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from kws.errors import BoardError

ERASED = 0xFF
"""Value of an erased byte of flash."""


@dataclass(frozen=True)
class Memory:
    """What a board leaves to its application."""

    flash: range
    """Addresses that may be written; all else, such as the bootloader, never is."""

    ram: range

    block: int
    """Bytes that are written at once; `flash` starts and ends on such a border."""


@dataclass(frozen=True)
class Image:
    """Bytes for flash, from one address on, in whole blocks."""

    address: int
    data: bytes
    block: int

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Address and content of each block, upwards."""
        for start in range(0, len(self.data), self.block):
            yield self.address + start, self.data[start : start + self.block]

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.data) // self.block


def read_elf(file: Path, memory: Memory) -> Image:
    """What an ELF file puts into flash, checked against a board.

    Raises:
        BoardError: the file is no firmware for this board.
    """
    try:
        with file.open("rb") as stream:
            elf = ELFFile(stream)
            segments = [
                segment
                for segment in elf.iter_segments()
                if segment["p_type"] == "PT_LOAD" and segment["p_filesz"] > 0
            ]
            parts = [(int(segment["p_paddr"]), segment.data()) for segment in segments]
            if any(len(s.data()) != s["p_filesz"] for s in segments):
                raise ELFError("it is cut off")
    except OSError as error:
        raise BoardError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except ELFError as error:
        raise BoardError(f"{file}: {error}; build the firmware again") from None
    return make_image(parts, memory, str(file))


def make_image(parts: list[tuple[int, bytes]], memory: Memory, name: str) -> Image:
    """Pieces, each with its address, as one image that is fit for a board.

    Args:
        parts: in any order; gaps between them stay erased.
        memory: the board's.
        name: for the messages, such as the file's.

    Raises:
        BoardError: they do not fit the board, or the board could not start them.
    """
    parts = sorted((address, data) for address, data in parts if data)
    if not parts:
        raise BoardError(f"{name}: there is nothing in it to write; build the firmware again")
    start, end = parts[0][0], max(address + len(data) for address, data in parts)
    flash = memory.flash
    if start < flash.start:
        raise BoardError(
            f"{name}: it would be written to 0x{start:x}; below 0x{flash.start:x} lies the board's "
            "bootloader, which kws never overwrites: is this firmware for another board?"
        )
    if end > flash.stop:
        raise BoardError(
            f"{name}: it ends at 0x{end:x}, and the board's flash for it at 0x{flash.stop:x}; "
            "use a smaller model"
        )
    if start != flash.start:
        raise BoardError(
            f"{name}: it begins at 0x{start:x}, but the board starts what is at "
            f"0x{flash.start:x}: is this firmware for another board?"
        )
    size = -(-(end - start) // memory.block) * memory.block
    data = bytearray([ERASED]) * size
    for address, part in parts:
        data[address - start : address - start + len(part)] = part
    _check_vectors(bytes(data), range(start, end), memory.ram, name)
    return Image(start, bytes(data), memory.block)


def _check_vectors(data: bytes, flash: range, ram: range, name: str) -> None:
    """The first two words are the first stack pointer and the reset handler (Armv7-M, B1.5.3)."""
    stack, reset = struct.unpack_from("<II", data)
    # A stack pointer points behind the first word it will write; bit 0 of a vector says Thumb.
    stack_ok = ram.start < stack <= ram.stop and stack % 4 == 0
    if not stack_ok or reset % 2 == 0 or reset - 1 not in flash:
        raise BoardError(
            f"{name}: it does not begin with a vector table for this board (stack 0x{stack:08x}, "
            f"reset 0x{reset:08x}); build the firmware again"
        )
