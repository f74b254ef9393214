# SPDX-License-Identifier: Apache-2.0
"""`kws listen` in a terminal."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from kws.audio.capture.blocks import Block, Notice
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.features.frontend_settings import HOP
from kws.host.emulate import host_device
from kws.host.live.listener import Hop, Listener
from kws.host.live.terminal import Terminal, keyboard
from tests.command_line import KWS
from tests.host.live.listening import NO, YES, wait_for
from tests.host.rooms import between_silence


def drawn(bundle: Bundle, clip: Pcm, width: int, height: int) -> str:
    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        width=width,
        height=height,
    )
    listener = Listener(Device(bundle))
    view = Terminal(listener, "a test", keeps=True, console=console)
    view.said(listener.boot[0])
    view.notice(Notice("listening to a test", connected=True))
    for event in listener.hear(Block(clip)):
        (view.hop if isinstance(event, Hop) else view.said)(event)  # type: ignore[arg-type]
    with console.capture() as capture:
        console.print(view)
    return capture.get()


def test_the_terminal_shows_all_parts(bundle: Bundle) -> None:
    clip = between_silence(load_clip(YES))
    end = host_device.play(Device(bundle), clip).heard[0].time_ms * 16
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
        "delay",
        "m saves",
        "listening to a test",
    ):
        assert wanted in text
    assert len(text.splitlines()) <= 40


def test_a_second_models_score_is_shown_with_its_threshold(bundle: Bundle) -> None:
    assert bundle.second_look
    threshold = bundle.rules.thresholds["yes"]
    clip = between_silence(load_clip(YES))
    heard = host_device.play(Device(bundle), clip).heard[0]
    quiet = drawn(bundle, clip[: HOP * 10], 100, 40)
    assert f"- / {threshold}" in quiet
    assert "┊" in quiet
    assert "◆" not in quiet
    text = drawn(bundle, clip[: heard.time_ms * 16], 100, 40)
    assert f"{heard.score} / {threshold}" in text
    assert "◆" in text
    alone = drawn(bundle.without_second_look(), clip[: heard.time_ms * 16], 100, 40)
    assert "┊" not in alone
    assert "◆" not in alone


@pytest.mark.parametrize(("width", "height"), [(20, 5), (1, 1), (40, 12), (300, 90)])
def test_any_terminal_size_works(bundle: Bundle, width: int, height: int) -> None:
    assert drawn(bundle, between_silence(load_clip(NO)), width, height)


def test_the_keys_stay_visible_in_40_columns(bundle: Bundle) -> None:
    text = drawn(bundle, between_silence(load_clip(NO)), 40, 20)
    assert "q quits" in text


def test_keys_work_and_the_terminal_is_restored(long_recording: Path) -> None:
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

    wait_for(lambda: b"Heard yes (" in seen)
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
    assert "Heard yes (" in after, "the reports stay on the screen"
    assert "Traceback" not in text


def test_windows_keys_are_read_without_enter(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = list("q ")

    def getwch() -> str:
        assert waiting, "getwch would wait"
        return waiting.pop(0)

    console = SimpleNamespace(kbhit=lambda: bool(waiting), getwch=getwch)
    master, slave = pty.openpty()
    monkeypatch.setitem(sys.modules, "msvcrt", console)
    monkeypatch.setitem(sys.modules, "termios", None)  # its import fails
    with os.fdopen(slave) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        with keyboard() as keys:
            assert keys.pressed() == "q "
            assert keys.pressed() == ""
    os.close(master)
