# SPDX-License-Identifier: Apache-2.0
"""Warnings about too little input, before kws wake begins."""

from __future__ import annotations

import pytest

from kws.audio.dataset import Split
from kws.audio.surroundings import Surroundings
from kws.audio.tts.synth_settings import SynthSettings
from kws.model.wake import effort
from kws.model.wake.wake_settings import WakeSettings

PROGRAMS = {"flite-slt": Split.VALIDATION, **{f"espeak-en-us-{n}": Split.TRAIN for n in range(50)}}


@pytest.mark.parametrize(
    ("more", "warned"), [({}, True), ({"kokoro-en-us-mix0": Split.TRAIN}, False)]
)
def test_no_neural_voices_are_a_warning(
    more: dict[str, Split], warned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort, "splits_of_voices", lambda _: PROGRAMS | more)
    settings = WakeSettings(("marvin",))
    lines = effort.too_little(settings, SynthSettings(settings.words), None, Surroundings())
    assert any("no neural voices" in line for line in lines) == warned
    assert not any("too few voices" in line for line in lines)


def test_few_voices_for_training_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"kokoro-en-us-mix0": Split.TRAIN, "flite-slt": Split.VALIDATION}
    monkeypatch.setattr(effort, "splits_of_voices", lambda _: few)
    settings = WakeSettings(("marvin",))
    lines = effort.too_little(settings, SynthSettings(settings.words), None, Surroundings())
    assert lines[0].startswith("too few voices: 2 speak, and 1 of them says the word in training;")
