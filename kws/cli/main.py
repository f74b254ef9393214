# SPDX-License-Identifier: Apache-2.0
"""The command line `kws`: its commands in the order of its help, and what becomes of errors."""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated

import typer

from kws.cli import (
    board_commands,
    bundle_commands,
    data_commands,
    evaluation_commands,
    live_commands,
    port_commands,
    training_commands,
)
from kws.errors import KwsError

COMMANDS = (
    data_commands.synth,
    data_commands.voices,
    data_commands.record,
    data_commands.download,
    data_commands.stats,
    training_commands.train,
    training_commands.models,
    training_commands.wake,
    training_commands.sweep,
    evaluation_commands.evaluate,
    evaluation_commands.calibrate,
    evaluation_commands.enroll,
    evaluation_commands.mine_command,
    bundle_commands.convert,
    bundle_commands.run,
    live_commands.listen,
    board_commands.build,
    board_commands.test,
    board_commands.deploy,
    port_commands.selftest,
    port_commands.monitor,
    board_commands.bench,
    board_commands.boards,
    board_commands.doctor,
    bundle_commands.features,
    bundle_commands.infer,
)

app = typer.Typer(
    name="kws",
    help="From spoken words to a microcontroller that hears them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in COMMANDS:
    app.command(command.__name__.removesuffix("_command"))(command)

export = typer.Typer(no_args_is_help=True)
export.command("web")(bundle_commands.export_web)
app.add_typer(export, name="export")


@export.callback()
def _export() -> None:
    """Write a model in a form that runs without kws."""


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.")
    ] = False,
) -> None:
    if version:
        from kws import __version__

        print(f"kws {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; a KwsError becomes one line on stderr and its exit code.

    Ctrl-C gives exit code 130, without a word: that is Typer's work.
    """
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # what fails here fails below, not when Python exits
    except KwsError as error:
        print(f"kws: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of a pipe (head, less) has closed it; nothing is wrong.
        _discard_output()
        sys.exit(0)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _discard_output()
        print("kws: no space left where the output goes", file=sys.stderr)
        sys.exit(1)


def _discard_output() -> None:
    """Text that is still buffered is not written again when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
