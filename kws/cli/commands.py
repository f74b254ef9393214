"""The command line: parse, call the package, print. No logic lives here."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kws.errors import KwsError, UsageError

if TYPE_CHECKING:
    from kws.bundle.contents import Bundle

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
    words: Annotated[str, typer.Option(help="Keywords, such as yes,no.")] = "",
    sound_alikes: Annotated[
        str, typer.Option(help="Keywords of which only words that sound alike are spoken.")
    ] = "",
    out: Annotated[Path, typer.Option(help="Folder of the data set; what it has is kept.")],
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
        _split(words),
        beside=_split(sound_alikes),
        alike=alike,
        voices=voices,
        takes=takes,
        seed=seed,
    )
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
def record(
    *,
    words: Annotated[str, typer.Option(help="What is said, such as yes,no.")],
    out: Annotated[Path, typer.Option(help="Folder of the data set; what it has is kept.")],
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

    chosen = _split(words)
    recorder.check_words(chosen)
    clips = recorder.Clips(out, recorder.speaker_hash(speaker))
    stage = Prompter() if sys.stdout.isatty() else Lines()
    with closing(Microphone(device).blocks()) as sound, stage:
        done = recorder.record(chosen, takes, clips, sound, stage)
    print(f"{out}: {done} clips by {clips.speaker}")


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
def train(
    *,
    data: Annotated[Path, typer.Option(help="A folder of folders of recordings.")],
    words: Annotated[str, typer.Option(help="Keywords, such as yes,no.")],
    out: Annotated[Path, typer.Option(help="The run's folder; a killed run goes on there.")],
    model: Annotated[
        str | None, typer.Option(help="Of the zoo, or a .py; tiny_conv or --finetune's.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1)] = None,
    batch_size: Annotated[int | None, typer.Option(min=1)] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Adam's highest.")] = None,
    average: Annotated[
        float | None, typer.Option(help="Share of the steps that weights average.")
    ] = None,
    last: Annotated[
        bool | None, typer.Option("--last", help="Keep the last weights, not the best.")
    ] = None,
    smoothing: Annotated[float | None, typer.Option(help="Of labels.")] = None,
    mixup: Annotated[float | None, typer.Option(help="Clips mixed in pairs.")] = None,
    teacher: Annotated[
        Path | None, typer.Option(help="A bundle or run to learn from as well.")
    ] = None,
    teacher_share: Annotated[float | None, typer.Option(help="How much of each label.")] = None,
    finetune: Annotated[
        Path | None, typer.Option(help="A bundle or run whose layers the model starts with.")
    ] = None,
    frozen: Annotated[
        float | None, typer.Option(help="Share of those layers that do not learn.")
    ] = None,
    extra_data: Annotated[
        Path | None, typer.Option(help="A second folder to train on, such as kws synth's.")
    ] = None,
    extra: Annotated[float | None, typer.Option(help="Share of the clips from there.")] = None,
    recorded: Annotated[
        float | None, typer.Option(help="Least share of people beside synthetic voices.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    seeds: Annotated[int, typer.Option(min=1, help="Train so often; mean and spread.")] = 1,
    silence: Annotated[float | None, typer.Option(help="Clips for each of a keyword.")] = None,
    unknown: Annotated[float | None, typer.Option(help="Clips for each of a keyword.")] = None,
    joined: Annotated[float | None, typer.Option(help="Unknown made of two words.")] = None,
    whole: Annotated[float | None, typer.Option(help="Keywords cut to less are unknown.")] = None,
    balance: Annotated[float | None, typer.Option(help="Scarce words drawn more often.")] = None,
    mask: Annotated[float | None, typer.Option(help="Widest blanked stripes.")] = None,
    copies: Annotated[int | None, typer.Option(help="Differently changed copies of clips.")] = None,
    shift_ms: Annotated[int | None, typer.Option(help="Clips move so far in time.")] = None,
    lead_ms: Annotated[int | None, typer.Option(help="Noise before each clip.")] = None,
    speed: Annotated[float | None, typer.Option(help="So much faster or slower.")] = None,
    pitch: Annotated[float | None, typer.Option(help="Share whose pace alone changes.")] = None,
    room: Annotated[float | None, typer.Option(help="Share heard in a room.")] = None,
    background: Annotated[float | None, typer.Option(help="Share with noise.")] = None,
    babble: Annotated[float | None, typer.Option(help="Share of noise that is talk.")] = None,
    snr_db: Annotated[float | None, typer.Option(help="Lowest speech-to-noise ratio.")] = None,
    snr_range_db: Annotated[float | None, typer.Option(help="The highest is so much more.")] = None,
    gain_db: Annotated[float | None, typer.Option(help="Width of the range of levels.")] = None,
    microphone: Annotated[float | None, typer.Option(help="Share that lose bass, treble.")] = None,
    clipping: Annotated[float | None, typer.Option(help="Share whose peaks are cut.")] = None,
    name: Annotated[str | None, typer.Option(help="The bundle's name; the folder's.")] = None,
    about: Annotated[str, typer.Option(help="What the data is, and its licence.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train a model, judge it, and write its bundle to OUT/bundle."""
    from kws.audio.dataset import open_dataset
    from kws.cli.tables import conversion_table, difference_line, recall_table, seeds_line
    from kws.model.train.distillation import Teacher
    from kws.model.train.fine_tuning import Origin
    from kws.model.train.run_folder import settings_for
    from kws.model.train.seeds import train_seeds

    origin = Origin(finetune) if finetune else None
    settings = settings_for(
        _split(words),
        model or (origin.model if origin else "tiny_conv"),
        seed=seed,
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
        average=average,
        last=last,
        smoothing=smoothing,
        mixup=mixup,
        teacher_share=teacher_share,
        frozen=frozen,
        extra=extra,
        recorded=recorded,
        joined=joined,
        whole=whole,
        balance=balance,
        silence_per_keyword=silence,
        unknown_per_keyword=unknown,
        copies=copies,
        mask=mask,
        shift_ms=shift_ms,
        lead_ms=lead_ms,
        speed=speed,
        pitch=pitch,
        room=room,
        background=background,
        babble=babble,
        snr_db=snr_db,
        snr_range_db=snr_range_db,
        gain_db=gain_db,
        microphone=microphone,
        clipping=clipping,
    )
    results = train_seeds(
        open_dataset(data),
        out,
        settings,
        seeds,
        name=name,
        about=about,
        extra=open_dataset(extra_data) if extra_data else None,
        teacher=Teacher(teacher) if teacher else None,
        origin=origin,
        say=lambda line: print(line, file=sys.stderr if json else sys.stdout, flush=True),
    )
    result = results.best
    if json:
        print(dumps(results.to_json(), indent=2))
        return
    _show(recall_table(result.report.core), conversion_table(result.report))
    print(difference_line(result.report))
    if seeds > 1:
        print(seeds_line(results))
    print(f"bundle: {result.bundle.path}\npicture: {result.picture}")


