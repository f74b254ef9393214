# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import csv
import json
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.dataset import Split
from kws.audio.long_recordings import open_recordings
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.model.samples.talk_windows import TalkWindows
from kws.model.train import mining
from kws.model.train.mining import MiningSettings, mine_recordings
from tests.command_line import KWS, Run

CLIPS = Path("kws/assets/matrix").absolute()
YES, NO = CLIPS / "yes_slt.flac", CLIPS / "no_awb.flac"


def room(seconds: float, **words: Path) -> Pcm:
    """Faint noise with clips at the given seconds: `at_5=YES`."""
    noise = np.random.default_rng(0).normal(0, 3, int(seconds * 16000))
    for name, clip in words.items():
        start = int(name.removeprefix("at_")) * 16000
        pcm = load_clip(clip)
        noise[start : start + len(pcm)] += pcm
    return noise.astype(np.int16)


def write(path: Path, pcm: Pcm) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, pcm, 16000)
    return path


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    write(tmp_path / "talk" / "kitchen" / "a.wav", room(30, at_5=YES, at_15=NO))
    return tmp_path / "talk"


def test_false_alarms_are_kept_with_their_context(
    bundle: Bundle, talk: Path, tmp_path: Path
) -> None:
    out = tmp_path / "hard"
    result = mine_recordings(bundle, MiningSettings((talk,)), out)
    assert [(clip.word, int(clip.seconds)) for clip in result.clips] == [("yes", 5), ("no", 15)]
    assert result.hours == pytest.approx(24 / 3600), "training's part of the recording"
    files = sorted(path.name for path in (out / "mined").iterdir())
    assert files == ["kitchen_0001_yes.wav", "kitchen_0002_no.wav"]
    pcm, sound = load_clip(out / "mined" / files[0]), load_clip(talk / "kitchen" / "a.wav")
    start = sound.tobytes().find(pcm.tobytes()) // 2
    assert start > 0, "the sound is the recording's, bit for bit"
    assert 3.0 <= len(pcm) / 16000 <= 5.0
    # The recording includes a lead of a second for each window that ends during the false alarm.
    assert start <= 4 * 16000
    assert start + len(pcm) >= 5.5 * 16000 + len(load_clip(YES)) / 2


def test_training_reads_them_as_mined(bundle: Bundle, talk: Path, tmp_path: Path) -> None:
    mine_recordings(bundle, MiningSettings((talk,)), tmp_path / "hard")
    recordings = open_recordings([tmp_path / "hard"], Split.TRAIN, "speech")
    assert [(r.source, r.part) for r in recordings] == [("mined", (0.0, 1.0))] * 2
    windows = TalkWindows(recordings, 32000, 0.5)
    assert windows
    assert not windows.sounds, "mined recordings are not ordinary talk"
    assert windows.draw(4, np.random.default_rng(0)).shape == (4, 32000)


def test_a_recording_with_a_keyword_is_skipped(bundle: Bundle, talk: Path, tmp_path: Path) -> None:
    write(talk / "kitchen" / "b.wav", room(20, at_5=NO))
    (talk / "kitchen" / "a.txt").write_text("Oh yes, I know.")
    result = mine_recordings(bundle, MiningSettings((talk,)), tmp_path / "hard")
    assert (result.recordings, result.excluded) == (1, 1)
    assert [Path(clip.source).name for clip in result.clips] == ["b.wav"]


def test_a_manifest_selects_the_searched_recordings(
    bundle: Bundle, talk: Path, tmp_path: Path
) -> None:
    for name in ("b", "c"):
        write(talk / "kitchen" / f"{name}.wav", room(20, at_5=YES))
    (talk / "manifest.csv").write_text(
        "file,kind,split,speaker_or_group,contains_yes\n"
        "kitchen/a.wav,speech,train,anna,no\n"
        "kitchen/b.wav,speech,train,anna,unsure\n"
        "kitchen/c.wav,speech,test,ben,no\n"
    )
    result = mine_recordings(bundle, MiningSettings((talk,)), tmp_path / "hard")
    assert {Path(clip.source).name for clip in result.clips} == {"a.wav"}
    assert {clip.speaker_or_group for clip in result.clips} == {"anna"}
    test = MiningSettings((talk,), split=Split.TEST)
    result = mine_recordings(bundle, test, tmp_path / "test")
    assert [(Path(clip.source).name, clip.split) for clip in result.clips] == [("c.wav", "test")]


