# SPDX-License-Identifier: Apache-2.0
"""Progress of long work, on stderr, so that what a command prints on stdout stays clean."""

from __future__ import annotations

import contextlib
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


@contextlib.contextmanager
def progress_bar(
    title: str, total: int | None, *, unit: str = "items"
) -> Iterator[Callable[[int], None]]:
    """A bar until the block ends; yields a function that advances it by a number of steps.

    If stderr is not a terminal (a file, a pipe), nothing is drawn.

    Args:
        title: what is done, in a few words.
        total: all steps; None if unknown.
        unit: "items", or "bytes" for a transfer (sizes and speed are shown).
    """
    counts: list[ProgressColumn] = [MofNCompleteColumn()]
    if unit == "bytes":
        counts = [DownloadColumn(), TransferSpeedColumn()]
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *counts,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda steps: bar.advance(task, steps)