@app.command()
def models(
    names: Annotated[
        list[str] | None, typer.Argument(help="Models of the zoo, or .py files; all of the zoo.")
    ] = None,
    *,
    board: Annotated[str, typer.Option(help="Emulated board to count on; none.")] = "qemu",
    words: Annotated[int, typer.Option(min=1, help="How many keywords.")] = 2,
    runs: Annotated[
        Path, typer.Option(help="Folder of training runs whose accuracy is shown.")
    ] = Path("runs"),
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """List the models of the zoo and what they cost; measured at first, then remembered."""
    from kws.bundle.contents import default_bundle_path
    from kws.host.build.firmware import find_board
    from kws.host.build.programs import cache_folder
    from kws.host.measure import model_costs
    from kws.model.zoo import MODELS

    if board != "none":
        find_board(board)
    found = model_costs.measure(
        names or list(MODELS),
        words + 2,
        None if board == "none" else board,
        cache_folder(),
        lambda line: print(line, file=sys.stderr, flush=True),
    )
    known = model_costs.trained([default_bundle_path().parent, runs])
    if json:
        print(dumps(model_costs.to_json(found, known), indent=2))
    else:
        _show(model_costs.table(found, known))


@app.command()
def sweep(
    *,
    data: Annotated[Path, typer.Option(help="A folder of folders of recordings.")],
    words: Annotated[str, typer.Option(help="Keywords, such as yes,no.")],
    out: Annotated[Path, typer.Option(help="Folder of the runs, one folder each.")],
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting and its values: mixup=0,0.2. Repeat for more."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A TOML file of such settings: mixup = [0, 0.2].")
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 1,
    ray: Annotated[
        str | None, typer.Option(help="A Ray cluster's address; auto, or local for one here.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train with every combination of some settings; the best comes first."""
    from kws.audio.dataset import open_dataset
    from kws.model.train import sweep as sweeping

    chosen = sweeping.read_sets(settings) if settings else {}
    chosen |= sweeping.parse_sets(sets or [])
    open_dataset(data)  # what is wrong with it is said before anything starts
    jobs = sweeping.jobs_of(data, out, _split(words), chosen)
    outcomes = sweeping.run_sweep(
        jobs,
        processes=processes,
        ray=ray,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    if json:
        print(dumps(sweeping.to_json(outcomes), indent=2))
    else:
        _show(sweeping.table(outcomes))


@app.command()
def evaluate(
    *,
    data: Annotated[Path | None, typer.Option(help="A folder of folders of recordings.")] = None,
    model: Annotated[Path | None, typer.Option(help="A bundle; the built-in one.")] = None,
    split: Annotated[str, typer.Option(help="test, validation, train or all.")] = "test",
    float_model: Annotated[
        Path | None,
        typer.Option("--float", help="Its float model: a run's folder or a .keras file."),
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Also play hours of sound made of the clips.")
    ] = False,
    hours: Annotated[float, typer.Option(help="With --stream: hours with keywords.")] = 1.0,
    quiet_hours: Annotated[
        float, typer.Option(help="With --stream: further hours, with other words alone.")
    ] = 4.0,
    snr: Annotated[str, typer.Option(help="Speech over noise in dB, from,to.")] = "5,15",
    seed: Annotated[int, typer.Option(min=0, help="Another seed makes other hours.")] = 0,
    words: Annotated[
        str, typer.Option(help="In streams only these of its keywords, such as yes,no; all.")
    ] = "",
    recording: Annotated[
        Path | None, typer.Option(help="A long recording of your own, with --labels.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="What is said in it: a label track of Audacity.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for a report: report.html and its pictures.")
    ] = None,
    png: Annotated[Path | None, typer.Option(help="Draw the confusion matrix here.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Judge a model, run by the core, on clips and hours of sound that it has not learned from."""
    from kws.cli.tables import (
        hearing_table,
        judgement_tables,
        latency_line,
        recall_table,
        speakers_line,
    )
    from kws.model.evaluate import evaluation

    bundle = _bundle(model)
    task = evaluation.Task(
        data, split, float_model, stream, evaluation.plan(hours, quiet_hours, snr, seed),
        recording, labels, _split(words),
    )  # fmt: skip
    found = evaluation.assess(bundle, task)
    if json:
        print(dumps(found.to_json(), indent=2))
    else:
        if found.clips:
            _show(recall_table(found.clips.evaluation), *judgement_tables(found.clips))
            print(speakers_line(found.clips))
        if found.stream:
            _show(hearing_table(found.stream.hearing))
            print(latency_line(found.stream.hearing))
    if png and found.clips:
        from kws.model.evaluate.report.plots import save_confusion

        save_confusion(png, found.clips.evaluation, f"{bundle.name}, int8 on the core")
    if out:
        from kws.model.evaluate.report.html_report import save_report

        page = save_report(out, found)
        print(f"report: {page}", file=sys.stderr if json else sys.stdout)


@app.command()
def calibrate(
    model: Annotated[Path, typer.Argument(help="A bundle.")],
    *,
    data: Annotated[Path, typer.Option(help="A folder of folders of recordings.")],
    false_alarms_per_hour: Annotated[
        float, typer.Option(min=0, help="How many are allowed, all keywords together.")
    ] = 0.5,
    out: Annotated[Path | None, typer.Option(help="Folder for the new bundle; the old.")] = None,
    words: Annotated[
        str, typer.Option(help="Hear only these of its keywords, such as yes,no; all.")
    ] = "",
    hours: Annotated[float, typer.Option(help="Hours of sound with keywords.")] = 1.0,
    quiet_hours: Annotated[
        float, typer.Option(help="Further hours, with other words alone.")
    ] = 4.0,
    snr: Annotated[str, typer.Option(help="Speech over noise in dB, from,to.")] = "5,15",
    seed: Annotated[int, typer.Option(min=0, help="Another seed makes other hours.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Choose thresholds, window and suppression on validation clips; write them into the bundle."""
    from kws.audio.dataset import open_dataset
    from kws.cli.tables import hearing_table, latency_line
    from kws.model.evaluate import evaluation

    plan = evaluation.plan(hours, quiet_hours, snr, seed)
    found = evaluation.calibrate_bundle(
        model, open_dataset(data), plan, false_alarms_per_hour, out, words=_split(words)
    )
    if json:
        print(dumps(found.to_json(), indent=2))
        return
    settings = found.settings
    thresholds = ", ".join(f"{word} {value}" for word, value in settings.thresholds.items())
    print(
        f"{out or model}: thresholds {thresholds}, window {settings.average_window_ms} ms, at "
        f"least {settings.minimum_count} results, suppression {settings.suppression_ms} ms"
    )
    print("expected, from the validation clips:")
    _show(hearing_table(found.expected))
    print(latency_line(found.expected))


@app.command()
def convert(
    model: Annotated[Path, typer.Argument(help="An int8 .tflite file, or a bundle to change.")],
    *,
    out: Annotated[Path | None, typer.Option(help="The new bundle's folder.")] = None,
    labels: Annotated[str, typer.Option(help="Its outputs: silence,unknown,yes,no.")] = "",
    name: Annotated[str | None, typer.Option(help="Short name; the file's if not given.")] = None,
    about: Annotated[str | None, typer.Option(help="Data it learned from, and licence.")] = None,
    stride: Annotated[
        int | None, typer.Option(min=1, max=50, help="Hops of 20 ms an inference (2).")
    ] = None,
    threshold: Annotated[
        int | None, typer.Option(min=0, max=254, help="Mean score to exceed (200).")
    ] = None,
    average_window_ms: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="Scores are averaged so long (1000).")
    ] = None,
    suppression_ms: Annotated[
        int | None, typer.Option(min=0, max=60_000, help="A word is not repeated so long (1500).")
    ] = None,
    minimum_count: Annotated[
        int | None, typer.Option(min=1, max=100, help="Results needed in the window (3).")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Draw the memory plan into this PNG, too.")
    ] = None,
) -> None:
    """Make a bundle of anyone's int8 model, or write a bundle anew with other settings."""
    from kws.bundle.flash_table import flash_text
    from kws.bundle.memory_plan import plan_of, plan_text, save_plan
    from kws.convert.tflite_import import Changes, convert_file, renew_bundle

    changes = Changes(
        name, about, stride, average_window_ms, threshold, suppression_ms, minimum_count
    )
    if model.is_dir():
        bundle = renew_bundle(model, out or model, changes)
    elif not labels or out is None:
        raise UsageError(f"{model}: a .tflite file needs --labels and --out")
    else:
        bundle = convert_file(model, _split(labels), out, changes)
    print(
        f"{bundle.path}: {bundle.name} {bundle.sha8}, {len(bundle.model)} bytes, "
        f"arena {bundle.arena_bytes} bytes, ops {', '.join(bundle.ops)}"
    )
    found = plan_of(bundle.model)
    print(plan_text(found))
    print(flash_text(bundle.ops))
    if plan:
        save_plan(plan, found, f"{bundle.name}: memory over time")
        print(f"picture: {plan}")


# --- devices --------------------------------------------------------------------------------------

ModelOption = Annotated[
    Path | None,
    typer.Option("--model", help="A bundle's folder; the default model's if not given."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def run(
    clips: Annotated[list[str], typer.Argument(help="Recordings, or folders of them.")],
    *,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Be the device: print what it would write on its serial port while it hears the clips."""
    from kws.cli import device_tables
    from kws.host.emulate import matrix

    bundle = _bundle(model)
    recordings = matrix.clip_recordings(clips, bundle.labels)
    results = matrix.play_all(matrix.HOST, bundle, recordings)
    if as_json:
        print(device_tables.results_json(matrix.HOST, bundle, results, passed=True))
        return
    print(device_tables.serial_text(results), end="")


@app.command()
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

    from kws.audio.capture import microphone
    from kws.host.live import actions, views
    from kws.host.live import listener as engine
    from kws.host.live.session import Session
    from kws.host.live.terminal import Terminal, keyboard

    if list_devices:
        found = microphone.list_devices()
        print(microphone.devices_json(found) if as_json else microphone.devices_text(found))
        return
    if fast and not source:
        raise UsageError("--fast: a microphone cannot be faster; name a recording with --input")
    if source and device:
        raise UsageError("--input and --device were both given; choose one")
    listener = engine.Listener(_bundle(model))
    commands = actions.Commands(on or (), listener.bundle.labels, shell=shell)
    misses = actions.Misses(record_misses) if record_misses else None
    sound = (
        engine.file_blocks(source, fast=fast) if source else microphone.Microphone(device).blocks()
    )
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


@app.command()
def build(
    *,
    board: Annotated[str, typer.Option(help="See kws boards.")],
    model: ModelOption = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the firmware.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Build a board's firmware with a model in it."""
    from kws.cli import device_tables
    from kws.host.build.firmware import build as build_firmware
    from kws.host.build.firmware import find_board
    from kws.progress import progress_bar

    target = find_board(board)
    bundle = _bundle(model)
    with progress_bar(f"building for {board}", None):
        firmware = build_firmware(board, bundle, out or Path("build") / "firmware" / board)
    print(
        device_tables.size_json(target, firmware)
        if as_json
        else device_tables.size_text(target, firmware)
    )


@app.command()
def test(
    clips: Annotated[
        list[str] | None,
        typer.Argument(help="Recordings or folders (or label=recording); else the default matrix."),
    ] = None,
    *,
    board: Annotated[str, typer.Option(help="An emulated board, or host.")],
    model: ModelOption = None,
    data: Annotated[
        Path | None, typer.Option(help="Play held-out clips of this data set instead.")
    ] = None,
    a_label: Annotated[int, typer.Option(help="With --data: clips of each label.", min=1)] = 5,
    pass_rate: Annotated[
        float, typer.Option(help="Share of clips that has to be right.", min=0, max=1)
    ] = 1.0,
    export: Annotated[
        Path | None,
        typer.Option(help="Only write the recordings, and what has to be heard, to this folder."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play recordings to a device and check what it hears.

    With the default matrix, an emulated board has to tell of faults as well.
    """
    from kws.cli import device_tables
    from kws.host.emulate import faults, matrix
    from kws.host.emulate import recordings as test_recordings
    from kws.progress import progress_bar

    if clips and data:
        raise UsageError("clips and --data were both given; choose one")
    bundle = _bundle(model)
    if clips:
        recordings = matrix.clip_recordings(clips, bundle.labels)
    elif data:
        recordings = test_recordings.held_out(data, bundle.labels, a_label)
    else:
        recordings = test_recordings.load_matrix(test_recordings.default_matrix(), bundle.labels)
    if export:
        matrix.export(board, bundle, recordings, export)
        print(f"{len(recordings)} recordings in {export}")
        return
    with progress_bar(f"playing to {board}", len(recordings)) as advance:
        results = matrix.play_all(board, bundle, recordings, advance)
    told: list[faults.FaultRow] = []
    if not clips and not data and board != matrix.HOST:
        with progress_bar(f"breaking {board}", faults.TRIES) as advance:
            told = faults.check_faults(board, bundle, advance)
    passed = device_tables.pass_rate(results) >= pass_rate and all(row.ok for row in told)
    if as_json:
        print(device_tables.results_json(board, bundle, results, told, passed=passed))
    else:
        print(device_tables.results_text(board, bundle, results, told))
    if not passed:
        raise typer.Exit(1)


@app.command()
def deploy(
    *,
    board: Annotated[str, typer.Option(help="A real board, such as nano33ble.")],
    model: ModelOption = None,
    port: Annotated[
        str | None, typer.Option(help="Its serial port; found by its USB id if not given.")
    ] = None,
    probe: Annotated[
        bool, typer.Option("--probe", help="Through a debug probe, not the bootloader.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Build a board's firmware, write it to the board, check it and see it start."""
    from dataclasses import asdict

    from kws.host.build.firmware import build as build_firmware
    from kws.host.deploy import flow
    from kws.host.deploy.image import read_elf
    from kws.host.deploy.loader import Bench
    from kws.host.deploy.probe import steps as probe_steps
    from kws.host.serial import ports
    from kws.progress import progress_bar

    target = flow.target_of(board)
    bundle = _bundle(model)
    if not probe:
        flow.find_port(target, port, ports.list_ports())  # before the user waits for a build
    with progress_bar(f"building for {board}", None):
        firmware = build_firmware(board, bundle)
    image = read_elf(firmware.elf, target.memory)
    way = flow.deploy_by_probe if probe else flow.deploy
    steps = probe_steps(image) if probe else target.steps(image)
    with progress_bar(f"writing to {target.title}", steps) as advance:
        done = way(target, image, port, Bench(advance=advance))
    print(dumps(asdict(done)) if as_json else flow.text(done))


export_app = typer.Typer(help="Write a model in a form that runs elsewhere.", no_args_is_help=True)
app.add_typer(export_app, name="export")


@export_app.callback()
def _export() -> None:
    """Write a model in a form that runs elsewhere."""


@export_app.command("web")
def export_web(
    bundle: Annotated[
        Path | None, typer.Argument(help="A bundle's folder; the default model's if not given.")
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="Folder for the page; one that is there is replaced.")],
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve it on this machine until Ctrl-C.")
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --serve; 0: any.")] = 8000,
) -> None:
    """Write a page that hears a model's words in any browser, without a server or a network."""
    from contextlib import suppress

    from kws.host.web.page_export import export_page
    from kws.host.web.page_server import page_server

    model = _bundle(bundle)
    size = export_page(model, out)
    print(f"{out}: {model.name} {model.sha8}, {size} bytes and the model; open its index.html")
    if serve:
        with page_server(out, port) as server, suppress(KeyboardInterrupt):
            print(f"http://127.0.0.1:{server.server_port}/ shows it; Ctrl-C leaves", flush=True)
            server.serve_forever()


@app.command()
def monitor(
    *,
    board: Annotated[str | None, typer.Option(help="A real board; any if not given.")] = None,
    port: Annotated[
        str | None, typer.Option(help="Its serial port; found by its USB id if not given.")
    ] = None,
    baud: Annotated[int, typer.Option(min=2400, help="A USB port ignores it.")] = 115200,
    as_json: Annotated[bool, typer.Option("--json", help="Print an object a line.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a row a line.")] = False,
) -> None:
    """Show what a board writes, until Ctrl-C; what is typed goes to the board."""
    from contextlib import suppress

    from kws.host.serial import monitor as watch

    if as_json and as_csv:
        raise UsageError("--json and --csv were both given; choose one")
    show = watch.show_json() if as_json else watch.show_csv() if as_csv else watch.show_text()
    targets = watch.targets_of(board)
    with suppress(KeyboardInterrupt):
        watch.Monitor(targets, port, show, baud, typed=watch.keyboard()).run()


@app.command()
def bench(
    *,
    board: Annotated[str, typer.Option(help="host, or an emulated board.")] = "host",
    model: Annotated[
        Path | None, typer.Option(help="A bundle or any .tflite; the default model if not given.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the core: instructions and bytes on a board, throughput on this machine."""
    from dataclasses import asdict

    from kws.convert.tflite_import import read_model
    from kws.host.measure import benchmark as measure

    bundle = None if model and model.is_file() else _bundle(model)
    content = bundle.model if bundle else read_model(model or Path())
    if board == "host":
        host = measure.bench_host(content)
        print(dumps(asdict(host)) if as_json else measure.host_text(host))
        return
    figures = measure.bench_board(board, content)
    flash = measure.bench_flash(board, bundle) if bundle else None
    if as_json:
        print(dumps({**asdict(figures), "footprint": asdict(flash) if flash else None}, indent=2))
    else:
        print(measure.board_text(figures, flash))


@app.command()
def boards(*, as_json: JsonOption = False) -> None:
    """List the boards that firmware can be built for."""
    from kws.cli import device_tables
    from kws.host.build.firmware import boards as all_boards

    found = all_boards()
    print(device_tables.list_json(found) if as_json else device_tables.boards_text(found))


@app.command()
def doctor(*, as_json: JsonOption = False) -> None:
    """Check what other commands need, and say what to do where it is missing."""
    from kws.cli import device_tables
    from kws.host.build import programs

    checks = programs.check_all()
    print(device_tables.list_json(checks) if as_json else device_tables.checks_text(checks))
    if not all(check.found or check.optional for check in checks):
        raise typer.Exit(1)


def _bundle(path: Path | None) -> Bundle:
    """The bundle that `--model` names, or the default one."""
    from kws.bundle.contents import Bundle, default_bundle_path

    return Bundle.load(path or default_bundle_path())


# --- seams ----------------------------------------------------------------------------------------


@app.command()
def features(
    clip: Annotated[Path, typer.Argument(help="A recording.")],
    out: Annotated[Path, typer.Option(help="NumPy file for int8[frames, 40].")],
    png: Annotated[Path | None, typer.Option(help="Also draw it into this PNG file.")] = None,
) -> None:
    """Compute a recording's spectrogram as a device does."""
    from kws.features.spectrogram import of_recording, save

    pcm, frames = of_recording(clip)
    save(out, frames)
    if png:
        from kws.features.plot import save_picture

        save_picture(png, pcm, frames, clip.name)
    print(f"{out}: {len(frames)} frames of {len(pcm) / 16000:.2f} s")


@app.command()
def infer(
    model: Annotated[Path, typer.Argument(help="A .tflite file.")],
    *,
    inputs: Annotated[
        Path,
        typer.Option("--input", help="X.npy: raw values, a row a call (.npz: several inputs)."),
    ],
    out: Annotated[Path, typer.Option(help="Y.npy for the raw outputs (.npz: several).")],
    board: Annotated[str, typer.Option(help="host, or an emulated board.")] = "host",
) -> None:
    """Run a model on rows of raw quantized values; state is kept from row to row."""
    from kws.convert.tflite_import import read_model
    from kws.host.emulate import inference as runner

    job = runner.Job(read_model(model), runner.load_rows(inputs))
    outcome = runner.on_host(job) if board == "host" else runner.on_board(board, [job])[0]
    runner.save_rows(out, outcome.outputs)
    shapes = ", ".join(f"{list(y.shape)} {y.dtype}" for y in outcome.outputs)
    print(f"{out}: {shapes}, arena {outcome.arena_used_bytes} bytes")


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


def _show(*tables: object) -> None:
    """Print rich tables one after the other."""
    from rich.console import Console

    console = Console(highlight=False)
    for table in tables:
        console.print(table)


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
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left is not tried again at the end
        print("kws: no space left where the output goes", file=sys.stderr)
        sys.exit(1)


__all__ = ["Path", "app", "main"]
