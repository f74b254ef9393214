# SPDX-License-Identifier: Apache-2.0
"""Trains the models in kws/assets and writes docs/results.md: their misses and false alarms.

`make assets` runs it. A row is an architecture trained with several seeds. A teacher knows more
words than its students. Its false alarms in hours of talk become training clips for its second
round and for its students.

Runs are in runs/results, and several run at the same time. A stopped tool continues with the
unfinished runs.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kws.audio.dataset import Split, open_dataset
from kws.audio.long_recordings import MANIFEST
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import LOOK_METRICS, Bundle
from kws.bundle.device import Device
from kws.bundle.layout import SETTINGS_FILE
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.errors import KwsError
from kws.files import atomic_write, make_directory
from kws.host.emulate.player import HOST, play_all
from kws.host.emulate.recordings import default_matrix, load_matrix
from kws.model.evaluate.bundle_calibration import calibrate_bundle
from kws.model.evaluate.score.plans import calibration_plan, hours_for
from kws.model.train.distillation import Teacher
from kws.model.train.mining import MiningSettings, mine_recordings
from kws.model.train.named_settings import settings_for
from kws.model.train.training import train
from kws.model.train.training_job import TrainingJob
from kws.model.weights import checkpoint, run_files
from kws.model.weights.trained_model import load_trained, mean_of
from tools.recipes import ABOUT, ROWS, TEN, Row
from tools.results_page import HEAD, RECALL, Figures, clips, measure, recalls, section

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
RUNS = ROOT / "runs" / "results"
DATA = ROOT.parent / "shared" / "data" / "speech_commands"
REAL = ROOT.parent / "shared" / "data" / "real_speech"
TRAINING_SOUNDS = RUNS / "real"
"""Talk, noises and rooms without NOT_LEARNED."""

NOT_LEARNED = ("queen", "sky")
"""Folders of talk by games that may be given away, but not be sold as individual items. They are
for validation and testing."""

ALONE = "bundle_alone"
"""Folder of a run's bundle without its second look."""


@dataclass(frozen=True)
class Sounds:
    """Folders of sound beside the words."""

    real: Path
    """Talk, noises and rooms."""

    talk: tuple[Path, ...] = ()
    noises: tuple[Path, ...] = ()

    def surroundings(self) -> Surroundings:
        """All of them."""
        return Surroundings(
            (self.real, *self.talk), (self.real / "noise", *self.noises), (self.real / "rooms",)
        )


Run = tuple[Row, int]
"""A row and its seed."""

GATES_DB = {"yes_no": 0.8, "ten_words": 0.8}
"""Bundles with a gate. `tiny` has none: it takes few cycles."""


