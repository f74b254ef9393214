# SPDX-License-Identifier: Apache-2.0
"""Trains the models in kws/assets and writes docs/results.md: what they miss, and what wakes them.

`make assets` runs it. A row is an architecture that is trained with several seeds. A teacher knows
more words than it has to. What wakes it in hours of talk becomes training clips: of the teacher
itself, in a second round, and of its students.
Runs lie in runs/results: finished ones are read, others go on where they were, so the tool may be
stopped and started at will.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kws.audio.dataset import Split, open_dataset
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.host.emulate.matrix import HOST, play_all
from kws.host.emulate.recordings import default_matrix, load_matrix
from kws.model.evaluate.evaluation import calibrate_bundle, calibration_plan, hours_for
from kws.model.evaluate.mining import MiningSettings, mine_recordings
from kws.model.train.distillation import Teacher
from kws.model.train.loop import train
from kws.model.train.named_settings import settings_for
from kws.model.weights import checkpoint, run_files
from kws.model.weights.trained_model import TrainedModel, mean_of
from tools.recipes import ROWS, TEN, Row, about
from tools.stream_results import measure, section

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
RUNS = ROOT / "runs" / "results"
DATA = ROOT.parent / "shared" / "data" / "speech_commands"
REAL = ROOT.parent / "shared" / "data" / "real_speech"
EAGER = "bundle_eager"
"""Folder of a run's second bundle."""

GATES_DB = {"yes_no": 0.8, "ten_words": 0.8}
"""In a quiet room these rest. `tiny` costs little, and shows what a device does all the time."""


@dataclass(frozen=True)
class Figures:
    """Results of one run on the test list; accuracies from 0 to 1."""

    core: float
    float_model: float
    recall: dict[str, float]
    validation: float
    size: int
    arena: int
    clips: int
    cpu_minutes: float
    """0 of a bundle without its run."""


def main() -> None:
    """Train the runs that are not finished, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--real", type=Path, default=REAL, help="talk, noises and rooms")
    parser.add_argument("--talk", type=Path, nargs="*", default=[], help="more talk, for training")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", help="the folder of one row, or of one run of it")
    parser.add_argument("--page", action="store_true", help="write the page alone")
    parser.add_argument("--bundles", type=Path, help="folder for the bundles of the best runs")
    args = parser.parse_args()
    for row in ROWS:
        for seed in seeds_of(row, args.seeds):
            if args.page or args.only not in {None, row.folder, f"{row.folder}/seed{seed}"}:
                continue
            run(row, seed, args.data, args.real, args.talk)
            measure_run(row, seed, args.data, args.real)
    for row in ROWS:
        if row.asset and args.bundles:
            write_asset(row, args.seeds, args.bundles / row.asset)
    measured = {
        title: [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]
        for row in ROWS
        for title, files in (
            (row.title, [notes_of(row, seed) for seed in seeds_of(row, args.seeds)]),
            (
                f"{row.title}, asked for {row.eager:g} per hour",
                [notes_of(row, s, EAGER) for s in seeds_of(row, args.seeds) if row.eager],
            ),
        )
    }
    lines = [*HEAD, *section(measured), *clips([(row, figures(row, args.seeds)) for row in ROWS])]
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def notes_of(row: Row, seed: int, bundle: str = run_files.BUNDLE) -> Path:
    """The file with a run's results on the test split, of its bundle or of the eager one."""
    return RUNS / row.folder / f"seed{seed}" / ("test" + bundle.removeprefix("bundle") + ".json")


def measure_run(row: Row, seed: int, data: Path, real: Path) -> None:
    """Measure a run's bundles on the test split, unless they were."""
    out = RUNS / row.folder / f"seed{seed}"
    if row.eager and not (out / EAGER).is_dir():
        dataset = open_dataset(data)
        plan = calibration_plan(hours_for(len(dataset.of(Split.VALIDATION, row.words))))
        calibrate_bundle(
            *(out / run_files.BUNDLE, dataset, plan, row.eager, out / EAGER),
            around=Surroundings((real,)),
            at_words=row.eager,
        )
    for bundle in (run_files.BUNDLE, *([EAGER] if row.eager else [])):
        notes = notes_of(row, seed, bundle)
        if row.asset and not notes.is_file():
            measure(out / bundle, data, real, notes)


