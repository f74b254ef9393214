# SPDX-License-Identifier: Apache-2.0
"""A second, larger model of a bundle, which checks keywords before they are reported."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from kws import _core, config
from kws.bundle.checks import (
    SCORE_ZERO_POINT,
    TensorSettings,
    check_tensors,
    input_frames,
    open_model,
)
from kws.bundle.compiled.program import Program, compile_model
from kws.bundle.recognizer_settings import (
    RecognizerSettings,
    check_thresholds,
    thresholds_for,
)
from kws.config import check_settings, setting
from kws.errors import BundleError, UsageError
from kws.labels import RESERVED

LOOK_EVERY_MS = 240
"""Default time between two looks at a proposal: a Cortex-M4 at 64 MHz needs most of it."""

EARLIER_MS = 240
"""Largest default time between the ends of the two windows that have to confirm a keyword."""

_SINGLE_MS = 1
"""An average window with a single score."""

_DEFAULT_THRESHOLD = 128
"""A keyword is more likely than all other labels together."""


@dataclass(frozen=True)
class LookSettings:
    """How a bundle listens with its second look.

    The bundle's own recognizer and stride are for listening without it.
    """

    stride: int = setting(
        0, 0, 50,
        "Frames from one inference of the first model to the next; 0: as without the second look.",
    )  # fmt: skip
    proposal: int = setting(
        100, 0, 254, "The second model looks if a score (0 to 255) of the first exceeds this."
    )
    looks: int = setting(3, 1, 50, "Maximum number of looks at one proposal of the first model.")
    every: int = setting(1, 1, 50, "Inferences of the first model from one look to the next.")
    earlier: int = setting(
        0, 0, 50,
        "The second model also has to confirm the window that ended this many frames earlier; "
        "0: only the newest window.",
    )  # fmt: skip
    thresholds: Mapping[str, int] = field(default_factory=dict)
    """Thresholds of keywords, 128 by default: the second model's score (0 to 255) must exceed
    it."""

    def __post_init__(self) -> None:
        """Reject values that the firmware cannot hold."""
        check_thresholds(self.thresholds)
        check_settings(self)

    def label_thresholds(self, labels: Sequence[str]) -> list[int]:
        """The threshold of each label.

        Raises:
            KwsError: a threshold for something that is not a label.
        """
        return thresholds_for(labels, self.thresholds, _DEFAULT_THRESHOLD)

    def recognizer(self, alone: RecognizerSettings, labels: Sequence[str]) -> RecognizerSettings:
        """The settings of the core's recognizer: a single score proposes, `thresholds` decide.

        Args:
            alone: the bundle's settings without the second look.
            labels: its labels.

        Raises:
            KwsError: a threshold of one of the settings is for something that is not a label.
        """
        alone.label_thresholds(labels)
        each = zip(labels, self.label_thresholds(labels), strict=True)
        thresholds = {label: value for label, value in each if label not in RESERVED}
        return replace(
            alone,
            average_window_ms=_SINGLE_MS,
            minimum_count=1,
            detection_threshold=RecognizerSettings.detection_threshold,
            thresholds=thresholds,
        )

    def for_core(self) -> dict[str, Any]:
        """The other settings as keyword arguments of the core's recognizer."""
        return {"proposal": self.proposal, "looks": self.looks, "every": self.every}


