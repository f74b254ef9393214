# SPDX-License-Identifier: Apache-2.0
"""What `kws listen` does with words: commands run, missed words are kept."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import numpy as np
import pytest

from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.errors import KwsError, UsageError
from kws.host.emulate import host_device
from kws.host.emulate.padding import between_silence
from kws.host.live.actions import Commands, Misses
from kws.host.serial.lines import Heard
from tests.command_line import Run
from tests.host.live.listening import YES, Listening, wait_for


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
    assert mark.read_text() == f"yes{out.split('@')[1].split('ms')[0]}$HOME", (
        "no shell looked at it"
    )
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("shell", [False, True])
def test_a_shell_only_if_asked(tmp_path: Path, shell: bool) -> None:
    out = tmp_path / "out"
    rules = [f"yes=echo $KWS_SCORE > {out}"]
    commands = Commands(rules, ["silence", "unknown", "yes"], shell=shell)
    assert not commands.run(Heard("yes", 201, 1000))
    wait_for(lambda: not commands.running)
    assert commands.ended() == []
    assert (out.read_text() if shell else out.exists()) == ("201\n" if shell else False)


def test_a_command_that_fails_is_reported_and_many_do_not_pile_up(tmp_path: Path) -> None:
    labels = ["silence", "unknown", "yes", "no"]
    busy = tmp_path / "busy"
    busy.touch()
    wait = f"no=sh -c 'while test -e {busy}; do sleep 0.1; done'"
    commands = Commands(["yes=false", wait], labels, shell=False)
    assert not commands.run(Heard("yes", 201, 1000))
    wait_for(lambda: not commands.running)
    assert commands.ended() == ["yes: its command ended with exit code 1"]
    notices = [line for _ in range(9) for line in commands.run(Heard("no", 201, 1000))]
    assert notices == ["no: 8 commands still run; this one was left out"]
    busy.unlink()
    wait_for(lambda: not commands.running)


def test_silence_runs_no_command() -> None:
    with pytest.raises(UsageError, match="no word 'silence'"):
        Commands(["silence=true"], ["silence", "unknown", "yes"], shell=False)


def test_a_key_keeps_what_was_said(tmp_path: Path, long_recording: Path, bundle: Bundle) -> None:
    misses = tmp_path / "misses"
    with Listening("--input", long_recording, "--record-misses", misses) as program:
        program.until("Heard yes")
        program.type(b"m")
        line, _ = program.until(".wav", "stderr")
    (path,) = misses.iterdir()
    assert str(path) in line
    pcm = load_clip(path)
    assert len(pcm) == 16000
    heard = host_device.play(bundle, between_silence(pcm)).heard
    assert [h.label for h in heard] == ["yes"], "the word is whole in the clip"
    from kws.audio.dataset import speaker_of

    assert speaker_of(path.stem, "yes") == path.stem.split("_")[0], "one day, one speaker"


def test_a_full_disk_does_not_end_listening(full_disk: Path) -> None:
    misses = Misses(full_disk / "misses")
    with contextlib.suppress(OSError):
        (full_disk / "filler").write_bytes(bytes(1 << 20))
    with pytest.raises(KwsError, match="cannot be written"):
        misses.keep(np.ones(3 * 16000, np.int16))