def test_each_split_has_its_part_of_a_plain_recording(
    bundle: Bundle, talk: Path, tmp_path: Path
) -> None:
    write(talk / "kitchen" / "a.wav", room(50, at_5=YES, at_46=NO))
    settings = MiningSettings((talk,), split=Split.TEST)
    (clip,) = mine_recordings(bundle, settings, tmp_path / "test").clips
    assert (clip.word, int(clip.seconds)) == ("no", 46), "counted from the recording's start"


def test_a_long_recording_is_searched_part_by_part(bundle: Bundle, tmp_path: Path) -> None:
    words = {"at_3": YES, "at_14": NO, "at_35": YES}
    pcm = np.repeat(room(40, **words)[:, None], 2, axis=1)
    soundfile.write(tmp_path / "long.flac", pcm, 16000, subtype="PCM_24")
    (tmp_path / "talk").mkdir()
    (tmp_path / "long.flac").rename(tmp_path / "talk" / "long.flac")
    settings = MiningSettings((tmp_path / "talk",), split=None)
    result = mine_recordings(bundle, settings, tmp_path / "hard", stream_seconds=10)
    places = [(clip.word, int(clip.seconds)) for clip in result.clips]
    assert places == [("yes", 3), ("no", 14), ("yes", 35)]
    assert result.hours == pytest.approx(40 / 3600)
    assert all((tmp_path / "hard" / clip.file).is_file() for clip in result.clips)


def test_short_recordings_of_a_source_are_one_stream(bundle: Bundle, tmp_path: Path) -> None:
    """Half a second would not fill the model's window."""
    pcm = np.concatenate([room(1.5), load_clip(YES), room(1.5)])
    for i, start in enumerate(range(0, len(pcm), 8000)):
        write(tmp_path / "talk" / "phone" / f"{i}.wav", pcm[start : start + 8000])
    settings = MiningSettings((tmp_path / "talk",), split=None, threshold=12)
    result = mine_recordings(bundle, settings, tmp_path / "hard")
    assert sum(result.events.values()) >= 1


def test_the_highest_scores_are_kept(bundle: Bundle, talk: Path, tmp_path: Path) -> None:
    everything = mine_recordings(bundle, MiningSettings((talk,), threshold=2), tmp_path / "all")
    assert len(everything.clips) > 1
    settings = MiningSettings((talk,), threshold=2, most=1)
    result = mine_recordings(bundle, settings, tmp_path / "one")
    assert [clip.score for clip in result.clips] == [everything.worst[0].score]
    assert result.events == everything.events
    assert [path.name for path in (tmp_path / "one" / "mined").iterdir()] == [
        Path(result.clips[0].file).name
    ]
    with (tmp_path / "one" / "manifest.csv").open() as file:
        assert [row["file"] for row in csv.DictReader(file)] == [result.clips[0].file]


def test_only_selected_words_are_searched(bundle: Bundle, talk: Path, tmp_path: Path) -> None:
    settings = MiningSettings((talk,), keywords=("no",))
    assert {clip.word for clip in mine_recordings(bundle, settings, tmp_path / "no").clips} == {
        "no"
    }


def test_neighbours_are_one_event_of_limited_length() -> None:
    times = np.arange(0, 20_000, 40, dtype=np.int32)
    rows = np.array([10, 11, 12, 30, 100, *range(200, 460)])
    groups = list(mining.neighbours(times, rows))
    assert [len(group) for group in groups[:2]] == [4, 1]
    assert np.concatenate(groups).tolist() == rows.tolist()
    assert max(times[group[-1]] - times[group[0]] for group in groups) <= 5000
    assert list(mining.neighbours(times, rows[:0])) == []


