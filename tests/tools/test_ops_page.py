"""docs/ops.md tells of every op there is."""

from __future__ import annotations

from kws.bundle.codegen import add_name
from tools.ops_page import PAGE, listed_ops, load_ops, page


def test_every_op_has_a_row_and_every_row_an_op() -> None:
    assert sorted(load_ops()) == sorted(listed_ops())


def test_rows_name_the_op_as_the_schema_does() -> None:
    for name, op in load_ops().items():
        assert add_name(op["schema"]) == name


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run python -m tools.ops_page"
