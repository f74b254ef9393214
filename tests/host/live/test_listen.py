# SPDX-License-Identifier: Apache-2.0
"""`kws listen`: a recording, and a real microphone path through a sound server."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import queue
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from rich.console import Console

from kws.audio.capture.blocks import Block, Notice
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle, default_bundle_path
from kws.bundle.reading import load_bundle
from kws.errors import KwsError, UsageError
from kws.features.frontend_settings import HOP
from kws.host.emulate import host_device
from kws.host.emulate.padding import Pcm, between_silence, silence
from kws.host.live.actions import Commands, Misses
from kws.host.live.listener import Hop, Listener, Said, file_blocks
from kws.host.live.terminal import Terminal
from kws.host.serial.lines import Heard
from tests.host.conftest import Run
from tests.sound_server import DEVICE, SoundServer

CLIPS = Path("kws/assets/matrix")
YES, NO = CLIPS / "yes_slt.flac", CLIPS / "no_awb.flac"
KWS = [sys.executable, "-c", "from kws.cli.main import main; main()"]


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return load_bundle(default_bundle_path())


class Listening:
    """`kws listen` in a process of its own; lines are read as they come."""

    def __init__(self, *arguments: object, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*KWS, "listen", *map(str, arguments)],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: dict[str, queue.Queue[tuple[str, float]]] = {}
        for name in ("stdout", "stderr"):
            self._lines[name] = queue.Queue()
            threading.Thread(target=self._read, args=(name,), daemon=True).start()

    def _read(self, name: str) -> None:
        for line in getattr(self.process, name):
            self._lines[name].put((line.decode().rstrip("\n"), time.monotonic()))

    def until(self, wanted: str, name: str = "stdout", seconds: float = 60) -> tuple[str, float]:
        """The next line with this text in it, and when it came."""
        seen: list[str] = []
        end = time.monotonic() + seconds
        while True:
            try:
                line, at = self._lines[name].get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"{wanted!r} did not come, but {seen}") from None
            if wanted in line:
                return line, at
            seen.append(line)

    def type(self, keys: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(keys)
        self.process.stdin.flush()

    def rest(self, name: str = "stdout") -> list[str]:
        """Lines that came and were not looked at."""
        return [self._lines[name].get()[0] for _ in range(self._lines[name].qsize())]

    def __enter__(self) -> Listening:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        finally:
            self.process.kill()


def say(server: SoundServer, program: Listening, clip: Path) -> tuple[str, float]:
    """Play a clip; gives the line that it makes, and when it came, in seconds after the start.

    Sound is real time: if this machine was busy and blocks were lost, the clip is said again.
    """
    for attempt in range(3):
        thread = threading.Thread(target=server.play, args=(between_silence(load_clip(clip)),))
        start = time.monotonic()
        thread.start()
        try:
            line, at = program.until("Heard", seconds=20)
            return line, at - start
        except AssertionError:
            if attempt == 2:
                raise
        finally:
            thread.join()
    raise AssertionError


@pytest.fixture
def listening(sound_server: SoundServer) -> Iterator[Listening]:
    """Listens to the server's microphone."""
    with Listening("--device", DEVICE, env=sound_server.environment) as program:
        program.until(f"listening to {DEVICE}", "stderr")
        time.sleep(1)  # the first second is heard before any word can be
        yield program
        assert program.process.poll() is None, "it ended by itself"


# --- a recording ----------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [["--fast"], []])
def test_a_recording_gives_the_bytes_of_kws_run(kws: Run, speed: list[str]) -> None:
    expected = kws("run", YES)
    assert "Heard yes" in expected[1]
    assert kws("listen", "--input", YES, *speed) == expected


