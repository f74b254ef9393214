# SPDX-License-Identifier: Apache-2.0
"""The facts about a model that a page shows."""

from __future__ import annotations

from typing import Any

from kws import __version__, _core
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.features.frontend_settings import HOP_MS
from kws.host.build.boards import boards
from kws.host.measure.flash_table import flash_of
from kws.labels import keywords_of

_AFTER_MS = 600
"""Longest time from the window that fits a word best to its report."""

KEPT_WORDS = 20
"""Number of recent words that a page shows, with their sound."""


def saved_thresholds(device: Device) -> list[int]:
    """The threshold for each of a device's labels, 0 to 255."""
    return [threshold for part in device.parts for threshold in bundle_thresholds(part)]


def bundle_thresholds(bundle: Bundle) -> list[int]:
    """The threshold for each of a bundle's labels, 0 to 255."""
    settings = bundle.rules.recognizer
    thresholds = settings.label_thresholds(bundle.labels)
    return thresholds or [settings.detection_threshold] * len(bundle.labels)


def clip_seconds(device: Device) -> float:
    """Seconds of sound that a page keeps per word: the model's window and the report's delay."""
    return (device.clip_ms + _AFTER_MS) / 1000


def model_facts(device: Device) -> dict[str, Any]:
    """The facts for both pages, which site/app.js shows. All values can be written as JSON."""
    bundle, parts = device.bundle, device.parts
    looks = [part.second_look for part in parts if part.second_look]
    models = device.models
    accuracy = bundle.metrics.get("accuracy")
    ops = list(dict.fromkeys(op for model in models for op in model.ops))
    kernels = {kernel for model in models for kernel in _core.Interpreter(model.model).kernels}
    return {
        "kws": __version__,
        "name": " then ".join(part.name for part in parts),
        "sha8": bundle.sha8,
        "labels": list(device.labels),
        "keywords": list(keywords_of(device.words)),
        "thresholds": saved_thresholds(device),
        "proposals": list(device.proposals),
        "channels": _core.CHANNELS,
        "hop_ms": HOP_MS,
        "bytes": sum(len(model.model) for model in models),
        "second_look": looks[0].sha8 if looks else None,
        "look_bytes": sum(len(look.model) for look in looks),
        "arena_bytes": device.arena_bytes,
        "every_ms": bundle.every_ms,
        "window_ms": bundle.rules.recognizer.average_window_ms,
        "accuracy": accuracy.get("core") if isinstance(accuracy, dict) else None,
        "ops": ops,
        "ops_flash": flash_of(kernels).together,
        "data": bundle.all_data,
        "boards": [
            {"title": board.title, "flash": board.flash, "ram": board.ram} for board in boards()
        ],
        "clip_seconds": clip_seconds(device),
        "kept_words": KEPT_WORDS,
    }
