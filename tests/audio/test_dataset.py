# SPDX-License-Identifier: Apache-2.0
"""Words, speakers and splits of a folder of recordings."""

from __future__ import annotations

import csv
import hashlib
import struct
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import (
    Clip,
    DataSet,
    Split,
    hash_split,
    load_backgrounds,
    load_pcm,
    open_dataset,
    split_speakers,
)
from kws.audio.sound_files import load_clip, write_clip
from kws.errors import AudioError, DataError, UsageError


def put(root: Path, *names: str, samples: int = 1600) -> None:
    for index, name in enumerate(names):
        write_clip(root / name, np.full(samples, index + 1, np.int16))


def many(root: Path, word: str, speakers: int = 60) -> None:
    put(root, *(f"{word}/speaker{i}_nohash_0.wav" for i in range(speakers)))


def test_layout_is_read(tmp_path: Path) -> None:
    put(tmp_path, "yes/anna_nohash_0.wav", "yes/anna_nohash_1.wav", "no/ben_nohash_0.wav")
    put(tmp_path, "_background_noise_/rain.wav", ".hidden/x.wav", "_other_/y.wav")
    (tmp_path / "yes" / "notes.txt").touch()
    (tmp_path / "yes" / ".anna_nohash_2.wav").touch()
    (tmp_path / "README.md").touch()
    dataset = open_dataset(tmp_path)
    assert dataset.words == ("no", "yes")
    assert [(c.path.name, c.word, c.speaker) for c in dataset.clips] == [
        ("ben_nohash_0.wav", "no", "ben"),
        ("anna_nohash_0.wav", "yes", "anna"),
        ("anna_nohash_1.wav", "yes", "anna"),
    ]
    assert [path.name for path in dataset.backgrounds] == ["rain.wav"]
    assert not dataset.has_lists

    (note,) = dataset.notes
    assert note.startswith(f"{tmp_path / '_other_'}: skipped, since its name begins with _")


@pytest.mark.parametrize(
    "name", ["common_voice_en_{}.wav", "audio_{}.wav", "Recording ({}).wav", "sample-{}.wav"]
)
def test_clips_named_by_an_id_are_each_their_own_speaker(tmp_path: Path, name: str) -> None:
    first = 1 if "(" in name or "-" in name else 1700000000
    put(tmp_path, *(f"yes/{name.format(first + i)}" for i in range(60)))
    dataset = open_dataset(tmp_path)
    dataset.check(["yes"])
    assert len({clip.speaker for clip in dataset.clips}) == 60
    assert "the names of 60 clips do not name a speaker" in dataset.notes[0]


def test_folders_of_speakers_inside_words(tmp_path: Path) -> None:
    put(
        tmp_path,
        *(f"{word}/{who}/{n}.wav" for word in ("yes", "no") for who in "abc" for n in "12"),
    )
    put(tmp_path, "yes/d/monday/1.wav")
    dataset = open_dataset(tmp_path)
    assert {(clip.word, clip.speaker) for clip in dataset.clips} == {
        *((word, who) for word in ("yes", "no") for who in "abc"),
        ("yes", "d"),
    }
    dataset.check(["yes", "no"])
    (tmp_path / "testing_list.txt").write_text("yes/a/1.wav\n")
    (tmp_path / "validation_list.txt").write_text("no/a/1\n")
    splits = {
        c.path.relative_to(tmp_path).as_posix(): c.split for c in open_dataset(tmp_path).clips
    }
    assert {name: split for name, split in splits.items() if split != Split.TRAIN} == {
        "yes/a/1.wav": Split.TEST,
        "no/a/1.wav": Split.VALIDATION,
    }


def test_words_inside_folders_of_speakers_are_named(tmp_path: Path) -> None:
    put(tmp_path, "anna/yes/1.wav", "ben/yes/1.wav")
    with pytest.raises(DataError, match=r"no clips of 'yes' \(but in .*: words must be the outer"):
        open_dataset(tmp_path).check(["yes"])


