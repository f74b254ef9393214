# SPDX-License-Identifier: Apache-2.0
"""Estimates Cortex-M4 cycles of instruction sequences.

Source: Arm, Cortex-M4 Technical Reference Manual (DDI 0439), "Cortex-M4 instructions" and
"Load/store timings"; for the FPU, "FPU instruction set". The estimate considers neighbouring
instructions, but no values, addresses or wait states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from kws.host.emulate.block_trace import Block, Instruction

REFILL = 2
"""Additional cycles of a taken branch. The manual has 1 to 3, depending on the alignment and width
of the target instruction."""

_PER_LIST = 1  # LDM, STM, PUSH, POP and similar: this plus a cycle per word
_PER_TWO = 3  # LDRD, STRD
_LOAD = 2
_STORE = 1  # the data is written while the next instruction runs
_FLOAT_STORE = 2
_CYCLES = (
    (re.compile(r"[su]div"), 7),  # 2 to 12, by the operands
    (re.compile(r"v(div|sqrt)"), 14),
    (re.compile(r"vf?n?m(la|ls|a|s)"), 3),
    (re.compile(r"tb[bh]"), 3),
    (re.compile(r"m(rs|sr)"), 2),
)
"""Cycles by name. All others take one cycle: moves, arithmetic, logic, shifts, saturation, integer
multiplications (also with two products or 64 bits) and IT."""

_CONDITION = r"(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"
_BRANCH = re.compile(rf"b(l|x|lx)?{_CONDITION}|cbn?z|tb[bh]")
_NO_RESULT = re.compile(r"(cmp|cmn|tst|teq|it(t|e){0,3}$|nop|svc|bkpt|msr|dsb|dmb|isb)")
_TWO_RESULTS = re.compile(r"[us]m(ull|lal|laal|lsld)")
_REGISTER = re.compile(r"\b(?:r\d+|sb|sl|fp|ip|sp|lr|pc)\b")
_FLOAT_REGISTER = re.compile(r"\b[sd]\d+\b")


class Kind(Enum):
    """Kind of an instruction, as far as it affects its neighbours' timing."""

    LOAD = "loads a word or less into a core register"
    STORE = "stores a word or less from a core register"
    ARITHMETIC = "computes a core register"
    FLOAT = "computes a register of the FPU"
    OTHER = "all others"


@dataclass(frozen=True)
class Timing:
    """Timing of an instruction, and its effect on its neighbours."""

    cycles: int
    """Cycles of the instruction alone, without a branch."""
    kind: Kind
    results: frozenset[str] = frozenset()
    """Registers written by a load, arithmetic or the FPU."""
    needs: frozenset[str] = frozenset()
    """Registers of a load's or store's address, and operands of the FPU."""
    branches: bool = False
    """Whether it writes the program counter."""


@cache
def timing(instruction: Instruction) -> Timing:
    """The timing of an instruction."""
    name = instruction.name.partition(".")[0]
    operands = instruction.operands
    if "{" in operands:
        return _list_timing(operands)
    if "[" in operands and not name.startswith("tb"):
        return _memory_timing(name, operands)
    if name.startswith("v"):
        return _float_timing(name, operands)
    cycles = _cycles(name)
    written = operands.split(",")[: 2 if _TWO_RESULTS.match(name) else 1]
    if _BRANCH.fullmatch(name) or _NO_RESULT.match(name):
        return Timing(cycles, Kind.OTHER, branches=bool(_BRANCH.fullmatch(name)))
    results = frozenset(register.strip() for register in written)
    return Timing(cycles, Kind.ARITHMETIC, results, branches="pc" in results)


def _cycles(name: str) -> int:
    return next((cycles for pattern, cycles in _CYCLES if pattern.match(name)), 1)


def _list_timing(operands: str) -> Timing:
    base, _, listed = operands.partition("{")
    words = sum(2 if "d" in register else 1 for register in listed.split(","))
    needs = frozenset(_REGISTER.findall(base))
    return Timing(_PER_LIST + words, Kind.OTHER, needs=needs, branches="pc" in listed)


def _memory_timing(name: str, operands: str) -> Timing:
    registers, _, address = operands.partition("[")
    needs = frozenset(_REGISTER.findall(address))
    if name.startswith(("ldrd", "strd")):
        return Timing(_PER_TWO, Kind.OTHER, needs=needs)
    if name.startswith("v"):
        alone = _LOAD if name.startswith("vldr") else _FLOAT_STORE
        return Timing(alone + registers.startswith("d"), Kind.OTHER, needs=needs)
    if name.startswith("str"):
        return Timing(_STORE, Kind.STORE, needs=needs)
    results = frozenset(_REGISTER.findall(registers))
    return Timing(_LOAD, Kind.LOAD, results, needs, branches="pc" in results)


def _float_timing(name: str, operands: str) -> Timing:
    first, _, others = operands.partition(",")
    if name.startswith(("vmov", "vmrs", "vmsr")):
        return Timing(2 if "," in others else 1, Kind.OTHER)
    needs = frozenset(_FLOAT_REGISTER.findall(others))
    return Timing(_cycles(name), Kind.FLOAT, frozenset([first]), needs)


def cycles_behind(last: Timing, now: Timing) -> int:
    """Cycles of an instruction after `last`, without branches.

    - A load after a load takes one cycle less, unless its address is the loaded word.
    - An address that the previous instruction computed costs a cycle.
    - So does an operand that is the previous result of the FPU.
    """
    waits = not last.results.isdisjoint(now.needs)
    if last.kind is Kind.LOAD:
        return now.cycles - (now.kind is Kind.LOAD and not waits)
    return now.cycles + waits


def block_cycles(before: Block, block: Block) -> int:
    """Cycles of `block` executed after `before`, including the branch between them."""
    last = timing(before.instructions[-1])
    cycles = REFILL if last.branches and block.start != before.end else 0
    return cycles + sequence_cycles(last, block.instructions)


def sequence_cycles(last: Timing, instructions: Sequence[Instruction]) -> int:
    """Cycles of consecutive instructions, the first one after `last`."""
    cycles = 0
    for instruction in instructions:
        now = timing(instruction)
        cycles += cycles_behind(last, now)
        last = now
    return cycles
