# SPDX-License-Identifier: Apache-2.0
"""Paragraphs, lists and tables of the generated pages, as lines of Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

WIDTH = 120

BENCHMARKS = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


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


def replace_section(lines: Sequence[str], page: Path = BENCHMARKS) -> None:
    """Replace the section of a page whose title is the first line.

    Raises:
        ValueError: the page has no such section.
    """
    text = page.read_text(encoding="utf-8")
    pattern = rf"^{re.escape(lines[0])}$.*?(?=^## |\Z)"
    if not re.search(pattern, text, re.DOTALL | re.MULTILINE):
        raise ValueError(f"{page.name} has no section {lines[0]!r}")
    section = "\n".join(lines).rstrip("\n") + "\n\n"
    new = re.sub(pattern, lambda _: section, text, flags=re.DOTALL | re.MULTILINE)
    page.write_text(new.rstrip("\n") + "\n", encoding="utf-8")
