# SPDX-License-Identifier: Apache-2.0
"""A training job: data, settings, base model and teacher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kws.audio.dataset import DataSet
from kws.audio.surroundings import Surroundings
from kws.bundle.checks import check_name, name_from
from kws.bundle.writing import check_destination
from kws.files import check_space
from kws.labels import class_labels
from kws.model.train.distillation import Teacher
from kws.model.train.fine_tuning import check_base_model
from kws.model.train.speech_teacher import SpeechTeacher
from kws.model.train.train_settings import TrainSettings
from kws.model.weights import run_files
from kws.model.weights.trained_model import TrainedModel
from kws.model.zoo import find_model

_RUN_BYTES = 20_000_000
"""Maximum size of a run's files: checkpoint, bundle, curves."""


@dataclass(frozen=True)
class TrainingJob:
    """The input of `train`."""

    dataset: DataSet
    """The data set of the clips."""

    out: Path
    """The run's folder."""

    settings: TrainSettings
    name: str = ""
    """The bundle's short name; if empty, the folder's name."""

    about: str = ""
    """Description of the data and its licence; if empty, the bundle names the folder."""

    extra: DataSet | None = None
    """A second data set; its training clips are mixed in (`SampleSettings.extra`)."""

    ambient: Surroundings | None = None
    """Talk without keywords, noises and rooms. Training uses their training parts, calibration the
    validation talk."""

    teacher: Teacher | SpeechTeacher | None = None
    """The teacher, whose scores become part of the labels."""

    base_model: TrainedModel | None = None
    """The base model, whose layers the model starts with (`TrainSettings.frozen`)."""

    verify: TrainSettings | None = None
    """Settings of a second look: a larger model with the same words, trained afterwards on the same
    data and on what the first model proposes in training talk."""

    least_stride: int = 1
    """Minimum hops of 20 ms from one inference to the next for a window of a second, if the
    architecture's own stride is shorter. Not for streaming models."""

    calibrate: bool = True
    """Whether to choose the bundle's thresholds; a teacher does not need them."""

    say: Callable[[str], object] = lambda _: None
    """Called with lines of progress."""

    remaining: Callable[[float], str] = lambda _: ""
    """Called with the finished share of the epochs; returns the end of such a line."""

    @property
    def bundle_name(self) -> str:
        """The bundle's short name."""
        return self.name or name_from(self.out.resolve().name)

    @property
    def labels(self) -> tuple[str, ...]:
        """The bundle's labels."""
        return class_labels(self.settings.words)

    def checked(self) -> TrainingJob:
        """The job with the fingerprints of its other models in its settings.

        Raises:
            UsageError: the architecture does not exist, the teacher has other words, the base model
                has another architecture, or `out` has files other than a bundle.
            DataError: the data set lacks a word.
            KwsError: the disk has too little space for the run.
        """
        settings = self.settings
        find_model(settings.arch)
        if self.verify:
            find_model(self.verify.arch)
        check_name(self.bundle_name)
        self.dataset.check(settings.words)
        check_destination(self.out / run_files.BUNDLE)
        check_space(self.out, _RUN_BYTES, "a training run")
        if self.teacher:
            self.teacher.check(settings.learned, settings.samples.frontend)
            settings = replace(settings, teacher=self.teacher.fingerprint)
        if self.base_model:
            check_base_model(self.base_model, settings.arch, keep_noise=settings.samples.keep_noise)
            settings = replace(settings, base_model=self.base_model.fingerprint)
        return replace(self, settings=settings)
