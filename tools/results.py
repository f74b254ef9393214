# SPDX-License-Identifier: Apache-2.0
"""Writes docs/results.md: accuracy of the zoo's models on Speech Commands. `make results` runs it.

A row is an architecture that is trained with several seeds. Runs lie in runs/results: finished ones
are read, others go on where they were, so the tool may be stopped and started at will.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kws.audio.dataset import open_dataset
from kws.audio.tts.synth import synthesize
from kws.audio.tts.synth_settings import SynthSettings
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.model.evaluate.streams import StreamPlan
from kws.model.train.distillation import Teacher
from kws.model.train.loop import train
from kws.model.train.named_settings import settings_for
from kws.model.weights import checkpoint, run_files
from kws.model.weights.trained_model import TrainedModel
from kws.model.zoo import find_model
from tools.stream_results import measure, section

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
RUNS = ROOT / "runs" / "results"
DATA = ROOT.parent / "shared" / "data" / "speech_commands"
ABOUT = (
    "Speech Commands by Pete Warden, Google (arXiv:1804.03209), licence CC BY 4.0: an excerpt of "
    "12,429 clips of 35 words by 1,691 speakers and its background noises."
)
YES_NO = ("yes", "no")
TEN = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
MANY = (*TEN, "zero", "one", "five", "eight")
"""All words with more than a few clips."""

HOURS = (2, 8)
"""Hours of sound with keywords and without, on the validation list and on the test list."""

NAMES = {YES_NO: "yes_no", TEN: "ten_words", MANY: "many_words"}

SPOKEN = ("dawn", "fog", "let", "light", "low", "toe", "top", "town", "yet", "young")
"""Words that text-to-speech speaks for the unknown class."""


@dataclass(frozen=True)
class Row:
    """An architecture and how it is trained."""

    folder: str
    title: str
    words: tuple[str, ...]
    arch: str
    options: dict[str, Any] = field(default_factory=dict)
    teacher: str = ""
    """Folder of a run in RUNS, or of all of a row's runs."""

    origin: str = ""
    """Folder of a run in RUNS with whose layers it starts."""

    synthetic: bool = False
    """Whether text-to-speech is mixed in."""

    recognizer: RecognizerSettings = field(default_factory=RecognizerSettings)
    """Settings of the bundle in kws/assets."""

    first_seed: int = 0
    most_seeds: int = 100
    asset: str = ""
    """Name of the bundle in kws/assets that the row's best run becomes."""

    stream: tuple[str, ...] = ()
    """Keywords for which its runs are calibrated, and with which they are tested on streams."""


IN_NOISE: dict[str, Any] = {
    "background": 0.9,
    "snr_db": 0.0,
    "snr_range_db": 25.0,
    "lead_ms": 1000,
    "shift_ms": 500,
    "whole": 0.6,
}
"""For a device that listens all day: noise that lasts, and words that pass by."""

KNOWS_MANY: dict[str, Any] = {
    "epochs": 80,
    "copies": 12,
    "mask": 0.1,
    "balance": 0.5,
    "joined": 0.4,
    "unknown_per_keyword": 2.0,
    "silence_per_keyword": 1.0,
    **IN_NOISE,
}