def test_command_lists_the_recordings_to_check(kws: Run, talk: Path, tmp_path: Path) -> None:
    code, out, _ = kws("mine", talk, "--out", tmp_path / "hard")
    assert code == 0
    assert "kitchen_0001_yes.wav" in out
    assert "0:05" in out
    assert f"--negatives {tmp_path / 'hard'}" in out.replace("\n", " ")
    code, out, _ = kws("mine", talk, "--out", tmp_path / "json", "--json")
    result = json.loads(out)
    assert [clip["word"] for clip in result["clips"]] == ["yes", "no"]
    assert {"source": "kitchen", "word": "yes", "events": 1} in result["events"]


def test_a_single_file_is_searched_and_has_a_default_folder(
    kws: Run, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(talk.parent)
    for folder in ("mined/a", "mined/a-2"):
        code, out, _ = kws("mine", "talk/kitchen/a.wav")
        assert code == 0
        assert f"{folder}: 2 of 2 places kept" in out
        assert len(list(Path(folder).rglob("*.wav"))) == 2
    Path("words.txt").write_text("no sound")
    code, out, err = kws("mine", "words.txt")
    assert (code, out, err.count("\n")) == (1, "", 1)


def test_no_finding_is_one_line_and_no_folder(kws: Run, tmp_path: Path) -> None:
    write(tmp_path / "talk" / "quiet.wav", room(10))
    code, out, err = kws("mine", tmp_path / "talk", "--out", tmp_path / "hard")
    assert (code, err) == (0, "")
    assert out.startswith("nothing scores above 76 in 0.00 hours, 1 recordings")
    assert out.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["talk"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: no such folder"),
        (["talk", "--words", "maybe"], "no keyword 'maybe'; it has yes, no"),
        (["talk", "--split", "dev"], "no split 'dev'"),
        (["talk", "--out", "talk"], "talk: this folder is not empty"),
        (["talk", "--out", "talk/hard"], "talk/hard: is among the recordings"),
        (["empty"], "empty: no recordings of speech"),
        (["damaged"], "damaged/b.wav: not a readable recording"),
        (["keywords"], "every recording contains one of yes, no"),
    ],
)
def test_wrong_use_gives_a_one_line_error(
    kws: Run, talk: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(talk.parent)
    Path("empty").mkdir()
    Path("damaged").mkdir()
    Path("damaged/b.wav").write_bytes(b"not a readable recording")
    write(Path("keywords/a.wav"), room(5))
    Path("keywords/a.txt").write_text("No!")
    before = sorted(Path().rglob("*"))
    code, out, err = kws("mine", "--out", "hard", *arguments)
    assert (code in (1, 2), out) == (True, "")
    assert said in err
    assert err.count("\n") == 1
    assert sorted(Path().rglob("*")) == before


def test_a_truncated_recording_is_searched_to_its_end(kws: Run, tmp_path: Path) -> None:
    path = tmp_path / "cut" / "b.flac"
    write(path, room(20, at_2=YES))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    code, out, err = kws("mine", path.parent, "--out", tmp_path / "hard", "--json")
    assert (code, [clip["word"] for clip in json.loads(out)["clips"]]) == (0, ["yes"])
    assert err.startswith(
        f"kws: {path}: cut off or damaged: its header declares 20.00 s, but it contains "
    )
    assert err.count("\n") == 1


def test_a_full_disk_leaves_no_files(kws: Run, talk: Path, full_disk: Path) -> None:
    write(talk / "kitchen" / "a.wav", room(60, **{f"at_{t}": YES for t in range(3, 45, 6)}))
    code, _, err = kws("mine", talk, "--out", full_disk / "hard")
    assert code == 1
    assert "cannot be written" in err
    assert err.count("\n") == 1
    assert not list(full_disk.iterdir())


STOPPED = b"kws: stopped; nothing was written; run the same command again\n"


def test_ctrl_c_leaves_no_files(tmp_path: Path) -> None:
    pcm = room(600, at_3=YES)
    for i in range(12):
        write(tmp_path / "talk" / f"{i}.wav", pcm)
    process = subprocess.Popen(
        [*KWS, "mine", tmp_path / "talk", "--out", tmp_path / "hard"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    end = time.monotonic() + 60
    while not list(tmp_path.glob(".hard.*")):
        assert process.poll() is None
        assert time.monotonic() < end, "the search did not begin"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", STOPPED)
    assert [path.name for path in tmp_path.iterdir()] == ["talk"]
