# SPDX-License-Identifier: Apache-2.0
"""Tables that are wider than the terminal."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_NARROW = 72
"""Terminals narrower than this get blocks of lines if a table does not fit."""


def fitting(table: Table, console: Console) -> RenderableType:
    """The table; a block of lines per row if it does not fit into a narrow terminal."""
    if console.width >= _NARROW:
        return table
    wide = console.options.update(width=1000)
    if Measurement.get(console, wide, table).maximum <= console.width:
        return table
    lines = [Text.from_markup(str(table.title))] if table.title else []
    headings = [_plain(column.header) for column in table.columns]
    for row in zip(*(column.cells for column in table.columns), strict=True):
        cells = [_plain(cell) for cell in row]
        lines.append(Text(f"{headings[0]} {cells[0]}".strip(), "bold"))
        pairs = zip(headings[1:], cells[1:], strict=True)
        lines += [Text(f"  {heading} {cell}".rstrip()) for heading, cell in pairs if cell]
    if table.caption:
        lines.append(Text.from_markup(str(table.caption)))
    return Text("\n").join(lines)


def _plain(cell: RenderableType) -> str:
    text = Text.from_markup(cell) if isinstance(cell, str) else cell
    return str(text).replace("\n", " ")
