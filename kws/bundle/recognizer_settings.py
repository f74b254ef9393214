# SPDX-License-Identifier: Apache-2.0
"""Settings of the recognizer."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kws import _core
from kws.config import check_range, check_settings, setting
from kws.errors import KwsError
from kws.labels import first_keyword

NEVER = 255
"""The threshold of a keyword that is never reported."""


@dataclass(frozen=True)
class RecognizerSettings:
    """How scores over time become commands (TFLM's RecognizeCommands and its defaults)."""

    average_window_ms: int = setting(
        _core.AVERAGE_WINDOW_MS, 1, 10_000,
        "Averaging window of the scores, in ms.",
    )  # fmt: skip
    detection_threshold: int = setting(
        _core.DETECTION_THRESHOLD, 0, 254, "A mean score (0 to 255) must exceed this."
    )
    suppression_ms: int = setting(
        _core.SUPPRESSION_MS, 0, 60_000,
        "Minimum time before the same word is reported again, in ms.",
    )  # fmt: skip
    minimum_count: int = setting(
        _core.MINIMUM_COUNT, 1, 100, "Minimum number of results in the window to report a word."
    )
    thresholds: Mapping[str, int] = field(default_factory=dict)
    """Thresholds of individual labels, instead of `detection_threshold`; 255: never reported."""

    gate_db: float = setting(
        0.0, 0, 20,
        "The model runs only for sound this many dB louder than the room's noise; 0: it always "
        "runs.",
    )  # fmt: skip
    report_unknown: bool = False
    """Whether a word other than the keywords writes `Heard unknown`, as TFLM does.

    Without it, unknown still competes with the keywords in the recognizer.
    """

    def __post_init__(self) -> None:
        """Reject values that the firmware cannot hold, or with which no word is ever reported."""
        check_thresholds(self.thresholds)
        if not isinstance(self.report_unknown, bool):
            raise KwsError("report_unknown must be true or false")
        check_settings(self)

    @property
    def gate_rise(self) -> int:
        """`gate_db` in tenths of a dB, for the core's gate; 0: no gate."""
        return round(10 * self.gate_db)

    def for_core(self, labels: Sequence[str]) -> dict[str, Any]:
        """The settings as keyword arguments of the core's recognizer.

        Raises:
            KwsError: a threshold for something that is not a label.
        """
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        del values["report_unknown"], values["gate_db"]  # the pipeline's
        values["thresholds"] = self.label_thresholds(labels)
        values["first_keyword"] = first_keyword(labels)
        return values

    def label_thresholds(self, labels: Sequence[str]) -> list[int]:
        """The threshold of each label; empty if all labels have `detection_threshold`.

        Raises:
            KwsError: a threshold for something that is not a label.
        """
        each = thresholds_for(labels, self.thresholds, self.detection_threshold)
        return each if self.thresholds else []


def check_thresholds(thresholds: object) -> None:
    """Check the thresholds of labels: whole numbers from 0 to 255.

    Raises:
        KwsError: they are not.
    """
    if not isinstance(thresholds, Mapping):
        raise KwsError("thresholds must be a table of labels and numbers")
    for label, threshold in thresholds.items():
        if not isinstance(threshold, int) or isinstance(threshold, bool):
            raise KwsError(f"the threshold of {label!r} is not a whole number")
        check_range(f"the threshold of {label!r}", threshold, 0, 255)


def thresholds_for(labels: Sequence[str], thresholds: Mapping[str, int], usual: int) -> list[int]:
    """The threshold of each label; `usual` where there is none of its own.

    Raises:
        KwsError: a threshold for something that is not a label.
    """
    for label in thresholds:
        if label not in labels:
            raise KwsError(f"a threshold for {label!r}; the labels are {', '.join(labels)}")
    return [thresholds.get(label, usual) for label in labels]
