# SPDX-License-Identifier: Apache-2.0
"""Options and arguments that several commands share, and what commands do with them."""

from __future__ import annotations

import dataclasses
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kws.cli.help_pages import (
    complete_board,
    complete_bundle,
    complete_emulated_board,
    complete_real_board,
)
from kws.errors import UsageError
from kws.labels import word_of

if TYPE_CHECKING:
    from rich.table import Table

    from kws.audio.dataset import DataSet
    from kws.audio.surroundings import Surroundings
    from kws.bundle.bundle import Bundle
    from kws.bundle.device import Device
    from kws.host.build.boards import Board
    from kws.host.deploy.board_finder import BoardFinder
    from kws.host.measure.real_time import Schedule


def _bundle_path(text: str) -> Path:
    from kws.bundle.built_in import bundle_path

    return bundle_path(text)


BUNDLE: dict[str, Any] = {
    "parser": _bundle_path,
    "metavar": "<bundle>",
    "autocompletion": complete_bundle,
}
"""Of an option or an argument that names a bundle: its folder, or its name if it is built in."""

ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model",
        **BUNDLE,
        help="Folder of a bundle, or a built-in one: yes_no (the default), ten_words, tiny.",
    ),
]
ThenOption = Annotated[
    Path | None,
    typer.Option(
        "--then",
        **BUNDLE,
        help="Folder of a second bundle. It listens for commands after a keyword of --model.",
    ),
]
PinOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Keyword and pin of the board, as yes=D2: the pin is high for 0.2 s each time the "
        "keyword is heard. Repeat for more."
    ),
]
ForOption = Annotated[
    str | None,
    typer.Option(
        "--for", help="How long the bundle of --then listens for a command.  [default: 5s]"
    ),
]
CompiledOption = Annotated[
    bool,
    typer.Option(
        "--compiled",
        help="Build the model as C++ that calls the kernels, without an interpreter: smaller.",
    ),
]
ChannelOption = Annotated[
    int | None,
    typer.Option(
        "--channel",
        min=1,
        help="The channel of a recording to hear.  [default: the average, or the best one]",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

_DATA = typer.Option("--data", help="Data set: a folder with a folder of recordings per word.")
DataOption = Annotated[Path, _DATA]
OptionalDataOption = Annotated[Path | None, _DATA]

NewDataOption = Annotated[
    Path, typer.Option("--out", help="Folder of the data set. Clips that are there are kept.")
]
WordsOption = Annotated[str, typer.Option("--words", help="Keywords, separated by commas: yes,no.")]

LanguageOption = Annotated[
    str,
    typer.Option(
        "--language",
        "--accents",
        help="Language of the words, or accents with commas: de, or fr-fr,fr-be. "
        "espeak-ng --voices lists the codes.",
    ),
]
NegativesOption = Annotated[
    list[Path] | None,
    typer.Option(help="Folder of long recordings of talk without the keywords. Repeat for more."),
]
NoisesOption = Annotated[
    list[Path] | None, typer.Option(help="Folder of recordings of noise. Repeat for more.")
]
RoomsOption = Annotated[
    list[Path] | None, typer.Option(help="Folder of rooms' impulse responses. Repeat for more.")
]

BoardOption = Annotated[
    str,
    typer.Option("--board", help="A board. kws boards lists them.", autocompletion=complete_board),
]
EmulatedBoardOption = Annotated[
    str,
    typer.Option(
        "--board",
        help="An emulated board, or host: this machine.",
        autocompletion=complete_emulated_board,
    ),
]
RealBoardOption = Annotated[
    str,
    typer.Option(
        "--board", help="A real board, such as nano33ble.", autocompletion=complete_real_board
    ),
]
ConnectedBoardOption = Annotated[
    str | None,
    typer.Option(
        "--board",
        help="A real board. The default is any that is connected.",
        autocompletion=complete_real_board,
    ),
]
BoardPortOption = Annotated[
    str | None,
    typer.Option("--port", help="Serial port of the board. The default is found by its USB id."),
]
PortOption = Annotated[
    str | None,
    typer.Option(
        help="Serial port of a board that is the microphone; auto finds it by its USB id."
    ),
]


def setting_option(settings: type, name: str, flag: str) -> Any:
    """An option for a field that `setting` made, with the field's range, help and default."""
    field = next(field for field in dataclasses.fields(settings) if field.name == name)
    return typer.Option(
        flag,
        min=field.metadata["low"],
        max=field.metadata["high"],
        help=field.metadata["help"],
        show_default=str(field.default),
    )


def refuse_built_in(path: Path, out: Path | None) -> None:
    """What changes a bundle in its folder leaves the built-in ones as they are."""
    from kws.bundle.built_in import is_built_in

    if out is None and is_built_in(path):
        raise UsageError(
            f"{path.name}: a built-in bundle stays as it is; name a new one with --out"
        )


def open_data(path: Path) -> DataSet:
    """What can be used of the data set in a folder; what the user has to know about it is said."""
    from kws.audio.layout.usable_clips import open_usable

    return open_usable(path)


def bundle_text(value: object) -> str:
    """The value of an option as the user may type it again: a built-in bundle by its name."""
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
    path: Path | None, then: Path | None, listen_for: str | None, *, compiled: bool = False
) -> Device:
    """The bundle of `--model`, followed by that of `--then` for the time of `--for`."""
    from kws.bundle.device import LISTEN_MS, Device, with_commands

    device = Device(open_bundle(path))
    if then is not None:
        listen_ms = LISTEN_MS if listen_for is None else _milliseconds("--for", listen_for)
        device = with_commands(device.bundle, open_bundle(then), listen_ms)
    elif listen_for is not None:
        raise UsageError("--for says how long a second bundle listens; name it with --then")
    return device.as_compiled() if compiled else device


def schedule_of(board: Board, device: Device) -> Schedule:
    """What `device` takes of the board's time; says so where that cannot be estimated."""
    from kws.host.measure.real_time import schedule

    plan = schedule(board, device)
    if plan.unknown:
        print(
            f"kws: whether {board.name} keeps up is not known, its ring holds {plan.ring_ms} ms: "
            f"{plan.unknown}",
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
    """What finds the board that `--port` and `--board` name; None and auto: by its USB id."""
    from kws.host.deploy.board_finder import BoardFinder
    from kws.host.deploy.real_board import find_real_board, real_boards

    kinds = [find_real_board(board)] if board else list(real_boards().values())
    return BoardFinder(tuple(kinds), None if port == "auto" else port, baud)


def print_tables(*tables: Table) -> None:
    """Print tables one after the other, as wide as the terminal is."""
    from rich.console import Console

    from kws.cli.printing.narrow_tables import fitting

    console = Console(highlight=False)
    for table in tables:
        console.print(fitting(table, console))


def accents_of(languages: str) -> tuple[str, ...]:
    """espeak-ng's codes for the languages and accents of `--language`."""
    from kws.audio.tts.engines import espeak

    codes = split_words(languages)
    if not codes:
        raise UsageError("--language: name a language, such as de")
    return tuple(dict.fromkeys(accent for code in codes for accent in espeak.accents_of(code)))


def split_words(words: str) -> tuple[str, ...]:
    """The words of an option such as `--words yes,no`."""
    return tuple(word_of(word) for word in words.split(",") if word.strip())