def seeds_of(row: Row, seeds: int) -> range:
    """The row's seeds, at most so many."""
    return range(min(seeds, row.most_seeds))


def run(row: Row, seed: int, data: Path, real: Path, more: Sequence[Path]) -> None:
    """One training run, unless it is finished; `more` is talk beside that in `real`."""
    out = RUNS / row.folder / f"seed{seed}"
    if (out / "bundle" / "bundle.toml").is_file():
        return
    print(f"{row.folder}, seed {seed}", flush=True)
    talk = (real, *more) if row.more else (real,)
    negatives = [*talk]
    if row.mined:
        teacher = RUNS / ROWS[0].folder / "seed0"
        negatives.append(what_wakes(teacher, TEN, (real,), RUNS / "mined"))
    start = RUNS / row.start / f"seed{seed}" if row.start else None
    if start and row.start_mined:
        negatives.append(what_wakes(start, row.words, talk, start / "mined"))
    options = {
        "seed": seed + row.shift,
        "false_alarms_per_hour": row.per_hour,
        "false_alarms_at_words": row.at_words,
        **row.options,
    }
    train(
        open_dataset(data),
        out,
        settings_for(row.words, row.arch, options),
        name=row.asset or row.folder,
        about=about(row, more),
        around=Surroundings(tuple(negatives), (real / "noise",), (real / "rooms",)),
        teacher=Teacher(RUNS / row.teacher) if row.teacher else None,
        origin=mean_of(origins(row, seed)) if start else None,
        say=lambda line: print(line, flush=True),
    )


def origins(row: Row, seed: int) -> list[TrainedModel]:
    """The run that a row starts with, and for a mean what that run started with."""
    folders = [row.start]
    if row.mean:
        folders += [other.start for other in ROWS if other.folder == row.start]
    return [TrainedModel(RUNS / folder / f"seed{seed}") for folder in folders]


def what_wakes(run: Path, words: tuple[str, ...], talk: tuple[Path, ...], out: Path) -> Path:
    """The folder `out` with what wakes a run's model in training talk, which is mined once."""
    if not out.is_dir():
        settings = MiningSettings(talk, words, 0.3, Split.TRAIN, None)
        mine_recordings(load_bundle(run / "bundle"), settings, out)
    return out


def write_asset(row: Row, seeds: int, out: Path) -> None:
    """Write the best bundle of the row's runs."""
    runs = [RUNS / row.folder / f"seed{seed}" for seed in seeds_of(row, seeds)]
    bundles = [load_bundle(run / "bundle") for run in runs if (run / "bundle").is_dir()]
    write_bundle(best(bundles, row.asset), out)


def best(bundles: Iterable[Bundle], asset: str) -> Bundle:
    """The run with the lowest cost, as the asset of this name: with its gate."""
    chosen = min(bundles, key=cost)
    gate_db = GATES_DB.get(asset, 0.0)
    return replace(chosen, recognizer=replace(chosen.recognizer, gate_db=gate_db))


def cost(bundle: Bundle) -> tuple[int, float]:
    """How many of `kws test`'s recordings are wrong, and the share of validation words missed.

    Boards are tested with these recordings, which are of yes and no. For other words it is 0.
    """
    wrong = 0
    if bundle.keywords == ("yes", "no"):
        recordings = load_matrix(default_matrix(), bundle.labels)
        results = play_all(HOST, bundle, recordings)
        wrong = sum(not row.ok for result in results for row in result.rows)
    return wrong, bundle.metrics["calibration"]["miss_share"]


