# SPDX-License-Identifier: Apache-2.0
"""Training: clips of a data set to a bundle, in a folder from which a killed run goes on."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws import config
from kws.audio.dataset import DataSet, Split
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.bundle.checks import check_name, name_from
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.convert.backend import import_tensorflow
from kws.features.spectrogram import Spectrograms, to_float
from kws.files import check_space
from kws.labels import class_labels
from kws.model.evaluate.accuracy import confusion_matrix
from kws.model.evaluate.calibration import Calibration
from kws.model.evaluate.clips.conversion_loss import ConversionLoss, measure_conversion
from kws.model.evaluate.evaluation import try_to_calibrate
from kws.model.evaluate.report.plots import save_confusion
from kws.model.evaluate.report.verdict import (
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
from kws.model.train.conversion_process import check_convertible, quantize_trained
from kws.model.train.distillation import Teacher
from kws.model.train.fine_tuning import check_base_model, keep_first_classes, start_from
from kws.model.train.run_folder import claim
from kws.model.train.soft_labels import SoftLabels, mix_up
from kws.model.train.tensorboard_curves import CurveWriter
from kws.model.train.train_settings import TrainSettings
from kws.model.weights import checkpoint, run_files
from kws.model.weights.class_shares import check_head, correct_priors
from kws.model.weights.float_weights import pack
from kws.model.weights.trained_model import TrainedModel
from kws.model.zoo import build_model, find_model
from kws.model.zoo.user_model import is_own
from kws.progress import progress_bar

_CALIBRATION_CLIPS = 500

_RUN_BYTES = 20_000_000
"""At most what a run writes: checkpoint, bundle, curves."""

_WARM_UP = 0.1
"""Share of the steps in which the learning rate rises to its highest value."""


@dataclass(frozen=True)
class TrainResult:
    """Results of a finished run."""

    bundle: Bundle
    report: ConversionLoss
    history: list[checkpoint.EpochResult]
    best_epoch: int
    """Index of the epoch whose weights the bundle has."""

    picture: Path
    """The confusion matrix."""

    calibration: Calibration | None
    """None if the bundle's thresholds were not chosen."""

    counts: MissCounts
    """Of speakers whom it never heard."""

    training: Training

    @property
    def verdict(self) -> Verdict:
        """Whether it hears its keywords."""
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


