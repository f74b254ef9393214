# SPDX-License-Identifier: Apache-2.0
"""The bundle: everything that a device or the host needs to run one model."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.resources
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from kws import __version__, _core, config
from kws.bundle.checks import (
    SCORE_ZERO_POINT,
    TensorSettings,
    check_name,
    check_tensors,
    input_frames,
    open_model,
    window_frames,
)
from kws.bundle.compiled.program import Program, compile_model
from kws.bundle.layout import FIRMWARE_FOLDER, SETTINGS_FILE
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import BundleError, ModelError, UsageError
from kws.features.frontend_settings import HOP, HOP_MS, STRIDES, FrontendSettings
from kws.labels import check_labels, keywords_of

DEFAULT_STRIDE = 2
"""Hops from one inference to the next unless the bundle says otherwise: 40 ms."""


LISTEN_MS = 5000
"""How long a second bundle listens for a command unless something else is asked for."""

_LONGEST_MS = 600_000


@dataclass(frozen=True)
class Then:
    """A second bundle in the same device: it listens for commands after a wake word."""

    bundle: Bundle
    listen_ms: int
    """How long it listens; a command ends it, too."""


@dataclass(frozen=True)
class Bundle:
    """A model and what is needed to run it, as `make_bundle` and `load_bundle` give it."""

    name: str
    """Short name in the boot line: letters, digits, `_`, `.`, `-`."""

    labels: tuple[str, ...]
    """silence, unknown, then the keywords: one for each of the model's scores. Other people's wake
    words may have keywords alone."""

    model: bytes
    """The .tflite file."""

    input: TensorSettings
    output: TensorSettings

    output_order: tuple[int, ...] = field(default=(), kw_only=True)
    """Which of the model's outputs is the score of each label; empty if they have one order."""

    ops: tuple[str, ...]
    """Names (the schema's) of the operators that the model uses, each once, in order of use."""

    arena_bytes: int
    """Tensor arena that the interpreter needs for the model, on every target."""

    recognizer: RecognizerSettings = field(default_factory=RecognizerSettings)
    inference_stride: int = DEFAULT_STRIDE
    """Frames from one inference to the next: hops, unless the frontend's stride is shorter."""

    compiled: bool = False
    """Whether firmware gets the model as C++ that calls the kernels, not as a file that an
    interpreter reads. The host's pipeline always interprets."""

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

    then: Then | None = None
    """What listens after any keyword of this bundle was heard. No part of the bundle's files."""

    @cached_property
    def sha256(self) -> str:
        """The model's SHA-256, 64 hexadecimal digits."""
        return hashlib.sha256(self.model).hexdigest()

    @property
    def sha8(self) -> str:
        """The first eight digits of the model's SHA-256: what the boot line shows."""
        return self.sha256[:8]

    @property
    def every_ms(self) -> int:
        """Milliseconds from one inference to the next."""
        frontend = self.frontend
        return self.inference_stride * frontend.stride_samples * 1000 // frontend.sample_rate

    @property
    def input_frames(self) -> int:
        """Frames that the model takes at a time: its window, or fewer if it streams."""
        return input_frames(self.input.shape)

    @property
    def keywords(self) -> tuple[str, ...]:
        """The labels after silence and unknown."""
        return keywords_of(self.labels)

    @property
    def parts(self) -> tuple[Bundle, ...]:
        """The bundles of a device, each for itself: this one, then the second one, if any."""
        if self.then is None:
            return (self,)
        return dataclasses.replace(self, then=None), self.then.bundle

    @property
    def device_labels(self) -> tuple[str, ...]:
        """The labels of all that a device hears: this bundle's, then those of the second one."""
        return self.labels + (self.then.bundle.labels if self.then else ())

    @property
    def device_words(self) -> tuple[str, ...]:
        """The same, each label once: silence, unknown, then the keywords of both."""
        return tuple(dict.fromkeys(self.device_labels))

    @cached_property
    def program(self) -> Program:
        """The model as calls of kernels.

        Raises:
            ModelError: the core does not compile this model.
        """
        if self.output.zero_point != SCORE_ZERO_POINT:
            raise ModelError(
                f"{self.name}: its scores are uint8, which no compiled model gives; build it "
                "without --compiled"
            )
        return compile_model(self.model)

    @property
    def own_arena_bytes(self) -> int:
        """Arena that firmware needs for this bundle's model."""
        return self.program.arena_bytes if self.compiled else self.arena_bytes

    @property
    def device_arena_bytes(self) -> int:
        """Arena of a device: both bundles share it, because one of them runs at a time."""
        return max(self.own_arena_bytes, self.then.bundle.own_arena_bytes if self.then else 0)

    @property
    def device_clip_ms(self) -> int:
        """Sound that a device's model sees, in milliseconds; of two bundles, the longer one's."""
        own = self.frontend.clip_ms
        return max(own, self.then.bundle.frontend.clip_ms) if self.then else own

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
        arena_bytes = max(self.arena_bytes, self.then.bundle.arena_bytes if self.then else 0)
        if self.recognizer.gate_rise and input_frames(self.input.shape) < self.frontend.frames:
            raise ModelError(
                f"bundle {self.path or self.name}: a streaming model has to hear every frame; set "
                "gate_db to 0"
            )
        try:
            if self.then is None:
                return _core.Pipeline(self._part(), arena_bytes=arena_bytes)
            return _core.Pipeline(
                self._part(),
                arena_bytes=arena_bytes,
                then=self.then.bundle._part(),
                listen_ms=self.then.listen_ms,
            )
        except _core.CoreError as error:
            raise ModelError(f"bundle {self.path or self.name}: {error}") from None

    def _part(self) -> _core.Part:
        return _core.Part(
            self.model,
            self.labels,
            name=self.name,
            sha8=self.sha8,
            inference_stride=self.inference_stride,
            report_unknown=self.recognizer.report_unknown,
            gate_rise=self.recognizer.gate_rise,
            window_frames=self.frontend.frames,
            stride_samples=self.frontend.stride_samples,
            output_order=self.output_order,
            **self.recognizer.for_core(self.labels),
        )