def test_folders_of_silence_and_unknown_words(tmp_path: Path) -> None:
    put(tmp_path, "yes/anna_1.wav", "_unknown_/ben_1.wav", "_background_noise_/rain.wav")
    put(tmp_path, *(f"_silence_/{i}.wav" for i in range(50)), "Silence/room.wav")
    dataset = open_dataset(tmp_path)
    assert dataset.words == ("unknown", "yes")
    assert len(dataset.backgrounds) == 52
    joined = load_backgrounds(dataset)
    assert [len(sound) for sound in joined] == [52 * 1600]


def test_a_flat_folder_suggests_where_to_move_recordings(tmp_path: Path) -> None:
    put(tmp_path, "no.0075ef3.flac", "yes.0075ef3.flac")
    with pytest.raises(DataError, match=r"2 recordings .* move no.0075ef3.flac to no/0075ef3.flac"):
        open_dataset(tmp_path)
    put(tmp_path, "yes/anna_1.wav")
    assert "2 recordings outside the folders of words" in open_dataset(tmp_path).notes[0]


def test_the_same_word_in_composed_and_decomposed_letters(tmp_path: Path) -> None:
    word = unicodedata.normalize("NFC", "größer")
    apart = unicodedata.normalize("NFD", word)
    put(tmp_path, f"{apart}/{apart}_jörg_1.wav", f"{word}/anna_1.wav", "hey marvin/anna_1.wav")
    (tmp_path / "testing_list.txt").write_text(f"{word}/anna_1.wav\n{word}/{word}_jörg_1.wav")
    dataset = open_dataset(tmp_path)
    assert set(dataset.words) == {word, "hey_marvin"}
    assert {(c.speaker, c.split) for c in dataset.clips if c.word == word} == {
        ("anna", Split.TEST),
        (unicodedata.normalize("NFC", "jörg"), Split.TEST),
    }


def test_few_speakers_leave_no_set_empty(tmp_path: Path) -> None:
    people = ("george", "jackson", "lucas", "nicolas", "theo", "yweweler")
    put(tmp_path, *(f"{w}/{w}_{who}_{n}.wav" for w in "01" for who in people for n in range(3)))
    dataset = open_dataset(tmp_path)
    dataset.check(["0", "1"])
    assert dataset.shared_speakers() == {}
    train = {clip.speaker for clip in dataset.of(Split.TRAIN)}
    assert len(train) >= 3
    (note,) = dataset.notes
    moved = {c.speaker for c in dataset.clips if hash_split(c.speaker) != c.split}
    assert moved
    assert all(f"{who} to" in note or f"{who} and" in note for who in moved), note


def test_no_speaker_is_moved_if_the_hash_rule_fills_all_sets() -> None:
    people = [f"speaker{i}" for i in range(60)]
    splits, moved = split_speakers({"yes": people})
    assert not moved
    assert splits == {who: hash_split(who) for who in people}


def test_moving_a_speaker_never_empties_a_set_of_another_word() -> None:
    train = [w for w in (f"s{i}" for i in range(200)) if hash_split(w) == Split.TRAIN]
    rest = [w for w in (f"s{i}" for i in range(200)) if hash_split(w) != Split.TRAIN]
    test = next(w for w in rest if hash_split(w) == Split.TEST)
    validation = next(w for w in rest if hash_split(w) == Split.VALIDATION)
    a, b, c, d = train[:4]
    # Only speaker a has `no` in training, so another speaker must move for `yes`.
    words = {"yes": [a, b, c, d], "no": [a, test, validation]}
    splits, moved = split_speakers(words)
    assert a not in moved
    for speakers in words.values():
        assert {splits[who] for who in speakers} == set(Split)


