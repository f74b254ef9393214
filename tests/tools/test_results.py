# SPDX-License-Identifier: Apache-2.0
"""The page of results says what the runs gave."""

from __future__ import annotations

from tools.results import ROWS, Figures, page


def test_page_has_mean_spread_and_what_int8_costs() -> None:
    runs = [
        Figures(core, core + 0.002, {"silence": 1.0, "yes": core}, 0.9, 19_600, 5_840, 592, 2.0)
        for core in (0.94, 0.95, 0.96)
    ]
    text = page([(ROWS[0], runs), (ROWS[1], [])])
    assert "| 3 | 95.00 % ± 1.00 | 95.20 % | +0.20 points | 19,600 | 5,840 | 2.0 |" in text
    assert "silence 100.0, yes 95.0" in text
    assert "not trained yet" in text
    assert f"## {ROWS[1].title}" not in text


def test_rows_are_trained_before_those_that_need_them() -> None:
    seen: set[str] = set()
    for row in ROWS:
        for earlier in (row.teacher, row.origin):
            assert not earlier or earlier.split("/")[0] in seen
        seen.add(row.folder)
