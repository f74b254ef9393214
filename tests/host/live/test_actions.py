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
from kws.audio.sound_cards import read_cards
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.writing import write_bundle
from kws.errors import KwsError, UsageError
from kws.host.emulate import host_device
from kws.host.live import actions
from kws.host.live.actions import Cards, Commands, Misses, WakeUps
from kws.host.live.listener import NearMiss
from kws.host.serial.lines import Heard, parse_line
from tests.command_line import Run
from tests.host.live.listening import NO, YES, Listening, wait_for
from tests.host.rooms import between_silence

NEARLY = YES.with_name("yes_annie.flac")


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


def test_heard_and_nearly_heard_words_are_kept_to_be_sorted(
    kws: Run, tmp_path: Path, bundle: Bundle
) -> None:
    """The score of the first *yes* is 245, of the second one 255."""
    parts = [
        quiet_room(24_000),
        load_clip(NEARLY),
        quiet_room(40_000, 1),
        load_clip(YES),
    ]
    pcm = np.concatenate([*parts, quiet_room(8_000)])
    soundfile.write(tmp_path / "two.wav", pcm, 16000)
    strict = write_bundle(bundle.with_thresholds((255, 255, 250, 250)), tmp_path / "strict")
    folder = tmp_path / "cards"
    arguments = ("--model", strict.path, "--input", tmp_path / "two.wav", "--fast")
    _, out, err = kws("listen", *arguments, "--cards", folder)
    near, heard = reversed(read_cards(folder))
    assert (near.kind, near.label, near.score) == ("near", "yes", 245)
    assert (heard.kind, heard.label) == ("heard", "yes")
    assert err.count("a word that was nearly heard") == 1
    assert err.count("a word that was heard") == 1
    whole = host_device.with_room(Device(strict), pcm)
    (line,) = [parse_line(line) for line in out.splitlines()[1:]]
    assert isinstance(line, Heard)
    end = (line.time_ms + 500) * 16
    np.testing.assert_array_equal(load_clip(heard.path), whole[end - 48_000 : end])
    kept = load_clip(near.path)
    loudest = int(np.argmax(np.abs(kept))) // 320 * 320
    hops = whole[: len(whole) // 320 * 320].reshape(-1, 320)
    (place,) = np.flatnonzero((hops == kept[loudest : loudest + 320]).all(axis=1))
    sound = whole[: 320 * int(place) + len(kept) - loudest][-48_000:]
    np.testing.assert_array_equal(kept[-len(sound) :], sound)
    again = host_device.play(Device(bundle), between_silence(kept)).heard
    assert [it.label for it in again] == ["yes"], "it contains the whole word"


def test_near_misses_and_cards_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MOST", 3)
    kept = Cards(tmp_path / "cards")
    sound = np.ones(48_000, np.int16)
    notices = []
    for second in range(100):
        kept.add_near(NearMiss("yes", 100 + second, 220, 1000 * second))
        notices += kept.write_due(1000 * second + 1500, lambda _: sound, all_due=False)
    assert len(notices) == 4, "one in half a minute"
    assert "wait to be sorted" in notices[-1]
    for path in (tmp_path / "cards").iterdir():
        path.unlink()
    kept.add(Heard("yes", 201, 1000), 100_000)
    kept.add(Heard("unknown", 201, 1000), 100_000)
    assert kept.write_due(100_499, lambda _: sound, all_due=False) == []
    (line,) = kept.write_due(100_500, lambda _: sound, all_due=False)
    assert "a word that was heard" in line


def test_a_full_disk_keeps_no_cards_and_says_so(full_disk: Path) -> None:
    kept = Cards(full_disk / "cards")
    with contextlib.suppress(OSError):
        (full_disk / "filler").write_bytes(bytes(1 << 20))
    kept.add(Heard("yes", 201, 1000), 1000)
    (line,) = kept.write_due(2000, lambda _: np.ones(48_000, np.int16), all_due=False)
    assert "cannot be written" in line


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
        assert home.write_due(at_ms + 480, lambda _: pcm, all_due=False) == [], "too early"
        return home.write_due(at_ms + 500, lambda _: pcm, all_due=False)

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
    assert home.write_due(9000, lambda _: np.ones(48000, np.int16), all_due=True) == []


def test_recordings_are_kept_again_after_a_full_disk(full_disk: Path) -> None:
    home = WakeUps(full_disk / "home", 9, "microphone")
    pcm = np.ones(48000, np.int16)
    filler = full_disk / "filler"
    with contextlib.suppress(OSError):
        filler.write_bytes(bytes(1 << 20))
    home.add(Heard("yes", 201, 3000), 3000)
    (line,) = home.write_due(3500, lambda _: pcm, all_due=False)
    assert "cannot be written" in line
    filler.unlink()
    home.add(Heard("yes", 201, 6000), 6000)
    (line,) = home.write_due(6500, lambda _: pcm, all_due=False)
    assert ".wav: the sound of a detection" in line


def test_another_data_set_is_refused_before_listening(kws: Run, tmp_path: Path) -> None:
    (tmp_path / "manifest.csv").write_text("file,kind\n")
    code, out, err = kws("listen", "--input", YES, "--keep", tmp_path)
    assert (code, out) == (1, "")
    assert "another kind of data set" in err
