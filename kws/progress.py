# SPDX-License-Identifier: Apache-2.0
"""Progress and notices, on stderr, so that stdout has only a command's output."""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

LINE_SECONDS = 30.0
"""Minimum time between two lines without a terminal."""

_NARROW = 60  # columns; if there are fewer, the counts need the bar's space


@functools.lru_cache(maxsize=1024)
def notice(line: str) -> None:
    """Write a line to stderr, once per process."""
    sys.stderr.write(f"kws: {line}\n")
    sys.stderr.flush()


@contextlib.contextmanager
def progress_bar(
    title: str, total: int | None, *, unit: str = "items"
) -> Iterator[Callable[[int], None]]:
    """Show a bar until the block ends; yields a function that advances it by a number of steps.

    If stderr is not a terminal, it writes plain lines instead, at most one per `LINE_SECONDS`.

    Args:
        title: the work, in a few words.
        total: number of steps; None if unknown.
        unit: "items", or "bytes" for a transfer (with sizes and speed).
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(console, title, total)
        return
    counts: list[ProgressColumn] = [MofNCompleteColumn()]
    if unit == "bytes":
        counts = [DownloadColumn(), TransferSpeedColumn()]
    narrow = console.width < _NARROW
    bar = Progress(
        TextColumn("{task.description}"),
        *([] if narrow else [BarColumn()]),
        *counts,
        *([] if narrow else [TimeElapsedColumn()]),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda steps: bar.advance(task, steps)


def _lines(console: Console, title: str, total: int | None) -> Callable[[int], None]:
    done = 0
    written = time.monotonic()

    def advance(steps: int) -> None:
        nonlocal done, written
        done += steps
        if time.monotonic() - written >= LINE_SECONDS:
            written = time.monotonic()
            of = "" if total is None else f" of {total}"
            console.print(f"{title}: {done}{of}", soft_wrap=True, markup=False, highlight=False)

    return advance