ROWS = (
    Row(
        *("many_words", "14 words: a teacher", MANY, "tcs_resnet_wide", KNOWS_MANY),
        synthetic=True,
        most_seeds=2,
    ),
    Row(
        *("many_words_taught", "14 words: a second teacher, distilled", MANY, "tcs_resnet_wide"),
        {**KNOWS_MANY, "frozen": 0.0, "learning_rate": 0.003, "last": True},
        teacher="many_words",
        origin="many_words/seed1",
        synthetic=True,
    ),
    Row(
        *(
            "many_words_fine",
            "14 words: the start of the next row",
            MANY,
            "tcs_resnet_fine",
        ),
        {
            **KNOWS_MANY,
            "snr_range_db": 20.0,
            "epochs": 70,
            "teacher_share": 0.5,
            "last": True,
        },
        teacher="many_words_taught",
        synthetic=True,
        most_seeds=1,
    ),
    Row(
        *("many_words_stream", "14 words, for hours of sound", MANY, "tcs_resnet_fine"),
        {**KNOWS_MANY, "epochs": 60, "frozen": 0.0, "learning_rate": 0.003, "last": True},
        teacher="many_words_taught",
        origin="many_words_fine/seed0",
        synthetic=True,
        stream=YES_NO,
    ),
    Row(
        *("yes_no_best", "yes, no: a teacher", YES_NO, "tcs_resnet", {"epochs": 25, "copies": 5}),
    ),
    Row(
        *("yes_no_taught", "yes, no: under 60 kB", YES_NO, "tcs_resnet"),
        {"epochs": 35, "copies": 10},
        teacher="yes_no_best",
    ),
    Row(
        *("yes_no_tiny", "yes, no: under 20 kB", YES_NO, "tiny_conv", {"epochs": 50, "copies": 6}),
        teacher="yes_no_best/seed0",
        # A model that learned from a teacher gives lower scores. With this threshold it recognizes
        # as many validation clips, with as few errors, as a model without a teacher at 200. A word
        # is above the threshold for longer, so it is suppressed for longer.
        recognizer=RecognizerSettings(
            detection_threshold=160, suppression_ms=1700, thresholds={"unknown": 200}
        ),
        asset="yes_no",
    ),
    Row(
        *("ten_words_teacher", "ten words: the teacher of the next row", TEN, "tcs_resnet"),
        {"epochs": 30, "copies": 5, "unknown_per_keyword": 2.0, "silence_per_keyword": 0.5},
        synthetic=True,
        most_seeds=1,
        asset="ten_words",
    ),
    Row(
        *("ten_words", "ten words: under 60 kB", TEN, "tcs_resnet"),
        {"epochs": 30, "copies": 6, "unknown_per_keyword": 2.0, "silence_per_keyword": 0.5},
        teacher="ten_words_teacher/seed0",
        synthetic=True,
        first_seed=1,
        asset="ten_words",
    ),
    Row(
        *("ten_words_large", "ten words: within 128 KB of RAM", TEN, "tcs_resnet_wide"),
        {
            "epochs": 30,
            "copies": 8,
            "mask": 0.1,
            "unknown_per_keyword": 2.0,
            "silence_per_keyword": 0.5,
        },
        teacher="ten_words",
        synthetic=True,
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
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", help="the folder of one row, or of one run of it")
    parser.add_argument("--page", action="store_true", help="write the page alone")
    parser.add_argument("--bundles", type=Path, help="folder for the bundles of the best runs")
    parser.add_argument(
        "--stream",
        action="store_true",
        help="test the rows for hours of sound on them",
    )
    args = parser.parse_args()
    for row in ROWS:
        for seed in seeds_of(row, args.seeds):
            if args.page or args.only not in {None, row.folder, f"{row.folder}/seed{seed}"}:
                continue
            run(row, seed, args.data)
            notes = stream_notes(row, seed)
            if args.stream and row.stream and not notes.is_file():
                bundle = notes.with_name("calibrated")
                write_bundle(load_bundle(notes.with_name("bundle")), bundle)
                measure(bundle, args.data, StreamPlan(*HOURS), row.stream, notes)
    for asset in sorted({row.asset for row in ROWS if row.asset and args.bundles}):
        rows = [row for row in ROWS if row.asset == asset]
        write_asset(rows, args.seeds, args.bundles / asset)
    text = page([(row, figures(row, args.seeds)) for row in ROWS])
    files = {
        f"{', '.join(row.stream)}: `{row.folder}`, seed {seed}": stream_notes(row, seed)
        for row in ROWS
        for seed in (seeds_of(row, args.seeds) if row.stream else ())
    }
    streams = {
        title: json.loads(file.read_text(encoding="utf-8"))
        for title, file in files.items()
        if file.is_file()
    }
    PAGE.write_text("\n".join([text, *section(streams)]).rstrip() + "\n", encoding="utf-8")


def stream_notes(row: Row, seed: int) -> Path:
    """The file with a run's results on hours of sound."""
    return RUNS / row.folder / f"seed{seed}" / "stream.json"


def seeds_of(row: Row, seeds: int) -> range:
    """The row's seeds, at most so many."""
    return range(row.first_seed, row.first_seed + min(seeds, row.most_seeds))


def run(row: Row, seed: int, data: Path) -> None:
    """One training run, unless it is finished."""
    out = RUNS / row.folder / f"seed{seed}"
    if (out / "bundle" / "bundle.toml").is_file():
        return
    print(f"{row.folder}, seed {seed}", flush=True)
    extra = None
    if row.synthetic:
        synthesize(SynthSettings(TEN, SPOKEN, takes=2), RUNS / "tts")
        extra = open_dataset(RUNS / "tts")
    train(
        open_dataset(data),
        out,
        settings_for(row.words, row.arch, {"seed": seed, **row.options}),
        name=NAMES[row.words],
        about=ABOUT,
        extra=extra,
        teacher=Teacher(RUNS / row.teacher) if row.teacher else None,
        origin=TrainedModel(RUNS / row.origin) if row.origin else None,
        say=lambda line: print(line, flush=True),
    )


def write_asset(rows: Sequence[Row], seeds: int, out: Path) -> None:
    """Write the bundle of the run with the lowest validation loss among the rows."""
    runs = [RUNS / row.folder / f"seed{seed}" for row in rows for seed in seeds_of(row, seeds)]
    best = min((run for run in runs if (run / "bundle" / "bundle.toml").is_file()), key=_loss)
    about = ABOUT
    if rows[0].synthetic:
        about += " A tenth of the training clips are synthetic, by espeak-ng and flite."
    bundle = load_bundle(best / "bundle")
    stride = find_model(rows[0].arch).stride
    bundle = replace(bundle, data=about, recognizer=rows[0].recognizer, inference_stride=stride)
    write_bundle(bundle, out)


def _loss(folder: Path) -> float:
    state = checkpoint.load(folder / run_files.CHECKPOINT)
    return state.history[state.best_epoch].validation_loss if state else float("inf")


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


def page(rows: Sequence[tuple[Row, Sequence[Figures]]]) -> str:
    """The whole page."""
    lines = [
        "<!-- Generated by tools/results.py (make results): do not edit. -->",
        "",
        "# Results",
        "",
        "How well models of the zoo do on an excerpt of Speech Commands (12,429 clips of 35 words",
        "by 1,691 speakers).",
        "",
        "- Clips are those of the test list: equal shares of silence, unknown and each keyword.",
        "- Settings were chosen on the validation list.",
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
        minutes = [one.cpu_minutes for one in runs if one.cpu_minutes]
        lines.append(
            f"| {row.title} | `{row.arch}` | {len(runs)} | {100 * core.mean():.2f} %{spread} "
            f"| {100 * whole.mean():.2f} % | {100 * (whole - core).mean():+.2f} points "
            f"| {runs[0].size:,} | {runs[0].arena:,} "
            f"| {f'{np.mean(minutes):.1f}' if minutes else 'not measured'} |"
        )
    lines.append("")
    for row, runs in rows:
        if not runs:
            continue
        recalls = {label: np.mean([one.recall[label] for one in runs]) for label in runs[0].recall}
        each = ", ".join(f"{label} {100 * value:.1f}" for label, value in recalls.items())
        options = ", ".join(f"{key} {value}" for key, value in row.options.items())
        taught = f"; distilled from `{row.teacher}`" if row.teacher else ""
        began = f"; starts from `{row.origin}`" if row.origin else ""
        mixed = "; a tenth of the clips are from `kws synth`" if row.synthetic else ""
        lines += [
            f"## {row.title} (`{row.arch}`)",
            "",
            f"{runs[0].clips} clips. Recall in %: {each}.",
            "",
            f"Accuracy by seed in %: {', '.join(f'{100 * one.core:.2f}' for one in runs)}; on the",
            f"validation list {', '.join(f'{100 * one.validation:.2f}' for one in runs)}.",
            "",
            f"Settings that differ from the defaults: {options}{began}{taught}{mixed}.",
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    main()
