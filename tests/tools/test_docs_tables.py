# SPDX-License-Identifier: Apache-2.0
"""The tables in the docs agree with the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.docs_tables import pages, with_table


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_page_is_up_to_date(page: Path) -> None:
    assert page.read_text() == pages()[page], "run python -m tools.docs_tables"


def test_a_table_replaces_the_text_between_its_markers() -> None:
    page = "a\n<!-- x: written by tools/docs_tables.py -->\nold\n<!-- end of x -->\nb\n"
    assert with_table(page, "x", r"| new \1 |") == page.replace("old", "\n| new \\1 |\n")
    with pytest.raises(ValueError, match="no lines"):
        with_table(page, "y", "")
