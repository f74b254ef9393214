# SPDX-License-Identifier: Apache-2.0
"""Runs production firmware, the same bytes as on the board, in Renode."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import kws
from kws._core import SAMPLE_RATE
from kws.audio.background_noises import quiet_room
from kws.audio.pcm import Pcm
from kws.errors import BoardError, ToolError
from kws.host.build.boards import Board
from kws.host.emulate.processes import Ended, Processes
from kws.host.serial.lines import Event, Serial, parse, parse_line

_TAIL_SECONDS = 0.6  # for the start-up, a second look of the last sound, and the last lines
_EVENTS = (b"Heard ", b"Listening for commands ", b"Waiting for the wake word ")
_WRONG = re.compile(r"\b[Ee]rror|xception")
_HANGS = re.compile(rb"[\r\n]hangs: ([^\r\n]+)")  # of run_watched.py


def find_renode() -> list[str]:
    """The command that starts Renode: `renode`, or `renode-run` with the Renode it downloaded.

    Raises:
        ToolError: neither is on PATH.
    """
    if path := shutil.which("renode"):
        return [path]
    if path := shutil.which("renode-run"):
        return [path, "--"]
    raise ToolError(
        "renode was not found on PATH; it is needed to run real boards' firmware: install Renode "
        "1.15.3 or newer (https://renode.io), or renode-run and then renode-run download"
    )


def scripts() -> Path:
    """The folder with platforms, scripts and Robot suites.

    Raises:
        ToolError: it is missing.
    """
    package = Path(kws.__file__).parent
    for folder in (package / "renode", package.parent / "renode"):  # installed, in a checkout
        if (folder / "platforms").is_dir():
            return folder
    raise ToolError(f"{package / 'renode'}: no such folder; install kws again")


def microphone(board: Board, pcm: Pcm) -> bytes:
    """Input of the emulated microphone of `board`, so that its pipeline starts with `pcm`.

    Little-endian int16: the samples that the port drops while the microphone settles, `pcm`
    (16 kHz), and room noise after it.
    """
    parts = (quiet_room(board.dropped_samples), pcm, quiet_room(SAMPLE_RATE, seed=1))
    return b"".join(part.astype("<i2").tobytes() for part in parts)


class Renode(Processes):
    """Runs a board's firmware in Renode processes; times are in the emulated board's time.

    Raises:
        ToolError: Renode is missing.
    """

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board
        self._command = find_renode()
        self._scripts = scripts()

    def play(
        self,
        elf: Path,
        pcm: Pcm | None,
        typed: Sequence[tuple[float, str]] = (),
        seconds: float | None = None,
        rates: Sequence[tuple[float, int]] = (),
    ) -> Serial:
        """Output of the firmware for `pcm`, starting with a reset.

        Args:
            elf: the firmware.
            pcm: 16 kHz samples from the first one that the pipeline gets; None: dead microphone.
            typed: lines for the serial port, in order, each with its time in seconds.
            seconds: run time of the board; None: until the end of `pcm`.
            rates: rates of the serial adapter in bit/s, each with its start time in seconds.

        Raises:
            BoardError: Renode failed, or the firmware polls a peripheral endlessly.
        """
        length = 0 if pcm is None else len(pcm)
        if seconds is None:
            seconds = (self._board.dropped_samples + length) / SAMPLE_RATE + _TAIL_SECONDS
        # Renode deletes files in TMPDIR whose names start with its own, so each process has a
        # folder.
        with tempfile.TemporaryDirectory(prefix="kws-emulator-") as name:
            folder = Path(name)
            shutil.copytree(self._scripts, folder / "scripts")
            shutil.copyfile(elf, folder / "firmware.elf")
            escaped = str(folder).replace(" ", "\\ ")
            lines = [
                "logLevel 3",
                "$elf=@firmware.elf",
                f"include @scripts/{self._board.name}.resc",
                f"uart0 CreateFileBackend @{escaped}/serial.txt true",
                "include @scripts/run_watched.py",
            ]
            if pcm is not None:
                (folder / "microphone.raw").write_bytes(microphone(self._board, pcm))
                lines.append("microphone SetInputFile @microphone.raw")
            commands = [(at, f'uart0 WriteLine "{line}"') for at, line in typed]
            commands += [(at, f"uart0 Rate {rate}") for at, rate in rates]
            now = 0.0
            for at, command in sorted(commands, key=lambda timed: timed[0]):
                lines += [f'run_watched "{at - now:.6f}"', command]
                now = at
            lines += [f'run_watched "{seconds - now:.6f}"', "quit"]
            (folder / "run.resc").write_text("\n".join(lines) + "\n", encoding="utf-8")
            ended = self._run(folder, timeout_s=120 + 30 * seconds)
            written = folder / "serial.txt"
            if ended is None or _wrong(ended):
                raise BoardError(f"{elf}: {_reason(ended)}")
            if hangs := _HANGS.search(ended.output):
                raise BoardError(f"{elf}: the firmware hangs: {hangs[1].decode()}")
            if not written.is_file():
                raise BoardError(f"{elf}: {_reason(ended)}")
            data = written.read_bytes()
        return parse(data if pcm is None else until(data, length * 1000 // SAMPLE_RATE))

    def _run(self, folder: Path, timeout_s: float) -> Ended | None:
        return self._execute(
            [*self._command, "--disable-xwt", "--console", "--plain", "-e", "include @run.resc"],
            timeout_s,
            folder=folder,
            environment={**os.environ, "TMPDIR": str(folder)},
        )


def _wrong(ended: Ended) -> list[str]:
    """Error lines in the output: Renode ends with status 0 even if a command failed."""
    output = ended.output.decode("utf-8", "replace")
    return [line.strip() for line in output.splitlines() if _WRONG.search(line)]


def _reason(ended: Ended | None) -> str:
    if ended is None:
        return "Renode did not end in time; the firmware hangs, or this machine is overloaded"
    return f"Renode failed: {(_wrong(ended) or [ended.reason])[0]}; try kws doctor"


def until(data: bytes, end_ms: int) -> bytes:
    """Drop events after the recording's end, and one that the run's end has cut short."""
    kept = []
    *lines, last = data.split(b"\n")
    for line in lines:
        message = parse_line(line.decode("utf-8", "replace").rstrip("\r"))
        if not isinstance(message, Event) or message.time_ms <= end_ms:
            kept.append(line)
    is_cut = last and any(last.startswith(it) or it.startswith(last) for it in _EVENTS)
    return b"\n".join([*kept, b"" if is_cut else last])
