# SPDX-License-Identifier: Apache-2.0
"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Collection

from rich.table import Table


def make_table(
    *headings: str, title: str = "", words: Collection[int] = (0,), frame: bool = True
) -> Table:
    """An empty table.

    Args:
        headings: headings of the columns.
        title: title above the table, if any.
        words: indices of the columns that hold words; the others hold numbers, aligned right.
        frame: whether to draw lines; without them the headings are bold.
    """
    table = Table(title=title or None, title_justify="left", caption_justify="left")
    if not frame:
        table.box, table.pad_edge, table.header_style = None, False, "bold"
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="left" if index in words else "right", overflow="fold")
    return table
