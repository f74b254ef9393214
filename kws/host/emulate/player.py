# SPDX-License-Identifier: Apache-2.0
"""Plays recordings to a device, and compares its reports with what is expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from kws.bundle.device import Device
from kws.errors import BoardError
from kws.host.build.boards import find_board
from kws.host.build.firmware import build
from kws.host.build.ring import DEFAULT_HOPS
from kws.host.emulate import host_device
from kws.host.emulate.emulators import emulator
from kws.host.emulate.expectations import Recording, Row, check_reports
from kws.host.emulate.processes import PARALLEL
from kws.host.serial.lines import Event, Serial
from kws.model.evaluate.judge.hits import Report

HOST = "host"
"""Board name that stands for this machine."""


@dataclass(frozen=True)
class Result:
    """A device's output for one recording, and whether it was expected."""

    serial: Serial
    rows: tuple[Row, ...]

    host: tuple[Event, ...] | None = None
    """The different report of the host's pipeline; None if it is the same."""

    @property
    def is_sound(self) -> bool:
        """Whether the device works, whatever the model heard."""
        return not self.serial.faults and not self.serial.flaws and self.host is None


def play_all(
    board: str,
    device: Device,
    recordings: Sequence[Recording],
    progress: Callable[[int], None] = lambda _: None,
    ring_hops: int = DEFAULT_HOPS,
) -> list[Result]:
    """Play each recording to a fresh device, several in parallel, and check the output.

    An emulated board must report what the host's pipeline reports, with the same scores and times:
    otherwise a wrong rate or gain would pass as long as the words are still detected.

    Args:
        board: `host` or an emulated board.
        device: the bundles that it runs.
        recordings: the recordings to play; results have the same order.
        progress: called with 1 after each.
        ring_hops: see `build`.

    Raises:
        BoardError: the board reported a fault.
        ToolError: compiler or emulator are missing or failed.
        UsageError: there is no such board.
    """
    if board == HOST:
        serials = (host_device.play(device, r.sound(device)) for r in recordings)
        checked = zip(recordings, serials, strict=True)
        return [_checked(r, serial, serial, device, progress) for r, serial in checked]
    find_board(board)
    with ThreadPoolExecutor(PARALLEL) as pool, emulator(board) as emulated:
        elf = build(board, device, ring_hops=ring_hops).elf
        return list(
            pool.map(
                lambda r: _checked(
                    r,
                    emulated.play(elf, r.sound(device)),
                    host_device.play(device, r.sound(device)),
                    device,
                    progress,
                ),
                recordings,
            )
        )


def _checked(
    recording: Recording,
    serial: Serial,
    host: Serial,
    device: Device,
    progress: Callable[[int], None],
) -> Result:
    result = check(recording, serial, host, device.words)
    progress(1)
    return result


def check(recording: Recording, serial: Serial, host: Serial, labels: Sequence[str]) -> Result:
    """Check a device's reports against the recording's expectations and the host's reports.

    Args:
        recording: the recording that was played.
        serial: the device's output.
        host: the output of the host's pipeline.
        labels: labels of the model.

    Raises:
        BoardError: the device wrote no boot line.
    """
    if serial.boot is None:
        fault = serial.faults[-1] if serial.faults else "it wrote no boot line"
        raise BoardError(f"the firmware stopped: {fault}")
    lead = recording.lead_ms
    reports = [Report(heard.label, heard.score, heard.time_ms - lead) for heard in serial.heard]
    rows = check_reports(recording.expected, reports, labels)
    unlike = None
    if serial.events != host.events:
        unlike = tuple(replace(event, time_ms=event.time_ms - lead) for event in host.events)
    result = Result(serial, rows, unlike)
    if result.is_sound:
        return result
    return replace(result, rows=tuple(replace(row, ok=False) for row in rows))
