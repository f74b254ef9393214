# SPDX-License-Identifier: Apache-2.0
"""Commands that train models."""

from __future__ import annotations

import sys
from dataclasses import fields
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.option_values import (
    accents_of,
    labels_of,
    open_data,
    print_tables,
    split_words,
    surroundings,
)
from kws.cli.options import (
    BUNDLE,
    DataOption,
    JsonOption,
    LanguageOption,
    NegativesOption,
    NoisesOption,
    RoomsOption,
    WordsOption,
    setting_option,
)
from kws.cli.printing.endings import finish, line_printer, print_calibration
from kws.model.train.train_settings import DEFAULT_ARCH, TrainSettings
from kws.model.wake.wake_settings import (
    SELLABLE_HELP,
    STREAMING_HELP,
    VERIFY_HELP,
    WINDOW_HELP,
    WakeSettings,
)

_HELP = {field.name: field.metadata.get("help", "") for field in fields(TrainSettings)}


def _print_settings(wanted: bool) -> None:
    if wanted:
        from kws.model.train.named_settings import help_text

        print(help_text())
        raise typer.Exit


HelpSettingsOption = Annotated[
    bool,
    typer.Option(
        "--help-settings",
        is_eager=True,
        callback=_print_settings,
        help="List all settings with ranges and defaults, and exit.",
    ),
]
ExtraDataOption = Annotated[
    Path | None, typer.Option(help="A second data set to train on, such as one from kws synth.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any setting: mixup=0.2. Repeat for more."),
]