@pytest.mark.parametrize(("rate", "channels"), [(44100, 2), (22050, 1), (48000, 1)])
def test_other_rates_are_heard_as_kws_run_hears_them(
    kws: Run, tmp_path: Path, rate: int, channels: int
) -> None:
    sound = soxr.resample(load_clip(YES).astype(np.float32) / 32768, 16000, rate)
    path = tmp_path / "clip.wav"
    soundfile.write(path, np.stack([sound] * channels, axis=1), rate)
    expected = kws("run", path)
    assert "Heard yes" in expected[1]
    assert kws("listen", "--input", path, "--fast") == expected


def test_pieces_of_any_size_give_the_same_lines(bundle: Bundle) -> None:
    pcm = between_silence(load_clip(NO))
    listener, random = Listener(bundle), np.random.default_rng(1)
    text, at = [listener.boot.text], 0
    while at < len(pcm):
        size = int(random.integers(0, 2000))
        text += [e.text for e in listener.hear(Block(pcm[at : at + size])) if isinstance(e, Said)]
        at += size
    assert "\n".join(text) + "\n" == host_device.play(bundle, pcm).text
    assert text[1].startswith("Heard no")


def test_hops_tell_what_the_core_computed(bundle: Bundle) -> None:
    pcm = between_silence(load_clip(YES))
    pcm[40000] = -32768
    hops = [e for e in Listener(bundle).hear(Block(pcm)) if isinstance(e, Hop)]
    assert [hop.time_ms for hop in hops[:3]] == [20, 40, 60]
    from kws.features.spectrogram import spectrogram

    assert len(hops[0].frame) == 0
    np.testing.assert_array_equal(np.stack([hop.frame for hop in hops[1:]]), spectrogram(pcm))
    assert [hop.time_ms for hop in hops if hop.clipped] == [(40000 // HOP + 1) * 20]
    heard = host_device.play(bundle, pcm).heard[0]
    assert hops[heard.time_ms // 20 - 1].means[2] == heard.score
    assert hops[0].means == (0, 0, 0, 0)


def test_a_threshold_works_from_now_on(bundle: Bundle) -> None:
    pcm = between_silence(load_clip(YES))
    listener = Listener(bundle)
    assert listener.thresholds == tuple(bundle.recognizer.label_thresholds(bundle.labels))
    listener.set_threshold(2, 254)
    assert listener.thresholds[2] == 254
    assert not [e for e in listener.hear(Block(pcm)) if isinstance(e, Said)]
    listener.set_threshold(2, 100)
    assert [e for e in listener.hear(Block(pcm)) if isinstance(e, Said)]


def test_the_last_seconds_are_kept_in_order(bundle: Bundle) -> None:
    listener = Listener(bundle)
    pcm = np.arange(5 * 16000 // 7 * 7, dtype=np.int32).astype(np.int16)
    for start in range(0, len(pcm), 1000):
        list(listener.hear(Block(pcm[start : start + 1000])))
    whole = pcm[: len(pcm) // HOP * HOP]
    np.testing.assert_array_equal(listener.recent(), whole[-3 * 16000 :])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fast"], "--input"),
        (["--input", YES, "--device", "x"], "choose one"),
        (["--input", "nowhere.wav"], "nowhere.wav: no such file"),
        (["--input", "kws/cli/main.py"], "not a recording"),
        (["--input", YES, "--on", "yes"], "word=command"),
        (["--input", YES, "--on", "maybe=true"], "the model has no word 'maybe'"),
        (["--input", YES, "--on", "yes=no_such_program"], "no program 'no_such_program'"),
        (["--input", YES, "--on", "yes=echo 'x"], "quote is not closed"),
        (["--input", YES, "--record-misses", YES], "cannot be written"),
        (["--model", "nowhere"], "no such bundle"),
    ],
)
def test_what_cannot_be_done_is_one_line(kws: Run, arguments: list[object], said: str) -> None:
    code, _out, err = kws("listen", *arguments)
    assert code in (1, 2)
    assert said in err
    assert err.count("\n") == 1


def test_nothing_is_written_unless_asked(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = YES.absolute()
    monkeypatch.chdir(tmp_path)
    kws("listen", "--input", clip, "--fast")
    assert not list(tmp_path.iterdir())


def test_json_has_the_keys_of_kws_monitor(kws: Run) -> None:
    text = kws("listen", "--input", YES, "--json")[1]
    boot, heard = map(json.loads, text.splitlines())
    assert (boot["kind"], boot["board"], heard["kind"], heard["label"]) == (
        "boot",
        "host",
        "heard",
        "yes",
    )
    assert heard["line"] == f"Heard yes ({heard['score']}) @{heard['time_ms']}ms"
    assert heard["latency_ms"] >= 0


def minutes_of_words(path: Path, minutes: int) -> Path:
    names = ["yes_slt", "no_awb", "yes_rob", "left_slt", "no_rms", "go_travis"]
    clips = [load_clip(CLIPS / f"{name}.flac") for name in names]
    pcm = silence(minutes * 60 * 16000)
    random = np.random.default_rng(0)
    for at in range(16000, len(pcm) - 4 * 16000, 4 * 16000):
        clip = clips[random.integers(len(clips))]
        start = at + int(random.integers(16000))
        pcm[start : start + len(clip)] += clip
    soundfile.write(path, pcm, 16000)
    return path


@pytest.mark.slow
def test_a_long_recording_is_heard_fast_and_in_no_more_memory(kws: Run, tmp_path: Path) -> None:
    def listen(minutes: int) -> tuple[str, int, float]:
        path = minutes_of_words(tmp_path / f"{minutes}.wav", minutes)
        script = (
            "import sys, time; from kws.cli.main import app; app(standalone_mode=False)\n"
            "for line in open('/proc/self/status'):\n"
            "    if line.startswith('VmHWM'): print(line.split()[1], file=sys.stderr)\n"
            "print(time.process_time(), file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, "listen", "--input", str(path), "--fast"],
            capture_output=True,
            text=True,
            check=True,
        )
        memory, seconds = done.stderr.split()
        return done.stdout, int(memory), float(seconds)

    _text, little, _ = listen(1)
    text, much, seconds = listen(5)
    assert text == kws("run", tmp_path / "5.wav")[1]
    assert text.count("Heard") > 40
    assert much - little < 2000, "KiB more for five times the sound"
    assert seconds < 300 / 20, "of the processor: other work on this machine does not count"


# --- a microphone ---------------------------------------------------------------------------------


def test_words_are_heard_from_the_microphone(
    sound_server: SoundServer, listening: Listening
) -> None:
    boot, _ = listening.until("kws ")
    assert boot.startswith("kws 0.1.0 on host, model yes_no")
    for clip, word in ((YES, "yes"), (NO, "no"), (CLIPS / "yes_rob.flac", "yes")):
        line, _ = say(sound_server, listening, clip)
        assert line.startswith(f"Heard {word} ")
    assert not listening.rest("stderr")


@pytest.mark.slow
def test_it_goes_on_after_the_microphone_was_unplugged(
    sound_server: SoundServer, listening: Listening
) -> None:
    for _ in range(2):
        sound_server.unplug()
        listening.until("went away; plug it in again", "stderr")
        sound_server.plug()
        listening.until(f"listening to {DEVICE}", "stderr")
        time.sleep(1)
        assert "Heard yes" in say(sound_server, listening, YES)[0]


@pytest.mark.parametrize("pause", [0, 0.05, 0.1, 0.2])
def test_ctrl_c_ends_it_though_the_microphone_went_away_as_it_was_opened(
    sound_server: SoundServer, pause: float
) -> None:
    """PortAudio may hang for good there: in stopping, or in a thread that the exit waits for."""
    sound_server.plug()
    with Listening("--device", DEVICE, "--plain", env=sound_server.environment) as program:
        maps = Path(f"/proc/{program.process.pid}/maps")
        end = time.monotonic() + 60
        while "libasound" not in maps.read_text() and time.monotonic() < end:
            time.sleep(0.005)
        time.sleep(pause)
        sound_server.unplug()
        time.sleep(0.5)
    assert program.process.returncode in (0, 1)
    sound_server.plug()


@pytest.mark.slow
def test_it_waits_for_a_sound_server_and_goes_on_with_the_next(
    tmp_path: Path, sound_server: SoundServer
) -> None:
    own = SoundServer(tmp_path)
    with Listening("--device", DEVICE, env=own.environment) as program:
        line, _ = program.until("microphone", "stderr")
        assert "kws waits for it" in line
        for _ in range(2):
            own.start()
            own.plug()
            program.until("listening to", "stderr")
            time.sleep(1)
            assert "Heard yes" in say(own, program, YES)[0]
            own.stop()
            program.until("went away", "stderr")
        assert len(program.rest("stderr")) <= 2, "a line for each change, not for each try"


@pytest.mark.slow
def test_a_line_comes_soon_after_its_word(
    sound_server: SoundServer, listening: Listening, bundle: Bundle
) -> None:
    """From the word's end, less what the recognizer waits for: under 250 ms.

    The smallest of several, because this machine has other work as well.
    """
    late = []
    for clip in [YES, NO] * 2:
        rule = host_device.play(bundle, between_silence(load_clip(clip))).heard[0].time_ms / 1000
        # The player's own start counts, too.
        late.append(say(sound_server, listening, clip)[1] - rule)
    assert min(late) < 0.25, late


@pytest.mark.slow
def test_live_it_takes_less_than_a_tenth_of_a_core(listening: Listening) -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process(listening.process.pid)

    def used() -> float:
        times = process.cpu_times()
        return float(times.user + times.system)

    shares = []
    for _ in range(4):  # the smallest of several, because this machine has other work as well
        before, start = used(), time.monotonic()
        time.sleep(1.5)
        shares.append((used() - before) / (time.monotonic() - start))
    assert min(shares) < 0.1, shares


# --- what it does with words ----------------------------------------------------------------------


def test_a_command_runs_when_its_word_is_heard(tmp_path: Path, kws: Run) -> None:
    mark = tmp_path / "a b"
    names = "os.environ['KWS_WORD'] + os.environ['KWS_TIME_MS'] + '$HOME'"
    script = f"import os; open({str(mark)!r}, 'a').write({names})"
    rule = f'yes={sys.executable} -c "{script}"'
    code, out, _err = kws(
        "listen", "--input", YES, "--on", rule, "--on", f"no=touch {tmp_path / 'no'}"
    )
    assert code == 0
    _wait_for(mark)
    assert mark.read_text() == f"yes{out.split('@')[1].split('ms')[0]}$HOME", (
        "no shell looked at it"
    )
    assert not (tmp_path / "no").exists()


def _wait_for(path: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and not (path.exists() and path.stat().st_size):
        time.sleep(0.05)


def test_a_shell_only_if_asked(tmp_path: Path) -> None:
    heard = Heard("yes", 201, 1000)
    for shell in (False, True):
        out = tmp_path / f"out{shell}"
        commands = Commands(
            [f"yes=echo $KWS_SCORE > {out}"], ["silence", "unknown", "yes"], shell=shell
        )
        assert not commands.run(heard)
        end = time.monotonic() + 60
        while commands._running and time.monotonic() < end:
            assert not commands.ended()
        assert out.exists() == shell
    assert out.read_text() == "201\n"


def test_a_command_that_fails_is_told_of_and_many_do_not_pile_up() -> None:
    labels = ["silence", "unknown", "yes", "no"]
    commands = Commands(["yes=false", "no=sleep 600"], labels, shell=False)
    assert not commands.run(Heard("yes", 201, 1000))
    end = time.monotonic() + 60
    notices: list[str] = []
    while not notices and time.monotonic() < end:
        notices = commands.ended()
    assert notices == ["yes: its command ended with exit code 1"]
    notices = [line for _ in range(9) for line in commands.run(Heard("no", 201, 1000))]
    assert notices == ["no: 8 commands still run; this one was left out"]
    for _word, process in commands._running:
        process.kill()
        process.wait()


def test_silence_runs_no_command() -> None:
    with pytest.raises(UsageError, match="no word 'silence'"):
        Commands(["silence=true"], ["silence", "unknown", "yes"], shell=False)


@pytest.fixture
def long_recording(tmp_path: Path) -> Path:
    """A yes, and then a minute in which there is time for keys."""
    path = tmp_path / "long.wav"
    soundfile.write(path, np.concatenate([load_clip(YES), silence(60 * 16000)]), 16000)
    return path


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


# --- the terminal ---------------------------------------------------------------------------------


def drawn(bundle: Bundle, clip: Pcm, width: int, height: int) -> str:
    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        width=width,
        height=height,
    )
    listener = Listener(bundle)
    view = Terminal(listener, "a test", keeps=True, console=console)
    view.said(listener.boot)
    view.notice(Notice("listening to a test", connected=True))
    for event in listener.hear(Block(clip)):
        (view.hop if isinstance(event, Hop) else view.said)(event)  # type: ignore[arg-type]
    with console.capture() as capture:
        console.print(view)
    return capture.get()


def test_the_terminal_shows_all_there_is(bundle: Bundle) -> None:
    clip = between_silence(load_clip(YES))
    end = host_device.play(bundle, clip).heard[0].time_ms * 16
    clip[end - 400] = 32767
    text = drawn(bundle, clip[:end], 100, 40)
    for wanted in (
        "▀",
        "Heard yes (",
        "CLIPPED",
        "silence",
        "unknown",
        "┃",
        "level",
        "processor",
        "latency",
        "m keeps",
        "listening to a test",
    ):
        assert wanted in text
    assert len(text.splitlines()) <= 40


@pytest.mark.parametrize(("width", "height"), [(20, 5), (1, 1), (40, 12), (300, 90)])
def test_any_size_of_terminal_will_do(bundle: Bundle, width: int, height: int) -> None:
    assert drawn(bundle, between_silence(load_clip(NO)), width, height)


def test_in_a_terminal_it_draws_takes_keys_and_leaves_all_as_it_was(long_recording: Path) -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    before = termios.tcgetattr(slave)
    process = subprocess.Popen(
        [*KWS, "listen", "--input", str(long_recording)],
        env={**os.environ, "TERM": "xterm-256color"},
        stdin=slave, stdout=slave, stderr=slave,
    )  # fmt: skip
    seen = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):
            while data := os.read(master, 65536):
                seen.extend(data)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()

    end = time.monotonic() + 60
    while b"Heard yes (" not in seen and time.monotonic() < end:
        time.sleep(0.05)
    assert process.poll() is None
    os.write(master, b"q")
    assert process.wait(60) == 0
    assert termios.tcgetattr(slave) == before
    os.close(slave)
    reader.join(60)  # to the last byte
    text = seen.decode()
    assert "\x1b[?1049h" in text
    assert "▀" in text
    assert "long.wav" in text
    after = text.split("\x1b[?1049l")[1]
    assert "Heard yes (" in after, "what was heard stays on the screen"
    assert "Traceback" not in text


def test_real_time_is_as_long_as_the_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock on which nothing takes time but sleeping."""
    now = 100.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    samples = 0
    for block in file_blocks(YES, fast=False):
        assert isinstance(block, Block)
        samples += len(block.pcm)
        assert now == pytest.approx(block.captured) == pytest.approx(100 + samples / 16000)
    assert samples == len(load_clip(YES)) + 2 * 16000
    now += 7
    blocks = file_blocks(YES, fast=False)
    next(blocks)
    now += 3  # this machine had other work
    before = now
    for _ in range(140):
        next(blocks)
    assert now == before, "it makes up for that"
