# SPDX-License-Identifier: Apache-2.0
"""The memory plan: the contents of each part of a model's arena over time."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from kws import _core
from kws.bundle.checks import open_model

_LIFE_WIDTH = 40
"""Characters for the span from the first op to the last."""


@dataclass(frozen=True)
class Plan:
    """The memory plan of a model."""

    ops: tuple[str, ...]
    """In execution order; `once` marks those that run only before the first inference."""

    items: tuple[_core.PlanItem, ...]

    arena_bytes: int
    """More than the end of the highest item if allocation needs more memory than running."""


def plan_of(model: bytes) -> Plan:
    """The plan of a .tflite model.

    Raises:
        ModelError: the core cannot run the model.
    """
    interpreter = open_model(model)
    items = tuple(interpreter.plan)
    ops = tuple(interpreter.ops)
    before = max((item.last + 1 for item in items), default=0) - len(ops)
    return Plan(("once",) * before + ops, items, interpreter.arena_used_bytes)


def plan_text(plan: Plan, most: int = 16) -> str:
    """The plan as lines: the items in the arena, lowest first, each with the ops that need it.

    Args:
        plan: the plan of a model.
        most: maximum number of items; the largest are listed.
    """
    largest = sorted(
        (item for item in plan.items if item.kind != "alias"), key=lambda item: -item.bytes
    )
    rows = [("from", "to", "bytes", "while the ops run", "kind", "")]
    rows += [
        (
            f"{item.offset:,}",
            f"{item.offset + item.bytes:,}",
            f"{item.bytes:,}",
            _life(item, len(plan.ops)),
            item.kind,
            short_name(item.name) if item.kind != "records" else item.name,
        )
        for item in sorted(largest[:most], key=lambda item: (item.offset, item.first))
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if column < 3 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    if rest := largest[most:]:
        lines.append(f"and {len(rest)} more of {rest[0].bytes:,} bytes at most")
    highest = max((item.offset + item.bytes for item in plan.items), default=0)
    # Small models need the most memory during allocation; up to 15 bytes are alignment.
    why = "" if plan.arena_bytes < highest + 16 else ", for allocation"
    return "\n".join([*lines, f"arena: {plan.arena_bytes:,} bytes{why}"])


def _life(item: _core.PlanItem, ops: int) -> str:
    """When an item is alive: one character per op, or per group of ops if there are many."""
    width = min(ops, _LIFE_WIDTH)
    edges = [i * ops // width for i in range(width + 1)] if width else [0]
    return "".join(
        "#" if item.first < end and item.last >= start else "."
        for start, end in itertools.pairwise(edges)
    )


def short_name(name: str) -> str:
    """The most meaningful part of a TensorFlow name.

    `functional/conv2d/Relu;functional/conv2d/BiasAdd` is `conv2d`.
    """
    parts = [part for part in name.split(";", maxsplit=1)[0].split("/") if part]
    if len(parts) > 1:
        parts.pop()
    return parts[-1].removeprefix("serving_default_").split(":")[0] if parts else ""
