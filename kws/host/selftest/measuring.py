# SPDX-License-Identifier: Apache-2.0
"""Measures a board's firmware and microphone over the serial port."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from kws.errors import BoardError
from kws.host.deploy.real_board import Clock
from kws.host.serial.lines import (
    Fault,
    Health,
    Level,
    Line,
    LineBuffer,
    Stats,
    is_damaged,
    is_start,
    parse_line,
)
from kws.host.serial.ports import BAUD, Link

RATES = (BAUD, BAUD // 2, 2 * BAUD)
"""Rates to try, in bit/s: a chip with half or double clock has half or double the rate."""

QUIET_SECONDS = 4.0
SOUND_SECONDS = 8.0

_LEVEL_SECONDS = 1.0
_BOOT_SECONDS = 4.0  # opening an adapter's port may reset the board
_ANSWER_SECONDS = 1.5
_TRIES = 3
_READ_SECONDS = 0.05

_GAIN = re.compile(r"gain (-?\d+) dB")

_Answer = TypeVar("_Answer", Stats, Level, Health)


class SilentBoardError(BoardError):
    """The board does not answer, or reports that it gets no samples."""

    def __init__(self, text: str, faults: tuple[str, ...]) -> None:
        super().__init__(text)
        self.faults = faults
        """Errors that it reported."""


@dataclass(frozen=True)
class Measured:
    """The figures of one self-test."""

    board: str
    line_rate: int
    """Bit/s at which the board answered."""
    reset: str
    """Cause of its last reset."""
    gain: int
    """dB."""
    seconds: float
    """Length of the measurement by this machine's clock."""
    board_seconds: float
    """Length by the board's clock."""
    hops: int
    """Hops of 20 ms in that time."""
    samples_lost: int
    idle_percent: float
    core_khz: int
    """By the board's clock."""
    hop_cycles: int
    inference_cycles: int
    """Cycles of the longest hop without and with an inference."""
    stack_used: int
    stack_size: int
    quiet: Level
    sound: Level
    """The loudest second of the sound."""
    faults: tuple[str, ...]
    """Errors that the board reported."""
    starts: int
    """Number of restarts during the measurement."""
    damaged: tuple[str, ...]
    """Lines that are not text."""


class Interview:
    """Sends commands to a board and collects its answers."""

    def __init__(self, link: Link, clock: Clock = time) -> None:
        self._link = link
        self._clock = clock
        self._buffer = LineBuffer()
        self.faults: list[str] = []
        self.gain: int | None = None
        self.starts = 0
        self.damaged: list[str] = []

    def find_rate(self) -> int:
        """Find the rate of RATES at which the board answers, and set the port to it.

        Raises:
            SilentBoardError: it answers at none.
        """
        for rate in RATES:
            if not self._link.set_rate(rate):
                continue
            self._buffer.rest()
            for wait in (_BOOT_SECONDS if rate == BAUD else _ANSWER_SECONDS, _ANSWER_SECONDS):
                if self._try(Stats, wait):
                    # Earlier input may be from another rate, or from the reset on opening the port.
                    self.starts, self.damaged = 0, []
                    return rate
        raise SilentBoardError(
            f"{self._link.device}: the board does not answer", tuple(self.faults)
        )

    def ask(self, kind: type[_Answer]) -> tuple[_Answer, float]:
        """The board's answer to a command, and its time.

        Raises:
            SilentBoardError: there is no answer.
        """
        for _ in range(_TRIES):
            if answer := self._try(kind, _ANSWER_SECONDS):
                return answer
        text = f"{self._link.device}: the board stopped answering"
        raise SilentBoardError(text, tuple(self.faults))

    def ask_gain(self) -> int:
        """The microphone's gain in dB; 0 if the board does not answer."""
        self._link.write(b"gain\n")
        end = self._clock.monotonic() + _ANSWER_SECONDS
        while self.gain is None and self._clock.monotonic() < end:
            self._lines()
        return self.gain or 0

    def wait(self, seconds: float) -> None:
        """Read input for some seconds."""
        end = self._clock.monotonic() + seconds
        while self._clock.monotonic() < end:
            self._lines()

    def _try(self, kind: type[_Answer], seconds: float) -> tuple[_Answer, float] | None:
        self._link.write(f"\n{kind.__name__.lower()}\n".encode())
        end = self._clock.monotonic() + seconds
        while self._clock.monotonic() < end:
            for line in self._lines():
                if isinstance(line, kind):
                    return line, self._clock.monotonic()
        return None

    def _lines(self) -> list[Line | None]:
        texts = self._buffer.feed(self._link.read(_READ_SECONDS))
        lines = [parse_line(text) for text in texts]
        self.faults += [line.text for line in lines if isinstance(line, Fault)]
        self.starts += sum(map(is_start, texts))
        self.damaged += filter(is_damaged, texts)
        for text in texts:
            if match := _GAIN.fullmatch(text):
                self.gain = int(match[1])
        return lines


def measure(link: Link, prompt: Callable[[str], None], clock: Clock = time) -> Measured:
    """Measure a board for about twelve seconds.

    Args:
        link: its port, at any rate.
        prompt: called with instructions for the user.
        clock: reference for the board's clock.

    Raises:
        SilentBoardError: it does not answer, or stopped.
        PortLostError: it disconnected.
    """
    interview = Interview(link, clock)
    rate = interview.find_rate()
    gain = interview.ask_gain()
    prompt(f"be quiet for {QUIET_SECONDS:.0f} seconds")
    interview.wait(QUIET_SECONDS)
    quiet, _ = interview.ask(Level)

    prompt(f"now speak aloud for {SOUND_SECONDS:.0f} seconds, 30 cm from the microphone")
    first, begin = interview.ask(Stats)
    before, board_begin = interview.ask(Health)
    sound = quiet
    while clock.monotonic() - begin < SOUND_SECONDS:
        interview.wait(_LEVEL_SECONDS)
        sound = max(sound, interview.ask(Level)[0], key=lambda level: level.rms)
    last, end = interview.ask(Stats)
    health, board_end = interview.ask(Health)
    host_seconds = board_end - board_begin
    return Measured(
        board=health.board,
        line_rate=rate,
        reset=health.reset,
        gain=gain,
        seconds=end - begin,
        board_seconds=(health.up_ms - before.up_ms) / 1000 * (end - begin) / host_seconds,
        hops=last.hops - first.hops,
        samples_lost=last.samples_lost - first.samples_lost,
        idle_percent=last.idle_percent,
        core_khz=health.core_khz,
        hop_cycles=health.hop_cycles,
        inference_cycles=health.inference_cycles,
        stack_used=last.stack_used,
        stack_size=last.stack_size,
        quiet=quiet,
        sound=sound,
        faults=tuple(interview.faults),
        starts=interview.starts,
        damaged=tuple(interview.damaged),
    )
