"""What lies where in a model's arena, and when: as a table and as a picture."""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kws import _core
from kws.errors import ModelError
from kws.files import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 6
"""Of the picture, inches; some of it is labels."""

_LIFE_WIDTH = 40
"""Characters of text for the time from the first op to the last."""

_INK, _PALE = "#26323f", "#d8dee4"
_COLOURS = {
    "input": "#8ecae6",
    "tensor": "#5b9bd5",
    "output": "#74b72e",
    "scratch": "#f4b860",
    "variable": "#c58fd6",
    "records": "#c9ced6",
}
_MEANINGS = {
    "input": "input",
    "tensor": "tensor",
    "output": "output",
    "scratch": "an op's scratch",
    "variable": "kept from call to call",
    "records": "notes of inputs, outputs and ops",
}


@dataclass(frozen=True)
class Plan:
    """The memory plan of a model."""

    ops: tuple[str, ...]
    """In the order they run; `once` for those that run before the first inference only."""

    items: tuple[_core.PlanItem, ...]

    arena_bytes: int
    """More than the highest item where laying it out takes more than running."""


def plan_of(model: bytes) -> Plan:
    """The plan of a .tflite model's bytes.

    Raises:
        ModelError: the core cannot run the model.
    """
    try:
        interpreter = _core.Interpreter(model)
        items = tuple(interpreter.plan)
    except _core.CoreError as error:
        raise ModelError(str(error)) from None
    ops = tuple(interpreter.ops)
    before = max((item.last + 1 for item in items), default=0) - len(ops)
    return Plan(("once",) * before + ops, items, interpreter.arena_used_bytes)


def plan_text(plan: Plan, most: int = 16) -> str:
    """The plan as lines: what lies in the arena, lowest first, and during which ops.

    Args:
        plan: of a model.
        most: lines for things in the arena; the largest get them.
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
    # Alignment aside, small models need the most while they are laid out.
    why = "" if plan.arena_bytes < highest + 16 else ", which laying it out takes"
    return "\n".join([*lines, f"arena: {plan.arena_bytes:,} bytes{why}"])


def _life(item: _core.PlanItem, ops: int) -> str:
    """When an item is alive: a character an op, or for several ops where there are many."""
    width = min(ops, _LIFE_WIDTH)
    edges = [i * ops // width for i in range(width + 1)] if width else [0]
    return "".join(
        "#" if item.first < end and item.last >= start else "."
        for start, end in itertools.pairwise(edges)
    )


def short_name(name: str) -> str:
    """The part of a TensorFlow name that says most.

    `functional/conv2d/Relu;functional/conv2d/BiasAdd` is `conv2d`.
    """
    parts = [part for part in name.split(";", maxsplit=1)[0].split("/") if part]
    if len(parts) > 1:
        parts.pop()
    return parts[-1].removeprefix("serving_default_").split(":")[0] if parts else ""


def save_plan(path: Path, plan: Plan, title: str) -> None:
    """Draw the plan as PNG: ops to the right, the arena's bytes upwards.

    A tensor lies from the middle of the op that writes it to the middle of the op that reads it
    last, so that one that is written over another stands beside it.

    Raises:
        KwsError: the file could not be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow
    from matplotlib.patches import Patch  # noqa: PLC0415 - slow

    count = max(len(plan.ops), 1)
    width = min(2.5 + 0.75 * max(count, 6), 30)
    figure = Figure(figsize=(width, _HEIGHT), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_xlim(0, count)
    axes.set_ylim(0, plan.arena_bytes * 1.06)
    axes.set_axisbelow(True)
    for edge in range(1, count):
        axes.axvline(edge, color=_PALE, linewidth=0.6, zorder=0)
    for item in plan.items:
        if item.kind != "alias":
            _draw(axes, item)
    axes.axhline(plan.arena_bytes, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.annotate(
        f"arena {plan.arena_bytes:,} bytes",
        (count, plan.arena_bytes),
        xytext=(-4, 3),
        textcoords="offset points",
        ha="right",
        color=_INK,
        fontsize=9,
    )
    axes.set_xticks(
        [i + 0.5 for i in range(count)],
        plan.ops or [""],
        rotation=0 if (width - 1) / count > 1.4 else 90,
        fontsize=8,
    )
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_ylabel("bytes from the arena's start")
    axes.tick_params(length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, loc="left", color=_INK, fontweight="bold")
    kinds = {item.kind for item in plan.items}
    figure.legend(
        handles=[
            Patch(facecolor=colour, edgecolor="white", label=_MEANINGS[kind])
            for kind, colour in _COLOURS.items()
            if kind in kinds
        ],
        loc="outside lower left",
        ncols=6,
        frameon=False,
        fontsize=8,
    )
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    atomic_write(path, buffer.getvalue(), sync=False)


def _draw(axes: Axes, item: _core.PlanItem) -> None:
    """One rectangle, with its name where there is room."""
    whole = item.kind in ("records", "variable", "scratch")
    left = item.first + (0 if whole or item.kind == "input" else 0.5)
    right = item.last + (1 if whole or item.kind == "output" else 0.5)
    highest = axes.get_ylim()[1]
    axes.bar(
        left,
        max(item.bytes, 0.005 * highest),  # so that it can be seen
        width=right - left,
        bottom=item.offset,
        align="edge",
        color=_COLOURS[item.kind],
        edgecolor="white",
        linewidth=0.8 if item.bytes > 0.01 * highest else 0,
        zorder=3 if item.kind == "scratch" else 2,
    )
    name = item.name if item.kind == "records" else short_name(item.name) or item.kind
    points = 72 * (_HEIGHT - 1.8) * item.bytes / highest
    wide = 72 * 0.75 * (right - left)
    size = f"{item.bytes:,}"
    text: dict[str, Any] = {
        "color": _INK,
        "ha": "center",
        "va": "center",
        "fontsize": 7,
        "zorder": 4,
    }
    middle = ((left + right) / 2, item.offset + item.bytes / 2)
    if points > 22 and wide > 4.2 * max(len(name), len(size)):
        axes.text(*middle, f"{name}\n{size}", **text)
    elif points > 10 and wide > 4.2 * (len(name) + len(size) + 2):
        axes.text(*middle, f"{name}, {size}", **text)
    elif wide > 10 and points > 4.2 * (len(name) + len(size) + 2):
        axes.text(*middle, f"{name}, {size}", rotation=90, **text)
