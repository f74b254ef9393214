# SPDX-License-Identifier: Apache-2.0
"""What `kws wake` will take, and what is known to be too little, before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kws.audio.dataset import DataSet
from kws.audio.surroundings import Surroundings
from kws.audio.tts.synth import training_voices
from kws.audio.tts.synth_settings import SynthSettings
from kws.model.evaluate.judge.verdict import FEW_SPEAKERS
from kws.model.wake.wake_settings import WakeSettings

_FEW_EPOCHS = 5
"""Fewer are for a trial."""

_OTHER_WORDS = 12
"""Words besides those that sound alike that are spoken, per keyword, about."""

_SPEAKING_S, _LOADING_S, _EPOCH_S = 0.05, 0.004, 0.0012
"""Seconds for a clip: to speak it, to load a changed copy, to learn from it once with what belongs
to it. Rough guesses for two cores: the steps that have ended correct them."""

_ROUND_S, _SEARCHING_S, _MEASURING_S = 20.0, 60.0, 60.0
"""Seconds for the calibration of a round and what else does not grow with the clips, for the search
and for the report."""


@dataclass(frozen=True)
class Round:
    """A training."""

    copies: int
    """How often each clip is changed in another way."""

    times: int = 1
    """How many times the epochs of the settings it has."""


def step_costs(
    settings: WakeSettings, synth: SynthSettings, rounds: Sequence[Round], *, searches: bool
) -> list[float]:
    """What the steps cost, in seconds on two cores; only their proportion matters later.

    Args:
        settings: of the command.
        synth: what is spoken.
        rounds: the trainings.
        searches: whether talk is searched after the first of them.
    """
    speakers = synth.voices * (1 + synth.people)
    keywords = len(settings.words) * synth.takes * speakers
    others = len(settings.words) * (settings.alike + _OTHER_WORDS) * speakers
    trainings = [
        _ROUND_S + keywords * (one.copies * _LOADING_S + settings.epochs * one.times * _EPOCH_S)
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
    """What is known to be too little to hear people, a line each."""
    lines = []
    speaking, training = training_voices(synth)
    if training < FEW_SPEAKERS:
        said = "1 of them says" if training == 1 else f"{training} of them say"
        lines.append(
            f"too few voices: {speaking} speak, and {said} the word in training; such a "
            "model misses most people; --voices 120 is the default, and kws voices says how to get "
            "more"
        )
    if settings.epochs < _FEW_EPOCHS:
        passes = "1 epoch" if settings.epochs == 1 else f"{settings.epochs} epochs"
        lines.append(f"too short a training: {passes}; 20 are the default, fewer are for a trial")
    if not ambient.negatives:
        lines.append(
            "without talk (--negatives) the model does not learn that talk is no keyword, and may "
            "wake often"
        )
    if extra is None:
        lines.append(
            "without words by people (--data) the model knows people's voices as unknown only, so "
            "it may miss more of them"
        )
    return lines
