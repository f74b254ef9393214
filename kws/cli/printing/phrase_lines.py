# SPDX-License-Identifier: Apache-2.0
"""The lines of `kws phrase`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kws.audio.tts.phrase_score import PhraseScore, PhraseScores


def phrase_lines(scores: PhraseScores) -> Iterator[str]:
    """The judgement of each phrase, and the pairs that sound alike."""
    for score in scores.phrases:
        yield from _score_lines(score)
    for pair in scores.pairs:
        yield f"{pair.words[0]!r} and {pair.words[1]!r} sound alike: replace one of them"


def _score_lines(score: PhraseScore) -> Iterator[str]:
    yield f"{score.phrase}: {score.verdict}"
    length = f", about {score.milliseconds} ms" if score.milliseconds else ""
    syllables, sounds = _counted(score.syllables, "syllable"), _counted(len(score.sounds), "sound")
    yield f"  {syllables}, {sounds}{length}"
    if score.neighbours:
        yield f"  sounds like: {', '.join(it.word for it in score.neighbours)}"
    for reason in score.reasons:
        yield f"  {reason}"
    if score.advice:
        yield f"  advice: {score.advice}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
