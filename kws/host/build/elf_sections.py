# SPDX-License-Identifier: Apache-2.0
"""Flash and RAM used by a firmware's ELF file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from kws.errors import ToolError

_MODEL_NAMES = (
    "g_model",
    "g_commands_model",
    "10kConstantsE",
)
"""Suffixes of model symbols; the last is local to a compiled model's file."""
_ARENA = "arena"
_STACK = ".stack"


@dataclass(frozen=True)
class Size:
    """Bytes of flash and RAM, and the largest parts of each."""

    sections: dict[str, int]
    """Bytes of every section that occupies memory on the device."""
    flash: int
    """Code, constants and the initial values of variables."""
    ram: int
    """Variables, arena and stack, and code that is copied to RAM."""
    model: int
    """Part of flash: all models."""
    arena: int
    """Part of RAM."""
    stack: int
    """Part of RAM."""


def read_size(elf: Path) -> Size:
    """The sizes of a firmware.

    Raises:
        ToolError: the file is missing or not an ELF file.
    """
    with _opened(elf) as file:
        return _read(file)


def symbols(elf: Path) -> dict[str, int]:
    """Size in bytes of each symbol of an ELF file, by the linker's names.

    Raises:
        ToolError: the file is missing or not an ELF file.
    """
    with _opened(elf) as file:
        return _symbols(file)


def content_of(elf: Path, symbol: str) -> slice:
    """Position of a constant's bytes in an ELF file.

    Raises:
        ToolError: the file is missing, not an ELF file, or has no such constant.
    """
    with _opened(elf) as file:
        table = file.get_section_by_name(".symtab")
        if isinstance(table, SymbolTableSection):
            for entry in table.get_symbol_by_name(symbol) or ():
                for segment in file.iter_segments("PT_LOAD"):
                    start = entry["st_value"] - segment["p_vaddr"]
                    if 0 <= start < segment["p_filesz"]:
                        start += segment["p_offset"]
                        return slice(start, start + entry["st_size"])
        raise ELFError(f"it has no {symbol}")


@contextlib.contextmanager
def _opened(elf: Path) -> Iterator[ELFFile]:
    try:
        with elf.open("rb") as stream:
            yield ELFFile(stream)
    except (OSError, ELFError) as error:
        raise ToolError(f"{elf}: {error}; build the firmware again") from None


def _symbols(elf: ELFFile) -> dict[str, int]:
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        raise ELFError("it has no symbols")
    return {symbol.name: symbol["st_size"] for symbol in table.iter_symbols() if symbol.name}


def _read(elf: ELFFile) -> Size:
    sections: dict[str, int] = {}
    flash = ram = 0
    moved = [
        (segment["p_vaddr"], segment["p_vaddr"] + segment["p_memsz"])
        for segment in elf.iter_segments("PT_LOAD")
        if segment["p_vaddr"] != segment["p_paddr"]
    ]
    for section in elf.iter_sections():
        flags, size = section["sh_flags"], section["sh_size"]
        if not flags & SH_FLAGS.SHF_ALLOC or size == 0:
            continue
        sections[section.name] = size
        writable = bool(flags & SH_FLAGS.SHF_WRITE) or section.name == _STACK
        copied = any(start <= section["sh_addr"] < end for start, end in moved)
        ram += size if writable or copied else 0
        flash += size if section["sh_type"] != "SHT_NOBITS" else 0
    sizes = _symbols(elf)
    # The arena is local to main.cc, so its name is mangled: the length precedes the name.
    arenas = (n for n in sizes if n == _ARENA or n.endswith(f"{len(_ARENA)}{_ARENA}E"))
    return Size(
        sections=sections,
        flash=flash,
        ram=ram,
        model=sum(size for name, size in sizes.items() if name.endswith(_MODEL_NAMES)),
        arena=sum(sizes[name] for name in arenas),
        stack=sections.get(_STACK, 0),
    )
