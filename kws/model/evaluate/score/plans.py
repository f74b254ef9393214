# SPDX-License-Identifier: Apache-2.0
"""Plans of streams: from command-line options, for calibration, and for a bundle's window."""

from __future__ import annotations

from dataclasses import replace

from kws.bundle.bundle import Bundle
from kws.errors import UsageError
from kws.model.evaluate.score.streams import CLIP_MS, StreamPlan
from kws.model.evaluate.score.words import REACTION_MS


def stream_plan(hours: float, other_hours: float, snr: str, seed: int) -> StreamPlan:
    """The plan for command-line options.

    Raises:
        UsageError: `snr` is not two numbers.
        KwsError: a value is out of range.
    """
    try:
        low, high = (float(number) for number in snr.split(","))
    except ValueError:
        raise UsageError(f"--snr {snr}: give two numbers in dB, such as 5,15") from None
    return StreamPlan(hours, other_hours, (low, high), seed=seed)


_WORDS_A_MINUTE = 20.0
"""In calibration, words follow each other quickly, so that few hours contain many."""

_MOST_HOURS = 0.5

PACES = (1.0, 0.9, 1.1)
"""Calibration plays talk unchanged, slower and faster."""


def calibration_plan(hours: float, snr: str = "5,15", seed: int = 0) -> StreamPlan:
    """The plan for calibration.

    Raises:
        UsageError: `snr` is not two numbers.
        KwsError: a value is out of range.
    """
    return replace(stream_plan(hours, 0.0, snr, seed), words_a_minute=_WORDS_A_MINUTE)


def fitting_plan(plan: StreamPlan, bundle: Bundle) -> StreamPlan:
    """The plan with clips as long as the bundle's window, if that is over a second.

    Longer clips are played less often if there is no room between them.
    """
    clip_ms = max(bundle.frontend.clip_ms, CLIP_MS)
    most = 60_000 / (clip_ms + REACTION_MS)
    return replace(plan, clip_ms=clip_ms, words_a_minute=min(plan.words_a_minute, most))


def hours_for(clips: int) -> float:
    """Hours of each kind needed to play each clip about once, at most half an hour.

    `clips`: number of keyword clips. Half of the words are keywords.
    """
    return min(max(clips / (_WORDS_A_MINUTE / 2 * 60), 0.02), _MOST_HOURS)