def default_bundle_path() -> Path:
    """The bundle that commands take if none is named: yes and no."""
    return _assets() / "yes_no"


def bundle_path(text: str) -> Path:
    """The file or folder that `text` names, or the built-in bundle: yes_no, ten_words or tiny."""
    path = Path(text)
    built_in = _assets() / text
    return built_in if not path.exists() and is_built_in(built_in) else path


def built_in_names() -> list[str]:
    """The names of the bundles that come with kws."""
    return sorted(file.parent.name for file in _assets().glob(f"*/{SETTINGS_FILE}"))


def is_built_in(path: Path) -> bool:
    """Whether a folder is a bundle that comes with kws."""
    return path.is_dir() and path.resolve().parent == _assets().resolve()


def _assets() -> Path:
    return Path(str(importlib.resources.files("kws") / "assets"))


def with_commands(bundle: Bundle, commands: Bundle, listen_ms: int = LISTEN_MS) -> Bundle:
    """A bundle whose keywords are wake words: after each, `commands` listens for so long.

    Raises:
        UsageError: the bundles' frontends differ, or the time is out of range.
    """
    if not HOP_MS <= listen_ms <= _LONGEST_MS:
        raise UsageError(
            f"{listen_ms / 1000:g} s is no time to listen for commands; "
            f"it has to be {HOP_MS} ms to {_LONGEST_MS // 1000} s"
        )
    for setting in dataclasses.fields(FrontendSettings):
        first, second = (getattr(b.frontend, setting.name) for b in (bundle, commands))
        if first != second and setting.name != "frames":  # each has a window of its own
            raise UsageError(
                f"{bundle.name} and {commands.name} cannot share a frontend: {setting.name} is "
                f"{first} in one and {second} in the other; train them with the same settings"
            )
    if bundle.compiled or commands.compiled:
        # One firmware has either an interpreter or none.
        bundle, commands = as_compiled(bundle), as_compiled(commands)
    return dataclasses.replace(bundle, then=Then(commands, listen_ms))


