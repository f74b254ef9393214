# SPDX-License-Identifier: Apache-2.0
"""The bundle: everything that a device or the host needs to run one model."""

from __future__ import annotations

import hashlib
import importlib.resources
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from kws import __version__, _core, config
from kws.bundle.checks import (
    TensorSettings,
    check_name,
    check_tensors,
    input_frames,
    open_model,
)
from kws.bundle.layout import FIRMWARE_FOLDER
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import BundleError, ModelError, UsageError
from kws.features.frontend_settings import FrontendSettings
from kws.labels import check_labels, keywords_of

DEFAULT_STRIDE = 2
"""Hops from one inference to the next unless the bundle says otherwise: 40 ms."""


@dataclass(frozen=True)
class Bundle:
    """A model and what is needed to run it, as `make_bundle` and `load_bundle` give it."""

    name: str
    """Short name in the boot line: letters, digits, `_`, `.`, `-`."""

    labels: tuple[str, ...]
    """silence, unknown, then the keywords: one for each of the model's scores."""

    model: bytes
    """The .tflite file."""

    input: TensorSettings
    output: TensorSettings

    ops: tuple[str, ...]
    """Names (the schema's) of the operators that the model uses, each once, in order of use."""

    arena_bytes: int
    """Tensor arena that the model needs, on every target."""

    recognizer: RecognizerSettings = field(default_factory=RecognizerSettings)
    inference_stride: int = DEFAULT_STRIDE
    """Hops from one inference to the next."""

    frontend: FrontendSettings = field(default_factory=FrontendSettings)

    data: str = ""
    """The training data and its licence."""

    metrics: dict[str, Any] = field(default_factory=dict)
    """What training and conversion measured."""

    versions: dict[str, str] = field(default_factory=dict)
    """Versions of the programs that made it."""

    float_model: bytes = b""
    """Float weights, from which `kws train --finetune` starts; empty if not kept."""

    path: Path | None = field(default=None, compare=False)
    """The folder it was loaded from."""

    @cached_property
    def sha256(self) -> str:
        """The model's SHA-256, 64 hexadecimal digits."""
        return hashlib.sha256(self.model).hexdigest()

    @property
    def sha8(self) -> str:
        """The first eight digits of the model's SHA-256: what the boot line shows."""
        return self.sha256[:8]

    @property
    def keywords(self) -> tuple[str, ...]:
        """The labels after silence and unknown."""
        return keywords_of(self.labels)

    @property
    def arch(self) -> str | None:
        """The architecture that `kws train` trained; None if kws did not train the model."""
        training = self.metrics.get("training", {})
        # The key was `model` until kws 0.1.
        arch: str | None = training.get("arch", training.get("model"))
        return arch

    @property
    def firmware(self) -> Path:
        """The folder of generated C++.

        Raises:
            BundleError: this bundle was not loaded from a folder.
        """
        if self.path is None:
            raise BundleError(f"bundle {self.name} is not on disk yet; write it first")
        return self.path / FIRMWARE_FOLDER

    def pipeline(self) -> _core.Pipeline:
        """The firmware's pipeline with this bundle's model and settings, on the host.

        Raises:
            ModelError: the core refuses the model or the settings.
        """
        settings = self.recognizer.for_core(self.labels)
        if self.recognizer.report_unknown:  # a core that was built before does not know it
            settings["report_unknown"] = True
        try:
            return _core.Pipeline(
                self.model,
                self.labels,
                name=self.name,
                sha8=self.sha8,
                arena_bytes=self.arena_bytes,
                inference_stride=self.inference_stride,
                **settings,
            )
        except _core.CoreError as error:
            raise ModelError(f"bundle {self.path or self.name}: {error}") from None


def default_bundle_path() -> Path:
    """The bundle that comes with kws: yes and no."""
    return Path(str(importlib.resources.files("kws") / "assets" / "yes_no"))


def make_bundle(
    model: bytes,
    labels: Sequence[str],
    *,
    name: str,
    recognizer: RecognizerSettings | None = None,
    inference_stride: int | None = None,
    data: str = "",
    metrics: dict[str, Any] | None = None,
    versions: dict[str, str] | None = None,
) -> Bundle:
    """A bundle of an int8 .tflite file; the model itself says its shapes, ops and arena.

    Args:
        model: the .tflite file. Its one input is 49 x 40 int8 in any shape, or as many new frames
            as a streaming model takes at a time. Its one output is one int8 per label.
        labels: silence, unknown, then the keywords.
        name: short name of the model.
        recognizer: how scores become commands; None for the defaults.
        inference_stride: hops from one inference to the next; None for the default. A streaming
            model has only one: the frames that it takes at a time.
        data: the training data and its licence.
        metrics: measurements, as TOML can hold them.
        versions: of other programs that made the model; kws's own is added.

    Raises:
        ModelError: the file is damaged, uses what the runtime does not have, or has another shape.
        UsageError: labels, name or settings that do not fit.
    """
    check_name(name)
    check_labels(labels)
    interpreter = open_model(model)
    source, target = check_tensors(interpreter, len(labels))
    frames = input_frames(source.shape)
    streams = frames < FrontendSettings().frames
    if inference_stride is None:
        inference_stride = frames if streams else DEFAULT_STRIDE
    config.check_range("inference_stride", inference_stride, 1, 50)
    if streams and inference_stride != frames:
        raise UsageError(
            f"inference_stride is {inference_stride}; this model streams, {frames} new frames at a "
            f"time, so it has to be {frames}"
        )
    bundle = Bundle(
        name=name,
        labels=tuple(labels),
        model=model,
        input=source,
        output=target,
        ops=tuple(dict.fromkeys(interpreter.ops)),
        arena_bytes=interpreter.arena_used_bytes,
        recognizer=recognizer or RecognizerSettings(),
        inference_stride=inference_stride,
        data=data,
        metrics=metrics or {},
        versions={"kws": __version__, **(versions or {})},
    )
    bundle.pipeline()  # the core's own check of settings that depend on each other
    return bundle
