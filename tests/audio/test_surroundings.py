# SPDX-License-Identifier: Apache-2.0
"""Surroundings of a device: talk without keywords, noises, rooms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import Split
from kws.audio.sound_files import write_clip
from kws.audio.surroundings import Surroundings, level_talk
from kws.errors import DataError


def folder(root: Path, **words: str) -> Path:
    """A folder of one-second recordings with these transcripts."""
    root.mkdir()
    for name, text in words.items():
        write_clip(root / f"{name}.wav", np.full(16000, 100, np.int16))
        (root / f"{name}.txt").write_text(text)
    return root


def test_talk_with_a_keyword_is_skipped(tmp_path: Path) -> None:
    ambient = Surroundings((folder(tmp_path / "talk", a="good morning", b="no thanks"),))
    assert [r.path.stem for r in ambient.talk(Split.TRAIN, ["yes", "no"])] == ["a"]
    with pytest.raises(DataError, match="every recording contains one of good, thanks"):
        ambient.talk(Split.TRAIN, ["good", "thanks"])


def test_some_people_are_held_back_for_calibration(tmp_path: Path) -> None:
    talk = folder(tmp_path / "talk", **{f"p{i}": "" for i in range(20)})
    # Mined clips have the same speakers.
    mined = folder(tmp_path / "mined", **{f"p{i}": "" for i in range(20)})
    ambient = Surroundings((talk, mined), held_back=(talk,))
    trained = ambient.talk(Split.TRAIN, ())
    calibrated = [r for r in ambient.talk(Split.VALIDATION, ()) if r.part[0] == 0]
    learned, held = ({r.speaker for r in recordings} for recordings in (trained, calibrated))
    assert held
    assert not learned & held
    assert len(learned | held) == 20
    assert len(trained) == 2 * len(learned)
    assert {r.path.parent for r in calibrated} == {talk}
    assert len(held) < 10
    assert ambient.fingerprint != Surroundings((talk, mined)).fingerprint

    # A single speaker is never held back.
    for name in "abcdefgh":
        alone = folder(tmp_path / name, **{name: ""})
        assert len(Surroundings((alone,), held_back=(alone,)).talk(Split.TRAIN, ())) == 1


def test_short_noises_are_repeated(tmp_path: Path) -> None:
    ambient = Surroundings(noises=(folder(tmp_path / "hum", a=""),))
    (noise,) = ambient.load_noises(Split.TRAIN)
    assert len(noise) == 12 * 16000
    assert (noise == 100).all()


def test_every_split_uses_whole_rooms(tmp_path: Path) -> None:
    ambient = Surroundings(rooms=(folder(tmp_path / "hall", a=""),))
    assert [len(ambient.load_rooms(split)[0]) for split in Split] == [16000] * 3


def test_fingerprint_changes_with_the_recordings(tmp_path: Path) -> None:
    talk = folder(tmp_path / "talk", a="")
    first = Surroundings((talk,)).fingerprint
    assert first == Surroundings((talk,)).fingerprint
    (talk / "b.wav").write_bytes((talk / "a.wav").read_bytes())
    assert Surroundings((talk,)).fingerprint != first
    assert Surroundings().fingerprint == ""


def test_talk_is_brought_to_one_level_and_its_pauses_stay_quiet() -> None:
    rng = np.random.default_rng(0)
    for level in (30, 3000):
        pcm = (level * rng.standard_normal(32000)).astype(np.int16)
        pcm[:12000] //= 20
        leveled = level_talk(pcm).astype(float)
        assert np.sqrt(np.mean(leveled[12000:] ** 2)) == pytest.approx(3000, rel=0.1)
        assert np.sqrt(np.mean(leveled[:12000] ** 2)) < 300
    np.testing.assert_array_equal(level_talk(np.zeros(32000, np.int16)), np.zeros(32000))
