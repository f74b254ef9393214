# SPDX-License-Identifier: Apache-2.0
"""What the recognizer is set to."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kws.config import check_range
from kws.errors import KwsError


@dataclass(frozen=True)
class RecognizerSettings:
    """How scores over time become commands (TFLM's RecognizeCommands and its defaults)."""

    average_window_ms: int = 1000
    """Scores of the last so many milliseconds are averaged."""

    detection_threshold: int = 200
    """A mean score (0 to 255) has to exceed this."""

    suppression_ms: int = 1500
    """The same word is not reported again for so long."""

    minimum_count: int = 3
    """Fewer results than this in the window report nothing."""

    thresholds: Mapping[str, int] = field(default_factory=dict)
    """A threshold of its own for some labels, in place of `detection_threshold`; 255: never."""

    def __post_init__(self) -> None:
        """Refuse values that the firmware could not hold or that could never report a word."""
        if not isinstance(self.thresholds, Mapping):
            raise KwsError("thresholds has to be a table of labels and numbers")
        for label, threshold in self.thresholds.items():
            if not isinstance(threshold, int) or isinstance(threshold, bool):
                raise KwsError(f"the threshold of {label!r} is no whole number")
            check_range(f"the threshold of {label!r}", threshold, 0, 255)
        check_range("average_window_ms", self.average_window_ms, 1, 10_000)
        check_range("detection_threshold", self.detection_threshold, 0, 254)
        check_range("suppression_ms", self.suppression_ms, 0, 60_000)
        check_range("minimum_count", self.minimum_count, 1, 100)

    def for_core(self, labels: Sequence[str]) -> dict[str, Any]:
        """The settings as keyword arguments of the core's recognizer and pipeline.

        Raises:
            KwsError: a threshold for something that is no label.
        """
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        values["thresholds"] = self.label_thresholds(labels)
        return values

    def label_thresholds(self, labels: Sequence[str]) -> list[int]:
        """The threshold of each label; empty where all have `detection_threshold`.

        Raises:
            KwsError: a threshold for something that is no label.
        """
        for label in self.thresholds:
            if label not in labels:
                raise KwsError(f"a threshold for {label!r}; the labels are {', '.join(labels)}")
        if not self.thresholds:
            return []
        return [self.thresholds.get(label, self.detection_threshold) for label in labels]
