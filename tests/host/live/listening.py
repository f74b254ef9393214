# SPDX-License-Identifier: Apache-2.0
"""Runs `kws listen` as a process, and plays clips to it."""

from __future__ import annotations

import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from kws.audio.sound_files import load_clip
from tests.command_line import KWS
from tests.host.rooms import between_silence
from tests.sound_server import SoundServer

CLIPS = Path("kws/assets/matrix")
YES, NO = CLIPS / "yes_slt.flac", CLIPS / "no_awb.flac"


class Listening:
    """`kws listen` in a separate process; lines are read as they are written."""

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
        """The next line that contains this text, and the time of the line."""
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
        """The lines that have not been read yet."""
        return [self._lines[name].get()[0] for _ in range(self._lines[name].qsize())]

    def __enter__(self) -> Listening:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        finally:
            self.process.kill()


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until a condition holds; fail after a timeout."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timeout"
        time.sleep(0.01)


def say(server: SoundServer, program: Listening, clip: Path) -> tuple[str, float]:
    """Play a clip; return its line and the time from the clip's start to the line, in seconds.

    The sound is played in real time. If a busy machine loses blocks, the clip is played again.
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
