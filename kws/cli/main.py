# SPDX-License-Identifier: Apache-2.0
"""The command line `kws`: the app with its groups of commands, and how errors are reported."""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated

import typer

from kws.cli import data_commands
from kws.cli.command_table import EXPORTS, GET_VOICE, GROUPS, stoppable
from kws.cli.help_pages import GroupedCommands, PlainCommand
from kws.cli.printing.plain_text import write_what_fits
from kws.errors import KwsError
from kws.home import ensure_home

app = typer.Typer(
    name="kws",
    cls=GroupedCommands,
    help="From spoken words to a microcontroller that hears them.",
    epilog="kws COMMAND --help shows the options of a command, with an example.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for title, commands in GROUPS.items():
    for command in commands:
        app.command(command.name, cls=PlainCommand, rich_help_panel=title, epilog=command.epilog)(
            stoppable(command)
        )

export = typer.Typer(cls=GroupedCommands, no_args_is_help=True)
for word, command in EXPORTS.items():
    export.command(word, cls=PlainCommand, epilog=command.epilog)(stoppable(command))
app.add_typer(export, name="export", rich_help_panel="Tools")

voices = typer.Typer(cls=GroupedCommands)
voices.command("get", cls=PlainCommand, epilog=GET_VOICE.epilog)(stoppable(GET_VOICE))
voices.callback(invoke_without_command=True)(data_commands.voices)
app.add_typer(voices, name="voices", rich_help_panel="Data", epilog=GET_VOICE.epilog)


@export.callback()
def _export() -> None:
    """Write a model in a form that runs without kws."""


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        from kws import __version__

        print(f"kws {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; a KwsError becomes one line on stderr and its exit code.

    Ctrl-C exits with code 130 and prints a line about the kept files.
    """
    write_what_fits()
    try:
        try:
            ensure_home()
            app()
        finally:
            sys.stdout.flush()  # so that an error is handled below, not when Python exits
    except KwsError as error:
        print(f"kws: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of a pipe (head, less) has closed it: not an error.
        _discard_output()
        sys.exit(0)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _discard_output()
        print("kws: no space left for the output", file=sys.stderr)
        sys.exit(1)


def _discard_output() -> None:
    """Discard buffered text, so that Python does not write it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
