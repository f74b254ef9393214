"""The command line: parse, call the package, print. No logic lives here."""

from __future__ import annotations

import sys
from dataclasses import replace
from json import dumps
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


@app.command()
def synth(
    *,
    words: Annotated[str, typer.Option(help="Keywords, such as yes,no.")],
    out: Annotated[Path, typer.Option(help="Folder of the data set; what it has is kept.")],
    voices: Annotated[int, typer.Option(min=3, help="How many voices speak.")] = 100,
    takes: Annotated[int, typer.Option(min=1, help="Takes of a keyword by each voice.")] = 4,
    unknown: Annotated[
        str | None, typer.Option(help="Words for the unknown class; chosen if not given.")
    ] = None,
    accents: Annotated[
        str | None, typer.Option(help="espeak-ng's languages, such as de; English if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other clips.")] = 0,
) -> None:
    """Make a data set of any words with text-to-speech."""
    from kws.audio.synth import SynthSettings, synthesize

    settings = SynthSettings(_split(words), voices=voices, takes=takes, seed=seed)
    if unknown is not None:
        settings = replace(settings, unknown=_split(unknown))
    if accents is not None:
        settings = replace(settings, accents=_split(accents))
    report = synthesize(settings, out)
    print(
        f"{out}: {len(report.words)} words ({', '.join(report.words)}) by {report.voices} voices, "
        f"{report.made} clips made, {report.kept} kept"
    )
    if report.too_long:
        print(f"{report.too_long} clips left out: too long for one second", file=sys.stderr)


@app.command()
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


@app.command()
def stats(
    folder: Annotated[Path, typer.Argument(help="A folder of folders of recordings.")],
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show what is in a data set and what is wrong with it."""
    from rich.console import Console

    from kws.audio.dataset import open_dataset
    from kws.audio.stats import collect, describe
    from kws.progress import progress_bar

    dataset = open_dataset(folder)
    with progress_bar("reading", len(dataset.clips) + len(dataset.backgrounds)) as advance:
        found = collect(dataset, advance)
    if json:
        print(dumps(found.to_json(), indent=2))
    else:
        Console(highlight=False).print(describe(found), soft_wrap=True)


# --- models ---------------------------------------------------------------------------------------


@app.command()
def convert(
    model: Annotated[Path, typer.Argument(help="An int8 .tflite file.")],
    *,
    labels: Annotated[str, typer.Option(help="Its outputs: silence,unknown,yes,no.")],
    out: Annotated[Path, typer.Option(help="The bundle's folder.")],
    name: Annotated[str | None, typer.Option(help="Short name; the file's if not given.")] = None,
    data: Annotated[str, typer.Option(help="What it learned from, and the licence.")] = "",
    stride: Annotated[int, typer.Option(help="Hops of 20 ms from inference to inference.")] = 2,
    threshold: Annotated[int, typer.Option(help="Mean score (0-254) to exceed.")] = 200,
    average_window_ms: Annotated[int, typer.Option(help="Scores are averaged so long.")] = 1000,
    suppression_ms: Annotated[int, typer.Option(help="A word is not repeated so long.")] = 1500,
    minimum_count: Annotated[int, typer.Option(help="Results needed in the window.")] = 3,
) -> None:
    """Make a bundle of anyone's int8 model."""
    from kws.config import RecognizerSettings
    from kws.convert.existing import convert_file

    bundle = convert_file(
        model,
        _split(labels),
        out,
        name=name,
        recognizer=RecognizerSettings(average_window_ms, threshold, suppression_ms, minimum_count),
        inference_stride=stride,
        data=data,
    )
    print(
        f"{out}: {bundle.name} {bundle.sha8}, {len(bundle.model)} bytes, "
        f"arena {bundle.arena_bytes} bytes, ops {', '.join(bundle.ops)}"
    )


# --- devices --------------------------------------------------------------------------------------

# --- seams ----------------------------------------------------------------------------------------


@app.command()
def features(
    clip: Annotated[Path, typer.Argument(help="A recording.")],
    out: Annotated[Path, typer.Option(help="NumPy file for int8[frames, 40].")],
    png: Annotated[Path | None, typer.Option(help="Also draw it into this PNG file.")] = None,
) -> None:
    """Compute a recording's spectrogram as a device does."""
    from kws.features import of_recording, save

    pcm, frames = of_recording(clip)
    save(out, frames)
    if png:
        from kws.features.picture import save_picture

        save_picture(png, pcm, frames, clip.name)
    print(f"{out}: {len(frames)} frames of {len(pcm) / 16000:.2f} s")


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


def _split(words: str) -> tuple[str, ...]:
    """What an option such as `--words yes,no` names."""
    return tuple(word.strip() for word in words.split(",") if word.strip())


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
