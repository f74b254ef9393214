# SPDX-License-Identifier: Apache-2.0
"""Commands on data sets."""

from __future__ import annotations

import sys
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from kws.audio.tts.synth_settings import SynthSettings
from kws.cli.option_values import accents_of, board_finder, labels_of, split_words
from kws.cli.options import (
    DataOption,
    JsonOption,
    LanguageOption,
    NewDataOption,
    PortOption,
    WordsOption,
    setting_option,
)
from kws.errors import UsageError

WindowOption = Annotated[int, setting_option(SynthSettings, "clip_ms", "--window-ms")]


def synth(
    *,
    words: WordsOption = "",
    sound_alikes: Annotated[
        str,
        typer.Option(
            help="Keywords with recordings of people. Only words that sound like them are spoken."
        ),
    ] = "",
    out: NewDataOption,
    voices: Annotated[
        int, setting_option(SynthSettings, "voices", "--voices")
    ] = SynthSettings.voices,
    people: Annotated[
        int, setting_option(SynthSettings, "people", "--people")
    ] = SynthSettings.people,
    takes: Annotated[int, setting_option(SynthSettings, "takes", "--takes")] = SynthSettings.takes,
    unknown: Annotated[
        str | None,
        typer.Option(
            help="Words for the unknown class: up,down. By default they are chosen to "
            "suit the keywords."
        ),
    ] = None,
    alike: Annotated[int, setting_option(SynthSettings, "alike", "--alike")] = SynthSettings.alike,
    language: LanguageOption = "en",
    engines: Annotated[
        str,
        typer.Option(help="Engines to use: piper,kokoro,flite,espeak. The default is all."),
    ] = "",
    seed: Annotated[int, setting_option(SynthSettings, "seed", "--seed")] = SynthSettings.seed,
    window_ms: WindowOption = SynthSettings.clip_ms,
) -> None:
    """Make a data set of any words with text-to-speech."""
    from kws.audio.tts.synth import synthesize

    settings = SynthSettings(
        split_words(words),
        recorded_keywords=split_words(sound_alikes),
        alike=alike,
        voices=voices,
        people=people,
        takes=takes,
        seed=seed,
        engines=split_words(engines),
        clip_ms=window_ms,
        accents=accents_of(language),
    )
    if unknown is not None:
        settings = replace(settings, unknown=split_words(unknown))
    report = synthesize(settings, out)
    print(
        f"{out}: {len(report.words)} words ({', '.join(report.words)}) by {report.voices} voices"
        f"{f', each as {report.people} other people, too' if report.people else ''}, "
        f"{report.made} clips made, {report.kept} kept"
    )
    if report.too_long:
        print(f"{report.too_long} clips skipped: the word is too long for them", file=sys.stderr)


def phrase_command(
    phrase: Annotated[
        str, typer.Argument(help="Phrase to judge: 'hey marvin'. Or use --words.")
    ] = "",
    *,
    words: Annotated[str, typer.Option("--words", help="Words instead of a phrase: up,down.")] = "",
    language: LanguageOption = "en",
    name: Annotated[
        str | None, typer.Option(help="Label of the phrase, as for kws wake. [the phrase]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a wake phrase: its length, and words that sound like it."""
    from kws.audio.tts.phrase_score import score_phrases
    from kws.cli.printing.phrase_lines import phrase_lines

    labels = labels_of(phrase, words, name)
    spoken_as = {labels[0]: phrase} if name and phrase else {}
    scores = score_phrases(labels, spoken_as, accents_of(language))
    if as_json:
        print(dumps(scores.to_json(), indent=2))
    else:
        print(*phrase_lines(scores), sep="\n")


def _complete_voice(incomplete: str) -> list[tuple[str, str]]:
    from kws.audio.tts.voice_catalogue import other_voices

    names = ((it.name, f"{it.speakers} speakers, {it.licence}") for it in other_voices())
    return [(name, about) for name, about in names if name.startswith(incomplete)]


def get_voice(
    name: Annotated[
        str,
        typer.Argument(
            help="A voice from kws voices, or another Piper voice: es_ES-davefx-medium.",
            autocompletion=_complete_voice,
        ),
    ],
) -> None:
    """Download or install a voice. The same command resumes an interrupted download."""
    from kws.audio.tts import voice_download

    place = voice_download.get_voice(name, lambda line: print(line, flush=True))
    print(f"{place}: complete; kws synth and kws wake use it")


def voices(context: typer.Context, *, as_json: JsonOption = False) -> None:
    """List the installed text-to-speech voices, and others to get."""
    if context.invoked_subcommand:
        return
    from kws.audio.tts.voice_catalogue import read_catalogue
    from kws.cli.printing.voice_tables import print_catalogue

    catalogue = read_catalogue()
    if as_json:
        print(dumps(catalogue.to_json(), indent=2))
    else:
        print_catalogue(catalogue)


def record(
    *,
    words: WordsOption,
    out: NewDataOption,
    takes: Annotated[int, typer.Option(min=1, help="Number of recordings per word.")] = 5,
    window_ms: WindowOption = SynthSettings.clip_ms,
    speaker: Annotated[
        str | None,
        typer.Option(
            help="Name of the speaker. File names contain a hash of it. The default is the user's "
            "name."
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(help="Number or name of a microphone. kws listen --list-devices lists them."),
    ] = None,
    port: PortOption = None,
) -> None:
    """Record words with the microphone of this machine or of a board.

    Each clip is cut and checked.
    """
    from contextlib import closing

    from kws.audio.capture import record as recorder
    from kws.audio.capture.microphone import Microphone
    from kws.audio.capture.prompter import Lines, Prompter
    from kws.host.live.board_microphone import BoardMicrophone

    if device and port:
        raise UsageError("--device and --port cannot be combined; give one of them")
    chosen = split_words(words)
    recorder.check_words(chosen)
    clips = recorder.Clips(out, recorder.speaker_hash(speaker))
    stage = Prompter() if sys.stdout.isatty() else Lines()
    microphone = BoardMicrophone(board_finder(port)) if port else Microphone(device)
    with closing(microphone.blocks()) as sound, stage:
        done = recorder.record(chosen, takes, clips, sound, stage, clip_ms=window_ms)
    print(f"{out}: {done} clips by {clips.speaker}")


def download(
    name: Annotated[
        str, typer.Argument(help="speech_commands: words. librispeech: talk for --negatives.")
    ],
    out: Annotated[Path, typer.Option(help="New folder for the data set.")],
    version: Annotated[
        str | None,
        typer.Option(
            help="Speech Commands: 0.02 or 0.01. "
            "LibriSpeech: dev-clean, test-clean or train-clean-100.",
            show_default="the first",
        ),
    ] = None,
) -> None:
    """Download a public data set. The same command resumes an interrupted download."""
    from kws.audio.download import download as fetch
    from kws.audio.download import find_archive

    archive = find_archive(name, version)
    print(archive.describe())
    fresh = fetch(archive, out)
    print(f"{out}: {'complete' if fresh else 'already complete'}")


def stats(
    *,
    data: DataOption,
    as_json: JsonOption = False,
) -> None:
    """Show a data set's words, speakers and problems."""
    from rich.console import Console

    from kws.audio.dataset import open_dataset
    from kws.audio.stats import collect, describe
    from kws.progress import progress_bar

    dataset = open_dataset(data)
    with progress_bar("reading", len(dataset.clips) + len(dataset.backgrounds)) as advance:
        summary = collect(dataset, advance)
    if as_json:
        print(dumps(summary.to_json(), indent=2))
    else:
        Console(highlight=False).print(describe(summary), soft_wrap=True)
