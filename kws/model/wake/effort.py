# SPDX-License-Identifier: Apache-2.0
"""Estimates the time of `kws wake`, and warns about too little input, before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kws.audio.dataset import DataSet, Split
from kws.audio.surroundings import Surroundings
from kws.audio.tts.synth import splits_of_voices
from kws.audio.tts.synth_settings import SynthSettings
from kws.audio.tts.voices import is_neural
from kws.model.evaluate.judge.verdict import FEW_SPEAKERS
from kws.model.wake.wake_settings import WakeSettings

_FEW_EPOCHS = 5
"""Fewer epochs than this cause a warning."""

_OTHER_WORDS = 12
"""Approximate number of other words per keyword, besides those that sound alike."""

_SPEAKING_S, _LOADING_S, _EPOCH_S, _LISTENING_S = 0.05, 0.004, 0.0012, 0.03
"""Seconds per clip: to speak it, to load an augmented copy, to train on it once; to score a copy
with the speech embedding, and all other clips of the epoch. Rough guesses for two cores; finished
steps correct them."""

_ROUND_S, _SEARCHING_S, _MEASURING_S = 20.0, 60.0, 60.0
"""Seconds per round for calibration and other work that does not grow with the clips, for the
search, and for the report."""


NO_TALK = (
    "without talk (--negatives) the model does not learn to ignore talk, and may have many false "
    "alarms; kws download librispeech gets English talk"
)

_SPOKEN = (
    "no talk by people (--negatives), so voices speak random words instead; with talk by people "
    "the model would miss fewer words; kws download librispeech gets English talk"
)


@dataclass(frozen=True)
class Round:
    """One round of training."""

    copies: int
    """Augmented copies of each clip."""

    times: int = 1
    """Epoch multiplier."""

    listens: bool = False
    """Whether the speech embedding scores the copies."""


def step_costs(
    settings: WakeSettings, synth: SynthSettings, rounds: Sequence[Round], *, searches: bool
) -> list[float]:
    """Cost of each step in seconds on two cores; later only the proportions matter.

    Args:
        settings: settings of the command.
        synth: settings of the synthetic speech.
        rounds: the rounds of training.
        searches: whether talk is searched after the first round.
    """
    speakers = synth.voices * (1 + synth.people)
    keywords = len(settings.words) * synth.takes * speakers
    others = len(settings.words) * (settings.alike + _OTHER_WORDS) * speakers
    trainings = [
        _ROUND_S
        + keywords * one.copies * (_LOADING_S + (_LISTENING_S if one.listens else 0))
        + keywords * settings.epochs * one.times * _EPOCH_S
        for one in rounds
    ]
    search = [_SEARCHING_S] if searches else []
    spoken = (keywords + others) * _SPEAKING_S
    return [spoken, trainings[0], *search, *trainings[1:], _MEASURING_S]


def too_little(
    settings: WakeSettings,
    synth: SynthSettings,
    extra: DataSet | None,
    ambient: Surroundings,
) -> list[str]:
    """Warnings about too little input for recognizing real people, one per line."""
    lines = []
    splits = splits_of_voices(synth)
    training = sum(split == Split.TRAIN for split in splits.values())
    if training < FEW_SPEAKERS:
        said = "1 of them says" if training == 1 else f"{training} of them say"
        lines.append(
            f"too few voices: {len(splits)} speak, and {said} the word in training; such a "
            "model misses most people; --voices 120 is the default, and kws voices shows how to "
            "get more"
        )
    if not any(map(is_neural, splits)):
        lines.append(
            "no neural voices, only espeak-ng and flite: such a model misses far more people; "
            "kws voices shows how to get some"
        )
    if settings.epochs < _FEW_EPOCHS:
        passes = "1 epoch" if settings.epochs == 1 else f"{settings.epochs} epochs"
        lines.append(f"short training: {passes}; the default is 20; use fewer only for a trial")
    if not ambient.negatives:
        lines.append(_SPOKEN if settings.sentences else NO_TALK)
    if extra is None:
        lines.append(
            "without words by people (--data) the model knows people's voices only as unknown, so "
            "it may miss more people"
        )
    return lines