def train(
    *,
    data: DataOption,
    words: WordsOption,
    out: Annotated[Path, typer.Option(help="Folder of the run. An interrupted run resumes here.")],
    arch: Annotated[
        str | None,
        typer.Option(
            help="Architecture: a name of the zoo or a .py file.", show_default=DEFAULT_ARCH
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help=f"{_HELP['epochs']} The default is the architecture's.")
    ] = None,
    teacher: Annotated[
        list[Path] | None,
        typer.Option(**BUNDLE, help="Bundle or run to distil from. Several are averaged."),
    ] = None,
    finetune: Annotated[
        list[Path] | None,
        typer.Option(**BUNDLE, help="Bundle or run to start from. Several are averaged."),
    ] = None,
    verify: Annotated[
        str | None,
        typer.Option(
            help="Also train a second look: a larger model, such as tcs_resnet_wide, that checks "
            "each keyword before it is reported."
        ),
    ] = None,
    extra_data: ExtraDataOption = None,
    negatives: NegativesOption = None,
    noises: NoisesOption = None,
    rooms: RoomsOption = None,
    seed: Annotated[int | None, typer.Option(help=_HELP["seed"])] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Number of runs, each with its own seed.")] = 1,
    sets: SetOption = None,
    _help_settings: HelpSettingsOption = False,
    name: Annotated[
        str | None, typer.Option(help="Name of the bundle.", show_default="the folder's name")
    ] = None,
    about: Annotated[str, typer.Option(help="Description and licence of the data.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Train a model, evaluate it, and write its bundle to OUT/bundle."""
    from kws.convert.backend import check_tensorflow

    check_tensorflow()
    from kws.cli.printing.tables import conversion_table, difference_line, recall_table, seeds_line
    from kws.model.evaluate.judge.verdict import few_speakers
    from kws.model.samples.training_clips import training_speakers
    from kws.model.train.distillation import Teacher
    from kws.model.train.named_settings import parse_assignments, settings_for
    from kws.model.train.seeds import train_seeds
    from kws.model.train.training_job import TrainingJob
    from kws.model.weights.trained_model import load_trained, mean_of

    given = {"epochs": epochs, "seed": seed}
    texts = [f"{key}={value}" for key, value in given.items() if value is not None]
    chosen, dataset = split_words(words), open_data(data)
    base_model = mean_of([load_trained(path) for path in finetune]) if finetune else None
    arch = arch or (base_model.arch if base_model else DEFAULT_ARCH)
    changed = parse_assignments([*(sets or ()), *texts])
    if base_model:
        changed = {"keep_noise": base_model.keep_noise, **changed}
    settings = settings_for(chosen, arch, changed)
    say = line_printer(as_json=as_json)
    dataset.check(chosen)
    for line in few_speakers(training_speakers(dataset, chosen)):
        say(line)
    job = TrainingJob(
        dataset,
        out,
        settings,
        name=name or "",
        about=about,
        extra=open_data(extra_data) if extra_data else None,
        ambient=surroundings(negatives, noises, rooms),
        teacher=Teacher(*teacher) if teacher else None,
        base_model=base_model,
        verify=settings_for(chosen, verify, changed) if verify else None,
        say=say,
    )
    results = train_seeds(job, seeds)
    result = results.best
    if as_json:
        print(dumps(results.to_json(), indent=2))
        finish(result.verdict, as_json=True)
        return
    print_tables(recall_table(result.report.core), conversion_table(result.report))
    print(difference_line(result.report))
    if seeds > 1:
        print(seeds_line(results))
    if result.calibration:
        print_calibration(result.bundle.path or out, result.calibration)
    print(f"bundle: {result.bundle.path}\npicture: {result.picture}")
    finish(result.verdict)


def wake(
    phrase: Annotated[
        str, typer.Argument(help="Phrase to detect: 'hey marvin'. Or use --words.")
    ] = "",
    *,
    out: Annotated[
        Path, typer.Option(help="Folder of all results. An interrupted run resumes here.")
    ],
    words: Annotated[str, typer.Option("--words", help="Words instead of a phrase: up,down.")] = "",
    recordings: Annotated[
        Path | None,
        typer.Option(help="Recordings of people: a folder per word, as made by kws record."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="A data set of other words spoken by people, such as Speech Commands."),
    ] = None,
    negatives: NegativesOption = None,
    noises: NoisesOption = None,
    rooms: RoomsOption = None,
    model: Annotated[
        Path | None,
        typer.Option("--from", **BUNDLE, help="Bundle to start from. The default is ten_words."),
    ] = None,
    voices: Annotated[
        int, setting_option(WakeSettings, "voices", "--voices")
    ] = WakeSettings.voices,
    takes: Annotated[int, setting_option(WakeSettings, "takes", "--takes")] = WakeSettings.takes,
    alike: Annotated[int, setting_option(WakeSettings, "alike", "--alike")] = WakeSettings.alike,
    sentences: Annotated[
        int, setting_option(WakeSettings, "sentences", "--sentences")
    ] = WakeSettings.sentences,
    epochs: Annotated[
        int, setting_option(WakeSettings, "epochs", "--epochs")
    ] = WakeSettings.epochs,
    false_alarms_per_hour: Annotated[
        float, setting_option(WakeSettings, "false_alarms_per_hour", "--false-alarms-per-hour")
    ] = WakeSettings.false_alarms_per_hour,
    seed: Annotated[int, setting_option(WakeSettings, "seed", "--seed")] = WakeSettings.seed,
    language: LanguageOption = "en",
    name: Annotated[
        str | None, typer.Option(help="Name of the model, and label of its phrase. [the phrase]")
    ] = None,
    window_ms: Annotated[int | None, typer.Option(help=WINDOW_HELP)] = None,
    streaming: Annotated[bool, typer.Option("--streaming", help=STREAMING_HELP)] = False,
    verify: Annotated[bool, typer.Option("--verify", help=VERIFY_HELP)] = False,
    sellable: Annotated[bool, typer.Option("--sellable", help=SELLABLE_HELP)] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a bundle for your own phrase, from synthetic voices."""
    from kws.convert.backend import check_tensorflow

    check_tensorflow()
    from kws.bundle.checks import name_from
    from kws.model.wake.wake_word import make_wake_word

    labels = labels_of(phrase, words, name)
    settings = WakeSettings(
        words=labels,
        spoken_as={labels[0]: phrase} if name and phrase else {},
        name=name_from(name) if name else "",
        accents=accents_of(language),
        voices=voices,
        takes=takes,
        alike=alike,
        sentences=sentences,
        epochs=epochs,
        false_alarms_per_hour=false_alarms_per_hour,
        seed=seed,
        window_ms=window_ms,
        streaming=streaming,
        verify=verify,
        sellable=sellable,
    )
    result = make_wake_word(
        settings,
        out,
        recordings=recordings,
        extra=open_data(data) if data else None,
        ambient=surroundings(negatives, noises, rooms),
        base_model=model,
        say=line_printer(as_json=as_json),
    )
    if as_json:
        print(dumps(result.to_json(), indent=2))
        finish(result.verdict, as_json=True)
        return
    if result.calibration:
        print_calibration(result.bundle.path or out, result.calibration)
    print(f"bundle: {result.bundle.path}\nreport: {result.report}")
    finish(result.verdict, result.lines)


def sweep(
    *,
    data: DataOption,
    words: WordsOption,
    out: Annotated[Path, typer.Option(help="Folder for the runs, each in its own subfolder.")],
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE,VALUE",
            help="A setting, or arch, and its values: mixup=0,0.2. Repeat for more.",
        ),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A TOML file of such settings: mixup = [0, 0.2].")
    ] = None,
    _help_settings: HelpSettingsOption = False,
    processes: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 1,
    ray: Annotated[
        str | None, typer.Option(help="Address of a Ray cluster; auto, or local for one here.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Train with every combination of some settings, best first."""
    from kws.convert.backend import check_tensorflow

    check_tensorflow()
    from kws.cli.printing.tables import sweep_table
    from kws.files import locked
    from kws.model.evaluate.judge.verdict import Hears
    from kws.model.train import sweep as sweeps

    chosen = sweeps.read_sets(settings) if settings else {}
    chosen |= sweeps.parse_sets(sets or [])
    open_data(data)  # fail early
    jobs = sweeps.make_jobs(data, out, split_words(words), chosen)
    with locked(out):
        say = line_printer(as_json=True)
        outcomes = sweeps.run_sweep(jobs, processes=processes, ray=ray, say=say)
    if as_json:
        print(dumps(sweeps.to_json(outcomes), indent=2))
    else:
        print_tables(sweep_table(outcomes))
    if outcomes[0].hears == Hears.NOTHING:
        print(
            f"kws: the best run, {outcomes[0].folder}, detects nothing; try others", file=sys.stderr
        )
        raise typer.Exit(1)
