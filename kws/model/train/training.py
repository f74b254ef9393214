# SPDX-License-Identifier: Apache-2.0
"""Training: from a data set to a bundle, in a folder from which an interrupted run can resume."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kws.audio.dataset import Split
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.convert.backend import import_tensorflow
from kws.model.evaluate.bundle_calibration import try_to_calibrate
from kws.model.evaluate.judge.calibration import Calibration
from kws.model.evaluate.judge.conversion_loss import ConversionLoss
from kws.model.evaluate.judge.verdict import (
    MissCounts,
    Training,
    Verdict,
    calibrated_misses,
    clip_misses,
    judge_training,
)
from kws.model.samples.disk_arrays import ArrayAllocator
from kws.model.samples.evaluation_clips import evaluation_clips, evaluation_samples
from kws.model.samples.samples import Samples
from kws.model.samples.training_clips import extra_clips, training_clips, training_speakers
from kws.model.samples.training_set import TrainingSet
from kws.model.train.conversion_process import check_convertible
from kws.model.train.fitting import fit, kept_epoch, untrained
from kws.model.train.mining import MiningSettings, mine_recordings
from kws.model.train.packaging import package
from kws.model.train.run_folder import claim
from kws.model.train.soft_labels import SoftLabels
from kws.model.train.speech_teacher import SpeechTeacher
from kws.model.train.train_settings import TrainSettings
from kws.model.train.training_job import TrainingJob
from kws.model.weights import checkpoint, run_files
from kws.model.weights.class_shares import check_head
from kws.model.zoo.user_model import is_own
from kws.progress import progress_bar


@dataclass(frozen=True)
class TrainResult:
    """Results of a finished run."""

    bundle: Bundle
    report: ConversionLoss
    history: list[checkpoint.EpochResult]
    best_epoch: int
    """Index of the epoch that the bundle's weights come from."""

    picture: Path
    """The confusion matrix."""

    calibration: Calibration | None
    """None if the bundle was not calibrated."""

    counts: MissCounts
    """Misses of speakers that were not used in training."""

    training: Training

    @property
    def verdict(self) -> Verdict:
        """Whether the model hears its keywords."""
        return judge_training(self.counts, self.training)

    def to_json(self) -> dict[str, Any]:
        """The results for scripts."""
        return {
            "bundle": str(self.bundle.path),
            "picture": str(self.picture),
            "epochs": [dataclasses.asdict(result) for result in self.history],
            "best_epoch": self.best_epoch + 1,
            "labels": list(self.bundle.labels),
            "calibration": self.calibration.to_json() if self.calibration else None,
            "verdict": self.verdict.to_json(),
            **self.report.metrics(),
        }


def train(job: TrainingJob) -> TrainResult:
    """Train a model, convert and evaluate it, and write its bundle; resume an interrupted run.

    The job's folder then contains `bundle/`, `confusion.png`, `logs/` for TensorBoard, and the
    files for resuming: `settings.toml` and `checkpoint.npz`, which is written after each epoch. A
    resumed run has the same weights as an uninterrupted one.

    Raises:
        UsageError: the architecture does not exist or does not support `prior_correction`, the
            teacher has other words, the base model has another architecture, or the folder contains
            another run.
        DataError: the data set lacks clips.
        AudioError: a clip is damaged.
        ToolError: TensorFlow is not installed.
        KwsError: something could not be written.
    """
    job = job.checked()
    settings, out, say = job.settings, job.out, job.say
    import_tensorflow()
    if is_own(settings.arch):
        check_convertible(settings.arch, untrained(settings))
        check_head(settings.arch, untrained(settings), prior_correction=settings.prior_correction)
    claim(out, settings, job.dataset, job.extra, job.ambient)

    training, validation, test = _load(job)
    say(
        f"{len(training)} clips per epoch for {', '.join(job.labels)}; "
        f"{len(validation)} for validation, {len(test)} for the test"
    )
    model, state = fit(
        settings,
        _soft_labels(job, training),
        validation,
        out,
        base_model=job.base_model,
        say=say,
        remaining=job.remaining,
    )
    kept = kept_epoch(settings, state)
    say(f"{'last' if settings.keep_last_epoch else 'best'}: epoch {kept + 1}; converting to int8")
    made = package(job, model, state, training.copy(0), test)
    if job.verify:
        _train_second_look(job, job.verify)
    calibration = _calibrate(job) if job.calibrate else None
    return TrainResult(
        bundle=load_bundle(out / run_files.BUNDLE),
        report=made.report,
        history=state.history,
        best_epoch=kept,
        picture=made.picture,
        calibration=calibration,
        counts=calibrated_misses(calibration) if calibration else clip_misses(made.report.core),
        training=Training(
            training_speakers(job.dataset, settings.words),
            len(state.history),
            state.history[kept].train_accuracy,
        ),
    )


