# SPDX-License-Identifier: Apache-2.0
"""The emulated board writes the host's lines, and reports faults instead of hanging."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.errors import BoardError, UsageError
from kws.host.build.firmware import build, build_sources
from kws.host.emulate import faults, host_device
from kws.host.emulate.faults import check_faults
from kws.host.emulate.player import HOST, play_all
from kws.host.emulate.qemu import Qemu
from kws.host.emulate.recordings import default_matrix, load_matrix
from tests.command_line import Run
from tests.host.rooms import between_silence

pytestmark = pytest.mark.usefixtures("board_tools")

UNKNOWN_COMMAND = (
    "error: unknown command; choose from gain threshold scores pcm reset stats level health"
)

YES, NO, OTHER, FAN = (
    default_matrix() / f"{name}.flac" for name in ("yes_slt", "no_awb", "left_slt", "fan")
)


def after_boot(text: str) -> str:
    return text.partition("\n")[2]


def test_yes_and_no_are_detected_and_nothing_in_noise_and_silence(
    yes_no: Bundle, tmp_path: Path, kws: Run
) -> None:
    write_clip(tmp_path / "silence.wav", quiet_room(16000))
    clips = [f"yes={YES}", f"no={NO}", f"silence={FAN}", f"silence={tmp_path / 'silence.wav'}"]
    code, out, _ = kws("test", "--board", "qemu", "--model", yes_no.path, *clips, "--json")
    result = json.loads(out)
    assert code == 0
    assert result["passed"]
    assert [row["expected"] for row in result["rows"]] == ["yes", "no", "silence", "silence"]
    heard = [[h["label"] for h in row["heard"]] for row in result["rows"]]
    assert heard == [["yes"], ["no"], [], []]


def test_firmware_takes_commands_on_its_serial_line(yes_no: Bundle) -> None:
    elf = build("qemu", Device(yes_no)).elf
    with Qemu() as emulator:
        typed = "threshold 150\nthreshold\r\ngain 3\nhelp\nstats\nlevel\n"
        serial = emulator.play(elf, quiet_room(10 * 16000), typed)
    answers = after_boot(serial.text).splitlines()
    assert answers[:4] == [
        "threshold 150",
        "threshold 150",
        "error: gain takes a whole number from 0 to 0 dB",
        UNKNOWN_COMMAND,
    ]
    match = re.fullmatch(
        r"stats: (\d+) hops, 0 samples lost, 0\.0 % idle, 25000 k cycles per second, "
        r"0 of \d+ inferences skipped, arena (\d+) bytes, stack (\d+) of 8192 bytes",
        answers[4],
    )
    assert match is not None, answers[4]
    assert serial.boot is not None
    assert int(match[2]) == serial.boot.arena_used
    assert 400 < int(match[3]) < 4096
    # In QEMU, typed lines arrive at the start, before the first second is complete.
    assert answers[5] == "level: peak 0, RMS 0, offset 0, 0.0 % clipped"


def test_host_and_emulator_write_the_same_lines(yes_no: Bundle) -> None:
    elf = build("qemu", Device(yes_no)).elf
    streams = [recording.pcm for recording in load_matrix(default_matrix(), yes_no.labels)]
    streams.append(np.concatenate(streams)[: 40 * 16000 + 123])  # not a whole number of hops
    with Qemu() as emulator, ThreadPoolExecutor(2) as pool:
        boards = list(pool.map(lambda pcm: emulator.play(elf, pcm), streams))
    lines = 0
    for pcm, board in zip(streams, boards, strict=True):
        host = host_device.play(Device(yes_no), pcm)
        assert after_boot(board.text) == after_boot(host.text)
        assert board.boot is not None
        assert host.boot is not None
        assert board.boot.board == "qemu"
        assert board.boot.arena_used == host.boot.arena_used == yes_no.arena_bytes
        assert board.boot.arena_size == yes_no.arena_bytes
        lines += len(board.heard)
    assert lines > 10, "too few lines to compare"


def test_a_kernel_variant_gives_the_same_lines() -> None:
    tiny = load_bundle(default_bundle_path().with_name("tiny"))
    assert "AddDepthwiseConv2DEightTaps" in (tiny.firmware / "op_resolver.h").read_text()
    pcm = np.concatenate([between_silence(load_clip(clip)) for clip in (YES, NO)])
    with Qemu() as emulator:
        board = emulator.play(build("qemu", Device(tiny)).elf, pcm)
    assert len(board.heard) == 2
    assert after_boot(board.text) == after_boot(host_device.play(Device(tiny), pcm).text)


def test_thresholds_per_label_apply_on_board_and_host(yes_no: Bundle, tmp_path: Path) -> None:
    settings = RecognizerSettings(thresholds={"yes": 255, "no": 120})
    bundle = write_bundle(replace(yes_no, recognizer=settings), tmp_path / "b")
    pcm = np.concatenate([between_silence(load_clip(clip)) for clip in (YES, NO)])
    with Qemu() as emulator:
        elf = build("qemu", Device(bundle)).elf
        board = emulator.play(elf, pcm)
        thresholds = emulator.play(elf, quiet_room(16000), "threshold yes 90\nthreshold\n")
    assert after_boot(board.text) == after_boot(host_device.play(Device(bundle), pcm).text)
    heard = {h.label for h in board.heard}
    assert "no" in heard
    assert "yes" not in heard
    assert after_boot(thresholds.text).splitlines() == [
        "threshold yes 90",
        "threshold silence 200, unknown 200, yes 90, no 120",
    ]


def test_unknown_competes_but_is_reported_only_if_configured(
    yes_no: Bundle, tmp_path: Path
) -> None:
    texts = {}
    pcm = np.concatenate([between_silence(load_clip(clip)) for clip in (YES, OTHER, NO)])
    for report_unknown in (False, True):
        settings = replace(yes_no.recognizer, report_unknown=report_unknown)
        bundle = write_bundle(
            replace(yes_no, recognizer=settings), tmp_path / f"b{int(report_unknown)}"
        )
        with Qemu() as emulator:
            text = after_boot(emulator.play(build("qemu", Device(bundle)).elf, pcm).text)
        assert text == after_boot(host_device.play(Device(bundle), pcm).text)
        texts[report_unknown] = text.splitlines()
    of_keywords = [line for line in texts[True] if "Heard unknown" not in line]
    assert texts[False] == of_keywords
    assert len(of_keywords) < len(texts[True]), "no unknown word was reported"
    assert of_keywords, "no keyword was reported"


def test_default_model_passes_its_matrix_on_host_and_board() -> None:
    bundle = load_bundle(default_bundle_path())
    recordings = load_matrix(default_matrix(), bundle.labels)
    host = play_all(HOST, Device(bundle), recordings)
    board = play_all("qemu", Device(bundle), recordings)
    for here, there in zip(host, board, strict=True):
        assert after_boot(here.serial.text) == after_boot(there.serial.text)
        assert here.rows == there.rows
        assert all(row.ok for row in there.rows), there.rows
        assert there.serial.boot is not None
        assert there.serial.boot.arena_used == Device(bundle).arena_bytes


def test_each_run_of_the_emulator_is_the_same(yes_no: Bundle) -> None:
    elf = build("qemu", Device(yes_no)).elf
    pcm = between_silence(load_clip(YES))
    with Qemu() as emulator:
        assert emulator.play(elf, pcm).text == emulator.play(elf, pcm).text


def test_without_samples_the_board_boots_and_ends(yes_no: Bundle) -> None:
    with Qemu() as emulator:
        serial = emulator.play(build("qemu", Device(yes_no)).elf, quiet_room(0))
    assert serial.boot is not None
    assert serial.heard == ()


# --- faults: the first sample selects how this firmware fails -------------------------------------

FAULTS = {
    "an op that is not registered": (1, "operator 23 (builtin code 25): op is not registered"),
    "a damaged model": (2, "model is damaged; convert it again"),
    "an address without memory": (3, "processor fault"),
    "a stack overflow": (4, "processor fault"),
}
# The first sample of the room before each clip of kws test.
HANG = int(quiet_room(1)[0])

BREAK = f"""
    switch (*reinterpret_cast<volatile short*>(0x21000004)) {{
      case 1:
        return;
      case 2:
        for (int i = 8; i < 18000; ++i) const_cast<volatile unsigned char*>(g_model)[i] = 0xff;
        break;
      case 3:
        *reinterpret_cast<volatile int*>(0x90000000) = 1;
        break;
      case 4:
        []() __attribute__((noinline)) {{
          volatile char big[9000];
          for (volatile char& c : big) c = 1;
        }}();
        break;
      case {HANG}:
        for (volatile int i = 0;; i = 1) {{
        }}
    }}
    AddSoftmax();
