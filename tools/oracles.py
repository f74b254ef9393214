# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data: sounds, small models, and TFLM's features and scores for both.

    python -m tools.oracles

The features come from TFLM's frontend, the scores from its interpreter (PyPI's tflite-micro). Tests
compare the core with them, without tflite-micro or TensorFlow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from numpy.typing import NDArray

from kws import _core
from kws.audio.sound_files import load_clip
from tests.features.tflm_frontend import tflm_features
from tests.oracle_data import DATA, MODELS, inputs, model_file, sound_files

Signal = NDArray[np.float64]

RATE = 16000
TIME = np.arange(RATE) / RATE


def tone(hertz: float | Signal) -> Signal:
    """A sine of one second with amplitude 1; its frequency may change with each sample."""
    return np.asarray(np.sin(2 * np.pi * np.cumsum(np.broadcast_to(hertz, TIME.shape)) / RATE))


def resonance(signal: Signal, hertz: float, width: float) -> Signal:
    """The signal through one formant: a two-pole filter whose gain at 0 Hz is 1."""
    radius = np.exp(-np.pi * width / RATE)
    a1, a2 = 2 * radius * np.cos(2 * np.pi * hertz / RATE), -(radius**2)
    output = np.zeros(len(signal) + 2)
    for i, sample in enumerate(signal):
        output[i + 2] = (1 - a1 - a2) * sample + a1 * output[i + 1] + a2 * output[i]
    return output[2:]


def vowels(rng: np.random.Generator) -> Signal:
    """Pulses of falling pitch through the formants of ee, eh and oh, then a hiss like an s."""
    pulses = np.diff(np.floor(np.cumsum(np.linspace(140, 100, RATE)) / RATE), prepend=0)
    speech = []
    formants = ((280, 2250, 2890), (550, 1770, 2490), (500, 900, 2400))
    for part, peaks in zip(np.split(pulses[:15000], 3), formants, strict=True):
        sound: Signal = part
        for peak in peaks:
            sound = resonance(sound, peak, 90)
        speech.append(sound / np.abs(sound).max())
    speech.append(np.diff(rng.normal(0, 0.2, 1001)))
    return np.asarray(9000 * np.concatenate(speech))


def stream(rng: np.random.Generator) -> Signal:
    """Three seconds with jumps in loudness, for the noise estimate."""
    loudness = np.repeat([30.0, 10000.0, 300.0], RATE)
    return np.asarray(rng.normal(0, 1, 3 * RATE) * loudness + 500 * np.tile(tone(700), 3))


SOUNDS: dict[str, Callable[[np.random.Generator], Signal]] = {
    "silence": lambda _: np.zeros(RATE),
    "faint": lambda rng: rng.integers(-2, 3, RATE).astype(np.float64),
    "tone": lambda _: 8000 * tone(440),
    "chirp": lambda _: 12000 * tone(np.geomspace(80, 7900, RATE)),
    "hum": lambda _: 2500 + sum((3000 / n * tone(50.0 * n) for n in range(1, 8)), np.zeros(RATE)),
    "beats": lambda _: 10000 * tone(1000) * tone(3.5),
    "vowels": vowels,
    "hiss": lambda rng: rng.normal(0, 1500, RATE),
    "clipped": lambda rng: 60000 * tone(310) + rng.normal(0, 8000, RATE),
    "clicks": lambda rng: np.where(rng.random(RATE) < 0.002, -32768.0, 0.0),
    "full_scale": lambda rng: np.where(rng.random(RATE) < 0.5, -32768.0, 32767.0),
    "stream": stream,
}
"""The sounds by name. Each lasts a second, except the stream."""


def write_sounds(folder: Path) -> None:
    """Write the sounds as 16-bit FLAC files."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, (name, make) in enumerate(SOUNDS.items()):
        pcm = np.clip(np.rint(make(np.random.default_rng(seed))), -32768, 32767).astype(np.int16)
        soundfile.write(folder / f"{name}.flac", pcm, RATE, compression_level=1.0)


def write_models(folder: Path) -> None:
    """Write one untrained model of each common family."""
    from tests.runtime import families

    folder.mkdir(parents=True, exist_ok=True)
    for name in ("tiny_conv", "ds_cnn", "bc_resnet", "crnn"):
        (folder / f"{name}.tflite").write_bytes(families.from_layers(*families.FAMILIES[name]))
    for make in (families.low_latency_svdf, families.lstm, families.mixed_net):
        (folder / f"{make.__name__}.tflite").write_bytes(make())


def tflm_scores(model: bytes, features: NDArray[np.int8]) -> list[list[int]]:
    """The outputs of TFLM's interpreter for each call of a model on a spectrogram."""
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_bytes(model, arena_size=1 << 20)
    scores = []
    for row in inputs(features, _core.Interpreter(model).inputs[0].shape):
        interpreter.set_input(row, 0)
        interpreter.invoke()
        scores.append(interpreter.get_output(0).ravel().tolist())
    return scores


def write_answers(features: dict[str, Any]) -> None:
    """Write the features of all sounds, and the scores of all models for them."""
    np.savez_compressed(DATA / "features.npz", **features)
    lines = []
    for model in MODELS:
        contents = model_file(model).read_bytes()
        scores = {sound: tflm_scores(contents, frames) for sound, frames in features.items()}
        rows = ",\n".join(f"  {json.dumps(sound)}: {json.dumps(s)}" for sound, s in scores.items())
        lines.append(f"{json.dumps(model)}: {{\n{rows}\n}}")
    (DATA / "scores.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    """Write all of tests/data."""
    write_sounds(DATA / "sounds")
    write_models(DATA / "models")
    write_answers({name: tflm_features(load_clip(file)) for name, file in sound_files().items()})


if __name__ == "__main__":
    main()
