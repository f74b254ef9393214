# SPDX-License-Identifier: Apache-2.0
"""tests/data: sounds, small models and TFLM's results for them, written by tools/oracles.py."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.paths import ROOT

DATA = ROOT / "tests" / "data"
ASSETS = ROOT / "kws" / "assets"

SPOKEN = ("yes_slt", "no_awb", "left_slt", "fan")
"""Clips of the built-in matrix, made by text-to-speech."""

BUILT_IN = ("yes_no", "ten_words", "tiny")
FAMILIES = (
    *("tiny_conv", "ds_cnn", "bc_resnet", "crnn"),
    *("low_latency_svdf", "lstm", "mixed_net"),
)
MODELS = (*BUILT_IN, *FAMILIES)


def sound_files() -> dict[str, Path]:
    """All sounds by name: FLAC files at 16 kHz."""
    spoken = (ASSETS / "matrix" / f"{name}.flac" for name in SPOKEN)
    return {file.stem: file for file in [*sorted((DATA / "sounds").glob("*.flac")), *spoken]}


def model_file(name: str) -> Path:
    """A model of MODELS."""
    if name in BUILT_IN:
        return ASSETS / name / "model.tflite"
    return DATA / "models" / f"{name}.tflite"


@cache
def features() -> dict[str, NDArray[np.int8]]:
    """TFLM's frames of each sound: int8[n, 40]."""
    with np.load(DATA / "features.npz") as arrays:
        return dict(arrays)


@cache
def scores() -> dict[str, dict[str, list[list[int]]]]:
    """TFLM's outputs of each model for each sound: a row per call."""
    answers: dict[str, dict[str, list[list[int]]]] = json.loads((DATA / "scores.json").read_text())
    return answers


def inputs(frames: NDArray[np.int8], shape: tuple[int, ...]) -> Iterator[NDArray[np.int8]]:
    """A model's inputs from a spectrogram: whole windows, or a few new frames at each call.

    A model for whole windows gets the last window, or its first channels if the model is narrow. A
    streaming model gets the last 49 frames, split into calls.
    """
    size = int(np.prod(shape))
    channels = 10 if size == 490 else 40
    rows = size // channels
    window = frames[-49:, :channels]
    for start in range(0, len(window) - rows + 1, rows):
        yield np.ascontiguousarray(window[start : start + rows]).reshape(shape)
