# SPDX-License-Identifier: Apache-2.0
"""`kws stats` counts clips and finds problems."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.dataset import open_dataset
from kws.audio.sound_files import write_clip
from kws.audio.stats import Stats, collect


def noise(seed: int, samples: int = 16000, level: int = 3000) -> np.ndarray:
    return np.random.default_rng(seed).integers(-level, level, samples).astype(np.int16)


@pytest.fixture
def flawed(tmp_path: Path) -> Path:
    for index in range(60):
        write_clip(tmp_path / "yes" / f"s{index}_nohash_0.wav", noise(index))
    word = tmp_path / "no"
    write_clip(word / "short_nohash_0.wav", noise(100, 3000))
    write_clip(word / "quiet_nohash_0.wav", noise(101, level=20))
    loud = noise(102)
    loud[:5] = 32767
    write_clip(word / "loud_nohash_0.wav", loud)
    loud = noise(103)
    loud[:4] = -32768
    write_clip(word / "almost_nohash_0.wav", loud)
    write_clip(word / "twin_nohash_0.wav", noise(0))
    soundfile.write(word / "rate_nohash_0.wav", noise(104, 8000), 8000)
    (word / "broken_nohash_0.wav").write_bytes(b"RIFF")
    (word / "empty_nohash_0.wav").touch()
    soundfile.write(tmp_path / "no" / "same_nohash_0.flac", noise(105), 16000)
    write_clip(word / "same_nohash_1.wav", noise(105))
    (tmp_path / "testing_list.txt").write_text("yes/s1_nohash_0.wav\nno/same_nohash_0.flac\n")
    (tmp_path / "validation_list.txt").write_text("yes/s2_nohash_0.wav\n")
    return tmp_path


def problems(stats: Stats) -> dict[str, set[str]]:
    return {problem.kind: set(problem.where) for problem in stats.problems}


def test_every_flaw_is_found_and_nothing_else(flawed: Path) -> None:
    assert problems(collect(open_dataset(flawed))) == {
        "unreadable": {"no/broken_nohash_0.wav", "no/empty_nohash_0.wav"},
        "short": {"no/short_nohash_0.wav"},
        "quiet": {"no/quiet_nohash_0.wav"},
        "clipped": {"no/loud_nohash_0.wav"},
        "rate": {"no/rate_nohash_0.wav"},
        "duplicate": {"yes/s0_nohash_0.wav", "no/same_nohash_1.wav"},
        "shared": {"same"},
        "scarce": {"no"},
        "split": {"no"},
        "background": {"_background_noise_"},
    }


def test_counts(flawed: Path) -> None:
    stats = collect(open_dataset(flawed))
    no, yes = stats.words
    assert (yes.word, yes.clips, yes.speakers) == ("yes", 60, 60)
    assert (yes.train, yes.validation, yes.test) == (58, 1, 1)
    assert (yes.shortest_s, yes.mean_s) == (1.0, 1.0)
    assert (no.clips, no.speakers, no.test) == (10, 9, 1)
    assert no.shortest_s == pytest.approx(3000 / 16000, abs=1e-3)
    assert stats.clips == 70
    assert stats.splits_from == "lists"


def test_json_holds_everything(flawed: Path) -> None:
    stats = collect(open_dataset(flawed))
    back = json.loads(json.dumps(stats.to_json()))
    assert back["root"] == str(flawed)
    assert len(back["words"]) == 2
    assert {p["kind"] for p in back["problems"]} == set(problems(stats))


def test_good_set_has_no_problems(tmp_path: Path) -> None:
    for index in range(200):
        write_clip(tmp_path / "yes" / f"s{index}_nohash_0.wav", noise(index))
    write_clip(tmp_path / "_background_noise_" / "rain.wav", noise(999, 40000))
    stats = collect(open_dataset(tmp_path))
    assert stats.problems == ()
    assert stats.backgrounds == (("rain.wav", 2.5),)
    assert stats.splits_from == "hash rule"