@dataclass(frozen=True)
class SecondLook:
    """The model and its settings, as returned by `make_second_look`."""

    model: bytes
    """The .tflite file: stateless, int8 in and out."""

    labels: tuple[str, ...]
    """The label of each of its outputs: those of the bundle, and perhaps more, in any order."""

    input: TensorSettings
    output: TensorSettings
    ops: tuple[str, ...]
    """Schema names of its operators, each once, in order of use."""

    arena_bytes: int
    """Bytes of tensor arena that an interpreter needs for it, as on the host."""

    settings: LookSettings = field(default_factory=LookSettings)
    data: str = ""
    """Its training data and their licence."""

    @cached_property
    def sha256(self) -> str:
        """The model's SHA-256, 64 hexadecimal digits."""
        return hashlib.sha256(self.model).hexdigest()

    @property
    def sha8(self) -> str:
        """The first eight digits of the model's SHA-256."""
        return self.sha256[:8]

    @cached_property
    def program(self) -> Program:
        """The model as kernel calls.

        Raises:
            ModelError: the core does not compile this model.
        """
        return compile_model(self.model)

    @property
    def frames(self) -> int:
        """Frames that it sees."""
        return input_frames(self.input.shape)

    @property
    def kept_frames(self) -> int:
        """Frames of history that it needs."""
        return self.frames + self.settings.earlier

    @property
    def windows(self) -> int:
        """Maximum number of windows of a look."""
        return 2 if self.settings.earlier else 1

    def to_table(self) -> dict[str, Any]:
        """The table of bundle.toml; see `second_look_from`."""
        return {
            "labels": list(self.labels),
            "arena_bytes": self.arena_bytes,
            "sha256": self.sha256,
            "data": self.data,
            "settings": config.to_dict(self.settings),
        }

    def order_for(self, labels: Sequence[str]) -> list[int]:
        """Index of each label of the bundle in the model's output.

        Raises:
            UsageError: it does not know one of them.
        """
        missing = [label for label in labels if label not in self.labels]
        if missing:
            raise UsageError(
                f"the second model does not know {', '.join(missing)}; it knows "
                f"{', '.join(label for label in self.labels if label not in RESERVED)}"
            )
        return [self.labels.index(label) for label in labels]

    def for_core(self, labels: Sequence[str], *, own_arena: bool) -> dict[str, Any]:
        """Keyword arguments of the core's `Part` for a bundle with these labels."""
        return {
            "second_model": self.model,
            "second_order": self.order_for(labels),
            "second_arena_bytes": self.arena_bytes if own_arena else 0,
            "earlier": self.settings.earlier,
            **self.settings.for_core(),
        }


def make_second_look(
    model: bytes,
    labels: Sequence[str],
    *,
    settings: LookSettings | None = None,
    data: str = "",
) -> SecondLook:
    """Make a second look from an int8 .tflite file.

    Args:
        model: the .tflite file, see `make_bundle`.
        labels: the label of each output.
        settings: when it looks, and what it confirms; None for the defaults.
        data: the training data and its licence.

    Raises:
        ModelError: the file is damaged, or has an unsupported op, type or shape.
        UsageError: the labels do not fit, or it is a streaming model.
    """
    interpreter = open_model(model)
    source, target = check_tensors(interpreter, len(labels))
    if target.zero_point != SCORE_ZERO_POINT:
        raise UsageError("the second model's scores are uint8; use one with int8 scores")
    if input_frames(source.shape) < _core.SHORTEST_WINDOW:
        raise UsageError(
            "the second model streams; it looks at single moments, so use a model of whole windows"
        )
    return SecondLook(
        model,
        tuple(labels),
        source,
        target,
        tuple(dict.fromkeys(interpreter.ops)),
        interpreter.arena_used_bytes,
        settings or LookSettings(),
        data,
    )


_TABLE: dict[str, type] = {
    "labels": list,
    "arena_bytes": int,
    "sha256": str,
    "data": str,
    "settings": dict,
}


def second_look_from(model: bytes, table: Mapping[str, Any], place: str) -> SecondLook:
    """The second look that a bundle's table describes.

    Args:
        model: the .tflite file.
        table: as from `SecondLook.to_table`.
        place: file and table, for messages.

    Raises:
        BundleError: the table is incomplete, or does not match the model.
        KwsError: a setting is out of range, or the model is refused.
    """
    for key, kind in _TABLE.items():
        if not isinstance(table.get(key), kind):
            raise BundleError(f"{place}: {key} is missing, or not a {kind.__name__}; make it again")
    unknown = sorted(set(table) - set(_TABLE))
    if unknown:
        raise BundleError(f"{place}: unknown setting {unknown[0]!r}; remove it")
    if not all(isinstance(label, str) for label in table["labels"]):
        raise BundleError(f"{place}: labels are not text; put them in quotes")
    sha256 = hashlib.sha256(model).hexdigest()
    if sha256 != table["sha256"]:
        raise BundleError(
            f"{place}: its model's SHA-256 starts with {sha256[:8]}, not {table['sha256'][:8]}; "
            "the model was changed or damaged, so make the bundle again"
        )
    settings = config.from_dict(LookSettings, table["settings"], f"{place}: settings")
    return make_second_look(model, table["labels"], settings=settings, data=table["data"])
