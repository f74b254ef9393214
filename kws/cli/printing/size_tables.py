# SPDX-License-Identifier: Apache-2.0
"""Tables of a firmware's use of a board, and of a model's use of every board."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from kws.cli.printing.plain_tables import plain_table
from kws.host.build.boards import Board
from kws.host.build.elf_sections import Size
from kws.host.build.firmware import Firmware
from kws.host.measure.board_fit import BoardFit
from kws.host.measure.footprint import OTHER, Footprint, read_footprint
from kws.host.measure.real_time import Schedule


def size_text(
    board: Board,
    firmware: Firmware,
    plan: Schedule,
    following: str,
    interpreted: Firmware | None = None,
) -> str:
    """A firmware's use of flash, RAM and time, its file, and the next command.

    Args:
        board: the board of the firmware.
        firmware: the built firmware.
        plan: the firmware's use of the board's time.
        following: the command to run next.
        interpreted: the same firmware with an interpreter; None if `firmware` has one.
    """
    size = firmware.size
    rows = [
        ("flash", _of(size.flash, board.flash), f"{size.model:,} model"),
        ("RAM", _of(size.ram, board.ram), f"{size.arena:,} arena, {size.stack:,} stack"),
    ]
    rows += [
        (
            "processor",
            f"{load.share:.0%} of {load.clock_mhz:g} MHz",
            f"{load.bundle}: {load.inference_ms:.1f} ms per inference every {load.every_ms} ms*"
            + (f", {load.look_ms:.0f} ms per second look" if load.look_ms else ""),
        )
        for load in plan.loads
    ]
    rows += [("firmware", str(firmware.elf), "")]
    note = "* estimated from cycles counted in QEMU\n" if plan.loads else ""
    return f"{_difference_text(size, interpreted)}{plain_table(rows)}\n{note}next: {following}"


def details_text(board: Board, firmware: Firmware, plan: Schedule) -> str:
    """Flash and RAM by part, the flash of each kernel's file, and the length of the sample ring."""
    size = firmware.size
    footprint = read_footprint(firmware.map)
    rows = [("bytes", "flash", "RAM")]
    rows += [
        (f"  {part}", f"{flash:,}" if flash else "-", f"{ram:,}" if ram else "-")
        for part, (flash, ram) in _parts(firmware, footprint).items()
    ]
    rows += [
        ("  together", f"{size.flash:,}", f"{size.ram:,}"),
        ("  left", f"{board.flash - size.flash:,}", f"{board.ram - size.ram:,}"),
    ]
    return (
        f"{plain_table(rows, right=True)}\n{_kernels_text(footprint)}\n"
        f"the sample ring holds {plan.ring_ms} ms\n"
    )


def fits_text(model: str, fits: Sequence[BoardFit]) -> str:
    """One line per board, and the origin of the figures."""
    rows = [(model, "ms per inference", "every", "processor", "flash", "RAM", "fits")]
    for fit in fits:
        load = fit.load
        rows.append(
            (
                fit.board.name,
                f"{load.inference_ms:.1f}" if load else "-",
                f"{load.every_ms} ms" if load else "-",
                f"{load.share:.0%}" if load else "-",
                _share(fit.flash, fit.board.flash),
                _share(fit.ram, fit.board.ram),
                "yes" if fit.fits else f"no: {', '.join(fit.problems)}",
            )
        )
    notes = [
        "flash and RAM: of built firmware; in brackets the share of the board's memory",
        "ms and processor: estimates from cycles counted in QEMU, without wait states of the flash",
    ]
    notes += sorted({f"not estimated: {fit.unknown}" for fit in fits if fit.unknown})
    if any(not fit.load and not fit.unknown for fit in fits):
        notes.append("-: this emulated board does not measure execution time")
    return "\n".join([plain_table(rows, right=True, last_left=True), *notes])


def fits_json(model: str, fits: Sequence[BoardFit]) -> str:
    """The same as JSON."""
    return json.dumps(
        {
            "model": model,
            "boards": [
                {
                    "board": fit.board.name,
                    "fits": fit.fits,
                    "problems": list(fit.problems),
                    "inference_ms": fit.load.inference_ms if fit.load else None,
                    "every_ms": fit.load.every_ms if fit.load else None,
                    "processor_share": fit.load.share if fit.load else None,
                    "clock_mhz": fit.load.clock_mhz if fit.load else None,
                    "time_is": "estimated" if fit.load else None,
                    "flash": fit.flash,
                    "ram": fit.ram,
                    "sizes_are": "built" if fit.built else "lower bounds from the linker",
                    "limits": {"flash": fit.board.flash, "ram": fit.board.ram},
                }
                for fit in fits
            ],
        },
        indent=2,
    )


def _of(size: int, limit: int) -> str:
    return f"{size:,} of {limit:,} bytes, {size / limit:.0%}"


def _share(size: int | None, limit: int) -> str:
    return "-" if size is None else f"{size:,} ({size / limit:.0%})"


def _difference_text(size: Size, interpreted: Firmware | None) -> str:
    """The additional cost of the interpreter."""
    if interpreted is None:
        return ""
    flash, ram = interpreted.size.flash, interpreted.size.ram
    return (
        f"compiled: flash {size.flash} bytes, RAM {size.ram}; "
        f"with an interpreter {flash} and {ram} "
        f"({flash - size.flash} and {ram - size.ram} more)\n"
    )


def _parts(firmware: Firmware, footprint: Footprint) -> dict[str, tuple[int, int]]:
    """Flash and RAM of each part, with arena and stack separate; they add up to `size`."""
    size = firmware.size
    parts = {
        part: (footprint.flash.get(part, 0), footprint.ram.get(part, 0))
        for part in (*footprint.flash, *(p for p in footprint.ram if p not in footprint.flash))
        if part != OTHER
    }
    flash, ram = parts["pipeline"]
    parts["pipeline"] = flash, ram - size.arena  # the arena belongs to main.cc
    parts |= {"arena": (0, size.arena), "stack": (0, size.stack)}
    parts[OTHER] = (
        size.flash - sum(flash for flash, _ in parts.values()),
        size.ram - sum(ram for _, ram in parts.values()),
    )
    return parts


def _kernels_text(footprint: Footprint) -> str:
    """The flash of each kernel's file; several ops may share one."""
    rows = [(f"  {name}", f"{size:,}".rjust(7)) for name, size in footprint.kernels.items() if size]
    return (
        f"flash of the ops, bytes by file: {sum(footprint.kernels.values()):,}\n{plain_table(rows)}"
    )


def size_json(
    board: Board, firmware: Firmware, plan: Schedule, interpreted: Firmware | None = None
) -> str:
    """The same as JSON."""
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
