# SPDX-License-Identifier: Apache-2.0
"""Converts Keras models to .tflite files for LiteRT on phones and PCs.

Input and output are float32. As TFLite's metadata does, the file ends with a ZIP archive of
uncompressed files: `labels.txt` and `features.json`. LiteRT ignores it, and any program that reads
ZIP archives finds it.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kws import __version__, _core
from kws.convert.backend import import_tensorflow, quiet
from kws.convert.quantize import conversion_error, converter_of, network_of
from kws.errors import UsageError, did_you_mean
from kws.features.frontend_settings import FrontendSettings
from kws.features.spectrogram import INPUT_SCALE, INPUT_ZERO_POINT

KINDS = {
    "float16": "float16 weights",
    "dynamic": "int8 weights and float sums (dynamic range)",
}
"""Kinds of files, with a description."""

LABELS_FILE, FEATURES_FILE = "labels.txt", "features.json"


def kinds_of(text: str) -> tuple[str, ...]:
    """The kinds in a list such as `float16,dynamic`, each once.

    Raises:
        UsageError: an unknown kind, or none.
    """
    kinds = tuple(dict.fromkeys(kind.strip() for kind in text.split(",")))
    for kind in kinds:
        if kind not in KINDS:
            near = did_you_mean(kind, KINDS)
            raise UsageError(
                f"--also {text!r}: no kind {kind!r}{near}; choose float16, dynamic or both"
            )
    return kinds


def litert_model(model: Any, kind: str, labels: Sequence[str], frontend: FrontendSettings) -> bytes:
    """Convert a Keras model with logits; a softmax is added.

    Args:
        model: float[n, frames, 40, 1] (see `to_float`) to logits float[n, classes]. If it streams
            (see kws.convert.streaming), the file takes only each call's new frames.
        kind: one of `KINDS`.
        labels: one per score.
        frontend: settings of the spectrogram.

    Returns:
        The file: float32[1, frames, 40, 1] to scores float32[1, classes].

    Raises:
        ConversionError: the converter failed.
        ToolError: TensorFlow is not installed.
    """
    tf = import_tensorflow()

    # flatbuffers comes with TensorFlow.
    from kws.convert.slim import slim  # noqa: PLC0415
    from kws.convert.streaming import streaming_model, streams  # noqa: PLC0415 - imports Keras

    streaming = streams(model)
    frames = frontend.frames
    if streaming:
        model = streaming_model(model)
        frames = model.input_shape[1]
    try:
        with quiet(), tempfile.TemporaryDirectory() as folder:
            network = network_of(model, frames)
            converter = converter_of(tf, network, Path(folder) if streaming else None)
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            if kind == "float16":
                converter.target_spec.supported_types = [tf.float16]
            data: bytes = converter.convert()
    except Exception as error:  # noqa: BLE001 - the converter raises any type
        raise conversion_error(error) from None
    features = _features(frontend, frames)
    return _with_files(
        slim(data),
        {
            LABELS_FILE: "".join(f"{label}\n" for label in labels),
            FEATURES_FILE: json.dumps(features, indent=2) + "\n",
        },
    )


def _features(frontend: FrontendSettings, frames: int) -> dict[str, Any]:
    return {
        "written_by": f"kws {__version__}",
        "sample_rate": frontend.sample_rate,
        "window_samples": frontend.window_samples,
        "stride_samples": frontend.stride_samples,
        "keep_noise": frontend.keep_noise,
        "channels": frontend.channels,
        "lowest_hz": _core.LOWEST_HZ,
        "highest_hz": _core.HIGHEST_HZ,
        "frames": frontend.frames,
        "frames_per_call": frames,
        "int8_zero_point": INPUT_ZERO_POINT,
        "int8_scale": INPUT_SCALE,
        "input": "(int8 feature - int8_zero_point) * int8_scale, oldest frame first",
    }


def _with_files(model: bytes, files: Mapping[str, str]) -> bytes:
    """A .tflite file, followed by an archive. Equal files give equal bytes."""
    buffer = io.BytesIO(model)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)  # its time is always 1980
    return buffer.getvalue()
