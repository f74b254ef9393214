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
    """A bar that goes when the block ends; yields a function that moves it on by so many steps.

    Where stderr is no terminal (a log file, a pipe), nothing is drawn.

    Args:
        title: what is going on, in a few words.
        total: steps in all; None if that is not known.
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
