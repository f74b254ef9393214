# SPDX-License-Identifier: Apache-2.0
"""Actions of `kws listen`: commands are run, and sound is kept for training."""

from __future__ import annotations

import contextlib
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.background_noises import quiet_room
from kws.audio.dataset import Split
from kws.audio.long_recordings import open_recordings
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.errors import KwsError, UsageError
from kws.host.emulate import host_device
from kws.host.live.actions import Commands, Misses, WakeUps
from kws.host.serial.lines import Heard, parse_line
from tests.command_line import Run
from tests.host.live.listening import NO, YES, Listening, wait_for
from tests.host.rooms import between_silence


def test_a_command_runs_when_its_word_is_heard(tmp_path: Path, kws: Run) -> None:
    mark = tmp_path / "a b"
    names = "os.environ['KWS_WORD'] + os.environ['KWS_TIME_MS'] + '$HOME'"
    script = f"import os; open({str(mark)!r}, 'a').write({names})"
    rule = f'yes={sys.executable} -c "{script}"'
    code, out, _err = kws(
        "listen", "--input", YES, "--on", rule, "--on", f"no=touch {tmp_path / 'no'}"
    )
    assert code == 0
    wait_for(lambda: mark.exists() and mark.stat().st_size > 0)
    assert mark.read_text() == f"yes{out.split('@')[1].split('ms')[0]}$HOME", "no shell expanded it"
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("shell", [False, True])
def test_a_shell_is_used_only_if_requested(tmp_path: Path, shell: bool) -> None:
    out = tmp_path / "out"
    rules = [f"yes=echo $KWS_SCORE > {out}"]
    commands = Commands(rules, ["silence", "unknown", "yes"], shell=shell)
    assert not commands.run(Heard("yes", 201, 1000))
    wait_for(lambda: not commands.running)
    assert commands.ended() == []
    assert (out.read_text() if shell else out.exists()) == ("201\n" if shell else False)


def test_failed_commands_are_reported_and_their_number_is_limited(tmp_path: Path) -> None:
    labels = ["silence", "unknown", "yes", "no"]
    busy = tmp_path / "busy"
    busy.touch()
    wait = f"no=sh -c 'while test -e {busy}; do sleep 0.1; done'"
    commands = Commands(["yes=false", wait], labels, shell=False)
    assert not commands.run(Heard("yes", 201, 1000))
    wait_for(lambda: not commands.running)
    assert commands.ended() == ["yes: its command ended with exit code 1"]
    notices = [line for _ in range(9) for line in commands.run(Heard("no", 201, 1000))]
    assert notices == ["no: 8 commands still run; this one was skipped"]
    busy.unlink()
    wait_for(lambda: not commands.running)


def test_silence_runs_no_command() -> None:
    with pytest.raises(UsageError, match="no word 'silence'"):
        Commands(["silence=true"], ["silence", "unknown", "yes"], shell=False)


def test_a_word_in_decomposed_letters_equals_the_models() -> None:
    apart = unicodedata.normalize("NFD", "größer")
    Commands([f"{apart}=true"], ["silence", "unknown", "größer"], shell=False)


def test_a_key_saves_the_last_word(tmp_path: Path, long_recording: Path, bundle: Bundle) -> None:
    misses = tmp_path / "misses"
    with Listening("--input", long_recording, "--record-misses", misses) as program:
        program.until("Heard yes")
        program.type(b"m")
        line, _ = program.until(".wav", "stderr")
    (path,) = misses.iterdir()
    assert str(path) in line
    pcm = load_clip(path)
    assert len(pcm) == 16000
    heard = host_device.play(Device(bundle), between_silence(pcm)).heard
    assert [h.label for h in heard] == ["yes"], "the clip contains the whole word"
    from kws.audio.layout.speaker_names import named_speaker

    assert named_speaker(path.stem, "yes") == path.stem.split("_")[0], "one day, one speaker"


def test_saved_clips_are_as_long_as_the_model_needs(
    tmp_path: Path, long_bundle: Path, bursts: Path
) -> None:
    misses, home = tmp_path / "misses", tmp_path / "home"
    arguments = ("--model", long_bundle, "--record-misses", misses, "--keep", home)
    with Listening("--input", bursts, *arguments) as program:
        program.until("Heard ")
        program.type(b"m")
        line, _ = program.until("the loudest of", "stderr")
        assert line.endswith("the loudest of the last 3.7 seconds")
        program.until("the sound of a detection", "stderr")
    assert [len(load_clip(path)) for path in misses.iterdir()] == [27200]
    assert {len(load_clip(path)) for path in (home / "mined").iterdir()} == {3700 * 16}


