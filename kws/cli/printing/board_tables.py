# SPDX-License-Identifier: Apache-2.0
"""Output of the device commands: tables, and JSON for scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from kws.bundle.bundle import Bundle
from kws.cli.printing.plain_tables import plain_table
from kws.host.build.boards import Board
from kws.host.doctor import Check
from kws.host.emulate.expectations import Row
from kws.host.emulate.faults import FaultRow
from kws.host.emulate.player import HOST, Result
from kws.host.serial.lines import Event, Heard


def rows_of(results: Sequence[Result]) -> list[Row]:
    """The rows of all results."""
    return [row for result in results for row in result.rows]


def pass_rate(results: Sequence[Result]) -> float:
    """Share of rows that are right, 0 to 1."""
    rows = rows_of(results)
    return sum(row.ok for row in rows) / len(rows)


def results_text(
    board: str, bundle: Bundle, results: Sequence[Result], injected: Sequence[FaultRow] = ()
) -> str:
    """A table of all rows, faults of the board, and the total.

    `injected` are deliberately injected faults; they have a separate table.
    """
    rows = rows_of(results)
    lines = [("clip", "expected", "heard", "score", "time", "")]
    lines += [
        (
            row.clip,
            row.expected,
            ", ".join(h.label for h in row.heard) or "-",
            ", ".join(str(h.score) for h in row.heard),
            ", ".join(f"{h.time_ms} ms" for h in row.heard),
            "ok" if row.ok else "MISS",
        )
        for row in rows
    ]
    faults = [
        f"{result.rows[0].clip}: the board reports: {fault}"
        for result in results
        for fault in result.serial.faults
    ]
    faults += [
        f"{result.rows[0].clip}: the board is faulty: {flaw}"
        for result in results
        for flaw in result.serial.flaws
    ]
    faults += [
        f"{result.rows[0].clip}: the host detects: {_events_text(result.host)}"
        for result in results
        if result.host is not None
    ]
    right = sum(row.ok for row in rows)
    alike = "" if board == HOST or faults else ", as on this machine"
    total = f"{right} of {len(rows)} right: {bundle.name} {bundle.sha8} on {board}{alike}"
    if not injected:
        return "\n".join([plain_table(lines), *faults, total])
    says = [("fault or command", "the board reports", "")]
    says += [(row.name, row.said, "ok" if row.ok else "MISS") for row in injected]
    return "\n".join([plain_table(lines), *faults, "", plain_table(says), "", total])


def _events_text(events: Sequence[Event]) -> str:
    return ", ".join(_event_text(event) for event in events) or "nothing"


def _event_text(event: Event) -> str:
    if isinstance(event, Heard):
        return f"{event.label} ({event.score}) @{event.time_ms}ms"
    return f"{type(event).__name__.lower()} @{event.time_ms}ms"


def results_json(
    board: str,
    bundle: Bundle,
    results: Sequence[Result],
    injected: Sequence[FaultRow] = (),
    *,
    passed: bool,
) -> str:
    """The results as JSON."""
    boot = results[0].serial.boot
    return json.dumps(
        {
            "board": board,
            "model": bundle.name,
            "sha256": bundle.sha256,
            "arena_used": boot.arena_used if boot else None,
            "passed": passed,
            "rows": [asdict(row) for row in rows_of(results)],
            "injected_faults": [asdict(row) for row in injected],
            "faults": [fault for result in results for fault in result.serial.faults],
            "flaws": [flaw for result in results for flaw in result.serial.flaws],
            "unlike_host": [r.rows[0].clip for r in results if r.host is not None],
        },
        indent=2,
    )


def boards_text(boards: Sequence[Board]) -> str:
    """One line per board."""
    return plain_table([(board.name, board.title) for board in boards])


def checks_text(checks: Sequence[Check]) -> str:
    """One line per requirement, then the commands that do not work and what to install."""
    rows = [
        (
            "found" if check.present else "optional" if check.optional else "missing",
            check.name,
            check.needed_for,
            check.present or check.remedy,
        )
        for check in checks
    ]
    return "\n".join([plain_table(rows), "", *_missing_lines(checks)])


def _missing_lines(checks: Sequence[Check]) -> list[str]:
    """A sentence per remedy, and one about optional parts."""
    missing: dict[tuple[str, str], list[str]] = {}
    for check in checks:
        if not check.present and not check.optional:
            missing.setdefault((check.needed_for, check.remedy), []).append(check.name)
    lines = [
        f"{commands} cannot run without {', '.join(names)}: {remedy}"
        for (commands, remedy), names in missing.items()
    ] or ["kws can build, test and run models here."]
    if any(not check.present and check.optional for check in checks):
        lines.append("Parts marked optional are needed only by the commands on their lines.")
    return lines


def list_json(items: Sequence[Board] | Sequence[Check]) -> str:
    """Boards or checks as JSON."""
    return json.dumps([asdict(item) for item in items], indent=2)
