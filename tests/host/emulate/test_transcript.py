# SPDX-License-Identifier: Apache-2.0
"""`kws run`: times from the first sample, reports, and explanations if there are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.background_noises import quiet_room
from kws.audio.pcm import speech_span
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device, with_commands
from kws.bundle.reading import load_bundle
from kws.host.emulate import host_device
from kws.host.emulate.recordings import default_matrix
from kws.host.emulate.transcript import transcribe
from kws.model.evaluate.judge.stream_metrics import measure_traces
from kws.model.evaluate.score.streams import read_stream
from kws.model.evaluate.score.traces import trace_streams
from tests.command_line import Run

YES, NO, FAN = (default_matrix() / f"{name}.flac" for name in ("yes_rob", "no_awb", "fan"))


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A `yes` that starts at the first sample, and a `no` that ends at the last."""
    yes, no = load_clip(YES), load_clip(NO)
    start, end = speech_span(yes)[0], speech_span(no)[1]
    path = tmp_path / "words.wav"
    write_clip(path, np.concatenate([yes[start:], quiet_room(32000), no[:end]]))
    return path


def test_time_zero_is_the_first_sample(words: Path, bundle: Bundle) -> None:
    pcm = load_clip(words)
    by_hand = Device(bundle).pipeline()
    text = by_hand.boot + by_hand.feed(pcm)
    transcript = transcribe(Device(bundle), words)
    assert transcript.serial.text.startswith(text.decode()), (
        "nothing is played before the recording"
    )
    yes, no = transcript.serial.heard
    assert (yes.label, no.label) == ("yes", "no")
    assert 200 < yes.time_ms < 1100
    assert abs(no.time_ms - len(pcm) / 16) < 600, "a word at the very end is reported soon after it"


def test_a_word_at_the_very_start_is_detected_like_a_later_one(bundle: Bundle) -> None:
    for path in sorted(default_matrix().glob("*.flac")):
        word = path.stem.partition("_")[0]
        if word not in bundle.keywords:
            continue
        clip = load_clip(path)
        clip = clip[speech_span(clip)[0] :]
        (first,) = host_device.play(
            Device(bundle), host_device.with_room(Device(bundle), clip)
        ).heard
        late = np.concatenate([quiet_room(32000), clip])
        (later,) = host_device.play(
            Device(bundle), host_device.with_room(Device(bundle), late)
        ).heard
        assert first.label == later.label == word
        apart = abs(first.time_ms + 2000 - later.time_ms)
        assert apart <= bundle.every_ms, "one inference earlier or later"


