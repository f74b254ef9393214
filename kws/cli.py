"""The command line: parse, call the package, print. No logic lives here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kws.errors import KwsError

app = typer.Typer(
    name="kws",
    help="From spoken words to a microcontroller that hears them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# --- data -----------------------------------------------------------------------------------------

# --- models ---------------------------------------------------------------------------------------

# --- devices --------------------------------------------------------------------------------------

# --- seams ----------------------------------------------------------------------------------------


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from kws import __version__

        print(f"kws {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; a KwsError becomes one line on stderr and its exit code."""
    try:
        app()
    except KwsError as error:
        print(f"kws: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("kws: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe (head, less) has left; nothing is wrong.
        sys.stderr.close()
        sys.exit(0)


__all__ = ["Path", "app", "main"]
