# SPDX-License-Identifier: Apache-2.0
"""Commands that detect words in recordings and live sound."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kws.cli.option_values import board_finder, open_device
from kws.cli.options import (
    ChannelOption,
    ForOption,
    JsonOption,
    ModelOption,
    NoVerifyOption,
    PortOption,
    ThenOption,
)
from kws.errors import AudioError, UsageError


def run(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="RECORDINGS", help="Recordings, or folders of recordings."),
    ],
    *,
    model: ModelOption = None,
    then: ThenOption = None,
    listen_for: ForOption = None,
    no_verify: NoVerifyOption = False,
    channel: ChannelOption = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Add level and channels, and the best score of each keyword."
        ),
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option(help="Write the words of one recording as a label track for Audacity."),
    ] = None,
    srt: Annotated[
        Path | None, typer.Option(help="Write the words of one recording as subtitles.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a device's output for recordings.

    Times count from a recording's first sample. After the last sample the device gets quiet-room
    noise for a second or the length of the model's window, so a time may be after the end. An
    unreadable recording does not stop the others, but the exit code is then 1.
    """
    from kws.cli.printing import transcripts as printing
    from kws.files import atomic_write
    from kws.host.emulate.transcript import recordings_in, transcribe

    files = recordings_in(paths)
    _check_tracks(files, labels, srt)
    if as_json and explain:
        raise UsageError("--json includes --explain; give one of them")
    runs = open_device(model, then, listen_for, no_verify=no_verify)
    facts: list[dict[str, Any]] = []
    unread = 0
    for file in files:
        try:
            transcript = transcribe(runs, file, channel)
        except (AudioError, UsageError) as error:
            if len(files) == 1:
                raise
            unread += 1
            facts.append({"file": str(file), "error": str(error)})
            print(f"kws: {error}", file=sys.stderr, flush=True)
            continue
        if labels:
            atomic_write(labels, printing.label_track(transcript).encode())
        if srt:
            atomic_write(srt, printing.subtitles(transcript).encode())
        if as_json:
            facts.append(printing.file_facts(transcript))
            continue
        print(printing.serial_text(transcript, named=len(files) > 1), end="", flush=True)
        if explain:
            print(printing.explanation(transcript), end="")
        elif not transcript.serial.heard:
            print(f"kws: {printing.nothing_heard(transcript)}", file=sys.stderr, flush=True)
    if as_json:
        print(printing.transcripts_json(runs, facts))
    if unread:
        raise AudioError(f"{unread} of {len(files)} recordings could not be read; see above")


def _check_tracks(files: list[Path], labels: Path | None, srt: Path | None) -> None:
    """Raises UsageError unless a track is for one recording, and in another file."""
    if len(files) > 1 and (labels or srt):
        option = "--labels" if labels else "--srt"
        raise UsageError(f"{option} is for one recording, not {len(files)}; pass one")
    if any(out and out.resolve() in map(Path.resolve, files) for out in (labels, srt)):
        raise UsageError(f"{files[0]}: this is the recording; choose another file to write")


def listen(
    *,
    model: ModelOption = None,
    then: ThenOption = None,
    listen_for: ForOption = None,
    no_verify: NoVerifyOption = False,
    source: Annotated[
        Path | None, typer.Option("--input", help="A recording to use instead of the microphone.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Process --input as fast as this machine can.")
    ] = False,
    channel: ChannelOption = None,
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
            "--plain", help="Print only the device's lines. This is the default in a pipe."
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
        typer.Option(
            help="Folder in which the key m saves the loudest word of the last few seconds."
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(help="Folder for the sound around each detected word, for training."),
    ] = None,
    keep_most: Annotated[
        int, typer.Option(min=1, help="Maximum number of recordings in the --keep folder.")
    ] = 1000,
    cards: Annotated[
        Path | None,
        typer.Option(help="Folder for words that are heard or nearly heard, to sort them later."),
    ] = None,
    web: Annotated[bool, typer.Option("--web", help="Serve a live web page.")] = False,
    host: Annotated[
        str, typer.Option(help="Address for --web. 0.0.0.0 lets other machines see the page.")
    ] = "127.0.0.1",
    web_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port for --web. 0 selects a free one.")
    ] = 8765,
) -> None:
    """Detect words live, with this machine's microphone or a board's."""
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
        raise UsageError("--fast does not work with a microphone; pass a recording with --input")
    if channel and not source:
        raise UsageError("--channel is for recordings; pass one with --input")
    if sum(map(bool, (source, device, port))) > 1:
        raise UsageError("--input, --device and --port: choose one")
    listener = engine.Listener(open_device(model, then, listen_for, no_verify=no_verify))
    commands = actions.Commands(on or (), listener.device.words, shell=shell)
    samples = samples_of(listener.device.clip_ms)
    misses = actions.Misses(record_misses, samples) if record_misses else None
    wake_ups = None
    if keep:
        wake_ups = actions.WakeUps(keep, keep_most, str(source or port or "microphone"))
    to_sort = actions.Cards(cards) if cards else None
    if source:
        window_ms = listener.device.clip_ms
        sound = engine.file_blocks(source, window_ms, fast=fast, channel=channel)
    elif port:
        sound = BoardMicrophone(board_finder(port), listener.device.bundle.sha8).blocks()
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
            Session(listener, sound, shown, commands, keys, misses, wake_ups, to_sort).run()
