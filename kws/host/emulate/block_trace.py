# SPDX-License-Identifier: Apache-2.0
"""Parses QEMU's trace of the executed code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kws.errors import ToolError

TRACE_OPTIONS = ("-d", "in_asm,exec,nochain")
"""Print each block's instructions when it is translated, and a line each time it is entered."""

_SYMBOL = b"IN: "
_INSTRUCTION = b"0x"
_ENTERED = b"Trace "
_UNKNOWN = ".byte"  # a disassembler that does not know an instruction lists its halfwords
# Address, code (not on Xtensa), name, operands.
_FIELDS = re.compile(r"0x([0-9a-f]+): +((?:[0-9a-f]{4}(?:[0-9a-f]{4})? )*) *(\S+)(?:\s+(.*))?")


@dataclass(frozen=True)
class Instruction:
    """One instruction, as QEMU disassembles it."""

    name: str
    """Name with width and condition, such as "ldr.w" or "movne"."""
    operands: str


@dataclass(frozen=True, eq=False)
class Block:
    """Instructions that QEMU translates together; only the last may be a branch."""

    symbol: str
    """The firmware's symbol at this address."""
    start: int
    """Address of the first instruction."""
    end: int
    """Address after the last instruction; on Xtensa, of the last instruction."""
    instructions: tuple[Instruction, ...]


def read_blocks(lines: Iterable[bytes]) -> Iterator[Block]:
    """The blocks in order of execution; repeated blocks are the same object.

    Raises:
        ToolError: QEMU did not print a block's instructions.
    """
    blocks: dict[bytes, Block] = {}
    symbol = ""
    code: list[bytes] = []
    for line in lines:
        if line.startswith(_ENTERED):
            if code:
                block = _block(symbol, code)
                blocks[f"{block.start:08x}".encode()] = block
                code = []
            # Trace 0: host address [base/program counter/flags/flags] symbol; the counter has 8
            # digits in QEMU 7.2, 16 in QEMU 10.
            try:
                yield blocks[line.split(b"/", 2)[1][-8:]]
            except KeyError:
                raise ToolError(
                    "this QEMU cannot disassemble, so cycles cannot be counted; on Debian or "
                    "Ubuntu, apt-get install qemu-system-arm"
                ) from None
        elif line.startswith(_INSTRUCTION):
            code.append(line)
        elif line.startswith(_SYMBOL):
            symbol = line[len(_SYMBOL) :].decode().strip()
            code = []


def _block(symbol: str, code: list[bytes]) -> Block:
    matches = []
    half = False
    for line in code:
        match = _FIELDS.match(line.decode().strip())
        if match and not half:
            matches.append(match)
        # The halves of an instruction that the disassembler does not know have a line each.
        half = match is not None and not half and match[3] == _UNKNOWN
    last = matches[-1]
    return Block(
        symbol,
        int(matches[0][1], 16),
        int(last[1], 16) + len(last[2].replace(" ", "")) // 2,
        tuple(Instruction(match[3], match[4] or "") for match in matches),
    )
