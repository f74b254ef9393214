# SPDX-License-Identifier: Apache-2.0
"""The bundle: everything that a device or the host needs to run one model."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from kws import _core
from kws.bundle.checks import (
    SCORE_ZERO_POINT,
    TensorSettings,
    input_frames,
)
from kws.bundle.compiled.program import Program, compile_model
from kws.bundle.layout import FIRMWARE_FOLDER
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.rules import Rules
from kws.bundle.second_look import (
    EARLIER_MS,
    LOOK_EVERY_MS,
    SecondLook,
    make_second_look,
)
from kws.errors import BundleError, ModelError, UsageError
from kws.features.frontend_settings import FrontendSettings
from kws.labels import keywords_of

LOOK_METRICS = "second_look"
"""Key in a bundle's metrics: what calibration expects of it with its second look."""

DEFAULT_STRIDE = 2
"""Default number of hops from one inference to the next: 40 ms."""


@dataclass(frozen=True)
class Bundle:
    """A model and what is needed to run it, as returned by `make_bundle` and `load_bundle`."""

    name: str
    """Short name in the boot line: letters, digits, `_`, `.`, `-`."""

    labels: tuple[str, ...]
    """silence, unknown, then the keywords: one per model score. Imported wake words may have only
    keywords."""

    model: bytes
    """The .tflite file."""

    input: TensorSettings
    output: TensorSettings

    output_order: tuple[int, ...] = field(default=(), kw_only=True)
    """Index of each label's score in the model's output; empty if the order is the same."""

    ops: tuple[str, ...]
    """Schema names of the operators that the model uses, each once, in order of use."""

    arena_bytes: int
    """Bytes of tensor arena that the interpreter needs for the model, on every target."""

    recognizer: RecognizerSettings = field(default_factory=RecognizerSettings)
    inference_stride: int = DEFAULT_STRIDE
    """Frames from one inference to the next without a second look: hops, unless the frontend's
    stride is shorter."""

    compiled: bool = False
    """Whether firmware contains the model as C++ code that calls the kernels, instead of a file for
    the interpreter. The pipeline on the host always interprets."""

    frontend: FrontendSettings = field(default_factory=FrontendSettings)

    data: str = ""
    """The training data and its licence."""

    metrics: dict[str, Any] = field(default_factory=dict)
    """Measurements from training and conversion."""

    versions: dict[str, str] = field(default_factory=dict)
    """Versions of the programs that made it."""

    float_model: bytes = b""
    """Float weights, from which `kws train --finetune` starts; empty if not kept."""

    second_look: SecondLook | None = field(default=None, kw_only=True)
    """A second model that checks keywords before they are reported."""

    path: Path | None = field(default=None, compare=False)
    """The folder it was loaded from."""

    @cached_property
    def sha256(self) -> str:
        """The model's SHA-256, 64 hexadecimal digits."""
        return hashlib.sha256(self.model).hexdigest()

    @property
    def all_data(self) -> str:
        """The training data of all its models, and their licences."""
        look = self.second_look
        if look is None or look.data in ("", self.data):
            return self.data
        return f"{self.data} Second look: {look.data}".strip()

    @property
    def sha8(self) -> str:
        """The first eight digits of the model's SHA-256, as shown in the boot line."""
        return self.sha256[:8]

    @property
    def stride(self) -> int:
        """Frames from one inference to the next, with the second look if there is one."""
        look = self.second_look.settings if self.second_look else None
        return (look and look.stride) or self.inference_stride

    @property
    def every_ms(self) -> int:
        """Milliseconds from one inference to the next."""
        frontend = self.frontend
        return self.stride * frontend.stride_samples * 1000 // frontend.sample_rate

    @property
    def input_frames(self) -> int:
        """Frames per call of the model: the whole window, or fewer for a streaming model."""
        return input_frames(self.input.shape)

    @property
    def keywords(self) -> tuple[str, ...]:
        """The labels after silence and unknown."""
        return keywords_of(self.labels)

    def verified_by(self, other: Bundle) -> Bundle:
        """This bundle with the model of `other` as its second look, with default settings.

        If its window is longer than that of this bundle, an earlier one has to confirm, too.

        Raises:
            UsageError: `other` streams, lacks one of the labels or has other frames.
        """
        if other.frontend.stride_samples != self.frontend.stride_samples:
            raise UsageError(
                f"the frames of {other.name} start {other.frontend.stride_samples} samples apart, "
                f"those of {self.name} {self.frontend.stride_samples}; train both with the same "
                "stride"
            )
        if other.frontend.keep_noise != self.frontend.keep_noise:
            raise UsageError(
                f"{other.name} and {self.name} have different features; train both with the same "
                "keep_noise"
            )
        order = other.output_order or tuple(range(len(other.labels)))
        labels = [other.labels[order.index(output)] for output in range(len(order))]
        look = make_second_look(other.model, labels, data=other.data)
        samples = EARLIER_MS * self.frontend.sample_rate // 1000
        # In a window that is no longer than the first model's, the end of a word would be missing.
        longer = max(0, look.frames - self.frontend.frames)
        earlier = min(samples // self.frontend.stride_samples, longer)
        look = replace(look, settings=replace(look.settings, earlier=earlier))
        look.order_for(self.labels)
        return replace(self.without_second_look(), second_look=look).looking(0)

    def looking(self, stride: int | None = None, threshold: int | None = None) -> Bundle:
        """This bundle, which has a second look, with other settings of it.

        Args:
            stride: frames from one inference to the next; the time between looks is adapted. None
                keeps both.
            threshold: the threshold of all keywords; None keeps theirs.

        Raises:
            UsageError: there is no second look.
            KwsError: a setting is out of range.
        """
        look = self.second_look
        if look is None:
            raise UsageError(f"{self.name} has no second look")
        settings = look.settings
        if threshold is not None:
            settings = replace(settings, thresholds=dict.fromkeys(self.keywords, threshold))
        if stride is not None:
            settings = replace(settings, stride=stride)
            paced = replace(self, second_look=replace(look, settings=settings))
            settings = replace(settings, every=-(-LOOK_EVERY_MS // paced.every_ms))
        return replace(self, second_look=replace(look, settings=settings))

    def with_thresholds(self, thresholds: Sequence[int]) -> Bundle:
        """This bundle with other thresholds, one for each label; see `Rules.thresholds`."""
        look, usual = self.second_look, self.recognizer.detection_threshold
        each = dict(zip(self.labels, thresholds, strict=True))
        if look:
            words = {word: each[word] for word in self.keywords}
            settings = replace(look.settings, thresholds=words)
            return replace(self, second_look=replace(look, settings=settings))
        changed = {label: value for label, value in each.items() if value != usual}
        return replace(self, recognizer=replace(self.recognizer, thresholds=changed))

    def without_second_look(self) -> Bundle:
        """The same bundle, as calibrated for its first model alone."""
        metrics = {key: facts for key, facts in self.metrics.items() if key != LOOK_METRICS}
        return replace(self, second_look=None, metrics=metrics)

    @cached_property
    def program(self) -> Program:
        """The model as kernel calls.

        Raises:
            ModelError: the core does not compile this model.
        """
        if self.output.zero_point != SCORE_ZERO_POINT:
            raise ModelError(
                f"{self.name}: its scores are uint8, which compiled models do not support; build "
                "it without --compiled"
            )
        return compile_model(self.model)

    @property
    def streams(self) -> bool:
        """Whether the model gets each frame once and keeps a state."""
        return self.input_frames < self.frontend.frames

    @property
    def earlier_ms(self) -> int:
        """Time between the two windows that its second look has to confirm; 0 for one window."""
        earlier = self.second_look.settings.earlier if self.second_look else 0
        return 1000 * earlier * self.frontend.stride_samples // self.frontend.sample_rate

    @property
    def kept_frames(self) -> int:
        """Frames of history that its models need."""
        return max(self.input_frames, self.second_look.kept_frames if self.second_look else 0)

    @property
    def own_arena_bytes(self) -> int:
        """Arena that firmware needs for this bundle's model."""
        return self.program.arena_bytes if self.compiled else self.arena_bytes

    @property
    def firmware_arena_bytes(self) -> int:
        """Arena that firmware needs for this bundle's model and, if they share it, second look."""
        own = self.own_arena_bytes
        if self.second_look is None or self.streams:
            return own
        return max(own, self.second_look.program.arena_bytes)

    @property
    def host_arena_bytes(self) -> int:
        """The same on the host, which interprets both models."""
        if self.second_look is None or self.streams:
            return self.arena_bytes
        return max(self.arena_bytes, self.second_look.arena_bytes)

    @property
    def rules(self) -> Rules:
        """How its scores become reports."""
        look = self.second_look.settings if self.second_look else None
        return Rules(self.labels, self.recognizer, look)

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

    @contextlib.contextmanager
    def core_faults(self) -> Iterator[None]:
        """Turn a CoreError of this block into a ModelError that names the bundle."""
        try:
            yield
        except _core.CoreError as error:
            raise ModelError(f"bundle {self.path or self.name}: {error}") from None

    def core_part(self) -> _core.Part:
        """The model and its settings, for the core's pipeline."""
        return _core.Part(
            self.model,
            self.labels,
            name=self.name,
            sha8=self.sha8,
            inference_stride=self.stride,
            report_unknown=self.recognizer.report_unknown,
            gate_rise=self.recognizer.gate_rise,
            window_frames=self.frontend.frames,
            stride_samples=self.frontend.stride_samples,
            keep_noise=self.frontend.keep_noise,
            output_order=self.output_order,
            **self.rules.recognizer.for_core(self.labels),
            **self._second_for_core(),
        )

    def _second_for_core(self) -> dict[str, Any]:
        if self.second_look is None:
            return {}
        return self.second_look.for_core(self.labels, own_arena=self.streams)