def test_lists_may_name_other_extensions(tmp_path: Path) -> None:
    put(tmp_path, "yes/a_nohash_0.flac.wav", "yes/a_nohash_0.wav", "yes/b_nohash_0.wav")
    (tmp_path / "testing_list.txt").write_text("yes/a_nohash_0.flac\n\n")
    (tmp_path / "validation_list.txt").write_text("yes\\b_nohash_0.wav\r\n")
    splits = {clip.path.name: clip.split for clip in open_dataset(tmp_path).clips}
    assert splits == {
        "a_nohash_0.wav": Split.TEST,
        "b_nohash_0.wav": Split.VALIDATION,
        "a_nohash_0.flac.wav": Split.TRAIN,
    }


# Speakers named by the lists in the official archive of Speech Commands 0.02.
OFFICIAL = {
    Split.VALIDATION: "439c84f4 409c962a dbaf8fc6 a6d586b7 0e17f595 ff2b842e 7fd25f7c 3cc595de",
    Split.TEST: "d0faf7e4 63f7a489 f264e0df e0c782d5 bfd26d6b b7e9f841 b83c1acf 47d01978",
}


@pytest.mark.parametrize("split", OFFICIAL)
def test_hash_rule_gives_the_official_lists(split: Split) -> None:
    assert {hash_split(speaker) for speaker in OFFICIAL[split].split()} == {split}


def test_hash_rule_keeps_the_percentages() -> None:
    splits = [hash_split(f"{index:08x}") for index in range(3000)]
    assert abs(splits.count(Split.VALIDATION) / 3000 - 0.10) < 0.02
    assert abs(splits.count(Split.TEST) / 3000 - 0.10) < 0.02


def test_no_speaker_is_in_two_sets_by_the_hash_rule(tmp_path: Path) -> None:
    for word in ("yes", "no"):
        many(tmp_path, word)
    assert open_dataset(tmp_path).shared_speakers() == {}


def test_lists_that_share_a_speaker_are_refused(tmp_path: Path) -> None:
    put(tmp_path, *(f"yes/{s}_nohash_{n}.wav" for s in "abc" for n in range(2)))
    (tmp_path / "testing_list.txt").write_text("yes/a_nohash_0.wav\n")
    (tmp_path / "validation_list.txt").write_text("yes/b_nohash_0.wav\nyes/b_nohash_1.wav\n")
    dataset = open_dataset(tmp_path)
    assert dataset.shared_speakers() == {"a": (Split.TEST, Split.TRAIN)}
    with pytest.raises(DataError, match="speaker a in test and train"):
        dataset.check(["yes"])


def test_word_without_clips_suggests_a_similar_one(tmp_path: Path) -> None:
    many(tmp_path, "yes")
    many(tmp_path, "no")
    with pytest.raises(DataError, match=r"no clips of 'yse' \(did you mean 'yes'\?\).*no, yes"):
        open_dataset(tmp_path).check(["no", "yse"])


@pytest.mark.parametrize("words", [("Yes", "yes"), ("Yes",)])
def test_a_word_that_differs_in_capitals_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    for word in words:
        many(tmp_path, word)
    with pytest.raises(DataError, match="'Yes' and the keyword 'yes' differ only in capitals"):
        open_dataset(tmp_path).check(["yes"])


def test_folder_of_a_word_may_be_empty(tmp_path: Path) -> None:
    many(tmp_path, "yes")
    (tmp_path / "no").mkdir()
    with pytest.raises(DataError, match="no clips of 'no'"):
        open_dataset(tmp_path).check(["yes", "no"])


def test_no_speakers_left_for_a_split(tmp_path: Path) -> None:
    put(tmp_path, *(f"yes/anna_nohash_{n}.wav" for n in range(20)))
    dataset = open_dataset(tmp_path)
    match = r"no speakers of 'yes' are left .*20 clips, 1 speakers.*record at least 3 people"
    with pytest.raises(DataError, match=match):
        dataset.check(["yes"])


def test_check_passes_a_good_set(tmp_path: Path) -> None:
    many(tmp_path, "yes")
    open_dataset(tmp_path).check(["yes"])