def test_a_full_disk_does_not_end_listening(full_disk: Path) -> None:
    misses = Misses(full_disk / "misses", 16000)
    with contextlib.suppress(OSError):
        (full_disk / "filler").write_bytes(bytes(1 << 20))
    with pytest.raises(KwsError, match="cannot be written"):
        misses.keep(np.ones(3 * 16000, np.int16))


def test_false_alarms_are_kept_for_training(kws: Run, tmp_path: Path, bundle: Bundle) -> None:
    pcm = np.concatenate(
        [load_clip(YES), quiet_room(5 * 16000), load_clip(NO), quiet_room(16000 // 10)]
    )
    soundfile.write(tmp_path / "two.wav", pcm, 16000)
    home = tmp_path / "home"
    _, out, err = kws("listen", "--input", tmp_path / "two.wav", "--fast", "--keep", home)
    assert err.count("the sound of a detection") == 2
    paths = sorted((home / "mined").iterdir())
    assert [path.stem.split("_")[2] for path in paths] == ["yes", "no"]
    recordings = open_recordings([home], Split.TRAIN, "speech")
    assert [r.path for r in recordings] == paths
    assert {r.source for r in recordings} == {"mined"}, "training treats them as mined"
    assert {r.part for r in recordings} == {(0.0, 1.0)}
    whole = host_device.with_room(Device(bundle), pcm)
    for path, line in zip(paths, out.splitlines()[1:], strict=True):
        kept = load_clip(path)
        said = parse_line(line)
        assert isinstance(said, Heard)
        end = (said.time_ms + 500) * 16
        start = end - 48000
        np.testing.assert_array_equal(kept[max(0, -start) :], whole[max(0, start) : end])
        heard = host_device.play(Device(bundle), between_silence(kept)).heard
        assert path.stem.split("_")[2] in [h.label for h in heard], "it contains the whole word"


def test_a_false_alarm_at_the_very_end_is_kept(tmp_path: Path, long_recording: Path) -> None:
    home = tmp_path / "home"
    with Listening("--input", long_recording, "--keep", home) as program:
        program.until("Heard yes")
        program.type(b"q")
        program.process.wait(60)
    assert [path.stem.split("_")[2] for path in (home / "mined").iterdir()] == ["yes"]


def test_a_full_folder_is_reported_once_and_used_again_when_it_has_room(tmp_path: Path) -> None:
    home = WakeUps(tmp_path, 1, "microphone")
    pcm = np.ones(48000, np.int16)

    def wake(at_ms: int) -> list[str]:
        home.add(Heard("yes", 201, at_ms), at_ms)
        assert home.write_due(at_ms + 480, lambda: pcm, all_due=False) == [], "too early"
        return home.write_due(at_ms + 500, lambda: pcm, all_due=False)

    (first,) = wake(3000)
    assert ".wav" in first
    (notice,) = wake(5000)
    assert "holds 1 recordings; delete some or raise --keep-most" in notice
    assert wake(7000) == []
    (kept,) = (tmp_path / "mined").iterdir()
    kept.unlink()
    assert ".wav" in wake(9000)[0]
    assert "holds 1" in wake(11_000)[0]


def test_unknown_is_not_kept(tmp_path: Path) -> None:
    home = WakeUps(tmp_path, 9, "microphone")
    home.add(Heard("unknown", 255, 3000), 3000)
    assert home.write_due(9000, lambda: np.ones(48000, np.int16), all_due=True) == []


def test_recordings_are_kept_again_after_a_full_disk(full_disk: Path) -> None:
    home = WakeUps(full_disk / "home", 9, "microphone")
    pcm = np.ones(48000, np.int16)
    filler = full_disk / "filler"
    with contextlib.suppress(OSError):
        filler.write_bytes(bytes(1 << 20))
    home.add(Heard("yes", 201, 3000), 3000)
    (line,) = home.write_due(3500, lambda: pcm, all_due=False)
    assert "cannot be written" in line
    filler.unlink()
    home.add(Heard("yes", 201, 6000), 6000)
    (line,) = home.write_due(6500, lambda: pcm, all_due=False)
    assert ".wav: the sound of a detection" in line


def test_another_data_set_is_refused_before_listening(kws: Run, tmp_path: Path) -> None:
    (tmp_path / "manifest.csv").write_text("file,kind\n")
    code, out, err = kws("listen", "--input", YES, "--keep", tmp_path)
    assert (code, out) == (1, "")
    assert "another kind of data set" in err
