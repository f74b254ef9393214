# SPDX-License-Identifier: Apache-2.0
"""Expected labels of clips, and checks of a device's reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.errors import KwsError, UsageError
from kws.host.emulate import host_device
from kws.host.emulate.expectations import (
    Expectation,
    Recording,
    check_reports,
    clip_recording,
    clip_recordings,
    expected_label,
)
from kws.host.emulate.faults import hops_row
from kws.host.emulate.player import check, play_all
from kws.host.emulate.recordings import default_matrix, held_out, load_matrix
from kws.host.emulate.renode import until
from kws.host.serial.lines import parse
from kws.model.evaluate.judge.hits import Report
from tests.tones import make_tones

LABELS = ("silence", "unknown", "yes", "no")


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("data/yes/0a1b_nohash_0.wav", "yes"),
        ("data/cat/0a1b_nohash_0.wav", "unknown"),
        ("data/cat/no_nohash_0.wav", "unknown"),  # a speaker named no
        ("data/_background_noise_/pink.wav", "silence"),
        ("data/unknown/yes_1.wav", "unknown"),
        ("wav/yes_1000ms.wav", "yes"),
        ("wav/no.wav", "no"),
        ("wav/noise_1000ms.wav", "silence"),
        ("wav/silence_1000ms.wav", "silence"),
        ("wav/yesterday.wav", "unknown"),
        ("wav/clip.wav", "unknown"),
    ],
)
def test_expected_label_comes_from_folder_or_name(path: str, label: str) -> None:
    assert expected_label(Path(path), LABELS) == label


def report(label: str, time_ms: int = 2000) -> Report:
    return Report(label, 210, time_ms)


@pytest.mark.parametrize(
    ("expected", "reports", "ok"),
    [
        ("yes", [report("yes")], True),
        ("yes", [report("unknown", 1500), report("yes")], True),
        ("yes", [], False),
        ("yes", [report("no")], False),
        ("yes", [report("yes"), report("no", 2500)], False),
        ("yes", [report("yes"), report("yes", 2900)], True),
        ("unknown", [], True),
        ("unknown", [report("unknown")], True),
        ("unknown", [report("yes")], False),
        ("silence", [], True),
        ("silence", [report("unknown")], False),
        ("silence", [report("yes")], False),
    ],
)
def test_reports_of_a_clip_are_checked(expected: str, reports: list[Report], ok: bool) -> None:
    (row,) = check_reports([Expectation("clip", expected, 0, 3000)], reports, LABELS)
    assert row.ok == ok
    assert row.heard == tuple(reports)


def test_each_word_gets_the_reports_of_its_time() -> None:
    parts = [Expectation("a", "yes", 1000, 1500), Expectation("b", "no", 5000, 5500)]
    rows = check_reports(parts, [report("yes", 2900), report("no", 5100)], LABELS)
    assert [row.ok for row in rows] == [True, True]
    rows = check_reports(parts, [report("yes", 5100), report("no", 2900)], LABELS)
    assert [row.ok for row in rows] == [False, False]


def test_keyword_between_the_words_is_a_failed_row() -> None:
    parts = [Expectation("a", "yes", 1000, 1500)]
    rows = check_reports(
        parts, [report("yes", 2000), report("no", 4000), report("unknown", 8000)], LABELS
    )
    assert [(row.clip, row.ok) for row in rows] == [("a", True), ("between", False)]


@pytest.mark.parametrize(
    ("labels", "ok"),
    [
        (["no", "yes"], True),
        (["no", "unknown", "yes"], True),
        (["yes", "no"], False),
        (["no", "no", "yes"], False),
        (["no"], False),
    ],
)
def test_words_in_order_are_reported_once_each(labels: list[str], ok: bool) -> None:
    part = Expectation("both", "no, yes", 0, 4000, ("no", "yes"))
    reports = [report(label, 1000 * i) for i, label in enumerate(labels, 1)]
    (row,) = check_reports([part], reports, LABELS)
    assert row.ok == ok


def test_label_before_the_path_is_expected(tmp_path: Path) -> None:
    write_clip(tmp_path / "x.wav", np.zeros(100, np.int16))
    recording = clip_recording(f"no={tmp_path / 'x.wav'}", LABELS)
    assert recording.expected[0].label == "no"
    assert recording.expected[0].end_ms == len(recording.pcm) // 16
    with pytest.raises(UsageError, match="no label 'maybe'; it has silence, unknown, yes, no"):
        clip_recording(f"maybe={tmp_path / 'x.wav'}", LABELS)


def test_folder_means_all_its_recordings(tmp_path: Path) -> None:
    for name in ("b.wav", "a.wav"):
        write_clip(tmp_path / "yes" / name, np.zeros(100, np.int16))
    (tmp_path / "yes" / "notes.txt").write_text("no recording")
    names = [tmp_path / "yes" / name for name in ("a.wav", "b.wav")]
    for argument, label in ((f"{tmp_path}/yes", "yes"), (f"unknown={tmp_path}/yes", "unknown")):
        parts = [recording.expected[0] for recording in clip_recordings([argument], LABELS)]
        assert [(part.name, part.label) for part in parts] == [(str(n), label) for n in names]
    with pytest.raises(UsageError, match="no recordings in this folder"):
        clip_recordings([str(tmp_path)], LABELS)


MATRIX = """
[[recording]]
name = "yes"
file = "yes.wav"
expect = "yes"

