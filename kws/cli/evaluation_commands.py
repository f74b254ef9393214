# SPDX-License-Identifier: Apache-2.0
"""Commands that measure a model and choose its settings."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.options import (
    DataOption,
    JsonOption,
    ModelOption,
    OptionalDataOption,
    open_bundle,
    print_tables,
    split_words,
)


def evaluate(
    *,
    data: OptionalDataOption = None,
    model: ModelOption = None,
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
    as_json: JsonOption = False,
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

    bundle = open_bundle(model)
    task = evaluation.Task(
        data, split, float_model, stream, evaluation.plan(hours, quiet_hours, snr, seed),
        recording, labels, split_words(words),
    )  # fmt: skip
    found = evaluation.assess(bundle, task)
    if as_json:
        print(dumps(found.to_json(), indent=2))
    else:
        if found.clips:
            print_tables(recall_table(found.clips.evaluation), *judgement_tables(found.clips))
            print(speakers_line(found.clips))
        if found.stream:
            print_tables(hearing_table(found.stream.hearing))
            print(latency_line(found.stream.hearing))
    if png and found.clips:
        from kws.model.evaluate.report.plots import save_confusion

        save_confusion(png, found.clips.evaluation, f"{bundle.name}, int8 on the core")
    if out:
        from kws.model.evaluate.report.html_report import save_report

        page = save_report(out, found)
        print(f"report: {page}", file=sys.stderr if as_json else sys.stdout)


def calibrate(
    model: Annotated[Path, typer.Argument(help="A bundle.")],
    *,
    data: DataOption,
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
    as_json: JsonOption = False,
) -> None:
    """Choose thresholds, window and suppression on validation clips; write them into the bundle."""
    from kws.audio.dataset import open_dataset
    from kws.cli.tables import hearing_table, latency_line
    from kws.model.evaluate import evaluation

    plan = evaluation.plan(hours, quiet_hours, snr, seed)
    found = evaluation.calibrate_bundle(
        model, open_dataset(data), plan, false_alarms_per_hour, out, words=split_words(words)
    )
    if as_json:
        print(dumps(found.to_json(), indent=2))
        return
    settings = found.settings
    thresholds = ", ".join(f"{word} {value}" for word, value in settings.thresholds.items())
    print(
        f"{out or model}: thresholds {thresholds}, window {settings.average_window_ms} ms, at "
        f"least {settings.minimum_count} results, suppression {settings.suppression_ms} ms"
    )
    print("expected, from the validation clips:")
    print_tables(hearing_table(found.expected))
    print(latency_line(found.expected))
