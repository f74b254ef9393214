# SPDX-License-Identifier: Apache-2.0
"""What the device commands print: tables for people, JSON for scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from kws.bundle.bundle import Bundle
from kws.host.build.boards import Board
from kws.host.build.elf_sections import Size
from kws.host.build.firmware import Firmware
from kws.host.doctor import Check
from kws.host.emulate.faults import FaultRow
from kws.host.emulate.matrix import Result, Row
from kws.host.measure.footprint import OTHER, Footprint, read_footprint
from kws.host.measure.real_time import Schedule
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
    """A table with a line for each row, faults of the board, and the sum.

    `injected` are the faults that were made on purpose; they have a table of their own.
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
        f"{result.rows[0].clip}: the board says: {fault}"
        for result in results
        for fault in result.serial.faults
    ]
    faults += [
        f"{result.rows[0].clip}: the host hears: {_events_text(result.host)}"
        for result in results
        if result.host is not None
    ]
    right = sum(row.ok for row in rows)
    total = f"{right} of {len(rows)} right: {bundle.name} {bundle.sha8} on {board}"
    if not injected:
        return "\n".join([_table(lines), *faults, total])
    says = [("fault or command", "the board says", "")]
    says += [(row.name, row.said, "ok" if row.ok else "MISS") for row in injected]
    return "\n".join([_table(lines), *faults, "", _table(says), "", total])


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
    """The same for a script."""
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
            "unlike_host": [r.rows[0].clip for r in results if r.host is not None],
        },
        indent=2,
    )


def serial_text(results: Sequence[Result]) -> str:
    """What was written, byte for byte; with several clips each after a line with its name."""
    if len(results) == 1:
        return results[0].serial.text
    return "".join(f"# {result.rows[0].clip}\n{result.serial.text}" for result in results)


def size_text(
    board: Board, firmware: Firmware, plan: Schedule, interpreted: Firmware | None = None
) -> str:
    """What a firmware takes of the board's flash, RAM and time, part by part, and where it lies.

    Args:
        board: what it is for.
        firmware: what was built.
        plan: what it takes of the board's time.
        interpreted: the same with an interpreter; None if that is what was built.
    """
    size = firmware.size
    footprint = read_footprint(firmware.map)
    parts = _parts(firmware, footprint)
    rows = [("bytes", "flash", "RAM")]
    rows += [
        (f"  {part}", f"{flash:,}" if flash else "-", f"{ram:,}" if ram else "-")
        for part, (flash, ram) in parts.items()
    ]
    rows += [
        ("  together", f"{size.flash:,}", f"{size.ram:,}"),
        ("  left", f"{board.flash - size.flash:,}", f"{board.ram - size.ram:,}"),
    ]
    program = size.flash - size.model
    return (
        f"flash {size.flash} bytes ({size.model} the model, {program} the program), "
        f"RAM {size.ram} bytes ({size.arena} arena, {size.stack} stack)\n"
        f"{_right_table(rows)}\n"
        f"{_kernels_text(footprint)}\n"
        f"{_difference_text(size, interpreted)}"
        f"{_load_text(plan)}"
        f"firmware {firmware.elf}"
    )


def _difference_text(size: Size, interpreted: Firmware | None) -> str:
    """What the interpreter would cost more."""
    if interpreted is None:
        return ""
    flash, ram = interpreted.size.flash, interpreted.size.ram
    return (
        f"compiled: flash {size.flash} bytes, RAM {size.ram}; "
        f"with an interpreter {flash} and {ram} "
        f"({flash - size.flash} and {ram - size.ram} more)\n"
    )


def _load_text(plan: Schedule) -> str:
    """A line for each bundle, and one for the ring of samples; none for a board without a clock."""
    if not plan.loads:
        return ""
    lines = [
        f"{load.bundle}: an inference takes {load.inference_ms:.1f} ms every {load.every_ms} ms; "
        f"with all else {load.share:.0%} of {load.clock_mhz:g} MHz, by estimate"
        for load in plan.loads
    ]
    return "\n".join([*lines, f"the ring of samples holds {plan.ring_ms} ms\n"])


def _parts(firmware: Firmware, footprint: Footprint) -> dict[str, tuple[int, int]]:
    """Flash and RAM of each part, arena and stack apart from the rest; together they are `size`."""
    size = firmware.size
    parts = {
        part: (footprint.flash.get(part, 0), footprint.ram.get(part, 0))
        for part in (*footprint.flash, *(p for p in footprint.ram if p not in footprint.flash))
        if part != OTHER
    }
    flash, ram = parts["pipeline"]
    parts["pipeline"] = flash, ram - size.arena  # it is main.cc's
    parts |= {"arena": (0, size.arena), "stack": (0, size.stack)}
    parts[OTHER] = (
        size.flash - sum(flash for flash, _ in parts.values()),
        size.ram - sum(ram for _, ram in parts.values()),
    )
    return parts


def _kernels_text(footprint: Footprint) -> str:
    """The flash of each kernel's file; several ops may share one."""
    rows = [(f"  {name}", f"{size:,}".rjust(7)) for name, size in footprint.kernels.items() if size]
    return f"flash of the ops, bytes by file: {sum(footprint.kernels.values()):,}\n{_table(rows)}"


def size_json(
    board: Board, firmware: Firmware, plan: Schedule, interpreted: Firmware | None = None
) -> str:
    """The same for a script."""
    footprint = read_footprint(firmware.map)
    return json.dumps(
        {
            "board": board.name,
            "elf": str(firmware.elf),
            **asdict(firmware.size),
            "limits": {"flash": board.flash, "ram": board.ram},
            "parts": {
                part: {"flash": flash, "ram": ram}
                for part, (flash, ram) in _parts(firmware, footprint).items()
            },
            "kernels": footprint.kernels,
            "loads": [asdict(load) for load in plan.loads],
            "ring_ms": plan.ring_ms,
            **({"interpreted": asdict(interpreted.size)} if interpreted else {}),
        },
        indent=2,
    )


def boards_text(boards: Sequence[Board]) -> str:
    """A line a board."""
    return _table([(board.name, board.title) for board in boards])


def checks_text(checks: Sequence[Check]) -> str:
    """A line for each thing that is needed, with what to do if it is missing."""
    return _table(
        [
            (
                "found" if check.present else "optional" if check.optional else "missing",
                check.name,
                check.needed_for,
                check.present or check.remedy,
            )
            for check in checks
        ]
    )


def list_json(items: Sequence[Board] | Sequence[Check]) -> str:
    """Boards or checks for a script."""
    return json.dumps([asdict(item) for item in items], indent=2)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _right_table(rows: Sequence[tuple[str, ...]]) -> str:
    """Names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        )
        for row in rows
    )
