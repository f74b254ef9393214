# SPDX-License-Identifier: Apache-2.0
"""Reads microWakeWord models: a streaming .tflite file and a JSON manifest.

The manifest contains the phrase, the number of probabilities to average, and the threshold of their
mean. Source: ESPHome's documentation of micro_wake_word, versions 1 and 2.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kws.bundle.checks import input_frames, open_model
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import KwsError, ModelError
from kws.features.frontend_settings import FrontendSettings
from kws.labels import label_of

SUFFIX = ".json"

_STEP_MS = 20
"""Frame step of version 1, which is not in its manifest."""


@dataclass(frozen=True)
class WakeManifest:
    """The content of a manifest."""

    model: Path
    label: str
    about: str
    cutoff: float
    """Threshold of the mean probability, 0 to 1."""

    results: int
    """Number of probabilities in the mean."""

    stride_samples: int
    """Samples from one frame to the next."""

    says_step: bool
    """Whether the manifest contains the step. Version 1 does not: its models take one frame."""

    def recognizer(self, model: bytes) -> RecognizerSettings:
        """The recognizer's settings for this manifest.

        Raises:
            KwsError: a number is out of range.
            ModelError: the core refuses the model, or its version differs from the manifest's.
        """
        frames = input_frames(open_model(model).inputs[0].shape)
        rate = FrontendSettings().sample_rate
        step_ms = self.stride_samples * 1000 // rate
        # Version 1 takes one frame of 20 ms at a time, version 2 three of 10 ms.
        if (frames > 1 and not self.says_step) or (frames, step_ms) == (1, 10):
            said = "feature_step_size is" if self.says_step else "without feature_step_size it is"
            version = 2 if frames > 1 else 1
            raise ModelError(
                f"step and model do not match: {said} {step_ms} ms, but {self.model.name} takes "
                f"{frames} new frame(s) per call, like models of version {version}; use the "
                "manifest that came with the model"
            )
        every_ms = frames * self.stride_samples * 1000 // rate
        return RecognizerSettings(
            average_window_ms=max((self.results - 1) * every_ms, 1),
            detection_threshold=int(self.cutoff * 255),
            minimum_count=self.results,
        )


def read_manifest(file: Path) -> WakeManifest:
    """Read and check a manifest.

    Raises:
        ModelError: it is unreadable, or not a manifest.
    """
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else error
        raise ModelError(f"{file}: {reason}; pass a manifest of a microWakeWord model") from None
    if not isinstance(table, dict) or not isinstance(table.get("micro"), dict):
        raise ModelError(f"{file}: no table 'micro', so not a manifest of a microWakeWord model")
    micro = table["micro"]
    window = "sliding_window_size" if "sliding_window_size" in micro else _OLD_WINDOW
    step_ms = _number(file, micro, "feature_step_size", _STEP_MS)
    author = table.get("author")
    try:
        return WakeManifest(
            file.parent / _text(file, table, "model"),
            label_of(_text(file, table, "wake_word")),
            f"microWakeWord, by {author}." if isinstance(author, str) and author else "",
            float(_number(file, micro, "probability_cutoff")),
            int(_number(file, micro, window)),
            int(step_ms * FrontendSettings().sample_rate // 1000),
            "feature_step_size" in micro,
        )
    except ModelError:
        raise
    except KwsError as error:
        raise ModelError(f"{file}: {error}") from None


_OLD_WINDOW = "sliding_window_average_size"  # in version 1


def _text(file: Path, table: dict[str, Any], key: str) -> str:
    if not isinstance(table.get(key), str):
        raise ModelError(f"{file}: {key} is not text; correct the manifest")
    return str(table[key])


def _number(file: Path, table: dict[str, Any], key: str, default: float | None = None) -> float:
    value = table.get(key, default)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ModelError(f"{file}: {key} is not a number; correct the manifest")
    return value
