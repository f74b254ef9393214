# SPDX-License-Identifier: Apache-2.0
"""Which clips an epoch draws, and how often."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kws.audio.dataset import Clip
from kws.audio.tts.voices import is_voice
from kws.model.samples.sample_settings import SampleSettings

AUXILIARY_PER_KEYWORD = 0.16
"""Clips of each auxiliary word in an epoch per keyword clip (mean over the keywords)."""

_PAIR_DRAWS = 20
"""How often a pair is drawn until its words differ."""

Rows = npt.NDArray[np.int64]
"""int64[n]: indices into an array of clips."""


@dataclass(frozen=True)
class Draw:
    """Number of clips of one class in an epoch, and the rows to draw from."""

    label: int

    own: Rows
    """Rows of the data set's clips."""

    extra: Rows
    """Rows of the second data set's clips."""

    count: int
    from_extra: int


def plan_draws(
    groups: Sequence[Sequence[Clip]],
    extra_groups: Sequence[Sequence[Clip]],
    settings: SampleSettings,
) -> list[Draw]:
    """Plan the clips of an epoch: unknown, each keyword and each auxiliary word.

    Args:
        groups: clips of unknown and of each keyword.
        extra_groups: the same for the second data set, and clips of each auxiliary word; row
            numbers continue after `groups`.
        settings: how clips are drawn.
    """
    sizes = [len(group) for group in (*groups, *extra_groups)]
    ends = np.cumsum(sizes)
    rows = [np.arange(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    keywords = sizes[1 : len(groups)]
    mean = sum(keywords) / len(keywords)
    counts = [round(size ** (1 - settings.balance) * mean**settings.balance) for size in keywords]
    unknown = math.ceil(mean * settings.unknown_per_keyword)
    draws = []
    for label, count in enumerate([unknown, *counts], 1):
        own, extra = rows[label - 1], rows[label - 1 + len(groups)]
        own = _favour(own, [not is_voice(c.speaker) for c in groups[label - 1]], settings.recorded)
        from_extra = round(count * settings.extra) if len(extra) else 0
        if label == 1:
            count = min(count, sizes[label - 1] + from_extra)  # noqa: PLW2901
        draws.append(Draw(label, own, extra, count, from_extra))
    count = math.ceil(mean * AUXILIARY_PER_KEYWORD)
    for label, extra in enumerate(rows[2 * len(groups) :], len(draws) + 1):
        draws.append(Draw(label, rows[0][:0], extra, count, count))
    return draws


def _favour(rows: Rows, by_people: Sequence[bool], share: float) -> Rows:
    """Repeat the rows of people until they are `share` of all, if both kinds exist."""
    recorded = rows[np.array(by_people, bool)]
    others = len(rows) - len(recorded)
    if not len(recorded) or not others:
        return rows
    wanted = round(others * share / max(1 - share, 0.01))
    return np.concatenate([rows, np.resize(recorded, max(wanted - len(recorded), 0))])


def draw_rows(rng: np.random.Generator, rows: Rows, count: int) -> list[int]:
    """Draw `count` rows in random order; a row is repeated only after all others were drawn."""
    times = -(-count // max(len(rows), 1))
    drawn = np.concatenate([rng.permutation(rows) for _ in range(times)] or [rows[:0]])
    return [int(row) for row in drawn[:count]]


def draw_pairs(
    rng: np.random.Generator, words: Sequence[Rows], count: int, phrases: Sequence[str]
) -> Rows:
    """Pairs of rows, the first of a keyword and the second of another word: int64[n, 2].

    Phrases with the same first or last word make no pair: the start of `hey_marvin` and the end of
    `marvin` are the keyword itself. There are fewer than `count` pairs if few others are left.

    Args:
        rng: draws the pairs.
        words: rows of unknown, which counts as one word, and of each keyword.
        count: number of pairs to draw.
        phrases: the label of each row, in the order of the rows; `_` separates its words.
    """
    ends = [(phrase.split("_")[0], phrase.split("_")[-1]) for phrase in phrases]
    pairs = []
    for _ in range(count):
        for _ in range(_PAIR_DRAWS):
            first = int(rng.integers(1, len(words)))
            second = int(rng.integers(0, len(words) - 1))
            second += second >= first
            start, end = rng.choice(words[first]), rng.choice(words[second])
            if not any(a == b for a, b in zip(ends[start], ends[end], strict=True)):
                pairs.append((start, end))
                break
    return np.array(pairs, np.int64).reshape(-1, 2)
