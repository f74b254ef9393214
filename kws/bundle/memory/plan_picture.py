# SPDX-License-Identifier: Apache-2.0
"""A memory plan as a picture."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kws import _core
from kws.bundle.memory.plan import Plan, short_name
from kws.extras import require
from kws.files import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 6
"""Height of the picture in inches, including labels."""

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
    "records": "records of inputs, outputs and ops",
}


def save_plan(path: Path, plan: Plan, title: str) -> None:
    """Draw the plan as PNG: ops to the right, the arena's bytes upwards.

    A tensor's rectangle spans from the middle of the op that writes it to the middle of the op that
    reads it last. So a tensor that overwrites another one starts where the other one ends.

    Raises:
        KwsError: the file could not be written.
        ToolError: matplotlib is not installed.
    """
    purpose = "a picture of the memory plan"
    figures = require("matplotlib.figure", "plots", purpose)
    patches = require("matplotlib.patches", "plots", purpose)

    count = max(len(plan.ops), 1)
    width = min(2.5 + 0.75 * max(count, 6), 30)
    figure = figures.Figure(figsize=(width, _HEIGHT), dpi=130, layout="constrained")
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
            patches.Patch(facecolor=colour, edgecolor="white", label=_MEANINGS[kind])
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
    """Draw one rectangle, with its name if there is room."""
    whole = item.kind in ("records", "variable", "scratch")
    start = item.first + (0 if whole or item.kind == "input" else 0.5)
    end = item.last + (1 if whole or item.kind == "output" else 0.5)
    highest = axes.get_ylim()[1]
    axes.bar(
        start,
        max(item.bytes, 0.005 * highest),  # so that it is visible
        width=end - start,
        bottom=item.offset,
        align="edge",
        color=_COLOURS[item.kind],
        edgecolor="white",
        linewidth=0.8 if item.bytes > 0.01 * highest else 0,
        zorder=3 if item.kind == "scratch" else 2,
    )
    name = item.name if item.kind == "records" else short_name(item.name) or item.kind
    points = 72 * (_HEIGHT - 1.8) * item.bytes / highest
    wide = 72 * 0.75 * (end - start)
    size = f"{item.bytes:,}"
    text: dict[str, Any] = {
        "color": _INK,
        "ha": "center",
        "va": "center",
        "fontsize": 7,
        "zorder": 4,
    }
    middle = ((start + end) / 2, item.offset + item.bytes / 2)
    if points > 22 and wide > 4.2 * max(len(name), len(size)):
        axes.text(*middle, f"{name}\n{size}", **text)
    elif points > 10 and wide > 4.2 * (len(name) + len(size) + 2):
        axes.text(*middle, f"{name}, {size}", **text)
    elif wide > 10 and points > 4.2 * (len(name) + len(size) + 2):
        axes.text(*middle, f"{name}, {size}", rotation=90, **text)
