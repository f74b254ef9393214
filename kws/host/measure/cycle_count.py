# SPDX-License-Identifier: Apache-2.0
"""Counts instructions and estimates cycles of a benchmark's parts from QEMU's trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kws.errors import BoardError
from kws.host.emulate.block_trace import Block
from kws.host.measure.cortex_m4 import block_cycles

# Empty functions in tools/bench.cc that mark the start and end of each part.
_MARK = "KwsMark"
_END = "KwsMarkEnd"
_DONE = "KwsMarkDone"

NOTHING, HOP_PART, ALLOCATION, INFERENCE, OP = (
    "KwsMarkNothing",
    "KwsMarkHop",
    "KwsMarkAllocation",
    "KwsMarkInference",
    "KwsMarkOp",
)
"""The parts: counting overhead, the frontend per hop, planning, an inference, each of its ops."""


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
    counting, *ops = parts[OP]  # the first is empty
    return Cycles(
        tuple(cycles - nothing for cycles in parts[HOP_PART]),
        parts[INFERENCE][0] - nothing,
        tuple(cycles - counting for cycles in ops),
    )


BlockCost = Callable[[Block, Block], int]
"""Cost of a block (second argument) that is executed after another one (first)."""


def instructions(_before: Block, block: Block) -> int:
    """The instructions of a block."""
    return len(block.instructions)


def part_cycles(blocks: Iterable[Block]) -> Iterator[tuple[str, int]]:
    """The benchmark's parts in order of their ends, with their Cortex-M4 cycles.

    The cycles include the overhead of the marks.

    Raises:
        BoardError: the benchmark did not finish.
    """
    for part, (cycles,) in part_costs(blocks, (block_cycles,)):
        yield part, cycles


def part_costs(
    blocks: Iterable[Block], costs: Sequence[BlockCost]
) -> Iterator[tuple[str, list[int]]]:
    """The benchmark's parts in order of their ends, with a sum for each of `costs`.

    Raises:
        BoardError: the benchmark did not finish.
    """
    known: dict[tuple[Block, Block], list[int]] = {}
    part = ""
    sums = [0] * len(costs)
    before: Block | None = None
    for block in blocks:
        if block.symbol.startswith(_MARK):
            if block.symbol == _DONE:
                return
            if block.symbol == _END:
                yield part, sums
            part = "" if block.symbol == _END else block.symbol
            sums = [0] * len(costs)
        elif part and before is not None:
            pair = (before, block)
            if pair not in known:
                known[pair] = [cost(before, block) for cost in costs]
            for i, spent in enumerate(known[pair]):
                sums[i] += spent
        before = block
    raise BoardError("the traced benchmark stopped before its end; this is a bug")
