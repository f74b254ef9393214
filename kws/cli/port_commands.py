# SPDX-License-Identifier: Apache-2.0
"""Commands on a connected board."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.option_values import board_finder, open_device, print_tables, schedule_of
from kws.cli.options import (
    BoardPortOption,
    CompiledOption,
    ConnectedBoardOption,
    ForOption,
    JsonOption,
    ModelOption,
    NoVerifyOption,
    PinOption,
    RealBoardOption,
    ThenOption,
)
from kws.errors import UsageError
from kws.files import descriptor


def deploy(
    *,
    board: RealBoardOption,
    model: ModelOption = None,
    then: ThenOption = None,
    listen_for: ForOption = None,
    no_verify: NoVerifyOption = False,
    compiled: CompiledOption = False,
    port: BoardPortOption = None,
    loader: Annotated[
        str | None,
        typer.Option(help="Bootloader of the board, if not the usual one: ambiq (sparkfun_edge)."),
    ] = None,
    probe: Annotated[
        bool, typer.Option("--probe", help="Write through a debug probe instead of the bootloader.")
    ] = False,
    pin: PinOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build firmware, write it to a board, verify and start it."""
    from dataclasses import asdict

    from kws.host.build.boards import find_board
    from kws.host.build.firmware import build as build_firmware
    from kws.host.build.firmware_cache import added_options
    from kws.host.deploy import deployment
    from kws.host.deploy.image import read_elf
    from kws.host.deploy.loaders.probe import steps as probe_steps
    from kws.host.deploy.real_board import BROWSER_TIMING, Bench, Timing, find_real_board
    from kws.host.serial import ports
    from kws.host.serial.browser_serial import is_browser_port
    from kws.progress import progress_bar

    real_board = find_real_board(board, loader)
    device = open_device(model, then, listen_for, compiled=compiled, no_verify=no_verify)
    lister, chosen = ports.choose(port)
    is_remote = port is not None and is_browser_port(port)
    if is_remote and not probe and not real_board.over_serial:
        raise UsageError(
            f"{board} cannot be written through a browser; run kws deploy where its cable is"
        )
    if not probe:
        # A missing board is an error before the user waits for a build.
        present = lister()
        if deployment.needs_port(real_board, chosen, present):
            deployment.find_port(real_board, chosen, present)
    with progress_bar(f"building for {board}", None), added_options(real_board.options):
        plan = schedule_of(find_board(board), device)
        firmware = build_firmware(board, device, pins=pin or (), ring_hops=plan.ring_hops)
    image = read_elf(firmware.elf, real_board.memory)
    way = deployment.deploy_by_probe if probe else deployment.deploy
    steps = probe_steps(image) if probe else real_board.steps(image)
    if real_board.hint and not probe:
        print(f"kws: {real_board.hint}", file=sys.stderr, flush=True)
    with progress_bar(f"writing to {real_board.title}", steps) as advance:
        bench = Bench(lister, BROWSER_TIMING if is_remote else Timing(), advance)
        done = way(real_board, image, chosen, bench)
    print(dumps(asdict(done)) if as_json else deployment.text(done))


def monitor(
    *,
    board: ConnectedBoardOption = None,
    port: BoardPortOption = None,
    baud: Annotated[
        int, typer.Option(min=2400, help="Baud rate of a serial adapter. A USB port ignores it.")
    ] = 115200,
    level: Annotated[
        bool, typer.Option("--level", help="Request the board's sound level every second.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(help="Save sound from the board's microphone to this WAV file, then exit."),
    ] = None,
    seconds: Annotated[
        int, typer.Option(min=1, max=600, help="Length of the --record recording, in seconds.")
    ] = 5,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print one CSV row per line.")] = False,
) -> None:
    """Show a board's output, and send your input, until Ctrl-C.

    --record saves sound from its microphone.
    """
    from contextlib import suppress

    from kws.audio.sound_files import write_clip
    from kws.host.deploy import monitor as watch
    from kws.host.deploy.sound_recording import record_sound

    if as_json and as_csv:
        raise UsageError("--json and --csv cannot be combined; give one of them")
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
        typed, level_seconds = descriptor(sys.stdin), 1.0 if level else None
        watch.Monitor(finder, show, typed=typed, level_seconds=level_seconds).run()


def selftest(
    *,
    board: ConnectedBoardOption = None,
    port: BoardPortOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a board's microphone, clocks and load, with remedies.

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
            rows = verdicts.checks(measured, find_board(name).clock or 0)
    if as_json:
        print(selftest_tables.checks_json(name, rows))
    else:
        print_tables(selftest_tables.checks_table(rows))
    if not all(row.ok for row in rows):
        raise typer.Exit(1)
