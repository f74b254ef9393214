# SPDX-License-Identifier: Apache-2.0
"""Makes the bundle of a trained Keras model: converts it to int8, measures and writes it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kws import config
from kws.bundle.bundle import Bundle
from kws.bundle.making import make_bundle
from kws.bundle.writing import write_bundle
from kws.convert.backend import import_tensorflow
from kws.model.evaluate.judge.conversion_loss import ConversionLoss, measure_conversion
from kws.model.evaluate.report.confusion_picture import save_confusion
from kws.model.samples.samples import Samples
from kws.model.train.conversion_process import quantize_trained
from kws.model.train.fine_tuning import keep_first_classes
from kws.model.train.fitting import kept_epoch, untrained
from kws.model.train.train_settings import TrainSettings
from kws.model.train.training_job import TrainingJob
from kws.model.weights import checkpoint, run_files
from kws.model.weights.class_shares import correct_priors
from kws.model.weights.float_weights import pack
from kws.model.zoo import find_model

_CALIBRATION_CLIPS = 500
"""Number of training clips that show the converter the range of each layer's values."""


@dataclass(frozen=True)
class Package:
    """A run's bundle and its conversion loss."""

    bundle: Bundle
    report: ConversionLoss
    picture: Path
    """The confusion matrix."""


def package(
    job: TrainingJob, model: Any, state: checkpoint.State, shown: Samples, test: Samples
) -> Package:
    """Write the bundle of a trained model into the job's folder.

    Args:
        job: the training job.
        model: the Keras model from `fit`.
        state: state of its training.
        shown: training clips that calibrate the converter.
        test: clips for the metrics.

    Raises:
        ConversionError: the converter rejects the model.
        KwsError: something could not be written.
    """
    from kws.convert.streaming import streams  # noqa: PLC0415 - imports Keras

    settings, labels = job.settings, job.labels
    if settings.auxiliary:
        trained, model = model, untrained(dataclasses.replace(settings, auxiliary=()))
        keep_first_classes(trained, model)
    if settings.prior_correction:
        correct_priors(model, shown.labels)
    frontend = settings.samples.frontend
    frames = frontend.frames
    clips = shown.spectrograms[:: max(len(shown.labels) // _CALIBRATION_CLIPS, 1)]
    tflite = quantize_trained(settings.arch, model, clips, frames)
    report = measure_conversion(model, tflite, test, labels)
    stride = find_model(settings.arch).stride_for(frames, job.least_stride)
    folder = job.dataset.root.resolve().name
    bundle = make_bundle(
        tflite,
        labels,
        name=job.bundle_name,
        inference_stride=None if streams(model) else stride,
        frames=frames,
        keep_noise=frontend.keep_noise,
        data=job.about or f"{len(job.dataset.clips):,} clips of the folder {folder}.",
        metrics=report.metrics() | {"training": _metrics(settings, state)},
        versions={"tensorflow": import_tensorflow().__version__},
    )
    weights = [np.asarray(variable) for variable in model.weights]
    bundle = dataclasses.replace(bundle, float_model=pack(settings.arch, weights))
    bundle = write_bundle(bundle, job.out / run_files.BUNDLE)
    picture = job.out / "confusion.png"
    save_confusion(picture, report.core, f"{job.bundle_name}, int8 on the core")
    return Package(bundle, report, picture)


def _metrics(settings: TrainSettings, state: checkpoint.State) -> dict[str, Any]:
    kept = kept_epoch(settings, state)
    return {
        **config.to_dict(settings),
        "best_epoch": kept + 1,
        "validation_accuracy": state.history[kept].validation_accuracy,
    }
