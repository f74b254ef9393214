# SPDX-License-Identifier: Apache-2.0
"""`kws phrase`: its lines, its JSON, and one line and an exit code per mistake."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.command_line import Run

pytestmark = pytest.mark.process

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")


@needs_espeak
def test_a_few_plain_lines(kws: Run) -> None:
    code, out, err = kws("phrase", "left")
    assert (code, err) == (0, "")
    first, length, alike, *rest = out.splitlines()
    assert first == "left: poor"
    assert length.startswith("  1 syllable, 4 sounds, about ")
    assert length.endswith("0 ms")
    assert alike.startswith("  sounds like: rest, nest, ")
    assert rest[0].startswith("  1 syllable: more than 40 %")
    assert rest[-1].endswith("such as 'hey left'")


@needs_espeak
def test_json_has_the_keys_of_the_page(kws: Run) -> None:
    code, out, err = kws("phrase", "Hey Marvin", "--json")
    assert (code, err) == (0, "")
    scores = json.loads(out)
    assert scores.keys() == {"phrases", "pairs"}
    (only,) = scores["phrases"]
    assert list(only) == [
        "phrase",
        "label",
        "sounds",
        "syllables",
        "milliseconds",
        "neighbours",
        "verdict",
        "reasons",
        "advice",
    ]
    assert (only["phrase"], only["label"]) == ("hey marvin", "hey_marvin")
    assert only["sounds"][0] == "h"
    assert len(only["sounds"]) == 8
    assert (only["syllables"], only["verdict"], only["advice"]) == (3, "good", "")
    assert isinstance(only["milliseconds"], int)
    assert all(it.keys() == {"word", "distance"} for it in only["neighbours"])


@needs_espeak
def test_a_set_has_pairs(kws: Run) -> None:
    code, out, _ = kws("phrase", "--words", "left,let,computer")
    assert code == 0
    assert [line for line in out.splitlines() if line[0] != " "] == [
        "left: poor",
        "let: poor",
        "computer: fair",
        "'left' and 'let' sound alike: replace one of them",
    ]
    _, out, _ = kws("phrase", "--words", "left,let", "--json")
    assert json.loads(out)["pairs"] == [{"words": ["left", "let"], "distance": 0.15}]


@needs_espeak
def test_another_language(kws: Run) -> None:
    code, out, err = kws("phrase", "--language", "de", "hallo küche")
    assert (code, err) == (0, "")
    assert out.startswith("hallo küche: good\n  4 syllables, ")


@needs_espeak
def test_a_long_phrase_needs_a_name(kws: Run) -> None:
    phrase = "good morning my computer in the kitchen."
    assert len(phrase) == 40
    code, out, err = kws("phrase", phrase)
    assert (code, out) == (2, "")
    assert "39 bytes, but the limit is 32; name it with --name" in err
    code, out, err = kws("phrase", phrase, "--name", "kitchen", "--json")
    assert (code, err) == (0, "")
    (only,) = json.loads(out)["phrases"]
    assert (only["label"], only["phrase"]) == ("kitchen", phrase[:-1])


@needs_espeak
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "empty phrase"),
        (("",), "empty phrase"),
        ((" ! ",), "empty phrase"),
        (("--words", ","), "empty phrase"),
        (("left", "--words", "up,down"), "cannot be combined"),
        (("--words", "up,up"), "given twice"),
        (("你好",), "English voices cannot read"),
        (("๓",), "voices cannot say"),
        (("left", "--language", "xx"), "no language 'xx'"),
        (("left", "--language", ","), "--language: pass a language"),
    ],
)
def test_mistakes_give_one_line(kws: Run, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = kws("phrase", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("kws: ")
    assert err.count("\n") == 1
    assert says in err


def test_without_espeak(kws: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, err = kws("phrase", "left")
    assert (code, out) == (1, "")
    assert err.endswith("was not found; install it, for example with: apt install espeak-ng\n")
