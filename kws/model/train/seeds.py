# SPDX-License-Identifier: Apache-2.0
"""Repeats a training run with several seeds, to show the influence of chance."""

from __future__ import annotations

import dataclasses
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kws.bundle.writing import write_bundle
from kws.files import locked, make_directory
from kws.model.train.training import TrainResult, train
from kws.model.train.training_job import TrainingJob
from kws.model.weights import run_files


@dataclass(frozen=True)
class SeedResults:
    """Results of the runs."""

    runs: list[TrainResult]
    """One per seed."""

    best: TrainResult
    """The run with the fewest misses at the requested false alarms; without calibration, the run
    with the lowest validation loss. Test clips are not considered."""

    @property
    def accuracies(self) -> list[float]:
        """Each run's accuracy on the test clips, int8 on the core."""
        return [run.report.core.accuracy for run in self.runs]

    @property
    def mean(self) -> float:
        """Mean of the accuracies."""
        return float(np.mean(self.accuracies))

    @property
    def spread(self) -> float:
        """Standard deviation of the accuracies from seed to seed; 0 for one seed."""
        return float(np.std(self.accuracies, ddof=1)) if len(self.runs) > 1 else 0.0

    def to_json(self) -> dict[str, Any]:
        """The results for scripts."""
        out = self.best.to_json()
        if len(self.runs) > 1:
            out["seeds"] = {
                "accuracies": self.accuracies,
                "mean": self.mean,
                "spread": self.spread,
                "runs": [run.to_json() for run in self.runs],
            }
        return out


def train_seeds(job: TrainingJob, seeds: int) -> SeedResults:
    """Train once per seed, starting with the job's own seed; see `train`.

    One seed trains in the job's folder; several train in its subfolders `seed<n>`, and the bundle
    and the picture of the best one are copied to the folder. Finished runs are not repeated.

    Raises:
        KwsError: see `train`.
    """
    with locked(job.out):
        return _train_seeds(dataclasses.replace(job, name=job.bundle_name), seeds)


def _train_seeds(job: TrainingJob, seeds: int) -> SeedResults:
    runs = []
    for seed in range(job.settings.seed, job.settings.seed + seeds):
        folder = job.out / f"seed{seed}" if seeds > 1 else job.out
        if seeds > 1:
            job.say(f"seed {seed}")
        settings = dataclasses.replace(job.settings, seed=seed)
        runs.append(train(dataclasses.replace(job, out=folder, settings=settings)))
    best = min(runs, key=_cost)
    if seeds > 1:
        make_directory(job.out)
        bundle = write_bundle(best.bundle, job.out / run_files.BUNDLE)
        picture = shutil.copy(best.picture, job.out / best.picture.name)
        best = dataclasses.replace(best, bundle=bundle, picture=Path(picture))
    return SeedResults(runs, best)


def _cost(run: TrainResult) -> tuple[float, float]:
    missed = run.calibration.expected.miss_share if run.calibration else 1.0
    return missed, run.history[run.best_epoch].validation_loss
