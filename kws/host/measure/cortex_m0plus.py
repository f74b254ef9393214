# SPDX-License-Identifier: Apache-2.0
"""Estimates Cortex-M0+ cycles of instruction sequences.

Source: Arm, Cortex-M0+ Technical Reference Manual (DDI 0484), "Instruction set summary", with the
fast multiplier, as in the RP2040. Without wait states. Loads and stores count two cycles; those of
a chip's single-cycle I/O port take one.
"""

from __future__ import annotations

import re
from functools import cache

from kws.host.emulate.block_trace import Block, Instruction

REFILL = 1
"""Additional cycles of a taken branch."""

_CALL = 2  # BL: with the refill of its taken branch, 3
_MEMORY = 2
_PER_LIST = 1  # LDM, STM, PUSH, POP: this plus a cycle per register
_INTO_PC = 1  # POP with pc: with the refill, 3 plus a cycle per register
_SPECIAL = 3  # MRS, MSR and barriers

_SPECIALS = re.compile(r"(mrs|msr|dsb|dmb|isb)")
_MEMORY_ACCESS = re.compile(r"(ldr|str)")


def block_cycles(before: Block, block: Block) -> int:
    """Cycles of `block` executed after `before`, including the branch between them."""
    branch = REFILL if block.start != before.end else 0
    return branch + sum(cycles(instruction) for instruction in block.instructions)


@cache
def cycles(instruction: Instruction) -> int:
    """Cycles of an instruction, without the refill of a taken branch."""
    name = instruction.name.partition(".")[0]
    _, listed, registers = instruction.operands.partition("{")
    if listed:
        words = registers.strip("} ").split(",")
        return _PER_LIST + len(words) + (_INTO_PC if "pc" in registers else 0)
    if _MEMORY_ACCESS.match(name):
        return _MEMORY
    if name == "bl":
        return _CALL
    return _SPECIAL if _SPECIALS.match(name) else 1
