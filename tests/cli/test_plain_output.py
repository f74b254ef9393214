# SPDX-License-Identifier: Apache-2.0
"""Terminals with only ASCII, or 40 columns."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest
from rich.console import Console
from rich.table import Table

from kws.cli.printing.narrow_tables import fitting
from kws.cli.printing.plain_tables import plain_table

pytestmark = pytest.mark.unit

PRINTS = """
from rich.console import Console
from rich.table import Table
from kws.cli.printing.plain_text import write_what_fits
write_what_fits()
print("gr\\u00f6\\u00dfer \\u2588\\u2588\\u00b7 \\u0928 \\u00b5s \\udcff")
table = Table("word", "heard"); table.add_row("\\u00fcber", "\\u00b7")
Console(width=40).print(table)
"""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_unsupported_letters_do_not_stop_a_command(encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LANG": "C"}
    done = subprocess.run(
        [sys.executable, "-c", PRINTS.replace("\\\\", "\\")],
        env=environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode(encoding)
    if encoding == "ascii":
        assert "gro\\xdfer ##. \\u0928 us \\udcff" in text
        assert "| uber | .     |" in text
    if encoding == "utf-8":
        assert "größer ██· न µs" in text


def table() -> Table:
    made = Table(title="misses and false alarms")
    for heading in ("", "hours", "keywords\nmissed, %", "false alarms\nper hour"):
        made.add_column(heading)
    made.add_row("quiet room", "0.20", "12.5 (3.1-40.2)", "0.00 (0.00-7.38)")
    made.add_row("[green]talk[/]", "1.50", "", "0.67 (0.02-3.71)")
    return made


def printed(width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO())
    console.print(fitting(table(), console))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_narrow_terminal_gets_complete_lines() -> None:
    assert printed(40) == [
        "misses and false alarms",
        "quiet room",
        "  hours 0.20",
        "  keywords missed, % 12.5 (3.1-40.2)",
        "  false alarms per hour 0.00 (0.00-7.38)",
        "talk",
        "  hours 1.50",
        "  false alarms per hour 0.67 (0.02-3.71)",
    ]


def test_a_wide_terminal_gets_a_table() -> None:
    assert any("━" in line or "─" in line for line in printed(80))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            30,
            [
                "found  a tool  /usr/bin/tool",
                "optional  Renode  install it,",
                "  then run this again",
            ],
        ),
        (
            44,
            [
                "found     a tool  /usr/bin/tool",
                "optional  Renode  install it, then run this",
                "                  again",
            ],
        ),
        (
            60,
            [
                "found     a tool  /usr/bin/tool",
                "optional  Renode  install it, then run this again",
            ],
        ),
    ],
)
def test_a_plain_table_fits_the_terminal(
    columns: int, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        ("found", "a tool", "/usr/bin/tool"),
        ("optional", "Renode", "install it, then run this again"),
    ]
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert plain_table(rows).splitlines() == expected
