# SPDX-License-Identifier: Apache-2.0
"""Words that were nearly heard: the score came near, but there was no detection.

The exported page has no Python, so kws/host/web/site/near_misses.js has the same rule; a test
compares both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kws.bundle.device import Device
from kws.host.live.listener import Hop
from kws.labels import keywords_of

APART_MS = 1500
"""A near miss is at least this far from a detection of its word."""

_SHARE = 0.5  # of the threshold
_NEVER = 255  # a threshold that no score exceeds: the word is off


@dataclass(frozen=True)
class NearMiss:
    """A word that was nearly heard."""

    label: str
    score: int
    """0 to 255: the highest mean, or the second model's highest score."""
    threshold: int
    time_ms: int
    """Time of the score, in milliseconds of sound since the start."""


class _Word:
    def __init__(self, label: str, index: int, proposal: int | None) -> None:
        self.label, self.index, self.proposal = label, index, proposal
        self.best: NearMiss | None = None
        self.is_new = False  # the score was low since the last near miss or detection


class NearMisses:
    """Finds near misses.

    Without a second model: the mean score of a keyword reaches half of its threshold. With one: its
    score for a proposal does, and it refuses. In both cases there is no detection of this word
    within APART_MS before and after the highest score.
    """

    def __init__(self, device: Device) -> None:
        """The device's labels, keywords and proposals count, not its thresholds."""
        keywords = keywords_of(device.words)
        self._words = [
            _Word(label, index, device.proposals[index])
            for index, label in enumerate(device.labels)
            if label in keywords
        ]
        self._heard_ms: dict[str, int] = {}

    def heard(self, label: str, time_ms: int) -> None:
        """A detection."""
        self._heard_ms[label] = time_ms
        for word in self._words:
            if word.label == label:
                word.best, word.is_new = None, False

    def add(self, hop: Hop, thresholds: tuple[int, ...]) -> list[NearMiss]:
        """Add a hop; returns the near misses that have become certain.

        Args:
            hop: 20 ms of sound.
            thresholds: the current ones, one for each of the device's labels.
        """
        for word in self._words:
            self._add(word, hop, thresholds[word.index])
        return self._take(lambda best: hop.time_ms - best.time_ms >= APART_MS)

    def end(self) -> list[NearMiss]:
        """At the end of the sound: what would have become certain."""
        return self._take(lambda _: True)

    def _add(self, word: _Word, hop: Hop, threshold: int) -> None:
        mean, least = hop.means[word.index], _SHARE * threshold
        if word.proposal is None:
            score = mean
            is_near = mean >= least
        else:
            score = hop.looked[word.index] if hop.looked else -1
            is_near = mean > word.proposal
        heard_ms = self._heard_ms.get(word.label, hop.time_ms - APART_MS)
        if not is_near or threshold >= _NEVER:
            word.is_new = True
        elif score > threshold:  # another word was reported instead
            word.best, word.is_new = None, False
        elif (
            word.is_new
            and score >= least
            and hop.time_ms - heard_ms >= APART_MS
            and score > (word.best.score if word.best else -1)
        ):
            word.best = NearMiss(word.label, score, threshold, hop.time_ms)

    def _take(self, is_certain: Callable[[NearMiss], bool]) -> list[NearMiss]:
        certain = []
        for word in self._words:
            if word.best and is_certain(word.best):
                certain.append(word.best)
                word.best, word.is_new = None, False
        return certain
