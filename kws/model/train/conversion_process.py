# SPDX-License-Identifier: Apache-2.0
"""Converts a trained model with TensorFlow, for any Keras backend.

Keras has one backend per process. If that is not TensorFlow (`KERAS_BACKEND=jax`), another process
builds the same model, loads the weights and converts it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from kws.convert.backend import import_tensorflow
from kws.convert.quantize import quantize
from kws.errors import ConversionError, KwsError, ModelError
from kws.features.spectrogram import SHAPE, Spectrograms
from kws.model.weights import checkpoint
from kws.model.zoo import build_model

_WEIGHTS, _CLIPS, _MODEL = "weights.npz", "clips.npy", "model.tflite"


def quantize_trained(arch: str, model: Any, spectrograms: Spectrograms, frames: int) -> bytes:
    """Like `kws.convert.quantize.quantize`, but for any backend.

    Args:
        arch: name of the architecture in the zoo, or a user's file.
        model: float[n, frames, 40, 1] to logits float[n, classes].
        spectrograms: training clips, which show the range of each layer's values.
        frames: frames of the model's window; clips of a streaming model have more before it.
    """
    import keras  # noqa: PLC0415 - slow, for training only

    if keras.backend.backend() == "tensorflow":
        return quantize(model, spectrograms)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / _WEIGHTS, *[np.asarray(weights) for weights in model.weights])
        np.save(Path(folder) / _CLIPS, spectrograms)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                __name__,
                arch,
                str(model.output_shape[-1]),
                str(frames),
                folder,
            ],
            env={**os.environ, "KERAS_BACKEND": "tensorflow"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            kind, _, reason = done.stderr.strip().rpartition("\n")[2].partition(": ")
            raise (ModelError if kind == "ModelError" else ConversionError)(reason or kind)
        return (Path(folder) / _MODEL).read_bytes()


def check_convertible(arch: str, model: Any) -> None:
    """Check before training that an untrained model converts to ops that kws has.

    Raises:
        ConversionError: it does not.
    """
    _, frames, channels, _ = model.input_shape
    frames = frames or SHAPE[0]  # a streaming model may accept any number
    rng = np.random.default_rng(0)
    try:
        quantize_trained(
            arch, model, rng.integers(-128, 128, (2, frames, channels)).astype(np.int8), frames
        )
    except ConversionError:
        raise
    except ModelError:
        pass  # untrained weights produce odd ranges


def _main(arch: str, classes: str, frames: str, where: str) -> None:
    """Run in the other process."""
    import_tensorflow()
    folder = Path(where)
    clips = np.load(folder / _CLIPS)
    model = build_model(arch, int(classes), 0, int(frames))
    with np.load(folder / _WEIGHTS) as weights:
        checkpoint.assign(model.weights, list(weights.values()), folder / _WEIGHTS)
    (folder / _MODEL).write_bytes(quantize(model, clips))


if __name__ == "__main__":
    try:
        _main(*sys.argv[1:])
    except KwsError as error:
        sys.exit(f"{type(error).__name__}: {error}")
