# SPDX-License-Identifier: Apache-2.0
"""Output of commands that make a model: progress, expected performance and a verdict."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kws.cli.option_values import print_tables

if TYPE_CHECKING:
    from kws.model.evaluate.judge.calibration import Calibration
    from kws.model.evaluate.judge.verdict import Verdict


def finish(verdict: Verdict, lines: Sequence[str] = (), *, as_json: bool = False) -> None:
    """Print the verdict; exit with code 1 if a keyword is not detected. All files are kept.

    Args:
        verdict: the verdict on the model.
        lines: lines to print; if empty, the lines of the verdict.
        as_json: whether to print nothing.
    """
    for line in () if as_json else lines or verdict.lines:
        print(line)
    if verdict.deaf:
        raise typer.Exit(1)


def print_calibration(folder: Path, calibration: Calibration) -> None:
    """Print the chosen settings of a bundle, and their expected performance."""
    from kws.cli.printing.tables import kinds_table, latency_line

    settings, look = calibration.settings, calibration.look
    print(
        f"{folder}: thresholds {_thresholds(settings.thresholds)}, window "
        f"{settings.average_window_ms} ms, at least {settings.minimum_count} results, suppression "
        f"{settings.suppression_ms} ms"
    )
    if look:
        print(
            f"second look: thresholds {_thresholds(look.thresholds)}, "
            f"{calibration.looks_per_hour:.0f} looks per hour of talk"
        )
    print("expected, from the validation split:")
    print_tables(kinds_table(calibration.by_kind))
    print(latency_line(calibration.expected))
    print_limiting_talk(calibration)
    if not calibration.has_talk:
        print("not measured: false alarms in talk; pass talk without keywords with --negatives")


def print_limiting_talk(calibration: Calibration) -> None:
    """Print the passages of talk that limit the thresholds, if there are any."""
    if calibration.limiting_talk:
        print(
            "talk that limits the thresholds; if somebody says the word there, leave the passage "
            "out and choose them again:"
        )
    for place in calibration.limiting_talk:
        print(f"  {place.label}: {place.path} near {place.seconds:.1f} s, score {place.score}")


def _thresholds(of_words: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {value}" for word, value in of_words.items())


def line_printer(*, as_json: bool) -> Callable[[str], object]:
    """Prints progress lines of a long command; on stderr if stdout is for JSON."""
    file = sys.stderr if as_json else sys.stdout
    return lambda line: print(line, file=file, flush=True)