def as_compiled(bundle: Bundle) -> Bundle:
    """The bundle with its model as C++ in the firmware; the second bundle's model, too."""
    return _with_compiled(bundle, compiled=True)


def as_interpreted(bundle: Bundle) -> Bundle:
    """The bundle with its model as a file in the firmware; the second bundle's model, too."""
    return _with_compiled(bundle, compiled=False)


def _with_compiled(bundle: Bundle, *, compiled: bool) -> Bundle:
    then = bundle.then
    if then is not None:
        then = Then(_with_compiled(then.bundle, compiled=compiled), then.listen_ms)
    return dataclasses.replace(bundle, compiled=compiled, then=then)


def make_bundle(
    model: bytes,
    labels: Sequence[str],
    *,
    name: str,
    recognizer: RecognizerSettings | None = None,
    inference_stride: int | None = None,
    frames: int | None = None,
    stride_samples: int = HOP,
    output_order: Sequence[int] = (),
    data: str = "",
    metrics: dict[str, Any] | None = None,
    versions: dict[str, str] | None = None,
) -> Bundle:
    """A bundle of an int8 .tflite file; the model itself says its shapes, ops and arena.

    Args:
        model: the .tflite file. Its one input is 25 to 150 frames of 40 int8 in any shape, or as
            many new frames as a streaming model takes at a time. Its one output is one int8 per
            label.
        labels: silence, unknown, then the keywords; or keywords alone.
        name: short name of the model.
        recognizer: how scores become commands; None for the defaults.
        inference_stride: hops from one inference to the next; None for the default. A streaming
            model has only one: the frames that it takes at a time.
        frames: how many frames a streaming model's scores are about; None for a second. Other
            models say it themselves.
        stride_samples: from one frame to the next: a hop, or half of one.
        output_order: which of the model's outputs is the score of each label, as
            `kws.labels.class_order` gives it; empty if they have one order.
        data: the training data and its licence.
        metrics: measurements, as TOML can hold them.
        versions: of other programs that made the model; kws's own is added.

    Raises:
        ModelError: the file is damaged, uses what the runtime does not have, or has another shape.
        UsageError: labels, name or settings that do not fit.
    """
    check_name(name)
    check_labels(labels)
    if output_order and sorted(output_order) != list(range(len(labels))):
        raise UsageError("output_order has to name each output of the model once")
    interpreter = open_model(model)
    source, target = check_tensors(interpreter, len(labels))
    if stride_samples not in STRIDES:
        raise UsageError(
            f"a stride of {stride_samples} samples; frames start {' or '.join(map(str, STRIDES))} "
            "samples apart"
        )
    window = window_frames(interpreter, stride_samples, frames)
    taken = input_frames(source.shape)
    streams = taken < window
    if inference_stride is None:
        inference_stride = taken if streams else DEFAULT_STRIDE
    config.check_range("inference_stride", inference_stride, 1, 50)
    if streams and inference_stride != taken:
        raise UsageError(
            f"inference_stride is {inference_stride}; this model streams, {taken} new frames at a "
            f"time, so it has to be {taken}"
        )
    bundle = Bundle(
        name=name,
        labels=tuple(labels),
        model=model,
        input=source,
        output=target,
        output_order=tuple(output_order),
        ops=tuple(dict.fromkeys(interpreter.ops)),
        arena_bytes=interpreter.arena_used_bytes,
        recognizer=recognizer or RecognizerSettings(),
        inference_stride=inference_stride,
        frontend=FrontendSettings(frames=window, stride_samples=stride_samples),
        data=data,
        metrics=metrics or {},
        versions={"kws": __version__, **(versions or {})},
    )
    bundle.pipeline()  # the core's own check of settings that depend on each other
    return bundle
