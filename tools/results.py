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
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kws.audio.dataset import Split, open_dataset
from kws.audio.surroundings import Surroundings
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.model.evaluate.mining import MiningSettings, mine_recordings
from kws.model.train.distillation import Teacher
from kws.model.train.loop import train
from kws.model.train.named_settings import IN_A_ROOM, settings_for
from kws.model.weights import checkpoint, run_files
from kws.model.weights.trained_model import TrainedModel
from tools.asset_choice import best
from tools.stream_results import measure, section

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
RUNS = ROOT / "runs" / "results"
DATA = ROOT.parent / "shared" / "data" / "speech_commands"
REAL = ROOT.parent / "shared" / "data" / "real_speech"
ABOUT = (
    "Speech Commands by Pete Warden, Google (arXiv:1804.03209), licence CC BY 4.0: an excerpt of "
    "12,429 clips of 35 words by 1,691 speakers and its background noises. Talk without the "
    "keywords by many people, noises and measured rooms (licences: Apache-2.0, CC0, CC BY 4.0, "
    "CC BY 3.0, public domain, and two games' that are free to give away)."
)
YES_NO = ("yes", "no")
TEN = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
MANY = (*TEN, "zero", "one", "five", "eight")
"""All words with more than a few clips."""


@dataclass(frozen=True)
class Row:
    """An architecture and how it is trained."""

    folder: str
    title: str
    words: tuple[str, ...]
    arch: str
    options: dict[str, Any] = field(default_factory=dict)
    teacher: str = ""
    """Folder of a row in RUNS, from whose scores it learns."""

    start: str = ""
    """Folder of a row in RUNS, with whose layers, of the same seed, it starts: a second round."""

    mined: bool = False
    """Whether it learns what woke the first row in hours of talk."""

    shift: int = 0
    """Added to the seed, so that a round hears other sounds than the one before."""

    start_mined: bool = False
    """Whether it learns what woke the run that it starts with, too."""

    most_seeds: int = 100
    asset: str = ""
    """Name of the bundle in kws/assets that the row's best run becomes."""

    per_hour: float = 1.5
    """False alarms allowed per hour of talk. With less, one place in half an hour of validation
    talk decides; after two rounds, a tenth of the words in a quiet room is missed then."""

    at_words: float = 3.0
    """False alarms allowed in an hour with 180 single other words."""


FOR_TEACHER: dict[str, Any] = {
    "talk_per_keyword": 9.0,
    "mask": 0.1,
    "balance": 0.5,
    "joined": 0.3,
    "unknown_per_keyword": 2.0,
    "silence_per_keyword": 1.0,
    **IN_A_ROOM,
}
FOR_YES_NO: dict[str, Any] = {
    "talk_per_keyword": 5.0,
    "hard": 0.1,
    "mask": 0.1,
    "joined": 0.3,
    **IN_A_ROOM,
    "background": 0.85,
    "talk": 0.55,
}
FOR_TEN_WORDS: dict[str, Any] = {
    "talk_per_keyword": 8.0,
    "hard": 0.15,
    "mask": 0.05,
    "balance": 0.6,
    "joined": 0.3,
    "unknown_per_keyword": 2.0,
    "silence_per_keyword": 1.0,
    **IN_A_ROOM,
    "talk": 0.45,
}


def two_rounds(
    folder: str, title: str, words: tuple[str, ...], options: dict[str, Any]
) -> tuple[Row, Row]:
    """A student's first two rounds."""
    first = Row(
        *(f"{folder}_first", f"{title}: first round", words, "tcs_resnet"),
        {"epochs": 60, "copies": 10, **options},
        teacher="teacher_second",
        mined=True,
    )
    second = replace(
        first,
        folder=f"{folder}_second",
        title=f"{title}: second round",
        options={"frozen": 0.0, "epochs": 60, "copies": 12, **options},
        start=first.folder,
        shift=1,
    )
    return first, second


YES_NO_ROUNDS = two_rounds("yes_no", "yes, no", YES_NO, FOR_YES_NO)
TEN_ROUNDS = two_rounds("ten_words", "ten words", TEN, FOR_TEN_WORDS)