@pytest.mark.parametrize(
    ("words", "says"),
    [([], "no keywords"), (["yes", "yes"], "twice"), (["silence"], "every model has")],
)
def test_invalid_keywords(tmp_path: Path, words: list[str], says: str) -> None:
    many(tmp_path, "yes")
    with pytest.raises(UsageError, match=says):
        open_dataset(tmp_path).check(words)


@pytest.mark.parametrize("kind", ["missing", "file", "empty", "flat", "binary list"])
def test_unusable_folder(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "data"
    if kind == "file":
        root.touch()
    elif kind != "missing":
        root.mkdir()
    if kind == "flat":
        put(root, "a.wav")
    if kind == "binary list":
        put(root, "yes/a.wav")
        (root / "testing_list.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError) as caught:
        open_dataset(root)
    assert str(caught.value).startswith(f"{root}: ")
    assert "\n" not in str(caught.value)


def test_load_pcm_pads_cuts_and_keeps_the_order(tmp_path: Path) -> None:
    clips = []
    for index, samples in enumerate([8000, 16000, 20000] * 50):
        path = tmp_path / f"{index}.wav"
        write_clip(path, np.full(samples, index + 1, np.int16))
        clips.append(Clip(path, "yes", "a", Split.TRAIN))
    steps: list[int] = []
    pcm = load_pcm(clips, progress=steps.append)
    assert pcm.shape == (150, 16000)
    assert pcm.dtype == np.int16
    assert pcm[:, 0].tolist() == list(range(1, 151))
    assert (pcm[0, 8000:] == 0).all()
    assert (pcm[2] == 3).all()
    assert sum(steps) == 150


def test_load_pcm_names_the_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "bad.wav").write_bytes(b"bad")
    with pytest.raises(AudioError, match=r"bad\.wav"):
        load_pcm([Clip(tmp_path / "bad.wav", "yes", "a", Split.TRAIN)])


def test_excerpt_agrees_with_its_manifest(speech_commands: Path) -> None:
    dataset = open_dataset(speech_commands)
    with (speech_commands / "manifest.csv").open(newline="") as file:
        rows = {row["path"]: row for row in csv.DictReader(file)}
    names = {"training": Split.TRAIN, "validation": Split.VALIDATION, "testing": Split.TEST}
    assert len(dataset.clips) == len(rows)
    for clip in dataset.clips:
        row = rows[clip.path.relative_to(speech_commands).as_posix()]
        assert (clip.word, clip.speaker) == (row["word"], row["speaker"])
        assert clip.split == names[row["split"]]
    dataset.check(["yes", "no"])
    noises = load_backgrounds(dataset)
    assert len(noises) == 6
    assert min(map(len, noises)) >= 60 * 16000


def test_flac_of_the_excerpt_has_the_samples_of_the_original_wav(speech_commands: Path) -> None:
    with (speech_commands / "manifest.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))[::500]
    for row in rows:
        body = load_clip(speech_commands / row["path"]).tobytes()
        # With the canonical header prepended, the samples have the original file's checksum.
        form = struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16)
        riff = b"RIFF" + struct.pack("<I", len(body) + 36) + b"WAVEfmt " + form
        wav = riff + b"data" + struct.pack("<I", len(body)) + body
        assert hashlib.sha256(wav).hexdigest() == row["wav_sha256"], row["path"]


def test_dataset_of_a_split_and_words() -> None:
    clips = tuple(
        Clip(Path(f"{w}{i}"), w, f"s{i}", split)
        for w in ("a", "b")
        for i, split in enumerate(Split)
    )
    dataset = DataSet(Path(), clips, (), has_lists=False)
    assert [c.path.name for c in dataset.of(Split.TEST)] == ["a2", "b2"]
    assert [c.path.name for c in dataset.of(Split.TEST, ["b"])] == ["b2"]
