# SPDX-License-Identifier: Apache-2.0
"""Fits a model's weights to arrays of clips; an interrupted run can resume from its folder."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from kws.features.spectrogram import Spectrograms, to_float
from kws.labels import class_labels
from kws.model.evaluate.judge.confusion import confusion_matrix
from kws.model.samples.samples import Samples
from kws.model.train.distillation import Scores
from kws.model.train.fine_tuning import start_from
from kws.model.train.soft_labels import mix_up
from kws.model.train.tensorboard_curves import CurveWriter
from kws.model.train.train_settings import TrainSettings
from kws.model.weights import checkpoint, run_files
from kws.model.weights.trained_model import TrainedModel
from kws.model.zoo import build_model
from kws.progress import progress_bar

_WARM_UP = 0.1
"""Share of the steps during which the learning rate rises to its maximum."""


class Epochs(Protocol):
    """The training clips of each epoch."""

    def __len__(self) -> int:
        """Number of clips in an epoch."""

    def epoch(self, number: int) -> tuple[Spectrograms, Scores]:
        """Spectrograms int8[n, frames, 40] and labels float[n, classes], whose rows add up to 1."""


def untrained(settings: TrainSettings) -> Any:
    """The Keras model before training."""
    frames = settings.samples.frontend.frames
    return build_model(settings.arch, len(settings.classes), settings.seed, frames)


def fit(
    settings: TrainSettings,
    clips: Epochs,
    validation: Samples,
    folder: Path,
    *,
    base_model: TrainedModel | None = None,
    say: Callable[[str], object] = lambda _: None,
    remaining: Callable[[float], str] = lambda _: "",
) -> tuple[Any, checkpoint.State]:
    """Train a model, or resume an interrupted run.

    Args:
        settings: settings of the run.
        clips: the training clips.
        validation: clips for the choice of the epoch.
        folder: `checkpoint.npz` is written here after each epoch, and `logs/` for TensorBoard.
        base_model: the model to start from.
        say: called with lines of progress.
        remaining: called with the finished share of the epochs; returns the end of such a line.

    Returns:
        The Keras model with the weights of the epoch that `kept_epoch` names, and the state after
        the last epoch.
    """
    labels = class_labels(settings.words)
    model = untrained(settings)
    if base_model:
        start_from(base_model, model, settings.classes, settings.frozen)
    _compile(model, settings, -(-len(clips) // settings.batch_size) * settings.epochs)
    variables = [*model.variables, *model.optimizer.variables]
    state = checkpoint.load(file := folder / run_files.CHECKPOINT)
    if state:
        checkpoint.assign(variables, state.variables, file)
        say(f"resuming after epoch {len(state.history)} of {settings.epochs}")
    else:
        state = checkpoint.State()

    curves = CurveWriter(folder / "logs")
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
        checkpoint.save(file, state)  # a teacher is read from there
    checkpoint.assign(model.weights, state.best, file)
    return model, state


def kept_epoch(settings: TrainSettings, state: checkpoint.State) -> int:
    """Index of the epoch whose weights a run keeps."""
    return settings.epochs - 1 if settings.keep_last_epoch else state.best_epoch


def _learn(
    model: Any,
    settings: TrainSettings,
    clips: Epochs,
    epoch: int,
    advance: Callable[[int], object],
) -> tuple[float, float]:
    """Train on an epoch's clips once; returns mean loss and accuracy during the epoch."""
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
    """Use the running average of the model's weights within the block."""
    if not settings.ema:
        yield
        return
    weights = [np.asarray(w).copy() for w in model.trainable_variables]
    model.optimizer.finalize_variable_values(model.trainable_variables)
    # With JAX both share memory, which is freed when one of them is.
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
        # With other backends, compiling takes longer than training a small model.
        jit_compile=keras.backend.backend() == "jax",
    )
    model.optimizer.build(model.trainable_variables)


def _loss(logits: npt.NDArray[np.float32], labels: npt.NDArray[np.int64]) -> float:
    """Mean cross-entropy."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_scores = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return float(-log_scores[np.arange(len(labels)), labels].mean())
