# SPDX-License-Identifier: Apache-2.0
"""The CSV files in docs can be read, and a page links to each."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.paths import ROOT

TABLES = sorted((ROOT / "docs").rglob("*.csv"))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_each_row_has_a_cell_per_column(table: Path) -> None:
    with table.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert len(set(head)) == len(head)
    assert rows
    assert {len(row) for row in rows} == {len(head)}


def test_a_page_links_to_each_table() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    links = {table: f"({table.relative_to(ROOT / 'docs')})" for table in TABLES}
    assert [table.name for table, link in links.items() if link not in pages] == []