[[recording]]
name = "quiet"
seconds = 2
lead = 1.5
expect = "silence"

[[scene]]
name = "street"
seconds = 12
background = "noise.wav"
level = 0.5
[[scene.word]]
at = 6.5
file = "no.wav"
expect = "no"
[[scene.word]]
at = 1.5
file = "other.wav"
expect = "down"
"""


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for name, level in (("yes", 9000), ("no", 8000), ("other", 7000), ("noise", 600)):
        write_clip(tmp_path / f"{name}.wav", rng.integers(-level, level, 16000).astype(np.int16))
    (tmp_path / "matrix.toml").write_text(MATRIX)
    return tmp_path


def test_matrix_is_read(matrix: Path) -> None:
    yes, quiet, street = load_matrix(matrix, LABELS)
    assert (len(yes.pcm), yes.lead_ms, quiet.lead_ms) == (16000, 0, 1500)
    assert len(quiet.pcm) == 32000
    assert quiet.expected == (Expectation("quiet", "silence", 0, 2000),)
    assert len(street.pcm) == 12 * 16000
    assert street.expected == (
        Expectation("street @1500ms", "unknown", 1500, 2500),
        Expectation("street @6500ms", "no", 6500, 7500),
    )
    loud = np.abs(street.pcm.astype(int))
    assert loud[24000:40000].max() > 6900
    assert 100 < loud[48000:90000].max() <= 304, "the background at half its level"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('file = "yes.wav"', 'file = "lost.wav"', "lost.wav"),
        ('file = "yes.wav"', "", "specify either a file or seconds"),
        ("at = 6.5", "at = 3.0", "comes too soon"),
        ("at = 6.5", "at = 11.5", "not within the scene"),
        ("at = 6.5", 'at = "6.5"', "at is missing or not a number"),
        ("lead = 1.5", "lead = -1", "lead is -1 s; it must be 0 to 60 s"),
        ('name = "quiet"', 'nmae = "quiet"', "unknown key 'nmae'"),
        ("[[recording]]", "[[recording", "matrix.toml"),
    ],
)
def test_wrong_matrix_gives_a_one_line_error(
    matrix: Path, old: str, new: str, message: str
) -> None:
    file = matrix / "matrix.toml"
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(KwsError) as caught:
        load_matrix(matrix, LABELS)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_matrix_needs_every_keyword(matrix: Path) -> None:
    with pytest.raises(KwsError, match="has no clip of up"):
        load_matrix(matrix, (*LABELS, "up"))


def test_held_out_clips_are_of_the_test_split(tmp_path: Path) -> None:
    data = make_tones(tmp_path)
    recordings = held_out(data, ("silence", "unknown", "low", "high"), 3)
    labels = [part.label for recording in recordings for part in recording.expected]
    assert sorted(labels) == ["high"] * 3 + ["low"] * 3 + ["unknown"] * 3
    listed = (data / "testing_list.txt").read_text().split()
    for recording in recordings:
        name = recording.expected[0].name
        assert str(Path(name).relative_to(data)) in listed


BOOT = "kws 0.1.0 on nano33ble, model yes_no 1a2b3c4d, arena 5824 of 5824 bytes\n"


@pytest.mark.parametrize("heard", ["Heard yes (158) @1960ms", "Heard yes (159) @1980ms"])
def test_a_board_that_differs_from_the_host_fails(heard: str) -> None:
    pcm = np.zeros(48000, np.int16)
    recording = Recording(pcm, (Expectation("yes", "yes", 1000, 2000),))
    host = parse(f"{BOOT}Heard yes (159) @1960ms\n".encode())
    assert check(recording, host, host, LABELS).rows[0].ok
    result = check(recording, parse(f"{BOOT}{heard}\n".encode()), host, LABELS)
    assert not result.rows[0].ok
    assert result.host == host.heard


@pytest.mark.parametrize("more", [BOOT, "Heard ye" + BOOT, "gain 6\0 dB\n"])
def test_a_board_that_restarts_or_writes_other_bytes_fails(more: str) -> None:
    recording = Recording(np.zeros(48000, np.int16), (Expectation("yes", "yes", 1000, 2000),))
    host = parse(f"{BOOT}Heard yes (159) @1960ms\n".encode())
    result = check(recording, parse((host.text + more).encode()), host, LABELS)
    assert result.serial.events == host.events
    assert not result.rows[0].ok
    assert len(result.serial.flaws) == 1


def test_a_lead_is_played_but_not_counted_in_times(yes_no: Bundle) -> None:
    clip = load_clip(default_matrix() / "yes_slt.flac")
    recording = Recording(clip, (Expectation("yes", "yes", 0, 1000),))
    late = recording.after(0.5).after(1.0)
    sound = late.sound(Device(yes_no))
    assert len(sound) == 24000 + len(recording.sound(Device(yes_no))) == 24000 + len(clip) + 16000
    np.testing.assert_array_equal(sound[24000:], recording.sound(Device(yes_no)))
    (row,) = play_all("host", Device(yes_no), [late])[0].rows
    (heard,) = host_device.play(Device(yes_no), sound).heard
    assert row.ok
    assert [report.time_ms for report in row.heard] == [heard.time_ms - 1500]
    assert 0 < heard.time_ms - 1500 < 2000


@pytest.mark.parametrize(("hops", "ok"), [(447, True), (448, True), (446, True), (440, False)])
def test_hops_must_keep_real_time(hops: int, ok: bool) -> None:
    rest = (
        "hops, 0 samples lost, 83.2 % idle, 10752 k cycles per second, 0 of 9 inferences skipped, "
        "arena 5824 bytes, stack 1412 of 8192 bytes\n"
    )
    row = hops_row(parse(f"{BOOT}stats: 47 {rest}stats: {hops} {rest}".encode()))
    assert (row.said, row.ok) == (str(hops - 47), ok)
    assert not hops_row(parse(BOOT.encode())).ok


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (b"Heard no (255) @1360ms\n", b""),
        (b"Heard no (25", b""),
        (b"He", b""),
        (b"Waiting for the", b""),
        (b"error: lost", b"error: lost"),
        (b"\xff\x00", b"\xff\x00"),
        (b"", b""),
    ],
)
def test_what_comes_after_the_recording_is_dropped_even_if_cut_short(
    end: bytes, kept: bytes
) -> None:
    within = b"kws 0.1.0 on nano33ble\r\nHeard yes (201) @1000ms\r\n"
    assert until(within + end, 1000) == within + kept
