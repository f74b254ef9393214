# SPDX-License-Identifier: Apache-2.0
"""How a bundle's scores become reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kws import _core
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.second_look import LookSettings
from kws.labels import keywords_of


@dataclass(frozen=True)
class Rules:
    """The labels, the recognizer's settings and those of the second look."""

    labels: tuple[str, ...]
    alone: RecognizerSettings
    """The recognizer's settings without a second look."""

    look: LookSettings | None = None
    """None without a second look."""

    @property
    def recognizer(self) -> RecognizerSettings:
        """The settings of the core's recognizer."""
        return self.look.recognizer(self.alone, self.labels) if self.look else self.alone

    @property
    def thresholds(self) -> dict[str, int]:
        """The thresholds of the keywords that decide: of the second look, if there is one."""
        usual = [self.recognizer.detection_threshold] * len(self.labels)
        values = self.recognizer.label_thresholds(self.labels) or usual
        words = keywords_of(self.labels)
        return {label: t for label, t in zip(self.labels, values, strict=True) if label in words}

    def core_recognizer(self) -> _core.Recognizer:
        """The core's recognizer with these rules."""
        looking = self.look.for_core() if self.look else {}
        return _core.Recognizer(
            len(self.labels), **self.recognizer.for_core(self.labels), **looking
        )

    def with_threshold(self, threshold: int, keywords: Sequence[str] = ()) -> Rules:
        """The rules with one threshold for these keywords (if empty, all); others are unchanged.

        It is the threshold that decides: of the second look, if there is one.
        """
        changed = dict.fromkeys(keywords or keywords_of(self.labels), threshold)
        if self.look:
            look = replace(self.look, thresholds={**self.look.thresholds, **changed})
            return replace(self, look=look)
        thresholds = {**self.alone.thresholds, **changed}
        return replace(self, alone=replace(self.alone, thresholds=thresholds))
