# SPDX-License-Identifier: Apache-2.0
"""Words of other languages: accents, letters that voices can read, sound-alikes."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import open_dataset
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.audio.tts.engines.espeak import accents_of, find
from kws.audio.tts.engines.languages import check_letters
from kws.audio.tts.lexicon import common_words, distinct_words, read_words
from kws.audio.tts.phonemes import units
from kws.audio.tts.sound_alikes import choose_distractors
from kws.audio.tts.synth import synthesize
from kws.audio.tts.synth_settings import ENGLISH, SynthSettings
from kws.errors import UsageError
from kws.labels import check_word, word_of

pytestmark = pytest.mark.process

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")

LISTS = ("de", "fr", "es", "hi", "cmn")
PHRASES = {"de": "größer", "fr": "élan", "es": "mañana", "hi": "नमस्ते", "zh": "你好"}


@needs_espeak
@pytest.mark.parametrize("language", PHRASES)
def test_each_language_has_its_own_voices_and_words(language: str) -> None:
    accents = accents_of(language)
    voices = find(accents)
    assert len({voice.variant for voice in voices}) > 40
    assert {voice.accent for voice in voices} == set(accents)
    words = choose_distractors([PHRASES[language]], alike=4, accent=accents[0])
    assert len(words) >= 10
    assert set(words) <= set(common_words(accents[0])) - set(read_words("english"))


@needs_espeak
def test_accents_of_a_language() -> None:
    assert accents_of("en") == ENGLISH
    assert accents_of("en-gb") == ("en-gb",)
    french = accents_of("fr")
    assert french[0] == "fr-fr"
    assert "fr-be" in french
    assert accents_of("zh") == accents_of("cmn") == ("cmn",)
    with pytest.raises(UsageError, match="no language 'xx'"):
        accents_of("xx")


@pytest.mark.parametrize("name", LISTS)
def test_words_of_a_list_can_be_spoken_and_are_unique(name: str) -> None:
    words = distinct_words(name)
    assert len(words) > 150
    for word in words:
        check_word(word)
    assert len({word_of(word) for word in words}) == len(words)


def test_english_voices_refuse_other_letters() -> None:
    check_letters(["größer", "what's_up", "7"], ENGLISH)
    check_letters(["你好"], ["cmn"])
    for phrase in ("你好", "नमस्ते", "привет"):
        with pytest.raises(UsageError, match="--language"):
            check_letters([phrase], ENGLISH)


def test_language_marks_are_not_sounds() -> None:
    assert units("(en)_k_ˈʌ_m_(de)") == units("k_ˈʌ_m")


@needs_espeak
def test_a_word_is_spoken_as_another_text(tmp_path: Path) -> None:
    def clips(**settings: object) -> dict[str, Pcm]:
        small = SynthSettings(("a",), unknown=("up",), voices=3, people=0, takes=1, seed=1)
        out = tmp_path / str(len(list(tmp_path.iterdir())))
        synthesize(SynthSettings(**{**vars(small), "engines": ("espeak",), **settings}), out)
        assert open_dataset(out).words == ("a", "up")
        return {path.name: load_clip(path) for path in (out / "a").iterdir()}

    def likeness(others: dict[str, Pcm]) -> float:
        assert others.keys() == plain.keys()
        return min(float(np.corrcoef(plain[name], others[name])[0, 1]) for name in plain)

    # The bytes differ: since 1.52 the breath of espeak-ng's voices changes every second.
    plain = clips()
    assert likeness(clips(spoken_as={"a": "good morning"})) < 0.5
    assert likeness(clips(spoken_as={"a": "a"})) > 0.9


@needs_espeak
def test_a_word_without_latin_letters_needs_its_language(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--language"):
        synthesize(SynthSettings(("你好",), voices=3), tmp_path / "out")
    assert not (tmp_path / "out").exists()