def train(
    dataset: DataSet,
    out: Path,
    settings: TrainSettings,
    *,
    name: str | None = None,
    about: str = "",
    extra: DataSet | None = None,
    ambient: Surroundings | None = None,
    teacher: Teacher | None = None,
    base_model: TrainedModel | None = None,
    calibrate: bool = True,
    say: Callable[[str], object] = lambda _: None,
    remaining: Callable[[float], str] = lambda _: "",
) -> TrainResult:
    """Train a model, convert it, evaluate it and write its bundle; go on where a killed run was.

    `out` then holds `bundle/`, `confusion.png`, `logs/` for TensorBoard, and what a run needs to go
    on: `settings.toml` and `checkpoint.npz`, written after each epoch. The weights of a run that
    went on are those of an uninterrupted run.

    Args:
        dataset: where the clips come from.
        out: the run's folder.
        settings: what to train and how.
        name: the bundle's short name; None takes the folder's.
        about: what the data is, and its licence; without it the bundle names the folder.
        extra: a second data set, whose training clips are mixed in (`SampleSettings.extra`).
        ambient: talk without keywords, noises and rooms; their training parts are used.
        teacher: a model whose scores become part of the labels.
        base_model: a model whose layers this one starts with (`TrainSettings.frozen`).
        calibrate: choose the bundle's thresholds; a model that only teaches needs none.
        say: called with a line of text now and then.
        remaining: called with the share of the epochs that is done; gives the end of such a line.

    Raises:
        UsageError: no such architecture, one that does not go with `prior_correction`, a teacher
            of other words, a base model of another architecture, or `out` holds another run.
        DataError: the data set lacks clips.
        AudioError: a clip is damaged.
        ToolError: TensorFlow is not installed.
        KwsError: something could not be written.
    """
    entry = find_model(settings.arch)
    name = name or name_from(out.resolve().name)
    check_name(name)
    dataset.check(settings.words)
    check_destination(out / run_files.BUNDLE)
    check_space(out, _RUN_BYTES, "a training run")
    if teacher:
        teacher.check(_learned(settings), settings.samples.frontend.frames)
        settings = dataclasses.replace(settings, teacher=teacher.fingerprint)
    if base_model:
        check_base_model(base_model, settings.arch)
        settings = dataclasses.replace(settings, base_model=base_model.fingerprint)
    tensorflow = import_tensorflow()
    from kws.convert.streaming import streams  # noqa: PLC0415 - imports Keras

    labels = class_labels(settings.words)
    if is_own(settings.arch):
        check_convertible(settings.arch, _build(settings))
        check_head(settings.arch, _build(settings), prior_correction=settings.prior_correction)
    claim(out, settings, dataset, extra, ambient)

    training, validation, test = _load(dataset, settings, extra, ambient, out)
    say(
        f"{len(training)} clips an epoch for {', '.join(labels)}; "
        f"{len(validation)} for validation, {len(test)} for the test"
    )
    clips = SoftLabels(settings, training, teacher)
    model, state = _fit(
        out, settings, clips, validation, say, remaining=remaining, base_model=base_model
    )
    chosen = settings.epochs - 1 if settings.keep_last_epoch else state.best_epoch

    if settings.auxiliary:
        trained, model = model, _build(dataclasses.replace(settings, auxiliary=()))
        keep_first_classes(trained, model)
    say(f"{'last' if settings.keep_last_epoch else 'best'}: epoch {chosen + 1}; converting to int8")
    copy = training.copy(0)
    if settings.prior_correction:
        correct_priors(model, copy.labels)
    shown = copy.spectrograms[:: max(len(training) // _CALIBRATION_CLIPS, 1)]
    tflite = quantize_trained(settings.arch, model, shown, settings.samples.frontend.frames)
    report = measure_conversion(model, tflite, test, labels)
    bundle = make_bundle(
        tflite,
        labels,
        name=name,
        inference_stride=None if streams(model) else entry.stride,
        frames=settings.samples.frontend.frames,
        data=about or f"{len(dataset.clips):,} clips of the folder {dataset.root.resolve().name}.",
        metrics=report.metrics() | {"training": _metrics(settings, state, chosen)},
        versions={"tensorflow": tensorflow.__version__},
    )
    weights = [np.asarray(variable) for variable in model.weights]
    bundle = dataclasses.replace(bundle, float_model=pack(settings.arch, weights))
    bundle = write_bundle(bundle, out / run_files.BUNDLE)
    picture, folder = out / "confusion.png", out / run_files.BUNDLE
    save_confusion(picture, report.core, f"{name}, int8 on the core")
    calibration = None
    if calibrate:
        allowed = settings.false_alarms_per_hour, settings.false_alarms_at_words
        calibration = try_to_calibrate(
            folder, dataset, settings.words, allowed, ambient=ambient, say=say
        )
    counts = calibrated_misses(calibration) if calibration else clip_misses(report.core)
    speakers = training_speakers(dataset, settings.words)
    had = Training(speakers, len(state.history), state.history[chosen].train_accuracy)
    return TrainResult(
        bundle=load_bundle(folder),
        report=report,
        history=state.history,
        best_epoch=chosen,
        picture=picture,
        calibration=calibration,
        counts=counts,
        training=had,
    )


def _load(
    dataset: DataSet,
    settings: TrainSettings,
    extra: DataSet | None,
    ambient: Surroundings | None,
    out: Path,
) -> tuple[TrainingSet, Samples, Samples]:
    """Training, validation and test clips."""
    from kws.convert.streaming import frames_before  # noqa: PLC0415 - imports Keras

    frontend = settings.samples.frontend
    before = frames_before(_build(settings), frontend.frames, settings.samples.lead_frames)
    words, samples = settings.words, frontend.clip_samples
    groups = [
        *training_clips(dataset, words, settings.samples, settings.seed),
        *(extra_clips(extra, dataset, (*words, *settings.auxiliary)) if extra else []),
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
            allocator=ArrayAllocator(out),
            before=before,
        )
        validation = evaluation_samples(dataset, words, Split.VALIDATION, advance, samples)
        test = evaluation_samples(dataset, words, Split.TEST, advance, samples)
    return training, validation.after_silence(before), test


def _fit(
    out: Path,
    settings: TrainSettings,
    clips: SoftLabels,
    validation: Samples,
    say: Callable[[str], object],
    *,
    remaining: Callable[[float], str],
    base_model: TrainedModel | None = None,
) -> tuple[Any, checkpoint.State]:
    """Train; gives the model with the chosen weights, and the state after the last epoch."""
    labels = class_labels(settings.words)
    model = _build(settings)
    if base_model:
        start_from(base_model, model, _classes(settings), settings.frozen)
    _compile(model, settings, -(-len(clips) // settings.batch_size) * settings.epochs)
    variables = [*model.variables, *model.optimizer.variables]
    state = checkpoint.load(file := out / run_files.CHECKPOINT)
    if state:
        checkpoint.assign(variables, state.variables, file)
        say(f"going on after epoch {len(state.history)} of {settings.epochs}")
    else:
        state = checkpoint.State()

    curves = CurveWriter(out / "logs")
    with progress_bar("training", (settings.epochs - len(state.history)) * len(clips)) as advance:
        for epoch in range(len(state.history), settings.epochs):
            started = time.process_time()
            loss, accuracy = _learn(model, settings, clips, epoch, advance)
            with _averaged(model, settings):
                logits = _logits(model, validation.spectrograms)[:, : len(labels)]
                result = checkpoint.EpochResult(
                    loss,
                    accuracy,
                    confusion_matrix(logits, validation.labels, labels).accuracy,
                    _loss(logits, validation.labels),
                    time.process_time() - started,
                )
                state.history.append(result)
                if state.best_epoch == epoch:
                    state.best = [np.asarray(w).copy() for w in model.weights]
            state.variables = [np.asarray(v).copy() for v in variables]
            checkpoint.save(file, state)
            curves.write(epoch + 1, dataclasses.asdict(result))
            if (epoch + 1) % max(settings.epochs // 10, 1) == 0 or epoch + 1 == settings.epochs:
                time_left = remaining((epoch + 1) / settings.epochs)
                say(f"{result.line(epoch + 1, settings.epochs)}  {time_left}".rstrip())
    if settings.keep_last_epoch:
        with _averaged(model, settings):
            state.best = [np.asarray(w).copy() for w in model.weights]
        checkpoint.save(file, state)  # a teacher reads its weights there
    checkpoint.assign(model.weights, state.best, file)
    return model, state


def _build(settings: TrainSettings) -> Any:
    """The untrained model."""
    frames = settings.samples.frontend.frames
    return build_model(settings.arch, len(_classes(settings)), settings.seed, frames)


def _classes(settings: TrainSettings) -> tuple[str, ...]:
    """The classes that are learned, those that leave the model last."""
    return class_labels(_learned(settings))


def _learned(settings: TrainSettings) -> tuple[str, ...]:
    """The keywords and the auxiliary words."""
    return *settings.words, *settings.auxiliary


def _learn(
    model: Any,
    settings: TrainSettings,
    clips: SoftLabels,
    epoch: int,
    advance: Callable[[int], object],
) -> tuple[float, float]:
    """Learn from an epoch's clips once; gives the mean loss and the accuracy while learning."""
    spectrograms, labels = clips.epoch(epoch)
    rng = np.random.default_rng([settings.seed, *b"mixup", epoch])
    totals = np.zeros(2)
    for start in range(0, len(labels), settings.batch_size):
        batch = slice(start, start + settings.batch_size)
        x, y = to_float(spectrograms[batch]), labels[batch]
        if settings.mixup:
            x, y = mix_up(x, y, settings.mixup, rng)
        logs = model.train_on_batch(x, y, return_dict=True)
        totals += len(x) * np.array([logs["loss"], logs["accuracy"]])
        advance(len(x))
    loss, accuracy = (totals / len(labels)).tolist()
    return loss, accuracy


@contextlib.contextmanager
def _averaged(model: Any, settings: TrainSettings) -> Iterator[None]:
    """Give the model the running average of its weights for the length of the block."""
    if not settings.ema:
        yield
        return
    weights = [np.asarray(w).copy() for w in model.trainable_variables]
    model.optimizer.finalize_variable_values(model.trainable_variables)
    # With JAX both share memory, which is freed with one of them.
    for variable in model.trainable_variables:
        variable.assign(np.asarray(variable).copy())
    yield
    for variable, value in zip(model.trainable_variables, weights, strict=True):
        variable.assign(value)


def _logits(model: Any, spectrograms: Spectrograms) -> npt.NDArray[np.float32]:
    batches = [
        np.asarray(model.predict_on_batch(to_float(spectrograms[start : start + 256])))
        for start in range(0, len(spectrograms), 256)
    ]
    return np.concatenate(batches)


def _compile(model: Any, settings: TrainSettings, steps: int) -> None:
    import keras  # noqa: PLC0415 - slow, for training only

    warm_up = max(int(steps * _WARM_UP), 1)
    rate = keras.optimizers.schedules.CosineDecay(
        0.0, max(steps - warm_up, 1), warmup_target=settings.learning_rate, warmup_steps=warm_up
    )
    momentum = 1 - 1 / max(settings.ema * steps, 1)
    ema = {"use_ema": True, "ema_momentum": momentum} if settings.ema else {}
    model.compile(
        optimizer=keras.optimizers.Adam(rate, **ema),
        loss=keras.losses.CategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        # With other backends compilation takes longer than a small model trains.
        jit_compile=keras.backend.backend() == "jax",
    )
    model.optimizer.build(model.trainable_variables)


def _loss(logits: npt.NDArray[np.float32], labels: npt.NDArray[np.int64]) -> float:
    """Mean cross-entropy."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_scores = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return float(-log_scores[np.arange(len(labels)), labels].mean())


def _metrics(settings: TrainSettings, state: checkpoint.State, chosen: int) -> dict[str, Any]:
    return {
        **config.to_dict(settings),
        "best_epoch": chosen + 1,
        "validation_accuracy": state.history[chosen].validation_accuracy,
    }
