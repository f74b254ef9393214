# SPDX-License-Identifier: Apache-2.0
"""Estimates Cortex-M4 cycles of the benchmark's parts from QEMU's trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kws.errors import BoardError
from kws.host.emulate.block_trace import Block
from kws.host.measure.cortex_m4 import block_cycles

# Empty functions in tools/bench.cc that mark the start and end of each part.
_MARK = "KwsMark"
_END = "KwsMarkEnd"
_DONE = "KwsMarkDone"

NOTHING, HOP, ALLOCATION, INFERENCE = (
    "KwsMarkNothing",
    "KwsMarkHop",
    "KwsMarkAllocation",
    "KwsMarkInference",
)
"""The parts: counting overhead, the frontend per hop, planning the tensors, an inference."""

_OP = "KwsMarkOp"


@dataclass(frozen=True)
class Cycles:
    """Estimated cycles of the benchmark's parts, without the counting overhead."""

    hops: tuple[int, ...]
    """Frontend cycles of each hop; the first hop makes no frame."""
    inference: int
    ops: tuple[int, ...]
    """Cycles of each executed op, in order."""


def count_cycles(blocks: Iterable[Block]) -> Cycles:
    """Sum the cycles between the benchmark's marks.

    Raises:
        BoardError: the benchmark did not finish.
    """
    parts: dict[str, list[int]] = defaultdict(list)
    for part, cycles in part_cycles(blocks):
        parts[part].append(cycles)
    nothing = parts[NOTHING][-1]
    counting, *ops = parts[_OP]  # the first is empty
    return Cycles(
        tuple(cycles - nothing for cycles in parts[HOP]),
        parts[INFERENCE][0] - nothing,
        tuple(cycles - counting for cycles in ops),
    )


def part_cycles(blocks: Iterable[Block]) -> Iterator[tuple[str, int]]:
    """The benchmark's parts in order of their ends, with their cycles including the overhead.

    Raises:
        BoardError: the benchmark did not finish.
    """
    known: dict[tuple[Block, Block], int] = {}
    part = ""
    cycles = 0
    before: Block | None = None
    for block in blocks:
        if block.symbol.startswith(_MARK):
            if block.symbol == _DONE:
                return
            if block.symbol == _END:
                yield part, cycles
            part = "" if block.symbol == _END else block.symbol
            cycles = 0
        elif part and before is not None:
            pair = (before, block)
            if pair not in known:
                known[pair] = block_cycles(before, block)
            cycles += known[pair]
        before = block
    raise BoardError("the traced benchmark stopped before its end; this is a bug")
