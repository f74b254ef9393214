# SPDX-License-Identifier: Apache-2.0
"""Tables of plain text, for users and scripts."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

_NARROW_CELL = 24
"""Minimum width in characters to wrap the last column to."""


def plain_table(
    rows: Sequence[tuple[str, ...]], *, right: bool = False, last_left: bool = False
) -> str:
    """Columns as wide as their widest cell.

    In a terminal that is too narrow, the last column is wrapped, or else each row.

    Args:
      rows: Rows with equal numbers of cells.
      right: Whether all columns except the first hold numbers, aligned right.
      last_left: Whether the last column holds words even then.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    terminal = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    before_last = sum(widths[:-1]) + 2 * (len(widths) - 1)
    if before_last + widths[-1] <= terminal:
        last_width = sys.maxsize
    elif terminal - before_last >= _NARROW_CELL:
        last_width = terminal - before_last
    else:
        return "\n".join(
            textwrap.fill("  ".join(filter(None, row)), terminal, subsequent_indent="  ")
            for row in rows
        )
    first_left = len(widths) - 1 if last_left else len(widths)
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if right and 0 < column < first_left else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        first, *more = (
            textwrap.wrap(row[-1], last_width) if len(row[-1]) > last_width else cells[-1:]
        )
        lines.append("  ".join([*cells[:-1], first]).rstrip())
        lines += [" " * before_last + part for part in more]
    return "\n".join(lines)
