"""docs/serial.md agrees with the firmware's output."""

from __future__ import annotations

import re

import pytest

from kws._core import LINE_FORMATS
from kws.host.build.boards import boards
from kws.host.serial.lines import Boot, Fault, Heard, parse_line
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "serial.md").read_text()


@pytest.mark.parametrize("name", LINE_FORMATS)
def test_each_line_format_is_documented(name: str) -> None:
    assert f"| `{LINE_FORMATS[name]}` |" in PAGE


def test_the_example_parses() -> None:
    (example,) = re.findall(r"^```\n(kws \d.*?)^```$", PAGE, re.M | re.S)
    kinds = [type(parse_line(line)) for line in example.splitlines()]
    assert kinds == [Boot, type(None), Heard, Fault]


def test_the_regular_expression_matches() -> None:
    (expression,) = re.findall(r"expression: `(\^Heard.*?\$)`", PAGE)
    match = re.match(expression, "Heard yes (201) @4056ms")
    assert match
    assert match.groups() == ("yes", "201", "4056")


def test_each_board_with_pins_is_listed() -> None:
    for board in boards():
        row = re.search(rf"^\| `{board.name}` \| (.*) \|$", PAGE, re.M)
        assert (row is not None) == bool(board.pins), board.name
        if row is not None:
            named = re.sub(r"([A-Z]+)(\d+) to \1(\d+)", _spelt_out, row[1])
            assert all(re.search(rf"\b{pin}\b", named) for pin in board.pins), board.name


def _spelt_out(match: re.Match[str]) -> str:
    return " ".join(f"{match[1]}{i}" for i in range(int(match[2]), int(match[3]) + 1))
