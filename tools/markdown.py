# SPDX-License-Identifier: Apache-2.0
"""Paragraphs, lists and tables of the generated pages, as lines of Markdown."""

from __future__ import annotations

import textwrap

WIDTH = 120


def paragraph(text: str, *, first: str = "", indent: str = "") -> list[str]:
    """A paragraph, wrapped: `first` starts the first line, `indent` the others."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def bullets(*items: str) -> list[str]:
    """A list with an entry per item."""
    return [line for item in items for line in paragraph(item, first="- ", indent="  ")]


def numbered(*items: str) -> list[str]:
    """A list with a number before each item."""
    return [
        line
        for number, item in enumerate(items, 1)
        for line in paragraph(item, first=f"{number}. ", indent="   ")
    ]


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


def head(*cells: str) -> list[str]:
    """The titles of a table's columns."""
    return [row(*cells), "|" + "---|" * len(cells)]
