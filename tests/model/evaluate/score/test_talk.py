# SPDX-License-Identifier: Apache-2.0
"""Talk without keywords: played, skipped and faulty recordings."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from typer.testing import CliRunner

from kws.audio.long_recordings import LongRecording
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.cli.main import app
from kws.errors import DataError, UsageError
from kws.model.evaluate.score.streams import Kind, played_at
from kws.model.evaluate.score.talk import at_paces, background_talk, recorded_talk
from tests.model.conftest import Run


def recording(path: Path, seconds: float, value: int = 100) -> LongRecording:
    """A recording with one constant value, so that recordings can be distinguished."""
    write_clip(path, np.full(round(seconds * 16000), value, np.int16))
    return LongRecording(path, path.parent.name, path.stem)


@pytest.fixture(scope="module")
def words(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Talk of two sources that repeats a word of the tones' data set."""
    folder = tmp_path_factory.mktemp("talk")
    for source, word, count in (("kitchen", "low", 4), ("radio", "up", 2)):
        clip = load_clip(run.data / word / "test0_nohash_0.wav")
        pause = np.zeros(32000, np.int16)
        for number in range(count):
            sound = np.concatenate([pause, clip, pause])
            write_clip(folder / source / f"{word}{number}.wav", sound)
    return folder


@pytest.fixture(scope="module")
def bundle(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tones' model with a low threshold."""
    folder = tmp_path_factory.mktemp("bundle") / "b"
    settings = RecognizerSettings(300, 60, 1500, 3)
    write_bundle(replace(run.result.bundle, recognizer=settings), folder)
    return folder


def evaluate(bundle: Path, *options: str | Path) -> Any:
    command = ["evaluate", "--model", str(bundle), *map(str, options)]
    result = CliRunner().invoke(app, command)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def stream_facts(bundle: Path, *options: str | Path) -> Any:
    return json.loads(evaluate(bundle, *options, "--json").stdout)["stream"]


def test_recordings_of_a_source_are_joined_unchanged(tmp_path: Path) -> None:
    recordings = [
        recording(tmp_path / "b" / "1.wav", 1, 300),
        recording(tmp_path / "a" / "1.wav", 2, 20),
        recording(tmp_path / "b" / "2.wav", 1, 5),
    ]
    streams = {stream.source: stream for stream in recorded_talk(recordings)}
    assert list(streams) == ["b", "a"]
    pause = [0] * 3200
    assert streams["b"].pcm.tolist() == [300] * 16000 + pause + [5] * 16000 + pause
    assert all(stream.kind == Kind.TALK and not stream.words for stream in streams.values())
    played = [played_at(streams["b"].played, ms) for ms in (0, 1199, 1200, 5000)]
    assert [it and it.path.name for it in played] == ["1.wav", "1.wav", "2.wav", "2.wav"]


def test_long_talk_is_split_without_loss(tmp_path: Path) -> None:
    seconds = (0.5, 31.1, 0.2, 0.9)  # one is read in two blocks
    recordings = [recording(tmp_path / f"{i}.wav", s, i + 1) for i, s in enumerate(seconds)]
    read: list[int] = []
    streams = list(recorded_talk(recordings, read.append, minutes=1 / 60))
    assert sum(read) == 4
    assert {len(stream.pcm) for stream in streams[:-1]} == {16000}
    sound = np.concatenate([stream.pcm for stream in streams])
    assert [int((sound == i + 1).sum()) for i in range(4)] == [8000, 497600, 3200, 14400]
    for stream in streams:
        for time_ms in range(0, round(1000 * 3600 * stream.hours), 50):
            value = int(stream.pcm[16 * time_ms])
            played = played_at(stream.played, time_ms)
            assert value == 0 or (played and played.path.stem == str(value - 1))


@pytest.mark.parametrize("pace", [0.9, 1.0, 1.1])
def test_a_place_is_found_at_each_pace(pace: float, tmp_path: Path) -> None:
    """The sound at a time of the stream is that of the place in the recording."""
    files = [tmp_path / f"{i}.wav" for i in range(3)]
    ramps = [np.linspace(3000 * i, 3000 * i + 2999, 48_000).astype(np.int16) for i in range(3)]
    for file, ramp in zip(files, ramps, strict=True):
        write_clip(file, ramp)
    recordings = [LongRecording(file, "a", file.stem) for file in files]
    # The second stream starts in the middle of the second recording.
    compared = 0
    for stream in at_paces(recorded_talk(recordings, minutes=5 / 60), [pace]):
        for time_ms in range(100, round(1000 * 3600 * stream.hours) - 100, 50):
            value = int(stream.pcm[16 * time_ms])
            played = played_at(stream.played, time_ms)
            assert played
            ramp = ramps[files.index(played.path)]
            sample = round(played.seconds_at(time_ms) * 16_000)
            if 800 <= sample < len(ramp) - 800:
                assert value == pytest.approx(ramp[sample], abs=6)
                compared += 1
    assert compared > 100


def test_talk_under_words_has_the_requested_length_and_one_level(tmp_path: Path) -> None:
    recordings = [recording(tmp_path / "a" / f"{i}.wav", 1, 7) for i in range(60)]
    recordings += [recording(tmp_path / "b" / "1.wav", 2, 9000)]
    behind = background_talk(recordings, 20 / 3600)
    assert list(behind) == ["a", "b"]
    seconds = {source: len(pcm) / 16000 for source, pcm in behind.items()}
    assert seconds["a"] == pytest.approx(10, abs=1.3)
    assert seconds["b"] == pytest.approx(2.2)
    assert behind["a"].max() == behind["b"].max()
    # Only this part of a long recording is read, in one block or in two.
    long = recording(tmp_path / "c" / "1.wav", 65)
    assert len(background_talk([long], 20 / 3600)["c"]) == pytest.approx(20.2 * 16000)
    assert len(background_talk([long], 40 / 3600)["c"]) == pytest.approx(40.2 * 16000)
    assert background_talk([], 1) == {}


def test_false_alarms_are_found_in_their_recording(bundle: Path, words: Path) -> None:
    low = str(words / "kitchen" / "low3.wav")
    every = [
        alarm["seconds"]
        for alarm in stream_facts(bundle, "--negatives", words, "--split", "all")[
            "worst_false_alarms"
        ]
        if alarm["file"] == low and alarm["reported"] == "low"
    ]
    assert every
    assert all(end - start == pytest.approx(2.5) or start == 0 for start, end in every)
    assert all(start < 3 and 2 < end < 4 for start, end in every), "the word is from 2 to 3 s"
    # A word at the end of a recording is reported in the next one.
    sound, _ = soundfile.read(low, dtype="int16")
    cut = words.parent / f"{words.name}_cut"
    write_clip(cut / "1.wav", sound[:44000])
    write_clip(cut / "2.wav", np.zeros(16000 * 5, np.int16))
    alarms = stream_facts(bundle, "--negatives", cut, "--split", "all")["worst_false_alarms"]
    assert {Path(alarm["file"]).name for alarm in alarms} == {"1.wav"}
    # In the last part of a recording, the same passage has the same place.
    long = words.parent / f"{words.name}_long" / "long.wav"
    write_clip(long, np.concatenate([np.zeros(16000 * 50, np.int16), sound]))
    alarms = stream_facts(bundle, "--negatives", long.parent)["worst_false_alarms"]
    assert any(50 < start < 53 and 52 < end < 54 for start, end in (x["seconds"] for x in alarms))
    long.with_suffix(".txt").write_text("52.0\t53.0\tlow\n52\t53\thigh\n")
    facts = stream_facts(bundle, "--negatives", long.parent)
    assert facts["talk_recordings"] == 1
    assert (facts["excluded_recordings"], facts["excluded_seconds"]) == (0, pytest.approx(2.0))
    assert facts["false_alarms"] == 0
    line = "recordings of talk: 1; left out because of label tracks: 2.0 s"
    assert line in evaluate(bundle, "--negatives", long.parent).stdout


def test_false_alarms_of_talk_are_by_source_and_by_keyword(bundle: Path, words: Path) -> None:
    facts = stream_facts(bundle, "--negatives", words, "--split", "all")
    assert list(facts["by_kind"]) == ["talk"]
    assert "miss_share" not in facts
    talk_facts = facts["by_kind"]["talk"]
    assert talk_facts["hours"] == pytest.approx(6 * 5.2 / 3600)
    count = talk_facts["false_alarms"]
    assert count >= 4
    assert talk_facts["false_alarms_an_hour"] == pytest.approx(count / talk_facts["hours"])
    least, most = talk_facts["false_alarms_an_hour_95"]
    assert least < talk_facts["false_alarms_an_hour"] < most
    assert talk_facts["keywords"]["low"]["false_alarms"] >= 4
    sources = talk_facts["by_source"]
    assert next(iter(sources)) == "kitchen"
    assert sum(source["false_alarms"] for source in sources.values()) == count
    assert "miss_share" not in talk_facts


def test_worst_false_alarms_name_their_recordings(bundle: Path, words: Path) -> None:
    worst = stream_facts(bundle, "--negatives", words / "kitchen", "--split", "all")
    alarms = worst["worst_false_alarms"]
    peaks = [alarm["peak"] for alarm in alarms]
    assert peaks == sorted(peaks, reverse=True)
    names = {f"low{number}.wav" for number in range(4)}
    assert {Path(alarm["file"]).name for alarm in alarms} == names
    assert {alarm["source"] for alarm in alarms} == {"kitchen"}
    table = evaluate(bundle, "--negatives", words, "--split", "all").stdout
    assert "talk alone" in table
    assert "kitchen" in table


def test_all_kinds_are_measured_together(run: Run, bundle: Path, words: Path) -> None:
    short = ["--hours", "0.02", "--other-hours", "0.02", "--split", "all"]
    result = stream_facts(bundle, "--negatives", words, "--data", run.data, "--stream", *short)
    facts = result["by_kind"]
    assert list(facts) == ["quiet", "noise", "over talk", "talk", "other words"]
    for kind in ("quiet", "noise", "over talk"):
        assert facts[kind]["keywords_said"] > 0
        assert (
            facts[kind]["hits"] + facts[kind]["wrong"] + facts[kind]["missed"]
            == (facts[kind]["keywords_said"])
        )
    assert facts["other words"]["other_words_said"] == 4
    # Streams with only talk do not count in the figures of all words.
    assert result["hours"] == pytest.approx(0.08)
    for point in result["curve"]:
        assert 0 <= point["quiet"]["miss_share"] <= 1
        assert point["talk"]["miss_share"] is None


def test_missing_talk_is_named(run: Run, bundle: Path) -> None:
    output = evaluate(bundle, "--data", run.data).stdout
    assert "not measured: false alarms in talk" in output


def with_manifest(folder: Path, rows: list[dict[str, str]]) -> Path:
    for row in rows:
        write_clip(folder / row["file"], np.full(20000, 9, np.int16))
    with (folder / "manifest.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, sorted({key for row in rows for key in row}))
        writer.writeheader()
        writer.writerows(rows)
    return folder


def test_recordings_that_may_contain_a_keyword_are_skipped(bundle: Path, tmp_path: Path) -> None:
    folder = with_manifest(
        tmp_path,
        [
            {"file": "a/1.wav", "split": "test", "transcript": "nothing of the kind"},
            {"file": "a/2.wav", "split": "test", "transcript": ""},
            {"file": "b/1.wav", "split": "test", "transcript": "he said 'Low' and went"},
            {"file": "c/1.wav", "split": "test", "transcript": "", "contains_high": "unsure"},
            {"file": "d/1.wav", "split": "train", "transcript": "nothing"},
        ],
    )
    facts = stream_facts(bundle, "--negatives", folder)
    assert (facts["talk_recordings"], facts["excluded_recordings"]) == (2, 2)
    sources = facts["by_kind"]["talk"]["by_source"]
    assert list(sources) == ["a"]
    line = "recordings of talk: 2; skipped, as they may contain a keyword: 2"
    assert line in evaluate(bundle, "--negatives", folder).stdout
    assert sources["a"]["hours"] == pytest.approx(2 * (1.25 + 0.2) / 3600)


def test_nothing_to_play_is_one_clear_line(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing: no such folder"):
        evaluate(bundle, "--negatives", tmp_path / "missing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="empty: no recordings of speech"):
        evaluate(bundle, "--negatives", tmp_path / "empty")
    row = {"file": "a/1.wav", "split": "train", "transcript": "a low high"}
    folder = with_manifest(tmp_path / "m", [row])
    with pytest.raises(DataError, match="no test recordings"):
        evaluate(bundle, "--negatives", folder)
    with pytest.raises(DataError, match="every recording contains one of low, high"):
        evaluate(bundle, "--negatives", folder, "--split", "train")
    with pytest.raises(UsageError, match="--negatives"):
        evaluate(bundle)


def test_damaged_file_among_many_is_skipped_and_named(bundle: Path, tmp_path: Path) -> None:
    for number in range(70):
        recording(tmp_path / f"{number:03}.wav", 0.1)
    (tmp_path / "066.wav").write_bytes(b"RIFF, but no more than that")
    result = evaluate(bundle, "--negatives", tmp_path, "--split", "all")
    assert result.exit_code == 0
    (line,) = (line for line in result.output.splitlines() if "066.wav" in line)
    assert "skipped 1 file (empty, cut off or damaged: 066.wav)" in line


def test_stereo_and_other_rates_are_played(bundle: Path, words: Path, tmp_path: Path) -> None:
    mono, _ = soundfile.read(words / "kitchen" / "low0.wav")
    louder = np.interp(np.arange(3 * len(mono)) / 3, np.arange(len(mono)), mono)
    soundfile.write(tmp_path / "stereo48.wav", np.stack([louder, louder], 1), 48000)
    facts = stream_facts(bundle, "--negatives", tmp_path, "--split", "all")["by_kind"]["talk"]
    assert facts["hours"] == pytest.approx((len(mono) / 16000 + 0.2) / 3600)
    assert facts["keywords"]["low"]["false_alarms"] >= 1


def test_without_a_manifest_each_split_has_its_part(bundle: Path, tmp_path: Path) -> None:
    recording(tmp_path / "1.wav", 100)
    hours = {
        split: stream_facts(bundle, "--negatives", tmp_path, "--split", split)["by_kind"]["talk"]
        for split in ("train", "validation", "test", "all")
    }
    seconds = {split: 3600 * facts["hours"] - 0.2 for split, facts in hours.items()}
    assert seconds == pytest.approx({"train": 80, "validation": 10, "test": 10, "all": 100})