ROWS = (
    Row(
        *("teacher", "14 words: the teacher", MANY, "tcs_resnet_wide"),
        {"epochs": 45, "copies": 9, **FOR_TEACHER},
        most_seeds=1,
    ),
    Row(
        *("teacher_second", "14 words: the teacher's second round", MANY, "tcs_resnet_wide"),
        {
            "frozen": 0.0,
            "epochs": 75,
            "copies": 15,
            "hard": 0.1,
            **FOR_TEACHER,
            "background": 0.85,
            "talk": 0.5,
        },
        start="teacher",
        shift=1,
        mined=True,
        most_seeds=1,
    ),
    *YES_NO_ROUNDS,
    replace(
        YES_NO_ROUNDS[1],
        folder="yes_no",
        title="yes, no: under 60 kB",
        options=dict(
            FOR_YES_NO, frozen=0.0, epochs=150, copies=18, talk_per_keyword=8.0, hard=0.12
        ),
        start=YES_NO_ROUNDS[1].folder,
        shift=20,
        start_mined=True,
        asset="yes_no",
        per_hour=1.0,
    ),
    Row(
        *("tiny", "yes, no: under 20 kB", YES_NO, "tiny_conv"),
        {
            "epochs": 90,
            "copies": 10,
            "talk_per_keyword": 2.0,
            "hard": 0.1,
            "joined": 0.2,
            **IN_A_ROOM,
        },
        teacher="teacher_second",
        mined=True,
        asset="tiny",
        # At fewer false alarms a model of this size misses more than half of the words in noise.
        per_hour=5.0,
        at_words=10.0,
    ),
    TEN_ROUNDS[0],
    replace(
        TEN_ROUNDS[1],
        folder="ten_words",
        title="ten words: under 60 kB",
        asset="ten_words",
        at_words=6.0,
    ),
)


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


def main() -> None:
    """Train the runs that are not finished, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--real", type=Path, default=REAL, help="talk, noises and rooms")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", help="the folder of one row, or of one run of it")
    parser.add_argument("--page", action="store_true", help="write the page alone")
    parser.add_argument("--bundles", type=Path, help="folder for the bundles of the best runs")
    args = parser.parse_args()
    for row in ROWS:
        for seed in seeds_of(row, args.seeds):
            if args.page or args.only not in {None, row.folder, f"{row.folder}/seed{seed}"}:
                continue
            run(row, seed, args.data, args.real)
            notes = notes_of(row, seed)
            if row.asset and not notes.is_file():
                measure(notes.with_name("bundle"), args.data, args.real, notes)
    for row in ROWS:
        if row.asset and args.bundles:
            write_asset(row, args.seeds, args.bundles / row.asset)
    measured = {
        row.title: [
            json.loads(notes_of(row, seed).read_text(encoding="utf-8"))
            for seed in seeds_of(row, args.seeds)
            if notes_of(row, seed).is_file()
        ]
        for row in ROWS
    }
    lines = [*HEAD, *section(measured), *clips([(row, figures(row, args.seeds)) for row in ROWS])]
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def notes_of(row: Row, seed: int) -> Path:
    """The file with a run's results on the test split."""
    return RUNS / row.folder / f"seed{seed}" / "test.json"


def seeds_of(row: Row, seeds: int) -> range:
    """The row's seeds, at most so many."""
    return range(min(seeds, row.most_seeds))


def run(row: Row, seed: int, data: Path, real: Path) -> None:
    """One training run, unless it is finished."""
    out = RUNS / row.folder / f"seed{seed}"
    if (out / "bundle" / "bundle.toml").is_file():
        return
    print(f"{row.folder}, seed {seed}", flush=True)
    negatives = [real]
    if row.mined:
        teacher = RUNS / ROWS[0].folder / "seed0"
        negatives.append(what_wakes(teacher, TEN, real, RUNS / "mined"))
    start = RUNS / row.start / f"seed{seed}" if row.start else None
    if start and row.start_mined:
        negatives.append(what_wakes(start, row.words, real, start / "mined"))
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
        about=ABOUT,
        around=Surroundings(tuple(negatives), (real / "noise",), (real / "rooms",)),
        teacher=Teacher(RUNS / row.teacher) if row.teacher else None,
        origin=TrainedModel(start) if start else None,
        say=lambda line: print(line, flush=True),
    )


def what_wakes(run: Path, words: tuple[str, ...], real: Path, out: Path) -> Path:
    """The folder `out` with what wakes a run's model in training talk, which is mined once."""
    if not out.is_dir():
        settings = MiningSettings((real,), words, 0.3, Split.TRAIN, None)
        mine_recordings(load_bundle(run / "bundle"), settings, out)
    return out


def write_asset(row: Row, seeds: int, out: Path) -> None:
    """Write the best bundle of the row's runs."""
    runs = [RUNS / row.folder / f"seed{seed}" for seed in seeds_of(row, seeds)]
    bundles = [load_bundle(run / "bundle") for run in runs if (run / "bundle").is_dir()]
    write_bundle(best(bundles, row.asset), out)


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
    "What the models of kws miss and what wakes them, on people and talk that had no part in the",
    "choice of anything: the test splits of an excerpt of Speech Commands (12,429 clips of 35",
    "words by 1,691 speakers) and of 4.6 hours of talk. Each row is a mean of its seeds.",
    "[evaluation.md](evaluation.md) says what is measured, and how, and",
    "[what was seen](evaluation.md#what-was-measured) before the choice.",
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
        minutes = np.mean([one.cpu_minutes for one in runs])
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
