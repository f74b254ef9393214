# SPDX-License-Identifier: Apache-2.0
"""The command that listens to the microphone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.options import (
    ModelOption,
    open_bundle,
)
from kws.errors import UsageError


def listen(
    *,
    model: ModelOption = None,
    source: Annotated[
        Path | None, typer.Option("--input", help="A recording instead of the microphone.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="With --input: as fast as it can be heard.")
    ] = False,
    device: Annotated[
        str | None, typer.Option(help="A microphone's number, name, or a part of its name.")
    ] = None,
    list_devices: Annotated[
        bool, typer.Option("--list-devices", help="List the microphones and leave.")
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="The device's lines alone, as where there is a pipe.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print an object a line.")] = False,
    on: Annotated[
        list[str] | None, typer.Option(help="yes='program ...' runs it when yes is heard.")
    ] = None,
    shell: Annotated[
        bool, typer.Option("--shell", help="Let a shell run what --on names.")
    ] = False,
    record_misses: Annotated[
        Path | None, typer.Option(help="The key m keeps the last word's sound in this folder.")
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="Show it on a page of this machine.")] = False,
    host: Annotated[
        str, typer.Option(help="With --web: 0.0.0.0 lets other machines see it.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="With --web; 0 for any that is free.")
    ] = 8765,
) -> None:
    """Be the device with this machine's microphone: hear words, live."""
    from contextlib import suppress

    from kws.audio.capture import inputs
    from kws.audio.capture.microphone import Microphone
    from kws.host.live import actions, views
    from kws.host.live import listener as engine
    from kws.host.live.session import Session
    from kws.host.live.terminal import Terminal, keyboard

    if list_devices:
        present = inputs.list_inputs()
        print(inputs.inputs_json(present) if as_json else inputs.inputs_text(present))
        return
    if fast and not source:
        raise UsageError("--fast: a microphone cannot be faster; name a recording with --input")
    if source and device:
        raise UsageError("--input and --device were both given; choose one")
    listener = engine.Listener(open_bundle(model))
    commands = actions.Commands(on or (), listener.bundle.labels, shell=shell)
    misses = actions.Misses(record_misses) if record_misses else None
    sound = engine.file_blocks(source, fast=fast) if source else Microphone(device).blocks()
    with suppress(KeyboardInterrupt), keyboard() as keys:
        view: views.View = views.Json() if as_json else views.Plain()
        if web:
            from kws.host.web.web_view import Web, staying

            view = Web(listener, view, host, port)
            sound = staying(sound) if source else sound
        elif not plain and not as_json and sys.stdout.isatty():
            title = source.name if source else "microphone"
            view = Terminal(listener, title, keeps=misses is not None)
        with view as shown:
            Session(listener, sound, shown, commands, keys, misses).run()