def figures(row: Row, seeds: int) -> list[Figures]:
    """The row's finished runs."""
    results = []
    for seed in seeds_of(row, seeds):
        out = RUNS / row.folder / f"seed{seed}"
        if not (out / "bundle" / "bundle.toml").is_file():
            continue
        bundle = load_bundle(out / "bundle")
        state = checkpoint.load(out / run_files.CHECKPOINT)
        metrics = bundle.metrics
        results.append(
            Figures(
                *(metrics["accuracy"]["core"], metrics["accuracy"]["float"], metrics["recall"]),
                metrics["training"]["validation_accuracy"],
                *(len(bundle.model), bundle.arena_bytes, metrics["clips"]),
                sum(result.cpu_seconds for result in state.history) / 60 if state else 0.0,
            )
        )
    return results


HEAD = (
    "<!-- Generated by tools/results.py (make assets): do not edit. -->",
    "",
    "# Results",
    "",
    "What the models of kws miss and what wakes them, on people and talk that nothing was trained",
    "or calibrated on: the test splits of an excerpt of Speech Commands (12,429 clips of 35 words",
    "by 1,691 speakers) and of 4.6 hours of talk. Each row is a mean of its seeds.",
    "[evaluation.md](evaluation.md) says what is measured, and how, and",
    "[which choices were made with such figures known](evaluation.md#what-was-measured).",
    "",
)


def clips(rows: Sequence[tuple[Row, Sequence[Figures]]]) -> list[str]:
    """The part of the page about single clips."""
    lines = [
        "## Single clips",
        "",
        "- Clips are those of the test list: equal shares of silence, unknown and each keyword.",
        "- *accuracy* is that of the int8 model on kws's core, which is what a device computes:",
        "  mean and standard deviation over the seeds. *float* is that of the float model, and",
        "  *loss by int8* is the difference.",
        "- *CPU minutes* of one run are those of all cores together, with the changing of clips.",
        "",
        "| | model | seeds | accuracy | float | loss by int8 | bytes | arena | CPU minutes |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row, runs in rows:
        if not runs:
            lines.append(f"| {row.title} | `{row.arch}` | 0 | not trained yet | | | | | |")
            continue
        core = np.array([one.core for one in runs])
        whole = np.array([one.float_model for one in runs])
        spread = f" ± {100 * core.std(ddof=1):.2f}" if len(runs) > 1 else ""
        minutes = np.mean([one.cpu_minutes for one in runs if one.cpu_minutes] or [0.0])
        lines.append(
            f"| {row.title} | `{row.arch}` | {len(runs)} | {100 * core.mean():.2f} %{spread} "
            f"| {100 * whole.mean():.2f} % | {100 * (whole - core).mean():+.2f} points "
            f"| {runs[0].size:,} | {runs[0].arena:,} | {minutes:.1f} |"
        )
    lines += ["", "## How they were trained", ""]
    for row, runs in rows:
        if not runs:
            continue
        recalls = {label: np.mean([one.recall[label] for one in runs]) for label in runs[0].recall}
        each = ", ".join(f"{label} {100 * value:.1f}" for label, value in recalls.items())
        options = ", ".join(f"{key} {value}" for key, value in row.options.items())
        titles = {other.folder: other.title for other in ROWS}
        taught = f"; taught by *{titles[row.teacher]}*" if row.teacher else ""
        taught += f"; starts with the layers of *{titles[row.start]}*" if row.start else ""
        taught += f"; with what woke *{ROWS[0].title}* in talk" if row.mined else ""
        taught += f" and what woke *{titles[row.start]}*" if row.start_mined else ""
        lines += [
            f"### {row.title} (`{row.arch}`)",
            "",
            f"Settings that differ from the defaults: {options}{taught}.",
            "",
            f"Recall on {runs[0].clips} clips in %: {each}. Accuracy by seed in %:",
            f"{', '.join(f'{100 * one.core:.2f}' for one in runs)}; on the validation list",
            f"{', '.join(f'{100 * one.validation:.2f}' for one in runs)}.",
            "",
        ]
    return lines


if __name__ == "__main__":
    main()
