# SPDX-License-Identifier: Apache-2.0
"""Flash images, checked before anything is written."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from kws.errors import BoardError, os_reason

ERASED = 0xFF
"""Value of an erased byte of flash."""


@dataclass(frozen=True)
class Memory:
    """A board's memory for applications."""

    flash: range
    """Writable addresses; nothing else, such as the bootloader, is ever written."""
    ram: range
    block: int
    """Bytes per write; both ends of `flash` are aligned to it."""
    vectors: int = 0
    """Bytes in `flash` before the vector table."""


@dataclass(frozen=True)
class Image:
    """Flash content from `address`, in whole blocks."""

    address: int
    data: bytes
    block: int

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Address and content of each block, in ascending order."""
        for start in range(0, len(self.data), self.block):
            yield self.address + start, self.data[start : start + self.block]

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.data) // self.block


def read_elf(file: Path, memory: Memory) -> Image:
    """The flash content of an ELF file, checked against a board.

    Raises:
        BoardError: the file is not firmware for this board.
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
                raise ELFError("it is truncated")
    except OSError as error:
        raise BoardError(f"{file}: {os_reason(error)}") from None
    except ELFError as error:
        raise BoardError(f"{file}: {error}; build the firmware again") from None
    return make_image(parts, memory, str(file))


def make_image(parts: list[tuple[int, bytes]], memory: Memory, name: str) -> Image:
    """Join pieces of flash, each with its address, into one image for a board.

    Args:
        parts: in any order; gaps between them stay erased.
        memory: the board's memory.
        name: the file's name, for messages.

    Raises:
        BoardError: the parts do not fit the board, or it could not start them.
    """
    parts = sorted((address, data) for address, data in parts if data)
    if not parts:
        raise BoardError(f"{name}: it is empty; build the firmware again")
    start, end = parts[0][0], max(address + len(data) for address, data in parts)
    flash = memory.flash
    if start < flash.start:
        raise BoardError(
            f"{name}: it starts at 0x{start:x}; below 0x{flash.start:x} is the board's bootloader, "
            "which kws never overwrites: is this firmware for another board?"
        )
    if end > flash.stop:
        raise BoardError(
            f"{name}: it ends at 0x{end:x}, but flash for applications ends at 0x{flash.stop:x}; "
            "use a smaller model"
        )
    if start != flash.start:
        raise BoardError(
            f"{name}: it begins at 0x{start:x}, but the board starts firmware at "
            f"0x{flash.start:x}: is this firmware for another board?"
        )
    size = -(-(end - start) // memory.block) * memory.block
    data = bytearray([ERASED]) * size
    for address, part in parts:
        data[address - start : address - start + len(part)] = part
    _check_vectors(bytes(data[memory.vectors :]), range(start, end), memory.ram, name)
    return Image(start, bytes(data), memory.block)


def _check_vectors(data: bytes, flash: range, ram: range, name: str) -> None:
    """The first two words are the first stack pointer and the reset handler (Armv7-M, B1.5.3)."""
    stack, reset = struct.unpack_from("<II", data.ljust(8, b"\0"))
    # The stack pointer is the address just above the first word pushed; bit 0 of a vector is Thumb.
    stack_ok = ram.start < stack <= ram.stop and stack % 4 == 0
    if not stack_ok or reset % 2 == 0 or reset - 1 not in flash:
        raise BoardError(
            f"{name}: it does not begin with a vector table for this board (stack 0x{stack:08x}, "
            f"reset 0x{reset:08x}); build the firmware again"
        )
