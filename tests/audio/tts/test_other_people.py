# SPDX-License-Identifier: Apache-2.0
"""A voice converted into other people: pitch and size differ, the split does not."""

from __future__ import annotations

import shutil
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import Split, open_dataset
from kws.audio.tts import synth
from kws.audio.tts.other_people import Person, person, said_by
from kws.audio.tts.synth_settings import SynthSettings

praat = pytest.importorskip("parselmouth", reason="the extra voices is missing")

SMALL = SynthSettings(
    ("yes",), unknown=("up",), voices=6, people=2, takes=2, engines=("flite", "espeak")
)


def vowel(hertz: float) -> np.ndarray:
    """0.6 s of a voice with this pitch: pulses through three formants."""
    pulses = np.zeros(9600)
    pulses[(np.arange(0, 0.6, 1 / hertz) * 16000).astype(int)] = 1
    for formant in (700, 1200, 2600):
        ring = np.exp(-np.arange(400) / 60) * np.sin(2 * np.pi * formant / 16000 * np.arange(400))
        pulses = np.convolve(pulses, ring)[:9600]
    scaled: np.ndarray = (0.5 * pulses / np.abs(pulses).max()).astype(np.float32)
    return scaled


def formant(sound: np.ndarray) -> float:
    """Median frequency of the second formant, in Hz."""
    tract = praat.Sound(sound.astype(float), 16000).to_formant_burg(maximum_formant=5500.0)
    times = np.arange(0.1, len(sound) / 16000 - 0.1, 0.01)
    return float(np.nanmedian([tract.get_value_at_time(2, time) for time in times]))


@pytest.mark.parametrize(("hertz", "wanted"), [(110, 230.0), (230, 110.0), (120, 125.0)])
def test_a_person_sets_the_pitch(hertz: float, wanted: float) -> None:
    said = vowel(hertz)
    changed = said_by(Person(wanted, 1.0), said, np.random.default_rng(1))
    assert changed.dtype == np.float32
    assert 0.84 * len(said) < len(changed) < 1.37 * len(said)
    assert np.abs(changed).max() == pytest.approx(0.5, rel=0.01)
    tones = praat.Sound(changed.astype(float), 16000).to_pitch().selected_array["frequency"]
    assert 0.75 * wanted < np.median(tones[tones > 0]) < 1.33 * wanted
    again = said_by(Person(wanted, 1.0), said, np.random.default_rng(1))
    np.testing.assert_array_equal(changed, again)


def test_a_smaller_person_has_higher_formants() -> None:
    said = vowel(120)
    small, tall = (
        said_by(Person(120, formants), said, np.random.default_rng(1)) for formants in (1.2, 0.85)
    )
    assert formant(tall) < formant(said) < formant(small)


def test_people_differ() -> None:
    people = [person(np.random.default_rng(seed)) for seed in range(200)]
    pitches = [somebody.pitch_hz for somebody in people]
    sizes = [somebody.formants for somebody in people]
    assert min(pitches) < 100
    assert 280 < max(pitches) <= 320
    assert 0.82 <= min(sizes) < 0.88
    assert 1.18 < max(sizes) <= 1.25
    assert abs(np.corrcoef(pitches, sizes)[0, 1]) < 0.2


def test_a_sound_without_pitch_is_unchanged() -> None:
    hiss = np.random.default_rng(0).normal(0, 0.1, 8000).astype(np.float32)
    somebody = Person(150, 1.1)
    np.testing.assert_array_equal(said_by(somebody, hiss, np.random.default_rng(1)), hiss)
    silence = np.zeros(8000, np.float32)
    np.testing.assert_array_equal(said_by(somebody, silence, np.random.default_rng(1)), silence)


def test_a_jumping_pitch_does_not_cause_silence() -> None:
    said = np.concatenate([vowel(85)[:4000], vowel(366)[:4000]])
    changed = [said_by(Person(100, 0.9), said, np.random.default_rng(seed)) for seed in range(8)]
    as_it_is = [np.array_equal(sound, said) for sound in changed]
    assert any(as_it_is), "Praat silenced none of the sounds, which this test needs"
    assert all(np.abs(sound).max() > 0.4 for sound in changed)


def test_praat_does_not_warn_the_user_of_a_whispered_word() -> None:
    said = np.random.default_rng(1).normal(0, 0.05, 9600).astype(np.float32)
    said[2000:2400] += vowel(80)[:400]
    whole = praat.Sound(said.astype(float), 16000)
    with pytest.warns(praat.PraatWarning, match="no voiced segments"):
        praat.praat.call(whole, "Change gender", 75.0, 400.0, 1.1, 150.0, 1.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        changed = said_by(Person(150, 1.1), said, np.random.default_rng(1))
    assert np.abs(changed).max() > 0.1


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")
def test_a_voice_and_its_people_share_a_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = synth.synthesize(SMALL, tmp_path)
    dataset = open_dataset(tmp_path)
    assert (report.voices, report.people) == (6, 2)
    assert report.made + report.too_long == 6 * 3 * 3
    by_voice: dict[str, set[Split]] = {}
    for clip in dataset.clips:
        by_voice.setdefault(clip.speaker.removesuffix("-p1").removesuffix("-p2"), set()).add(
            clip.split
        )
    assert len(by_voice) == 6
    assert all(len(splits) == 1 for splits in by_voice.values())
    lost = next(iter(sorted(tmp_path.glob("yes/*-p2_nohash_1.wav"))))
    was = lost.read_bytes()
    lost.unlink()
    assert synth.synthesize(SMALL, tmp_path).made == 1
    assert lost.read_bytes() == was
    monkeypatch.setattr(synth, "can_change", lambda: False)
    alone = synth.synthesize(SMALL, tmp_path)
    assert (alone.people, alone.made) == (0, 0)
    assert open_dataset(tmp_path).clips == dataset.clips
    more = synth.synthesize(replace(SMALL, takes=3), tmp_path)
    assert more.made + more.too_long == 6
