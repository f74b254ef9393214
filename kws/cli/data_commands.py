# SPDX-License-Identifier: Apache-2.0
"""Commands on data sets."""

from __future__ import annotations

import sys
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.options import (
    JsonOption,
    NewDataOption,
    split_words,
)


def synth(
    *,
    words: Annotated[str, typer.Option(help="Keywords, such as yes,no.")] = "",
    sound_alikes: Annotated[
        str, typer.Option(help="Keywords of which only words that sound alike are spoken.")
    ] = "",
    out: NewDataOption,
    voices: Annotated[int, typer.Option(min=3, help="How many voices speak.")] = 200,
    takes: Annotated[int, typer.Option(min=1, help="Takes of a keyword by each voice.")] = 3,
    unknown: Annotated[
        str | None, typer.Option(help="Words for the unknown class; chosen if not given.")
    ] = None,
    alike: Annotated[
        int, typer.Option(min=0, help="Words chosen that sound like each keyword.")
    ] = 3,
    accents: Annotated[
        str | None, typer.Option(help="espeak-ng's languages, such as de; English if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other clips.")] = 0,
) -> None:
    """Make a data set of any words with text-to-speech."""
    from kws.audio.tts.synth import SynthSettings, synthesize

    settings = SynthSettings(
        split_words(words),
        recorded_keywords=split_words(sound_alikes),
        alike=alike,
        voices=voices,
        takes=takes,
        seed=seed,
    )
    if unknown is not None:
        settings = replace(settings, unknown=split_words(unknown))
    if accents is not None:
        settings = replace(settings, accents=split_words(accents))
    report = synthesize(settings, out)
    print(
        f"{out}: {len(report.words)} words ({', '.join(report.words)}) by {report.voices} voices, "
        f"{report.made} clips made, {report.kept} kept"
    )
    if report.too_long:
        print(f"{report.too_long} clips left out: too long for one second", file=sys.stderr)


def record(
    *,
    words: Annotated[str, typer.Option(help="What is said, such as yes,no.")],
    out: NewDataOption,
    takes: Annotated[int, typer.Option(min=1, help="How often each word is said.")] = 5,
    speaker: Annotated[
        str | None, typer.Option(help="Who speaks; the user. File names have a hash of it.")
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="A microphone, see kws listen --list-devices.")
    ] = None,
) -> None:
    """Record words one by one with this machine's microphone, cut and checked."""
    from contextlib import closing

    from kws.audio.capture import record as recorder
    from kws.audio.capture.microphone import Microphone
    from kws.audio.capture.prompter import Lines, Prompter

    chosen = split_words(words)
    recorder.check_words(chosen)
    clips = recorder.Clips(out, recorder.speaker_hash(speaker))
    stage = Prompter() if sys.stdout.isatty() else Lines()
    with closing(Microphone(device).blocks()) as sound, stage:
        done = recorder.record(chosen, takes, clips, sound, stage)
    print(f"{out}: {done} clips by {clips.speaker}")


def download(
    name: Annotated[str, typer.Argument(help="The data set: speech_commands.")],
    out: Annotated[Path, typer.Option(help="New folder for it.")],
    version: Annotated[str, typer.Option(help="0.01 or 0.02.")] = "0.02",
) -> None:
    """Fetch a public data set; goes on where it was if the network breaks."""
    from kws.audio.download import download as fetch
    from kws.audio.download import find_archive

    fresh = fetch(find_archive(name, version), out)
    print(f"{out}: {'complete' if fresh else 'is there already'}")


def stats(
    folder: Annotated[Path, typer.Argument(help="A folder of folders of recordings.")],
    as_json: JsonOption = False,
) -> None:
    """Show what is in a data set and what is wrong with it."""
    from rich.console import Console

    from kws.audio.dataset import open_dataset
    from kws.audio.stats import collect, describe
    from kws.progress import progress_bar

    dataset = open_dataset(folder)
    with progress_bar("reading", len(dataset.clips) + len(dataset.backgrounds)) as advance:
        summary = collect(dataset, advance)
    if as_json:
        print(dumps(summary.to_json(), indent=2))
    else:
        Console(highlight=False).print(describe(summary), soft_wrap=True)
