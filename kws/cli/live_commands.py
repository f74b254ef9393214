# SPDX-License-Identifier: Apache-2.0
"""Commands that hear: recordings, and the microphone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.options import (
    ChannelOption,
    ForOption,
    JsonOption,
    ModelOption,
    PortOption,
    ThenOption,
    board_finder,
    open_device,
)
from kws.errors import AudioError, UsageError


def run(
    clips: Annotated[list[str], typer.Argument(help="Recordings, or folders of recordings.")],
    *,
    model: ModelOption = None,
    then: ThenOption = None,
    listen_for: ForOption = None,
    channel: ChannelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print what a device would write while it hears recordings.

    A recording that cannot be read does not end a run over several; the exit code is 1 then.
    """
    from kws.cli.printing import board_tables
    from kws.host.emulate import matrix

    bundle = open_device(model, then, listen_for)
    recordings, faults = matrix.readable_recordings(clips, bundle.device_words, channel)
    results = matrix.play_all(matrix.HOST, bundle, recordings)
    if as_json:
        print(board_tables.results_json(matrix.HOST, bundle, results, passed=not faults))
    else:
        print(board_tables.serial_text(results), end="")
    for fault in faults:
        print(f"kws: {fault}", file=sys.stderr)
    if faults:
        count = len(recordings) + len(faults)
        raise AudioError(f"{len(faults)} of {count} recordings could not be read; see above")


def listen(
    *,
    model: ModelOption = None,
    then: ThenOption = None,
    listen_for: ForOption = None,
    source: Annotated[
        Path | None, typer.Option("--input", help="A recording to hear instead of the microphone.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Process --input as fast as this machine can.")
    ] = False,
    device: Annotated[
        str | None, typer.Option(help="Number or name of the microphone, or a part of the name.")
    ] = None,
    port: PortOption = None,
    list_devices: Annotated[
        bool, typer.Option("--list-devices", help="List the microphones and exit.")
    ] = False,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", help="Print the device's lines only. This is the default in a pipe."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line.")
    ] = False,
    on: Annotated[
        list[str] | None,
        typer.Option(
            help="Program to run when a word is heard: yes='play ding.wav'. Repeat for more."
        ),
    ] = None,
    shell: Annotated[
        bool, typer.Option("--shell", help="Run the commands of --on in a shell.")
    ] = False,
    record_misses: Annotated[
        Path | None,
        typer.Option(help="Folder in which the key m saves the last seconds' loudest word."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(help="Folder that gets the sound around each word heard, to train on."),
    ] = None,
    keep_most: Annotated[
        int, typer.Option(min=1, help="Recordings that the folder of --keep may hold.")
    ] = 1000,
    web: Annotated[bool, typer.Option("--web", help="Serve a live web page.")] = False,
    host: Annotated[
        str, typer.Option(help="Address for --web. 0.0.0.0 lets other machines see the page.")
    ] = "127.0.0.1",
    web_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port for --web. 0 takes a free one.")
    ] = 8765,
) -> None:
    """Hear words live, with this machine's microphone or a board's."""
    from contextlib import suppress

    from kws.audio.capture import inputs
    from kws.audio.capture.microphone import Microphone
    from kws.audio.pcm import samples_of
    from kws.host.live import actions, views
    from kws.host.live import listener as engine
    from kws.host.live.board_microphone import BoardMicrophone
    from kws.host.live.session import Session
    from kws.host.live.terminal import Terminal, keyboard

    if list_devices:
        present = inputs.list_inputs()
        print(inputs.inputs_json(present) if as_json else inputs.inputs_text(present))
        return
    if fast and not source:
        raise UsageError("--fast: a microphone cannot be faster; name a recording with --input")
    if sum(map(bool, (source, device, port))) > 1:
        raise UsageError("--input, --device and --port: choose one")
    listener = engine.Listener(open_device(model, then, listen_for))
    commands = actions.Commands(on or (), listener.bundle.device_words, shell=shell)
    samples = samples_of(listener.bundle.device_clip_ms)
    misses = actions.Misses(record_misses, samples) if record_misses else None
    wake_ups = None
    if keep:
        wake_ups = actions.WakeUps(keep, keep_most, str(source or port or "microphone"))
    if source:
        sound = engine.file_blocks(source, fast=fast)
    elif port:
        sound = BoardMicrophone(board_finder(port), listener.bundle.sha256[:8]).blocks()
    else:
        sound = Microphone(device).blocks()
    with suppress(KeyboardInterrupt), keyboard() as keys:
        view: views.View = views.Json() if as_json else views.Plain()
        if web:
            from kws.host.web.web_view import Web, staying

            view = Web(listener, view, host, web_port)
            sound = staying(sound) if source else sound
        elif not plain and not as_json and sys.stdout.isatty():
            title = source.name if source else port or "microphone"
            view = Terminal(listener, title, keeps=misses is not None)
        with view as shown:
            Session(listener, sound, shown, commands, keys, misses, wake_ups).run()