def _soft_labels(job: TrainingJob, training: TrainingSet) -> SoftLabels:
    """The labels of the clips, partly from the job's teacher."""
    settings, teacher = job.settings, job.teacher
    if not isinstance(teacher, SpeechTeacher):
        return SoftLabels(settings, training, teacher)
    lessons = teacher.lessons(training, settings, job.out / run_files.LESSONS, job.say)
    return SoftLabels(settings, training, None, lessons)


def _train_second_look(job: TrainingJob, settings: TrainSettings) -> None:
    """Train a second model and add it to the job's bundle."""
    path, ambient = job.out / run_files.BUNDLE, job.ambient
    bundle = load_bundle(path)
    if ambient and ambient.negatives:
        proposals = job.out / run_files.PROPOSALS
        if not proposals.is_dir():
            job.say("second look: searching talk for words that the first model proposes")
            search = MiningSettings(ambient.negatives, bundle.keywords)
            found = mine_recordings(bundle, search, proposals)
            job.say(f"second look: {len(found.clips)} proposals in {found.hours:.1f} hours")
        if proposals.is_dir():  # there may be none
            ambient = replace(ambient, negatives=(*ambient.negatives, proposals))
    job.say(f"second look: training {settings.arch}")
    second = train(
        replace(
            job,
            out=job.out / run_files.SECOND_LOOK,
            settings=settings,
            name=job.bundle_name,
            ambient=ambient,
            teacher=None,
            base_model=None,
            verify=None,
            calibrate=False,
        )
    )
    write_bundle(bundle.verified_by(second.bundle), path)


def _calibrate(job: TrainingJob) -> Calibration | None:
    """Choose the thresholds of the job's bundle; None if that is not possible."""
    return try_to_calibrate(
        job.out / run_files.BUNDLE,
        job.dataset,
        job.settings.words,
        (job.settings.false_alarms_per_hour, job.settings.false_alarms_at_words),
        ambient=job.ambient,
        say=job.say,
    )


def _load(job: TrainingJob) -> tuple[TrainingSet, Samples, Samples]:
    """Training, validation and test clips."""
    from kws.convert.streaming import frames_before  # noqa: PLC0415 - imports Keras

    dataset, settings, extra, ambient = job.dataset, job.settings, job.extra, job.ambient
    frontend = settings.samples.frontend
    before = frames_before(untrained(settings), frontend.frames, settings.samples.lead_frames)
    words, samples = settings.words, frontend.clip_samples
    groups = [
        *training_clips(dataset, words, settings.samples, settings.seed),
        *(extra_clips(extra, dataset, settings.learned) if extra else []),
        *evaluation_clips(dataset, words, Split.VALIDATION),
        *evaluation_clips(dataset, words, Split.TEST),
    ]
    talk = len(ambient.talk(Split.TRAIN, words)) if ambient else 0
    with progress_bar("loading clips", sum(map(len, groups)) + talk) as advance:
        training = TrainingSet(
            dataset,
            words,
            settings.samples,
            settings.seed,
            advance,
            extra=extra,
            auxiliary=settings.auxiliary,
            ambient=ambient,
            allocator=ArrayAllocator(job.out),
            before=before,
        )
        validation, test = (
            evaluation_samples(
                dataset, words, split, advance, samples, keep_noise=frontend.keep_noise
            )
            for split in (Split.VALIDATION, Split.TEST)
        )
    return training, validation.after_silence(before), test
