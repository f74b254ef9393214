# SPDX-License-Identifier: Apache-2.0
"""Options and arguments that several commands share."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from kws.cli.help_pages import (
    complete_board,
    complete_bundle,
    complete_emulated_board,
    complete_real_board,
)


def _bundle_path(text: str) -> Path:
    from kws.bundle.built_in import bundle_path

    return bundle_path(text)


BUNDLE: dict[str, Any] = {
    "parser": _bundle_path,
    "metavar": "<bundle>",
    "autocompletion": complete_bundle,
}
"""Settings of options and arguments for a bundle: a folder, or a built-in name."""

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
        help="Keyword and pin of the board, such as yes=D2: the pin is high for 0.2 s each time "
        "the keyword is heard. Repeat for more."
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
NoVerifyOption = Annotated[
    bool,
    typer.Option(
        "--no-verify",
        help="Leave out the bundles' second looks: report what the first model proposes.",
    ),
]
ChannelOption = Annotated[
    int | None,
    typer.Option(
        "--channel",
        min=1,
        help="Channel of a recording to use.  [default: the average, or the best one]",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

_DATA = typer.Option("--data", help="Data set: a folder with a folder of recordings per word.")
DataOption = Annotated[Path, _DATA]
OptionalDataOption = Annotated[Path | None, _DATA]

NewDataOption = Annotated[
    Path, typer.Option("--out", help="Folder of the data set. Existing clips are kept.")
]
WordsOption = Annotated[str, typer.Option("--words", help="Keywords, separated by commas: yes,no.")]

LanguageOption = Annotated[
    str,
    typer.Option(
        "--language",
        "--accents",
        help="Language of the words, or accents separated by commas: de, or fr-fr,fr-be. "
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
    list[Path] | None, typer.Option(help="Folder of room impulse responses. Repeat for more.")
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
    typer.Option(
        "--port",
        help="Serial port of the board, or kws studio's browser.port for a board at the browser. "
        "The default is found by its USB id.",
    ),
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