def main() -> None:
    """Train the runs that are not finished, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--real", type=Path, default=REAL, help="talk, noises and rooms")
    parser.add_argument("--talk", type=Path, nargs="*", default=[], help="more talk")
    parser.add_argument("--noises", type=Path, nargs="*", default=[], help="more noise, and music")
    parser.add_argument("--about", type=Path, help="text about the sources, with their licences")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2, help="number of parallel runs, 3 GB each")
    parser.add_argument("--only", metavar="ROW/seedN", help="only train this run")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--bundles", type=Path, help="folder for the bundles of the best runs")
    args = parser.parse_args()
    if args.jobs < 1:
        parser.error("--jobs: at least 1")
    runs = [(row, seed) for row in ROWS for seed in seeds_of(row, args.seeds)]
    if args.only:
        chosen = [one for one in runs if args.only == f"{one[0].folder}/seed{one[1]}"]
        if not chosen:
            parser.error(f"--only {args.only}: no such run; one is {runs[0][0].folder}/seed0")
        sounds = Sounds(learnable(args.real), tuple(args.talk), tuple(args.noises))
        about = args.about.read_text(encoding="utf-8") if args.about else ABOUT
        run(*chosen[0], args.data, sounds, " ".join(about.split()))
        measure_run(*chosen[0], args.data, args.real)
        return
    if not args.page:
        # Fail early if an input is missing.
        open_dataset(args.data)
        Sounds(learnable(args.real), tuple(args.talk), tuple(args.noises)).surroundings().check(TEN)
        run_all(runs, args.jobs)
    for row in ROWS:
        if row.asset and args.bundles:
            write_asset(row, args.seeds, args.bundles / row.asset)
    measured = {
        title: [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]
        for row in ROWS
        for title, files in (
            (row.title, [notes_of(row, seed) for seed in seeds_of(row, args.seeds)]),
            (
                f"{row.title}, without the second look",
                [notes_of(row, seed, ALONE) for seed in seeds_of(row, args.seeds) if row.verify],
            ),
        )
    }
    rows = [(row, figures(row, args.seeds)) for row in ROWS]
    lines = [*HEAD, *section(measured), *clips(rows)]
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    (PAGE.parent / RECALL).write_text(recalls(rows), encoding="utf-8")


def learnable(real: Path, out: Path = TRAINING_SOUNDS) -> Path:
    """A copy of `real` with what a shipped model may learn from; `real` if it has no manifest."""
    if not (real / MANIFEST).is_file():
        return real
    with (real / MANIFEST).open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        columns = table.fieldnames or ()
        rows = [
            row
            for row in table
            if row["split"] != Split.TRAIN or Path(row["file"]).parts[0] not in NOT_LEARNED
        ]
    for row in rows:
        copy = out / row["file"]
        if not copy.exists():
            make_directory(copy.parent)
            atomic_write(copy, (real / row["file"]).read_bytes())
    manifest = io.StringIO(newline="")
    writer = csv.DictWriter(manifest, columns)
    writer.writeheader()
    writer.writerows(rows)
    atomic_write(out / MANIFEST, manifest.getvalue().encode())
    return out


def run_all(runs: Sequence[Run], jobs: int) -> None:
    """Start each run as a process with the same arguments, at most `jobs` at once."""
    waiting = list(runs)
    running: dict[subprocess.Popen[bytes], tuple[Run, float]] = {}
    try:
        while waiting or running:
            busy = [one for one, _ in running.values()]
            for row, seed in startable(waiting, busy, jobs):
                waiting.remove((row, seed))
                only = ["--only", f"{row.folder}/seed{seed}"]
                command = [sys.executable, "-m", "tools.results", *sys.argv[1:], *only]
                running[subprocess.Popen(command)] = (row, seed), time.monotonic()
            time.sleep(0.5)
            for process in [one for one in running if one.poll() is not None]:
                (row, seed), started = running.pop(process)
                if process.returncode:
                    raise SystemExit(f"{row.folder}, seed {seed}: failed; finished runs are kept")
                minutes = (time.monotonic() - started) / 60
                print(f"{row.folder}, seed {seed}: finished after {minutes:.1f} min", flush=True)
    finally:
        for process in running:
            process.terminate()


def startable(waiting: Sequence[Run], running: Sequence[Run], jobs: int) -> list[Run]:
    """The waiting runs to start: their inputs are finished, and at most `jobs` run."""
    unfinished = [(row.folder, seed) for row, seed in (*waiting, *running)]

    def is_ready(one: Run) -> bool:
        row, own_seed = one
        needed = {row.teacher, row.verify, ROWS[0].folder if row.mined else ""}
        return not any(
            folder in needed or (folder in (row.start, *row.mean_with) and seed == own_seed)
            for folder, seed in unfinished
        )

    return [one for one in waiting if is_ready(one)][: max(jobs - len(running), 0)]


def notes_of(row: Row, seed: int, bundle: str = run_files.BUNDLE) -> Path:
    """The file with the test results of a run's bundle, or of its first model alone."""
    return RUNS / row.folder / f"seed{seed}" / ("test" + bundle.removeprefix("bundle") + ".json")


def measure_run(row: Row, seed: int, data: Path, real: Path) -> None:
    """Measure a run's bundles on the test split, unless results exist."""
    if not row.asset:
        return
    for bundle in (run_files.BUNDLE, *([ALONE] if row.verify else [])):
        notes = notes_of(row, seed, bundle)
        if not notes.is_file():
            measure(RUNS / row.folder / f"seed{seed}" / bundle, data, real, notes)


def seeds_of(row: Row, seeds: int) -> range:
    """The seeds of the row, at most `seeds`."""
    return range(min(seeds, row.most_seeds))


def run(row: Row, seed: int, data: Path, sounds: Sounds, about: str) -> None:
    """Train one run, unless it is finished."""
    out = RUNS / row.folder / f"seed{seed}"
    if not (out / run_files.BUNDLE / SETTINGS_FILE).is_file():
        train_run(row, seed, data, sounds, about)
    if row.verify and load_bundle(out / run_files.BUNDLE).second_look is None:
        add_look(row, out, data, sounds)


