# SPDX-License-Identifier: Apache-2.0
"""Label tracks: read, changed, and what they leave out of talk."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import Split
from kws.audio.label_track import (
    Label,
    add_label,
    labels_beside,
    line_of,
    read_labels,
    remove_label,
)
from kws.audio.long_recordings import count_files, load_recordings, open_recordings
from kws.audio.sound_files import write_clip
from kws.audio.surroundings import Surroundings
from kws.errors import DataError, KwsError

HEY = Label(3.0, 4.0, "hey_marvin")


def test_labels_are_added_and_removed(tmp_path: Path) -> None:
    track = tmp_path / "kitchen.txt"
    track.write_text("\ufeff1.0\t2.5\tdoor bell\n\\\t100.0\t4000.0", encoding="utf-8")
    add_label(track, HEY)
    assert [(x.start, x.end, x.text) for x in read_labels(track)] == [
        (1.0, 2.5, "door bell"),
        (3.0, 4.0, "hey_marvin"),
    ]
    assert labels_beside(tmp_path / "kitchen.wav") == tuple(read_labels(track))
    remove_label(track, Label(3.0, 4.001, "hey_marvin"))
    assert len(read_labels(track)) == 2
    remove_label(track, HEY)
    assert track.read_text() == "1.0\t2.5\tdoor bell\n\\\t100.0\t4000.0\n"
    add_label(tmp_path / "new.txt", HEY)
    assert (tmp_path / "new.txt").read_text() == "3.000\t4.000\they_marvin\n"
    remove_label(tmp_path / "new.txt", HEY)
    assert labels_beside(tmp_path / "new.wav") == ()
    remove_label(tmp_path / "none.txt", HEY)
    assert not (tmp_path / "none.txt").exists()


def test_a_transcript_is_no_label_track(tmp_path: Path) -> None:
    text = tmp_path / "kitchen.txt"
    text.write_text("1 2 three\nhey marvin")
    assert labels_beside(tmp_path / "kitchen.wav") == ()
    with pytest.raises(DataError, match=r"kitchen.txt: line 1: must be start, end"):
        add_label(text, HEY)
    assert text.read_text() == "1 2 three\nhey marvin"


@pytest.mark.parametrize("line", ["1\t2", "one\t2\tyes", "1 2 yes", "1\tinf\tyes"])
def test_a_wrong_line_of_a_track_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "kitchen.txt").write_text(f"{line_of(HEY)}\n\n{line}\n")
    with pytest.raises(DataError, match=r"kitchen.txt: line 3: must be start, end"):
        labels_beside(tmp_path / "kitchen.wav")


def test_a_full_disk_keeps_the_track(full_disk: Path) -> None:
    track = full_disk / "kitchen.txt"
    add_label(track, HEY)
    with contextlib.suppress(OSError):
        (full_disk / "ballast").write_bytes(bytes(1_000_000))
    with pytest.raises(KwsError, match="no space"):
        add_label(track, replace(HEY, text="hey marvin " * 400))
    assert read_labels(track)[0].text == HEY.text
    assert len(list(full_disk.iterdir())) == 2


def counting(path: Path, seconds: int) -> None:
    """Each second of the recording has its number as its value."""
    write_clip(path, np.repeat(np.arange(seconds, dtype=np.int16), 16000))


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """20 s of talk with *hey marvin* from 6 to 7 s and from 7.2 to 8 s, and one plain recording."""
    folder = tmp_path / "talk"
    folder.mkdir()
    counting(folder / "a.wav", 20)
    counting(folder / "b.wav", 5)
    (folder / "a.txt").write_text(
        "6.0\t7.0\tHey Marvin, play music!\n7.2\t8\they_marvin\n12\t13\tmarvellous\n"
    )
    return folder


def test_only_labelled_passages_are_left_out(talk: Path) -> None:
    parts = Surroundings((talk,)).talk(None, ["hey_marvin"])
    assert [(x.path.name, x.part) for x in parts] == [
        ("a.wav", (0.0, 5.5 / 20)),
        ("a.wav", (8.5 / 20, 1.0)),
        ("b.wav", (0.0, 1.0)),
    ]
    assert count_files(parts) == 2
    before = Surroundings((talk,)).fingerprint
    add_label(talk / "a.txt", HEY)
    assert Surroundings((talk,)).fingerprint != before, "another training"
    remove_label(talk / "a.txt", HEY)
    sounds = load_recordings(parts)
    assert np.unique(sounds[0]).tolist() == [0, 1, 2, 3, 4, 5]
    assert sounds[1].tolist() == [8] * 8000 + np.repeat(np.arange(9, 20), 16000).tolist()
    whole = Surroundings((talk,)).talk(None, ["computer"])
    assert [x.part for x in whole] == [(0.0, 1.0), (0.0, 1.0)]


def test_labels_are_left_out_of_each_split_and_with_a_manifest(talk: Path) -> None:
    (talk / "a.txt").write_text("15.0\t15.2\they marvin\n18.1\t18.4\they marvin\n")
    train = Surroundings((talk,)).talk(Split.TRAIN, ["hey_marvin"])
    assert [x.part for x in train] == [(0.0, 14.5 / 20), (0.0, 0.8)], "the last 0.3 s are too short"
    (validation,) = Surroundings((talk,)).talk(Split.VALIDATION, ["hey_marvin"])[:1]
    assert validation.part == pytest.approx((0.8, 17.6 / 20))
    (talk / "manifest.csv").write_text("file,split,transcript\na.wav,test,so it is\n")
    parts = Surroundings((talk,)).talk(Split.TEST, ["hey_marvin"])
    assert [x.part for x in parts] == [
        pytest.approx((0.0, 14.5 / 20)),
        pytest.approx((15.7 / 20, 17.6 / 20)),
        pytest.approx((18.9 / 20, 1.0)),
    ]


def test_a_recording_may_be_left_out_as_a_whole(talk: Path) -> None:
    (talk / "b.txt").write_text("0\t5\they marvin\n")
    (talk / "a.wav").unlink()
    (talk / "a.txt").unlink()
    (recording,) = open_recordings([talk], None, "speech")
    assert recording.without(["hey_marvin"]) == []
    with pytest.raises(DataError, match="every recording contains one of hey_marvin"):
        Surroundings((talk,)).talk(None, ["hey_marvin"])
