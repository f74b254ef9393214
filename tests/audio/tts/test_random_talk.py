# SPDX-License-Identifier: Apache-2.0
"""Random words as talk: the words as spoken, each voice in one split, the same again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kws.audio.dataset import Split
from kws.audio.long_recordings import read_manifest
from kws.audio.sound_files import hear
from kws.audio.surroundings import Surroundings
from kws.audio.tts import random_talk
from kws.audio.tts.lexicon import common_words
from kws.audio.tts.random_talk import random_sentences, speak_random_talk
from kws.audio.tts.synth_settings import SynthSettings

pytestmark = pytest.mark.process

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")
needs_flite = pytest.mark.skipif(not shutil.which("flite"), reason="flite is missing")

SETTINGS = SynthSettings(("marvin",), voices=40, engines=("flite", "espeak"), unheard=True)


@pytest.mark.parametrize("accent", ["en-us", "de", "sv"])
def test_sentences_are_of_common_words(accent: str) -> None:
    found = random_sentences(40, accent, 1)
    assert len(set(found)) == 40
    assert found == random_sentences(40, accent, 1) != random_sentences(40, accent, 2)
    words = {word.lower() for word in common_words(accent)}
    assert {word.strip(".").lower() for line in found for word in line.split()} <= words
    assert {len(line.split()) for line in found} == set(range(5, 13))


@needs_espeak
def test_talk_that_training_can_use(tmp_path: Path) -> None:
    out = tmp_path / "talk"
    assert speak_random_talk(SETTINGS, 60, out) == out
    rows = read_manifest(out / "manifest.csv")
    assert {row["file"] for row in rows} == {path.name for path in out.glob("*.wav")}
    assert [row["transcript"] for row in rows] == random_sentences(60, "en-us", 0)
    splits: dict[str, set[str]] = {}
    for row in rows:
        splits.setdefault(row["speaker_or_group"], set()).add(row["split"])
    assert all(len(of_voice) == 1 for of_voice in splits.values())
    assert set.union(*splits.values()) == {str(split) for split in Split}
    for row in rows:
        pcm = hear(out / row["file"]).pcm
        # From 2 to 6 words per second.
        assert 2 < len(row["transcript"].split()) / (len(pcm) / 16000) + 0.8 < 7
        assert max(abs(pcm)) > 1000

    # Sentences with the keyword are left out.
    word = rows[0]["transcript"].split()[1]
    named = [row for row in rows if word in row["transcript"].lower().strip(".").split()]
    without = Surroundings((out,)).talk(None, (word,))
    assert 0 < len(named) <= 60 - len(without) < 10


@needs_espeak
def test_an_interrupted_run_resumes_with_the_same_recordings(tmp_path: Path) -> None:
    out = tmp_path / "talk"
    speak_random_talk(SETTINGS, 20, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    for path in sorted(out.glob("*.wav"))[::2]:
        path.unlink()
    assert len(Surroundings((out,)).talk(None, ())) == 10
    speak_random_talk(SETTINGS, 20, out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@needs_espeak
@needs_flite
def test_an_engine_that_is_held_out_does_not_speak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def engines(held_out: str, settings: SynthSettings) -> set[str]:
        monkeypatch.setattr(random_talk, "unheard_engine", lambda _: held_out)
        talk = speak_random_talk(settings, 40, tmp_path / (held_out or "none"))
        rows = read_manifest(talk / "manifest.csv") if talk else []
        return {row["speaker_or_group"].partition("-")[0] for row in rows}

    assert engines("", SETTINGS) == {"espeak", "flite"}
    assert engines("flite", SETTINGS) == {"espeak"}
    # Of these programs, only espeak-ng speaks German.
    german = SynthSettings(("marvin",), accents=("de",), unheard=True)
    assert engines("espeak", german) == set()
    assert not (tmp_path / "espeak").exists()
