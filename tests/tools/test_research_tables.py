# SPDX-License-Identifier: Apache-2.0
"""The CSV files of docs/research can be read, and its page names each."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.paths import ROOT

TABLES = sorted((ROOT / "docs" / "research").glob("*.csv"))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_each_row_has_a_cell_per_column(table: Path) -> None:
    with table.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert len(set(head)) == len(head)
    assert rows
    assert {len(row) for row in rows} == {len(head)}


def test_the_page_names_each_table() -> None:
    page = (ROOT / "docs" / "research.md").read_text(encoding="utf-8")
    assert [table.name for table in TABLES if f"(research/{table.name})" not in page] == []