"""


def changed(bundle: Bundle, folder: Path, file: str, old: str, new: str) -> Path:
    """The ELF file of firmware with one change in a generated file."""
    shutil.copytree(bundle.firmware, folder / "firmware")
    path = folder / "firmware" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return build_sources("qemu", folder / "firmware").elf


@pytest.fixture(scope="module")
def faulty(yes_no: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faulty")
    return changed(yes_no, folder, "op_resolver.h", "AddSoftmax();", BREAK)


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_reported_and_ends_the_run(faulty: Path, name: str) -> None:
    sample, message = FAULTS[name]
    with Qemu() as emulator:
        serial = emulator.play(faulty, np.array([sample], np.int16))
    assert len(serial.faults) == 1
    assert message in serial.faults[0]


def test_hanging_firmware_is_stopped(faulty: Path) -> None:
    image = struct.pack("<Ih", 1, HANG)
    with Qemu() as emulator, pytest.raises(BoardError, match="did not end within 2 s"):
        emulator.run(faulty, image, timeout_s=2)


def test_too_small_arena_is_reported(yes_no: Bundle, tmp_path: Path) -> None:
    elf = changed(
        *(yes_no, tmp_path, "model_settings.h"),
        f"kArenaBytes = {yes_no.arena_bytes};",
        "kArenaBytes = 4000;",
    )
    with Qemu() as emulator:
        serial = emulator.play(elf, quiet_room(16000))
    assert serial.faults == ("tensor arena is too small; make it larger than 4000 bytes",)


def test_interrupt_ends_the_emulator(faulty: Path, yes_no: Bundle, tmp_path: Path) -> None:
    """Ctrl-C that reaches only kws also ends QEMU."""
    write_clip(tmp_path / "hangs.wav", quiet_room(16000))
    code = (
        "import sys; from pathlib import Path; "
        "from kws.host.emulate import player; "
        f"player.build = lambda *_, **__: type('F', (), {{'elf': Path({str(faulty)!r})}}); "
        f"sys.argv = ['kws', 'test', '--board', 'qemu', '--model', {str(yes_no.path)!r}, "
        f"{str(tmp_path / 'hangs.wav')!r}]; from kws.cli.main import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not emulators(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert emulators(process.pid)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert not emulators(process.pid)


def emulators(session: int) -> list[str]:
    """The QEMU processes of a session."""
    names = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        if name.startswith("qemu") and int(fields[3]) == session and fields[0] != "Z":
            names.append(stat.parent.name)
    return names


def test_file_that_is_not_firmware_gives_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "x.elf").write_bytes(b"\x7fELF nonsense")
    with Qemu() as emulator, pytest.raises(BoardError) as caught:
        emulator.run(tmp_path / "x.elf", b"", timeout_s=10)
    assert "\n" not in str(caught.value)


def test_clip_that_does_not_fit_is_refused(yes_no: Bundle, tmp_path: Path) -> None:
    with Qemu() as emulator, pytest.raises(UsageError, match="pieces of at most 522 s"):
        emulator.play(tmp_path / "any.elf", np.zeros(9_000_000, np.int16))


# --- the commands ---------------------------------------------------------------------------------


def test_miss_is_in_the_table_and_the_exit_code(yes_no: Bundle, kws: Run) -> None:
    for board in ("host", "qemu"):
        code, out, err = kws(
            "test", "--board", board, "--model", yes_no.path, f"yes={YES}", f"no={YES}"
        )
        assert (code, err) == (1, "")
        table = out.splitlines()
        assert table[1].split()[1:3] == ["yes", "yes"]
        assert int(table[1].split()[3]) > yes_no.recognizer.detection_threshold
        assert table[1].endswith("ok")
        assert table[2].endswith("MISS")
        assert table[3].startswith("1 of 2 right")
    code, _, _ = kws(
        *("test", "--board", "host", "--model", yes_no.path, f"yes={YES}", f"no={YES}"),
        *("--pass-rate", "0.5"),
    )
    assert code == 0


def test_a_board_unlike_this_machine_fails_at_any_pass_rate(
    yes_no: Bundle, kws: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("test", "--board", "qemu", "--model", yes_no.path, f"yes={YES}", "--pass-rate", "0")
    code, out, _ = kws(*command)
    assert code == 0
    assert out.endswith("on qemu, as on this machine\n")
    play = host_device.play
    monkeypatch.setattr(host_device, "play", lambda device, pcm: play(device, 0 * pcm))
    code, out, _ = kws(*command)
    assert code == 1
    assert "the host detects: " in out
    assert out.endswith("on qemu\n")


def test_run_prints_the_devices_lines(yes_no: Bundle, kws: Run) -> None:
    code, out, _ = kws("run", "--model", yes_no.path, YES)
    assert code == 0
    assert (
        out
        == host_device.play(
            Device(yes_no), host_device.with_room(Device(yes_no), load_clip(YES))
        ).text
    )
    assert "\nHeard yes (" in out
    code, out, _ = kws("run", "--model", yes_no.path, YES, YES)
    assert [line for line in out.splitlines() if line.startswith("#")] == [f"# {YES}"] * 2


def test_missing_clip_gives_a_one_line_error(yes_no: Bundle, tmp_path: Path, kws: Run) -> None:
    for command in (("run",), ("test", "--board", "qemu")):
        code, out, err = kws(*command, "--model", yes_no.path, tmp_path / "none.wav")
        assert (code, out) == (1, "")
        assert "none.wav" in err
        assert err.count("\n") == 1


@pytest.mark.usefixtures("no_tools")
def test_missing_emulator_gives_a_one_line_error(yes_no: Bundle, kws: Run) -> None:
    code, out, err = kws("test", "--board", "qemu", "--model", yes_no.path, f"yes={YES}")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "qemu-system-arm was not found on PATH" in err


def test_deliberate_faults_are_reported(yes_no: Bundle) -> None:
    rows = check_faults("qemu", Device(yes_no))
    assert [row.name for row in rows if not row.ok] == []
    assert len(rows) == 7
    said = {row.name: row.said for row in rows}
    assert said["a damaged model"] == "error: model is damaged; convert it again"
    assert said["an arena one byte too small"].endswith(f"{yes_no.arena_bytes - 1} bytes")


def test_board_that_does_not_report_a_fault_fails(
    yes_no: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "with_schema_version", lambda model, _: model)  # no fault
    rows = {row.name: row for row in check_faults("qemu", Device(yes_no))}
    row = rows["a model of schema version 4"]
    assert not row.ok
    assert row.said.startswith("kws ")  # it boots
