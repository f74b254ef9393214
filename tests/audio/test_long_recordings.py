# SPDX-License-Identifier: Apache-2.0
"""Long recordings: their splits and speakers, and which may contain a keyword."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import Split
from kws.audio.long_recordings import (
    LongRecording,
    join_by_source,
    load_recordings,
    open_recordings,
)
from kws.audio.sound_files import write_clip
from kws.errors import DataError


@pytest.mark.parametrize(
    ("transcript", "word", "contains"),
    [
        ("say no", "no", True),
        ("he said 'No' to it", "no", True),
        ("they know it", "no", True),  # sounds the same
        ("no-one came", "no", True),
        ("nobody came, nor did north wind", "no", False),
        ("don't", "don", False),
        ("two computers, said the computer", "computer", True),
        ("the COMPUTER's memory", "computer", True),
        ("a computerised world", "computer", False),
        ("he knows", "no", False),
        ("", "no", False),
        (None, "no", False),
        ("so grün, so blau.", "grün", True),
        ("Hey, Marvin!", "hey_marvin", True),
        ("hey there marvin", "hey_marvin", False),
    ],
)
def test_transcript_is_searched_for_the_word(
    transcript: str | None, word: str, contains: bool
) -> None:
    recording = LongRecording(Path("a.wav"), "a", "s", transcript=transcript)
    assert recording.may_contain(["other", word]) is contains


@pytest.mark.parametrize(
    ("transcript", "word", "contains"),
    [
        (unicodedata.normalize("NFD", "Ein größer Hund."), "größer", True),
        ("Ein großer Hund.", "größer", False),
        ("आप को नमस्ते।", "नमस्ते", True),
        ("आप को नमसता।", "नमस्ते", False),
        ("大家你好吗", "你好", True),
        ("大家早上", "你好", False),
    ],
)
def test_transcripts_of_other_languages(transcript: str, word: str, contains: bool) -> None:
    recording = LongRecording(Path("a.wav"), "a", "s", transcript=transcript)
    assert recording.may_contain([word]) is contains


@pytest.mark.parametrize(("says", "contains"), [("yes", True), ("unsure", True), ("no", False)])
def test_manifest_overrides_the_transcript(says: str, contains: bool) -> None:
    recording = LongRecording(Path("a.wav"), "a", "s", contains={"no": says})
    assert recording.may_contain(["no"]) is contains


def write(path: Path, seconds: float = 1.0, value: int = 100) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_clip(path, np.full(int(seconds * 16000), value, np.int16))


def test_manifest_decides_on_split_and_kind(tmp_path: Path) -> None:
    rows = ["file,kind,split,speaker_or_group,transcript"]
    for number, split in enumerate(Split):
        write(tmp_path / "kitchen" / f"{number}.wav")
        rows.append(f"kitchen/{number}.wav,speech,{split},anna{number},hello")
    write(tmp_path / "hum" / "hum.wav")
    rows.append("hum/hum.wav,noise,train,fan,")
    (tmp_path / "manifest.csv").write_text("\n".join(rows))
    for number, split in enumerate(Split):
        (recording,) = open_recordings([tmp_path], split, "speech")
        assert (recording.speaker, recording.source) == (f"anna{number}", "kitchen")
        assert recording.part == (0, 1)
    assert len(open_recordings([tmp_path / "hum"], Split.TRAIN, "noise")) == 1
    with pytest.raises(DataError, match="no test recordings of noise"):
        open_recordings([tmp_path / "hum"], Split.TEST, "noise")


def test_one_of_several_folders_may_lack_a_split(tmp_path: Path) -> None:
    write(tmp_path / "kept" / "1.wav")
    (tmp_path / "kept" / "manifest.csv").write_text("file,kind,split\n1.wav,speech,train\n")
    write(tmp_path / "radio" / "2.wav")
    folders = [tmp_path / "radio", tmp_path / "kept"]
    names = {s: [r.path.name for r in open_recordings(folders, s, "speech")] for s in Split}
    assert names == {
        Split.TRAIN: ["2.wav", "1.wav"],
        Split.VALIDATION: ["2.wav"],
        Split.TEST: ["2.wav"],
    }
    with pytest.raises(DataError, match="kept: no test recordings of speech"):
        open_recordings(folders[1:], Split.TEST, "speech")
    with pytest.raises(DataError, match="nowhere: no such folder"):
        open_recordings([*folders, tmp_path / "nowhere"], Split.TRAIN, "speech")


def test_splits_share_no_sample_without_a_manifest(tmp_path: Path) -> None:
    sound = np.arange(16000, dtype=np.int16)
    write_clip(tmp_path / "talk.wav", sound)
    (tmp_path / "talk.txt").write_text("no")
    parts = [load_recordings(open_recordings([tmp_path], split, "speech"))[0] for split in Split]
    np.testing.assert_array_equal(np.concatenate(parts), sound)
    (whole,) = open_recordings([tmp_path], None, "speech")
    assert whole.may_contain(["no"])
    assert not whole.may_contain(["yes"])


def test_a_wrong_folder_or_manifest_gives_a_one_line_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        open_recordings([tmp_path / "nowhere"], None, "speech")
    with pytest.raises(DataError, match="no recordings of speech"):
        open_recordings([tmp_path], None, "speech")
    write(tmp_path / "a.wav")
    (tmp_path / "manifest.csv").write_text("name\na.wav\n")
    with pytest.raises(DataError, match="a line has no file"):
        open_recordings([tmp_path], None, "speech")
    (tmp_path / "manifest.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="correct or remove it"):
        open_recordings([tmp_path], None, "speech")


def test_recordings_of_a_source_are_joined_with_pauses() -> None:
    recordings = [LongRecording(Path(name), name[0], name) for name in ("a1", "b1", "a2")]
    joined = join_by_source(recordings, [np.full(5, i, np.int16) for i in (1, 2, 3)])
    assert list(joined) == ["a", "b"]
    assert joined["a"].tolist() == [1] * 5 + [0] * 3200 + [3] * 5 + [0] * 3200
