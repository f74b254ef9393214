"""docs/ops.md has a row for every op."""

from __future__ import annotations

from kws import _core
from tools.ops_page import PAGE, load_ops, page


def test_every_op_has_a_row_and_every_row_an_op() -> None:
    assert sorted(load_ops()) == sorted(_core.OPS.values())


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run python -m tools.ops_page"
