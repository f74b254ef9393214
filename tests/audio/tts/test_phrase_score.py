# SPDX-License-Identifier: Apache-2.0
"""Wake phrases judged by their sounds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kws.audio.tts.neighbours import CARELESS
from kws.audio.tts.phrase_score import PhraseScore, Verdict, score_phrases
from kws.audio.tts.spoken_length import median_length
from kws.errors import ToolError, UsageError

pytestmark = pytest.mark.process

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")


def score(word: str, *accents: str) -> PhraseScore:
    (only,) = score_phrases([word], accents=accents or ("en-us",)).phrases
    return only


def near(word: str) -> dict[str, float]:
    return {it.word: it.distance for it in score(word).neighbours}


@needs_espeak
@pytest.mark.parametrize(
    ("word", "syllables", "verdict"),
    [
        ("no", 1, Verdict.POOR),
        ("left", 1, Verdict.POOR),
        ("stop", 1, Verdict.POOR),
        ("house", 1, Verdict.FAIR),
        ("marvin", 2, Verdict.FAIR),
        ("hey_left", 2, Verdict.FAIR),
        ("computer", 3, Verdict.FAIR),
        ("alexa", 3, Verdict.GOOD),
        ("hey_marvin", 3, Verdict.GOOD),
        ("good_morning_computer", 6, Verdict.GOOD),
    ],
)
def test_short_words_and_words_with_near_neighbours_are_worse(
    word: str, syllables: int, verdict: Verdict
) -> None:
    judged = score(word)
    assert (judged.syllables, judged.verdict) == (syllables, verdict)
    assert judged.reasons
    assert bool(judged.advice) == (verdict != Verdict.GOOD)


@needs_espeak
def test_neighbours_are_the_nearest_words_with_the_careless_ones() -> None:
    assert near("computer") == {"commuter": 0.067}
    distances = near("marvin")
    assert {"margin", "martin"} <= distances.keys()
    assert len(distances) <= 6
    assert list(distances.values()) == sorted(distances.values())
    assert near("alexa") == {}


@needs_espeak
def test_neighbours_of_a_phrase_have_one_word_replaced() -> None:
    distances = near("hey_marvin")
    assert {"he marvin", "hey margin"} <= distances.keys()
    assert 0 < min(distances.values()) < CARELESS  # hay marvin is the phrase itself
    assert "'he marvin' may wake the device" in score("hey_marvin").reasons[-1]


@needs_espeak
def test_a_word_with_the_same_sounds_has_distance_0() -> None:
    assert near("no")["know"] == 0
    assert "other words with the same sounds: know" in score("no").reasons
    assert "know" not in score("go").reasons


@needs_espeak
def test_words_that_contain_the_keyword_are_a_reason() -> None:
    (line,) = (it for it in score("no").reasons if it.startswith("inside other words"))
    assert {"snow", "note", "known"} <= set(line.partition(": ")[2].split(", "))


@needs_espeak
def test_words_that_sound_the_same_are_listed_once() -> None:
    assert "rest" in near("left")
    assert "wrest" not in near("left")
    assert not any("wrest" in line for line in score("left").reasons)


@needs_espeak
def test_advice_is_a_phrase_in_the_same_language() -> None:
    assert "'hey left'" in score("left").advice
    assert "'hallo haus'" in score("haus", "de").advice
    assert "such as" not in score("दो", "hi").advice
    assert "3 syllables" in score("hey_left").advice
    assert "--then" in score_phrases(["left", "stop"]).phrases[0].advice


@needs_espeak
def test_the_advised_phrase_is_better() -> None:
    order = list(Verdict)
    for word in ("left", "no", "marvin", "computer"):
        assert order.index(score(f"hey_{word}").verdict) < order.index(score(word).verdict)


@needs_espeak
def test_keywords_that_sound_alike_are_pairs() -> None:
    scores = score_phrases(["left", "let", "tree", "three", "computer"])
    assert [it.words for it in scores.pairs] == [("left", "let"), ("tree", "three")]
    assert scores.pairs[0].distance == pytest.approx(0.15)
    assert [it.words for it in score_phrases(["right", "write"]).pairs] == [("right", "write")]
    assert score_phrases(["yes", "no"]).pairs == ()


@needs_espeak
def test_a_keyword_inside_another_is_a_pair() -> None:
    (pair,) = score_phrases(["turn_on", "on"]).pairs
    assert pair.words == ("turn on", "on")


@needs_espeak
def test_other_languages() -> None:
    judged = score("hallo_küche", "de")
    assert (judged.phrase, judged.syllables, judged.verdict) == ("hallo küche", 4, Verdict.GOOD)
    assert "hallo kirche" in {it.word for it in judged.neighbours}
    assert score("नमस्ते", "hi").syllables == 3


@needs_espeak
def test_the_spoken_text_is_judged_not_the_label() -> None:
    scores = score_phrases(["x"], {"x": "Good morning, computer!"}, ("en-us",))
    (judged,) = scores.phrases
    assert (judged.label, judged.phrase) == ("x", "good morning computer")
    assert judged.sounds == score("good_morning_computer").sounds
    capital = score_phrases(["left"], {"left": "Left"}).phrases[0]
    assert "left" not in {it.word for it in capital.neighbours}


@needs_espeak
def test_length_is_the_median_of_the_voices() -> None:
    short, long = median_length("no"), median_length("good_morning_computer")
    assert short and long
    assert 200 <= short <= 600 < 2 * short < long < 2000
    assert short % 10 == 0


@needs_espeak
def test_length_is_unknown_without_voices(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise ToolError("no text-to-speech")

    monkeypatch.setattr("kws.audio.tts.spoken_length.find_voices", none)
    assert score("left").milliseconds is None


def test_a_score_needs_espeak(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"apt install espeak-ng$"):
        score("left")


@needs_espeak
@pytest.mark.parametrize(
    ("words", "accents", "says"),
    [
        ((), ("en-us",), "no keywords"),
        (("up", "up"), ("en-us",), "given twice"),
        (("turn on",), ("en-us",), "cannot be a word"),
        (("x" * 40,), ("en-us",), "40 bytes"),
        (("silence",), ("en-us",), "every model has"),
        (("你好",), ("en-us",), "--language"),
        (("๓",), ("de",), "de voices cannot say '๓'"),
        (("up",), (), "no language"),
    ],
)
def test_words_that_cannot_be_judged(
    words: tuple[str, ...], accents: tuple[str, ...], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        score_phrases(words, accents=accents)
