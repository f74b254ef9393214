# SPDX-License-Identifier: Apache-2.0
"""Which reports of a device are hits, and which are false alarms.

`kws test` and the metrics of streams share these rules. The reports of a word come after its start
and at most `REACTION_MS` after its end:

- The first report of the word itself is its **hit**.
- Without a hit, the first report of another keyword is **wrong**: the word was mistaken for it.
- Every other report of a keyword is a **false alarm**: the same word again, another keyword, a
  report at a word that is not a keyword, a report while nobody speaks.

Reports of silence and unknown do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kws.labels import SILENCE, UNKNOWN
from kws.model.evaluate.score.words import REACTION_MS, Word


@dataclass(frozen=True)
class Report:
    """A label that a device reported."""

    label: str
    score: int
    """Mean score, 0 to 255."""

    time_ms: int
    """Time from the start of the stream."""

    @property
    def of_keyword(self) -> bool:
        """Whether the label is a keyword."""
        return self.label not in (SILENCE, UNKNOWN)


@dataclass(frozen=True)
class Outcome:
    """The reports of one word."""

    word: Word
    reports: tuple[Report, ...]
    """All reports by time, including silence and unknown."""

    hit: Report | None
    wrong: Report | None
    false_alarms: tuple[Report, ...]
    """Reports of keywords that are neither `hit` nor `wrong`."""


@dataclass(frozen=True)
class Outcomes:
    """A stream's reports, assigned to words."""

    of_words: tuple[Outcome, ...]
    """One for each word, in the order of the words."""

    stray: tuple[Report, ...]
    """Reports of keywords while nobody speaks: false alarms."""


def match(words: Sequence[Word], reports: Sequence[Report], keywords: Sequence[str]) -> Outcomes:
    """Assign reports to words.

    If the times of two words overlap, a report belongs to the earlier word.

    Args:
        words: the spoken words, by time.
        reports: the reports, by time.
        keywords: the words that can have a hit.
    """
    outcomes, stray = [], []
    first = 0
    for word in words:
        while first < len(reports) and reports[first].time_ms <= word.start_ms:
            stray.append(reports[first])
            first += 1
        end = first
        while end < len(reports) and reports[end].time_ms <= word.end_ms + REACTION_MS:
            end += 1
        outcomes.append(_outcome(word, tuple(reports[first:end]), keywords))
        first = end
    stray += reports[first:]
    return Outcomes(tuple(outcomes), tuple(report for report in stray if report.of_keyword))


def _outcome(word: Word, reports: tuple[Report, ...], keywords: Sequence[str]) -> Outcome:
    of_keywords = [report for report in reports if report.of_keyword]
    hit, wrong = None, None
    if word.label in keywords:
        hit = next((report for report in of_keywords if report.label == word.label), None)
        # Without a hit, there is no report of the word itself.
        wrong = of_keywords[0] if of_keywords and not hit else None
    alarms = tuple(report for report in of_keywords if report is not hit and report is not wrong)
    return Outcome(word, reports, hit, wrong, alarms)
