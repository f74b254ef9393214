# SPDX-License-Identifier: Apache-2.0
"""Commands on a board's serial port."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.options import (
    BoardPortOption,
    ConnectedBoardOption,
    JsonOption,
    board_finder,
    print_tables,
)
from kws.errors import UsageError


def monitor(
    *,
    board: ConnectedBoardOption = None,
    port: BoardPortOption = None,
    baud: Annotated[
        int, typer.Option(min=2400, help="Rate of a serial adapter. A USB port ignores it.")
    ] = 115200,
    level: Annotated[
        bool, typer.Option("--level", help="Ask the board each second how loud it is.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(help="Save the board's microphone to this WAV file, then exit."),
    ] = None,
    seconds: Annotated[
        int, typer.Option(min=1, max=600, help="Length of the recording of --record, in seconds.")
    ] = 5,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print one CSV row per line.")] = False,
) -> None:
    """Show what a board writes, and send what you type, until Ctrl-C.

    --record saves what its microphone hears.
    """
    from contextlib import suppress

    from kws.audio.sound_files import write_clip
    from kws.host.deploy import monitor as watch
    from kws.host.deploy.sound_recording import record_sound

    if as_json and as_csv:
        raise UsageError("--json and --csv were both given; choose one")
    show = watch.show_json() if as_json else watch.show_csv() if as_csv else watch.show_text()
    finder = board_finder(port, board, baud)
    if record:
        done = record_sound(finder, seconds, lambda arrival: watch.show_arrival(arrival, show))
        write_clip(record, done.pcm)
        print(watch.recording_text(record, done), file=sys.stderr)
        if done.lost or done.missing:
            raise typer.Exit(1)
        return
    with suppress(KeyboardInterrupt):
        typed = watch.keyboard()
        watch.Monitor(finder.boards, finder.wanted, show, baud, typed=typed, level=level).run()


def selftest(
    *,
    board: ConnectedBoardOption = None,
    port: BoardPortOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a board: microphone, clocks, load. It says what is wrong and what to do.

    You are asked to be quiet for some seconds and then to speak.
    """
    from kws.cli.printing import selftest_tables
    from kws.host.build.boards import find_board
    from kws.host.live.views import tell
    from kws.host.selftest import verdicts
    from kws.host.selftest.measuring import SilentBoardError, measure

    _, link = board_finder(port, board).first()
    name: str | None = None
    with link:
        try:
            measured = measure(link, tell)
        except SilentBoardError as error:
            rows = verdicts.silent_checks(error)
        else:
            name = measured.board
            rows = verdicts.checks(measured, find_board(name).core_hz)
    if as_json:
        print(selftest_tables.checks_json(name, rows))
    else:
        print_tables(selftest_tables.checks_table(rows))
    if not all(row.ok for row in rows):
        raise typer.Exit(1)