def train_run(row: Row, seed: int, data: Path, sounds: Sounds, about: str) -> None:
    """Train the model of one run."""
    out = RUNS / row.folder / f"seed{seed}"
    talk = (sounds.real, *sounds.talk) if row.more else (sounds.real,)
    negatives = [*talk]
    if row.mined:
        teacher = RUNS / ROWS[0].folder / "seed0"
        negatives.append(mine_talk(teacher, TEN, (sounds.real,), RUNS / "mined"))
    start = RUNS / row.start / f"seed{seed}" if row.start else None
    if start and row.start_mined:
        negatives.append(mine_talk(start, row.words, talk, start / "mined"))
    per_hour, at_words = row.alone or (row.per_hour, row.at_words)
    options = {
        "seed": seed + row.shift,
        "false_alarms_per_hour": per_hour,
        "false_alarms_at_words": at_words,
        **row.options,
    }
    settings = settings_for(row.words, row.arch, options)
    frames = settings.samples.frontend.frames
    rounds = [RUNS / folder / f"seed{seed}" for folder in (row.start, *row.mean_with) if folder]
    # The weights do not depend on the window's length.
    base = [replace(load_trained(each), frames=frames) for each in rounds]
    train(
        TrainingJob(
            open_dataset(data),
            out,
            settings,
            name=row.asset or row.folder,
            about=about,
            ambient=replace(sounds.surroundings(), negatives=tuple(negatives)),
            teacher=Teacher(RUNS / row.teacher) if row.teacher else None,
            base_model=mean_of(base) if base else None,
            # Only built-in bundles need thresholds.
            calibrate=bool(row.asset),
            say=lambda line: print(f"{row.folder}, seed {seed}: {line}", flush=True),
        )
    )


def add_look(row: Row, out: Path, data: Path, sounds: Sounds) -> None:
    """Give a run's bundle its second look, and choose the thresholds of both together."""
    dataset = open_dataset(data)
    alone = load_bundle(out / run_files.BUNDLE)
    look = load_bundle(RUNS / row.verify / "seed0" / run_files.BUNDLE)
    write_bundle(alone, out / ALONE)
    plan = calibration_plan(hours_for(len(dataset.of(Split.VALIDATION, row.words))))
    both = out / "bundle_both"
    write_bundle(alone.verified_by(look).looking(row.stride), both)
    calibrate_bundle(
        *(both, dataset, plan, row.per_hour, out / run_files.BUNDLE),
        ambient=sounds.surroundings(),
        at_words=row.at_words,
        alone=False,
    )


def mine_talk(run: Path, words: tuple[str, ...], talk: tuple[Path, ...], out: Path) -> Path:
    """The folder `out` with a run's false alarms in training talk, which are mined only once."""
    if not out.is_dir():
        settings = MiningSettings(talk, words)
        mine_recordings(load_bundle(run / "bundle"), settings, out)
    return out


def write_asset(row: Row, seeds: int, out: Path) -> None:
    """Write the best bundle of the row's runs."""
    runs = [RUNS / row.folder / f"seed{seed}" for seed in seeds_of(row, seeds)]
    bundles = [load_bundle(run / "bundle") for run in runs if (run / "bundle").is_dir()]
    write_bundle(best(bundles, row.asset), out)


def best(bundles: Iterable[Bundle], asset: str) -> Bundle:
    """The bundle with the lowest cost, with the gate of this asset."""
    chosen = min(bundles, key=cost)
    gate_db = GATES_DB.get(asset, 0.0)
    return replace(chosen, recognizer=replace(chosen.recognizer, gate_db=gate_db))


def cost(bundle: Bundle) -> tuple[int, float]:
    """The number of wrong recordings in `kws test`, and the share of validation words missed.

    These recordings have yes and no. For other words the number is 0.
    """
    wrong = 0
    if bundle.keywords == ("yes", "no"):
        recordings = load_matrix(default_matrix(), bundle.labels)
        results = play_all(HOST, Device(bundle), recordings)
        wrong = sum(not row.ok for result in results for row in result.rows)
    return wrong, bundle.metrics[LOOK_METRICS]["miss_share"]


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


if __name__ == "__main__":
    try:
        main()
    except KwsError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("stopped; the same command continues after the last epoch")
