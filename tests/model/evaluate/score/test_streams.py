# SPDX-License-Identifier: Apache-2.0
"""Streams: their words, times, levels and speakers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws._core import SAMPLE_RATE
from kws.audio.dataset import DataSet, Split
from kws.audio.pcm import speech_span
from kws.audio.sound_files import write_clip
from kws.errors import DataError, KwsError
from kws.model.evaluate.score.streams import (
    Kind,
    StreamPlan,
    StreamSettings,
    make_streams,
    read_stream,
)
from kws.model.evaluate.score.words import REACTION_MS

KEYWORDS = ("low", "high")
FEW = StreamSettings(minutes=3, words_a_minute=20)


@pytest.mark.long
def test_same_settings_give_the_same_sound_and_another_seed_does_not(tones: DataSet) -> None:
    first, again = (next(make_streams(tones, KEYWORDS, Split.TEST, FEW)) for _ in range(2))
    np.testing.assert_array_equal(first.pcm, again.pcm)
    assert first.words == again.words
    other = next(make_streams(tones, KEYWORDS, Split.TEST, replace(FEW, seed=1)))
    assert other.words != first.words
    validation = next(make_streams(tones, KEYWORDS, Split.VALIDATION, FEW))
    assert not np.array_equal(validation.pcm, first.pcm)


def test_noises_are_added_to_the_backgrounds(tones: DataSet) -> None:
    silent = np.zeros(20 * SAMPLE_RATE, np.int16)
    settings = replace(FEW, kind=Kind.NOISE, words_a_minute=0)
    plain = next(make_streams(tones, KEYWORDS, Split.TEST, settings))
    mixed = next(make_streams(tones, KEYWORDS, Split.TEST, settings, noise=[silent] * 200))
    assert np.mean(plain.pcm == 0) < 0.5 < np.mean(mixed.pcm == 0)


def test_words_are_from_the_split_and_do_not_overlap(tones: DataSet) -> None:
    splits = {clip.path: clip.split for clip in tones.clips}
    for split in Split:
        stream = next(make_streams(tones, KEYWORDS, split, FEW))
        assert len(stream.words) == 60
        assert {splits[word.file] for word in stream.words if word.file} == {split}
        gaps = [b.start_ms - a.end_ms for a, b in zip(stream.words, stream.words[1:], strict=False)]
        # A clip starts with quiet before the voice.
        assert min(gaps) >= REACTION_MS
        assert stream.hours == pytest.approx(1 / 20)


def test_keywords_take_turns_and_clips_repeat_only_after_all_others(tones: DataSet) -> None:
    settings = replace(FEW, minutes=11)
    streams = list(make_streams(tones, KEYWORDS, Split.TEST, settings))
    assert [stream.hours for stream in streams] == pytest.approx([11 / 120, 11 / 120])
    words = [word for stream in streams for word in stream.words]
    labels = Counter(word.label for word in words)
    assert abs(labels["low"] - labels["high"]) <= 1
    assert labels["low"] + labels["high"] == pytest.approx(110, abs=30)
    for group in (("low",), ("high",), ("up", "down")):
        clips = Counter(word.file for word in words if word.label in group)
        assert len(clips) == sum(clip.word in group for clip in tones.of(Split.TEST))
        assert max(clips.values()) - min(clips.values()) <= 1


@pytest.mark.parametrize("snr_db", [0, 10])
def test_voice_has_the_requested_signal_to_noise_ratio(tones: DataSet, snr_db: float) -> None:
    settings = replace(FEW, snr_db=(snr_db, snr_db), level_db=(-40, -40))
    stream = next(make_streams(tones, KEYWORDS, Split.TEST, settings))
    sound = stream.pcm.astype(float)
    quiet = np.ones(len(sound), bool)
    voices = []
    for word in stream.words:
        quiet[16 * word.start_ms - 16000 : 16 * word.end_ms + 16000] = False
        voices.append(np.mean(sound[16 * word.start_ms : 16 * word.end_ms] ** 2))
    noise = np.mean(sound[quiet] ** 2)
    assert 10 * np.log10(noise / 32768**2) == pytest.approx(-40, abs=1.5)
    assert 10 * np.log10(np.mean(voices) / noise - 1) == pytest.approx(snr_db, abs=1.5)


@pytest.mark.long
def test_streams_of_other_words_have_no_keywords(tones: DataSet) -> None:
    plan = StreamPlan(hours=1 / 20, other_hours=1 / 5)
    assert plan.parts(talk=False) == 4
    quiet, noisy, *others = plan.streams(tones, KEYWORDS, Split.TEST)
    for busy in (quiet, noisy):
        assert {word.label for word in busy.words} == {"low", "high", "up", "down"}
    assert [quiet.kind, noisy.kind] == [Kind.QUIET, Kind.NOISE]
    assert {word.label for stream in others for word in stream.words} == {"up", "down"}
    assert [len(stream.words) for stream in others] == [18, 18]
    assert not np.array_equal(others[0].pcm, others[1].pcm)
    assert len(StreamPlan(hours=1 / 20, other_hours=0).settings(talk=False)) == 2


def test_quiet_room_is_quiet_and_words_are_over_talk(tones: DataSet) -> None:
    rng = np.random.default_rng(0)
    talk = {"kitchen": (1000 * rng.standard_normal(20 * 16000)).astype(np.int16)}
    plan = StreamPlan(hours=1 / 60, other_hours=0)
    streams = {stream.kind: stream for stream in plan.streams(tones, KEYWORDS, Split.TEST, talk)}
    assert list(streams) == [Kind.QUIET, Kind.NOISE, Kind.OVER_TALK]
    assert all(len(stream.words) == 6 for stream in streams.values())
    floors = {kind: np.median(np.abs(stream.pcm)) for kind, stream in streams.items()}
    assert floors[Kind.QUIET] < 32768 * 10 ** (-60 / 20)
    assert floors[Kind.OVER_TALK] > 4 * floors[Kind.QUIET]


def test_missing_data_is_named(tones: DataSet) -> None:
    with pytest.raises(DataError, match="no test clips of 'yes'"):
        next(make_streams(tones, ["yes"], Split.TEST, FEW))
    with pytest.raises(DataError, match="add some folders"):
        next(make_streams(tones, ["low", "high", "up", "down"], Split.TEST, FEW))
    for wrong in ({"minutes": 0}, {"words_a_minute": 25}, {"snr_db": (9, 3)}):
        with pytest.raises(KwsError, match="must be between"):
            StreamSettings(**wrong)


def test_voice_is_found_in_quiet_and_in_noise() -> None:
    rng = np.random.default_rng(0)
    for noise, slack in ((5, 320), (300, 1600)):
        pcm = rng.normal(0, noise, 16000)
        pcm[4000:9000] += 6000 * np.sin(np.arange(5000) / 3) * np.hanning(5000) ** 0.5
        first, end = speech_span(pcm.astype(np.int16))
        assert first == pytest.approx(4000, abs=slack)
        assert end == pytest.approx(9000, abs=slack)
    for nothing in (np.zeros(16000, np.int16), np.zeros(100, np.int16)):
        first, end = speech_span(nothing)
        assert 0 <= first < end <= len(nothing)


def test_audacitys_labels_are_read(tmp_path: Path) -> None:
    write_clip(tmp_path / "r.wav", np.zeros(10 * 16000, np.int16))
    labels = tmp_path / "labels.txt"
    labels.write_text("3.5\t4.25\tno\n\\\t100.0\t4000.0\n\n1.0\t1.5\tyes \n")
    stream = read_stream(tmp_path / "r.wav", labels)
    assert [(w.label, w.start_ms, w.end_ms) for w in stream.words] == [
        ("yes", 1000, 1500),
        ("no", 3500, 4250),
    ]


@pytest.mark.parametrize("line", ["1.0 1.5 yes", "1.0\t1.5", "2\t1\tyes", "1\t12\tyes", "1\t2\t"])
def test_wrong_label_line_is_named(tmp_path: Path, line: str) -> None:
    write_clip(tmp_path / "r.wav", np.zeros(10 * 16000, np.int16))
    (tmp_path / "labels.txt").write_text(f"0.5\t1.0\tyes\n{line}\n")
    with pytest.raises(DataError, match=r"labels.txt: line 2"):
        read_stream(tmp_path / "r.wav", tmp_path / "labels.txt")
    with pytest.raises(DataError, match="no such file"):
        read_stream(tmp_path / "r.wav", tmp_path / "none.txt")
