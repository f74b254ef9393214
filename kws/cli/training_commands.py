# SPDX-License-Identifier: Apache-2.0
"""Commands that train models."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.options import (
    DataOption,
    JsonOption,
    WordsOption,
    print_tables,
    split_words,
)


def train(
    *,
    data: DataOption,
    words: WordsOption,
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
    as_json: JsonOption = False,
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
        split_words(words),
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
        say=lambda line: print(line, file=sys.stderr if as_json else sys.stdout, flush=True),
    )
    result = results.best
    if as_json:
        print(dumps(results.to_json(), indent=2))
        return
    print_tables(recall_table(result.report.core), conversion_table(result.report))
    print(difference_line(result.report))
    if seeds > 1:
        print(seeds_line(results))
    print(f"bundle: {result.bundle.path}\npicture: {result.picture}")


def sweep(
    *,
    data: DataOption,
    words: WordsOption,
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
    as_json: JsonOption = False,
) -> None:
    """Train with every combination of some settings; the best comes first."""
    from kws.audio.dataset import open_dataset
    from kws.model.train import sweep as sweeping

    chosen = sweeping.read_sets(settings) if settings else {}
    chosen |= sweeping.parse_sets(sets or [])
    open_dataset(data)  # what is wrong with it is said before anything starts
    jobs = sweeping.jobs_of(data, out, split_words(words), chosen)
    outcomes = sweeping.run_sweep(
        jobs,
        processes=processes,
        ray=ray,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    if as_json:
        print(dumps(sweeping.to_json(outcomes), indent=2))
    else:
        print_tables(sweeping.table(outcomes))


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
    as_json: JsonOption = False,
) -> None:
    """List the models of the zoo and what they cost; measured at first, then remembered."""
    from kws.bundle.bundle import default_bundle_path
    from kws.host.build.boards import find_board
    from kws.host.build.programs import cache_folder
    from kws.host.measure import model_costs
    from kws.model.zoo import MODELS

    if board != "none":
        find_board(board)
    costs = model_costs.measure(
        names or list(MODELS),
        words + 2,
        None if board == "none" else board,
        cache_folder(),
        lambda line: print(line, file=sys.stderr, flush=True),
    )
    known = model_costs.trained([default_bundle_path().parent, runs])
    if as_json:
        print(dumps(model_costs.to_json(costs, known), indent=2))
    else:
        print_tables(model_costs.table(costs, known))
