# SPDX-License-Identifier: Apache-2.0
"""Output of `kws selftest`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table

from kws.host.selftest.verdicts import Check
from kws.tables import make_table


def checks_table(checks: Sequence[Check]) -> Table:
    """A row per check, with a remedy if it failed."""
    headings = ("check", "measured", "expected", "", "what to do")
    table = make_table(*headings, words=range(len(headings)), frame=False)
    for check in checks:
        verdict = "[green]ok[/]" if check.ok else "[bold red]FAIL[/]"
        row = (check.name, check.measured, check.expected, verdict)
        table.add_row(*row, "" if check.ok else check.cure)
    return table


def checks_json(board: str | None, checks: Sequence[Check]) -> str:
    """The checks as JSON."""
    passed = all(check.ok for check in checks)
    rows = [asdict(check) for check in checks]
    return json.dumps({"board": board, "passed": passed, "checks": rows}, indent=2)
