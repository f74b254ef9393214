# SPDX-License-Identifier: Apache-2.0
"""The same training with several seeds, which shows how much of a figure is chance."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kws.audio.dataset import DataSet
from kws.audio.surroundings import Surroundings
from kws.bundle.checks import name_from
from kws.bundle.writing import write_bundle
from kws.files import locked, make_directory
from kws.model.train.distillation import Teacher
from kws.model.train.loop import TrainResult, train
from kws.model.train.train_settings import TrainSettings
from kws.model.weights import run_files
from kws.model.weights.trained_model import TrainedModel


@dataclass(frozen=True)
class SeedResults:
    """Results of the runs."""

    runs: list[TrainResult]
    """One per seed."""

    best: TrainResult
    """The run with the fewest misses at the false alarms asked for; without calibration, that with
    the lowest validation loss. Test clips do not decide."""

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


def train_seeds(
    dataset: DataSet,
    out: Path,
    settings: TrainSettings,
    seeds: int,
    *,
    name: str | None = None,
    about: str = "",
    extra: DataSet | None = None,
    ambient: Surroundings | None = None,
    teacher: Teacher | None = None,
    base_model: TrainedModel | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> SeedResults:
    """Train once for each seed from `settings.seed` on, as `train` does.

    One seed trains in `out`; several in `out/seed<n>`, and the bundle and the picture of the one
    with the fewest misses are copied to `out`. Runs that are finished are not repeated.

    Raises:
        KwsError: as `train` does.
    """
    with locked(out):
        return _train_seeds(
            dataset,
            out,
            settings,
            seeds,
            name=name or name_from(out.resolve().name),
            say=say,
            about=about,
            extra=extra,
            ambient=ambient,
            teacher=teacher,
            base_model=base_model,
        )


def _train_seeds(
    dataset: DataSet,
    out: Path,
    settings: TrainSettings,
    seeds: int,
    *,
    say: Callable[[str], object],
    **how: Any,
) -> SeedResults:
    runs = []
    for seed in range(settings.seed, settings.seed + seeds):
        folder = out / f"seed{seed}" if seeds > 1 else out
        if seeds > 1:
            say(f"seed {seed}")
        seeded = dataclasses.replace(settings, seed=seed)
        runs.append(train(dataset, folder, seeded, say=say, **how))
    best = min(runs, key=_cost)
    if seeds > 1:
        make_directory(out)
        bundle = write_bundle(best.bundle, out / run_files.BUNDLE)
        picture = shutil.copy(best.picture, out / best.picture.name)
        best = dataclasses.replace(best, bundle=bundle, picture=Path(picture))
    return SeedResults(runs, best)


def _cost(run: TrainResult) -> tuple[float, float]:
    missed = run.calibration.expected.miss_share if run.calibration else 1.0
    return missed, run.history[run.best_epoch].validation_loss
