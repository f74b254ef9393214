"""A board in Renode as a serial port. The board's time passes while the port is read."""

from __future__ import annotations

import os
import re
import select
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm
from kws.host.build.boards import Board
from kws.host.emulate.renode import find_renode, scripts

_CHUNK_SECONDS = 0.25
_AHEAD_SECONDS = 0.5  # of sound supplied in advance
_PATIENCE_SECONDS = 300.0  # timeout of a step, in real time
_ROOM_RMS = 3.0


class EmulatedBoard:
    """The port and clock of a self-test; a context manager.

    Args:
        board: the board to emulate.
        elf: its firmware.
        voice: int16[n], 16 kHz, repeated while the user speaks.
        changes: Renode commands to run before the board starts.
    """

    def __init__(self, board: Board, elf: Path, voice: Pcm, changes: tuple[str, ...] = ()) -> None:
        self.device = f"{board.name} in Renode"
        self._board, self._elf, self._voice, self._changes = board, elf, voice, changes
        self._random = np.random.default_rng(1)
        self._now = 0.0
        self._fed = 0  # samples
        self._spoken = 0  # samples of the voice
        self._speaks = False
        self._typed: list[str] = []

    def __enter__(self) -> EmulatedBoard:
        # Renode deletes files in TMPDIR whose names start with renode.
        self._folder = tempfile.TemporaryDirectory(prefix="kws-selftest-")
        self._place = Path(self._folder.name)
        self._renode = subprocess.Popen(
            [*find_renode(), "--disable-xwt", "--console", "--plain", "--hide-log"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": self._folder.name},
        )
        self._steps = self._read_bytes = 0
        self._run(
            "logLevel 3",
            f"$elf=@{self._elf}",
            f"include @{scripts() / self._board.name}.resc",
            f"uart0 CreateFileBackend @{self._place / 'serial.txt'} true",
            *self._changes,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._renode.kill()
        self._renode.communicate()
        self._folder.cleanup()

    def monotonic(self) -> float:
        """The board's time, in seconds."""
        return self._now

    def sleep(self, seconds: float, /) -> None:
        """Let the board run."""
        self._pass(seconds)

    def prompt(self, text: str) -> None:
        """The user speaks when asked to."""
        self._speaks = "speak" in text

    def set_rate(self, rate: int) -> bool:
        """Set the adapter's rate."""
        self._typed.append(f"uart0 Rate {rate}")
        return True

    def write(self, data: bytes) -> None:
        """Type lines; they arrive when time passes."""
        self._typed += [f'uart0 WriteLine "{line}"' for line in data.decode().split("\n") if line]

    def read(self, timeout: float) -> bytes:
        """The board's output in the next `timeout` seconds."""
        self._pass(timeout)
        serial = self._place / "serial.txt"  # missing until the board writes something
        data = serial.read_bytes() if serial.exists() else b""
        new, self._read_bytes = data[self._read_bytes :], len(data)
        return new

    def _pass(self, seconds: float) -> None:
        sounds = []
        while self._fed / SAMPLE_RATE < self._now + seconds + _AHEAD_SECONDS:
            file = self._place / f"sound{self._fed}.raw"
            file.write_bytes(self._hear().astype("<i2").tobytes())
            sounds.append(f"microphone SetInputFile @{file}")
        typed, self._typed = self._typed, []
        self._run(*sounds, *typed, f'emulation RunFor "{seconds:.6f}"')
        self._now += seconds

    def _hear(self) -> Pcm:
        count = int(_CHUNK_SECONDS * SAMPLE_RATE)
        self._fed += count
        sound = self._random.normal(0, _ROOM_RMS, count)
        if self._speaks:
            sound += np.take(self._voice, range(self._spoken, self._spoken + count), mode="wrap")
            self._spoken += count
        return np.clip(sound.round(), -32768, 32767).astype(np.int16)

    def _run(self, *commands: str) -> None:
        """Run commands in Renode and wait until they are finished."""
        self._steps += 1
        mark = f"step {self._steps} ends"
        assert self._renode.stdin and self._renode.stdout
        self._renode.stdin.write("\n".join([*commands, f'echo "{mark}"', ""]).encode())
        self._renode.stdin.flush()
        output = b""
        end = time.monotonic() + _PATIENCE_SECONDS
        while f"\r{mark}".encode() not in output:
            ready, _, _ = select.select([self._renode.stdout], [], [], end - time.monotonic())
            part = os.read(self._renode.stdout.fileno(), 65536) if ready else b""
            assert part, f"Renode is stuck: {output.decode('utf-8', 'replace')}"
            output += part
        wrong = re.search(rb"[^\r\n]*\b([Ee]rror|xception)[^\r\n]*", output)
        assert wrong is None, wrong