def test_json_has_all_reports(kws: Run, words: Path, bundle: Bundle) -> None:
    code, out, err = kws("run", words, FAN, "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["models"] == [{"name": bundle.name, "sha256": bundle.sha256}]
    first, fan = said["files"]
    pcm = load_clip(words)
    assert (first["file"], first["rate"], first["channels"]) == (str(words), 16000, 1)
    assert first["duration"] == pytest.approx(len(pcm) / 16000, abs=0.001)
    samples = pcm / 32768
    assert first["peak_db"] == pytest.approx(20 * np.log10(np.abs(samples).max()), abs=0.06)
    assert first["rms_db"] == pytest.approx(10 * np.log10(np.mean(samples**2)), abs=0.06)
    heard = host_device.play(Device(bundle), host_device.with_room(Device(bundle), pcm)).heard
    assert first["heard"] == [
        {"label": h.label, "score": h.score, "time": h.time_ms / 1000} for h in heard
    ]
    assert fan["heard"] == []
    assert {"expected", "passed", "rows"}.isdisjoint({*said, *first})


def test_the_best_score_matches_the_recognizer(kws: Run, bundle: Bundle) -> None:
    """The highest mean compared with the threshold, and the time of that mean."""
    bundle = bundle.without_second_look()
    sound = host_device.with_room(Device(bundle), load_clip(NO))
    pipeline = Device(bundle).pipeline()
    best: dict[str, tuple[int, int]] = {}
    for at in range(0, len(sound) // 320 * 320, 320):
        before = pipeline.inferences
        pipeline.feed(sound[at : at + 320])
        if pipeline.inferences == before or pipeline.inferences < 2:
            continue
        for label, mean in zip(bundle.labels, pipeline.means, strict=True):
            if mean > best.get(label, (0, 0))[0]:
                best[label] = mean, (at + 320) // 16
    facts = json.loads(kws("run", NO, "--no-verify", "--json")[1])["files"][0]["keywords"]
    assert {f["label"]: f["threshold"] for f in facts} == bundle.rules.thresholds
    for fact in facts:
        assert (fact["best_score"], round(1000 * fact["time"])) == best[fact["label"]]


def test_a_wake_word_keeps_its_score_while_commands_are_active(bundle: Bundle) -> None:
    pair = with_commands(bundle, load_bundle(default_bundle_path().with_name("ten_words")))
    transcript = transcribe(pair, YES)
    (heard,) = transcript.serial.heard
    peaks = {(peak.model, peak.label): peak for peak in transcript.peaks}
    assert len(peaks) == 12
    wake = peaks["yes_no", "yes"]
    threshold = bundle.rules.thresholds["yes"]
    assert (wake.score, wake.time_ms, wake.threshold) == (heard.score, heard.time_ms, threshold)
    assert peaks["ten_words", "yes"].score < 220


def test_a_quiet_recording_is_explained(kws: Run, bundle: Bundle, tmp_path: Path) -> None:
    faint = load_clip(YES) // 300
    soundfile.write(tmp_path / "faint.wav", np.stack([faint, faint], axis=1), 16000)
    code, out, err = kws("run", tmp_path / "faint.wav")
    assert code == 0
    assert out.count("\n") == 1, "only the boot line"
    assert err.count("\n") == 1
    assert bundle.second_look
    needed = f"its threshold is {bundle.second_look.settings.proposal};"
    for part in ("nothing detected; nearest is ", needed, "very quiet", "2 channels"):
        assert part in err
    code, out, err = kws("run", tmp_path / "faint.wav", "--explain")
    assert (code, err) == (0, "")
    for part in ("16000 Hz", "not clipped", "RMS -", " too low"):
        assert part in out


def test_clipping_and_reports_are_explained(kws: Run, tmp_path: Path) -> None:
    loud = np.clip(load_clip(YES).astype(int) * 8, -32768, 32767).astype(np.int16)
    write_clip(tmp_path / "loud.wav", loud)
    out = kws("run", tmp_path / "loud.wav", "--explain")[1]
    assert f"{np.count_nonzero(np.abs(loud.astype(int)) >= 32767)} samples clipped" in out
    yes, no = out.splitlines()[-2:]
    assert yes.split()[0] == "yes"
    assert yes.endswith("heard")
    assert no.endswith("too low")


def test_digital_silence_is_named(kws: Run, tmp_path: Path) -> None:
    write_clip(tmp_path / "zeros.wav", np.zeros(16000, np.int16))
    code, _, err = kws("run", tmp_path / "zeros.wav")
    assert code == 0
    assert "digital silence" in err
    facts = json.loads(kws("run", tmp_path / "zeros.wav", "--json")[1])["files"][0]
    assert facts["peak_db"] is facts["rms_db"] is None


def test_kws_evaluate_reads_the_label_track(
    kws: Run, words: Path, bundle: Bundle, tmp_path: Path
) -> None:
    code, out, _ = kws("run", words, "--labels", tmp_path / "track.txt")
    assert code == 0
    assert out.count("Heard") == 2
    stream = read_stream(words, tmp_path / "track.txt")
    assert [word.label for word in stream.words] == ["yes", "no"]
    assert stream.words[0].start_ms == 0
    assert stream.words[1].end_ms == pytest.approx(len(stream.pcm) / 16, abs=1), "not beyond it"
    metrics = measure_traces(bundle.rules, list(trace_streams(bundle, [stream])))
    assert (metrics.total_hits, len(metrics.false_alarms)) == (2, 0)


def test_subtitles_have_clocks_and_numbers(kws: Run, words: Path, tmp_path: Path) -> None:
    kws("run", words, "--srt", tmp_path / "words.srt")
    first, second = (tmp_path / "words.srt").read_text().rstrip().split("\n\n")
    number, clock, text = first.splitlines()
    assert number == "1"
    assert clock.startswith("00:00:00,000 --> 00:00:00,")
    assert text.startswith("yes (")
    assert second.splitlines()[2].startswith("no (")


@pytest.mark.parametrize("option", ["--labels", "--srt"])
def test_a_track_needs_one_recording_and_another_file(
    kws: Run, words: Path, tmp_path: Path, option: str
) -> None:
    code, out, err = kws("run", words, FAN, option, tmp_path / "out")
    assert (code, out) == (2, "")
    assert f"{option} is for one recording" in err
    before = words.read_bytes()
    code, _, err = kws("run", words, option, words)
    assert code == 2
    assert "this is the recording" in err
    assert words.read_bytes() == before
