# SPDX-License-Identifier: Apache-2.0
"""Turns values of shared options into data sets, bundles, devices, boards and words."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kws.errors import UsageError
from kws.labels import keyword_labels, word_of

if TYPE_CHECKING:
    from rich.table import Table

    from kws.audio.dataset import DataSet
    from kws.audio.surroundings import Surroundings
    from kws.bundle.bundle import Bundle
    from kws.bundle.device import Device
    from kws.host.build.boards import Board
    from kws.host.deploy.board_finder import BoardFinder
    from kws.host.measure.real_time import Schedule


def refuse_built_in(path: Path, out: Path | None) -> None:
    """Raises UsageError for a built-in bundle, which must not be changed."""
    from kws.bundle.built_in import is_built_in

    if out is None and is_built_in(path):
        raise UsageError(
            f"{path.name}: a built-in bundle cannot be changed; choose a new one with --out"
        )


def open_data(path: Path) -> DataSet:
    """The usable part of a data set; its notes go to stderr."""
    from kws.audio.layout.usable_clips import open_usable

    return open_usable(path)


def bundle_text(value: object) -> str:
    """The value for a command line: a built-in bundle by its name."""
    from kws.bundle.built_in import is_built_in

    if isinstance(value, Path):
        return shlex.quote(value.name if is_built_in(value) else str(value))
    return shlex.quote(str(value))


def open_bundle(path: Path | None) -> Bundle:
    """The bundle that `--model` names, or the built-in one."""
    from kws.bundle.built_in import default_bundle_path
    from kws.bundle.reading import load_bundle

    return load_bundle(path or default_bundle_path())


def open_device(
    path: Path | None,
    then: Path | None,
    listen_for: str | None,
    *,
    compiled: bool = False,
    no_verify: bool = False,
) -> Device:
    """The bundle of `--model`, followed by the bundle of `--then` for the time of `--for`."""
    from kws.bundle.device import LISTEN_MS, Device, with_commands

    device = Device(open_bundle(path))
    if then is not None:
        listen_ms = LISTEN_MS if listen_for is None else _milliseconds("--for", listen_for)
        device = with_commands(device.bundle, open_bundle(then), listen_ms)
    elif listen_for is not None:
        raise UsageError("--for is the time of a second bundle; pass it with --then")
    if no_verify:
        device = device.without_second_looks()
    return device.as_compiled() if compiled else device


def schedule_of(board: Board, device: Device) -> Schedule:
    """The load of `device` on a board; a line on stderr if it cannot be estimated."""
    from kws.host.measure.real_time import schedule

    plan = schedule(board, device)
    if plan.unknown:
        print(
            f"kws: it is unknown whether {board.name} keeps up; its sample ring holds "
            f"{plan.ring_ms} ms: {plan.unknown}",
            file=sys.stderr,
            flush=True,
        )
    return plan


def _milliseconds(option: str, text: str) -> int:
    """A time such as `5s`, `2.5s` or `800ms`."""
    match = re.fullmatch(r"(\d+|\d+\.\d+)(ms|s)", text.strip())
    if match is None:
        raise UsageError(f"{option} {text!r}: write a time with its unit, such as 5s or 1500ms")
    return round(float(match[1]) * (1000 if match[2] == "s" else 1))


def surroundings(
    negatives: list[Path] | None,
    noises: list[Path] | None = None,
    rooms: list[Path] | None = None,
) -> Surroundings:
    """The folders that `--negatives`, `--noises` and `--rooms` name."""
    from kws.audio.surroundings import Surroundings

    return Surroundings(tuple(negatives or ()), tuple(noises or ()), tuple(rooms or ()))


def board_finder(port: str | None, board: str | None = None, baud: int = 115200) -> BoardFinder:
    """A finder for `--port` and `--board`; None and auto find the board by its USB id."""
    from kws.host.deploy.board_finder import BoardFinder
    from kws.host.deploy.real_board import find_real_board, real_boards
    from kws.host.serial import ports

    kinds = [find_real_board(board)] if board else list(real_boards().values())
    lister, chosen = ports.choose(None if port == "auto" else port)
    return BoardFinder(tuple(kinds), chosen, baud, lister)


def print_tables(*tables: Table) -> None:
    """Print tables at the width of the terminal."""
    from rich.console import Console

    from kws.cli.printing.narrow_tables import fitting

    console = Console(highlight=False)
    for table in tables:
        console.print(fitting(table, console))


def accents_of(languages: str) -> tuple[str, ...]:
    """espeak-ng's codes for the languages and accents of `--language`."""
    from kws.audio.tts.engines import espeak

    accents = espeak.accents_in(languages)
    if not accents:
        raise UsageError("--language: pass a language, such as de")
    return accents


def split_words(words: str) -> tuple[str, ...]:
    """The words of an option such as `--words yes,no`."""
    return tuple(word_of(word) for word in words.split(",") if word.strip())


def labels_of(phrase: str, words: str, name: str | None) -> tuple[str, ...]:
    """The labels of a phrase, or of `--words`; `--name` names the label of a phrase."""
    if phrase and words:
        raise UsageError("a phrase and --words cannot be combined; give one of them")
    return keyword_labels(split_words(words), phrase, name)
