# SPDX-License-Identifier: Apache-2.0
"""What an ELF file of firmware takes on the device."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from kws.errors import ToolError

_MODEL_NAMES = ("g_model", "g_commands_model", "10kConstantsE")
"""How the names of models end; the last are local to a compiled model's file."""
_ARENA = "arena"
_STACK = ".stack"


@dataclass(frozen=True)
class Size:
    """Bytes of flash and RAM, and the largest parts of each."""

    sections: dict[str, int]
    """Every section that takes memory on the device."""

    flash: int
    """Code, constants and the initial values of variables."""

    ram: int
    """Variables, arena and stack."""

    model: int
    """Of flash: the models."""

    arena: int
    """Of RAM: the tensor arena."""

    stack: int
    """Of RAM: the stack."""


def read_size(elf: Path) -> Size:
    """The sizes of a firmware.

    Raises:
        ToolError: the file is missing or no ELF file.
    """
    try:
        with elf.open("rb") as stream:
            return _read(ELFFile(stream))
    except (OSError, ELFError) as error:
        raise ToolError(f"{elf}: {error}; build the firmware again") from None


def symbols(elf: Path) -> dict[str, int]:
    """Each symbol of an ELF file, names as the linker has them, with its size in bytes.

    Raises:
        ToolError: the file is missing or no ELF file.
    """
    try:
        with elf.open("rb") as stream:
            return _symbols(ELFFile(stream))
    except (OSError, ELFError) as error:
        raise ToolError(f"{elf}: {error}; build the firmware again") from None


def content_of(elf: Path, symbol: str) -> slice:
    """Where in an ELF file the bytes of a constant lie.

    Raises:
        ToolError: the file is missing, no ELF file, or has no such constant.
    """
    try:
        with elf.open("rb") as stream:
            file = ELFFile(stream)
            table = file.get_section_by_name(".symtab")
            if isinstance(table, SymbolTableSection):
                for entry in table.get_symbol_by_name(symbol) or ():
                    for segment in file.iter_segments("PT_LOAD"):
                        start = entry["st_value"] - segment["p_vaddr"]
                        if 0 <= start < segment["p_filesz"]:
                            start += segment["p_offset"]
                            return slice(start, start + entry["st_size"])
            raise ELFError(f"it has no {symbol}")
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
    for section in elf.iter_sections():
        flags, size = section["sh_flags"], section["sh_size"]
        if not flags & SH_FLAGS.SHF_ALLOC or size == 0:
            continue
        sections[section.name] = size
        writable = bool(flags & SH_FLAGS.SHF_WRITE) or section.name == _STACK
        ram += size if writable else 0
        flash += size if section["sh_type"] != "SHT_NOBITS" else 0
    sizes = _symbols(elf)
    # The arena is local to main.cc, so its name is mangled: length before name.
    arenas = (n for n in sizes if n == _ARENA or n.endswith(f"{len(_ARENA)}{_ARENA}E"))
    return Size(
        sections=sections,
        flash=flash,
        ram=ram,
        model=sum(size for name, size in sizes.items() if name.endswith(_MODEL_NAMES)),
        arena=sum(sizes[name] for name in arenas),
        stack=sections.get(_STACK, 0),
    )
