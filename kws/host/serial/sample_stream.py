# SPDX-License-Identifier: Apache-2.0
"""Assembles the sound that a board sends after the command `pcm`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.errors import BoardError
from kws.host.serial.lines import (
    LINE_SAMPLES,
    SAMPLE_LINES,
    Fault,
    Line,
    LineBuffer,
    PcmBegin,
    PcmEnd,
    Samples,
    parse_line,
)
from kws.host.serial.ports import BAUD, Link

MAX_SECONDS = 600
"""Maximum seconds per command (Diagnostics::kMaxSeconds)."""

_LONGEST_GAP = MAX_SECONDS * SAMPLE_RATE
_READ_SECONDS = 0.1
_ASK_SECONDS = 1.5  # between requests to a board that does not answer
_ANSWER_SECONDS = 12.0  # a board that still sends at its fast rate stops within 10 s
_PAUSE_SECONDS = 3.0  # without samples
_LEASE_SECONDS = 10  # a board without a listener stops after this
_RENEW_SECONDS = 5.0


@dataclass(frozen=True)
class Arrival:
    """A line received while a board sends samples, or a pause without one."""

    text: str
    """The line without its end; empty: no line."""
    line: Line | None
    pcm: npt.NDArray[np.int16]
    """Its samples: int16[n], 16 kHz, after zeros for missing samples."""


class SampleStream:
    """The samples of one `pcm` command, or of consecutive ones."""

    def __init__(self, link: Link, baud: int = BAUD) -> None:
        """`link` is the board's port; `baud` its usual rate."""
        self._link = link
        self._baud = baud
        self._next = 0
        self.rate = baud
        """Current rate of the port, in bit/s."""
        self.running = False
        """Whether the board is sending samples."""
        self.missing = 0
        """Samples that were lost or damaged in transfer."""
        self.lost = 0
        """Samples that the board dropped because it did not keep up."""

    def ask(self, seconds: int) -> None:
        """Request samples for `seconds` from now on; 0 stops them.

        Raises:
            PortLostError: the board disconnected.
        """
        self._link.write(f"pcm {seconds}\n".encode())

    def take(self, line: Line | None) -> npt.NDArray[np.int16]:
        """A line's samples (int16[n], 16 kHz), after zeros for missing ones.

        Sets the port to the board's rate after this line.
        """
        nothing = np.zeros(0, np.int16)
        if isinstance(line, PcmBegin):
            if not self.running:
                self.running = True
                self._next = 0
                self._set_rate(line.rate or self.rate)
            return nothing
        if isinstance(line, PcmEnd) and self.running:
            self.running = False
            self.lost += line.lost
            self._set_rate(self._baud)
            return self._gap(line.samples)
        if not isinstance(line, Samples):
            return nothing
        ahead = (line.number - self._next // LINE_SAMPLES) % SAMPLE_LINES
        if ahead >= SAMPLE_LINES // 2:  # a line of an earlier command
            return nothing
        gap = self._gap(self._next + ahead * LINE_SAMPLES)
        self._next += len(line.pcm)
        return np.concatenate([gap, line.pcm])

    def reset(self) -> None:
        """Set the port back to its usual rate."""
        self.running = False
        self._set_rate(self._baud)

    def _set_rate(self, rate: int) -> None:
        if rate != self.rate:
            self.rate = rate
            if not self._link.set_rate(rate):
                raise BoardError(
                    f"{self._link.device}: this adapter does not support {rate} bit/s, which sound "
                    "needs; use another one"
                )

    def _gap(self, index: int) -> npt.NDArray[np.int16]:
        count = min(max(0, index - self._next), _LONGEST_GAP)
        self._next = index
        self.missing += count
        return np.zeros(count, np.int16)


def follow_samples(
    stream: SampleStream,
    link: Link,
    seconds: int | None,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[Arrival]:
    """Lines of a board while it sends samples; yields at least every 0.1 s.

    Args:
        stream: receives the lines and counts lost samples.
        link: the board's port.
        seconds: sound to request, 1 to MAX_SECONDS; None: no limit.
        now: clock in seconds.

    Raises:
        PortLostError: the board disconnected.
        BoardError: the board does not answer, or stopped.
    """
    buffer = LineBuffer()
    begin = heard = now()
    asked = begin - _ASK_SECONDS
    begun, refusal = False, ""
    while True:
        due = _RENEW_SECONDS if stream.running else _ASK_SECONDS
        if now() - asked >= due and not (stream.running and seconds):
            asked = now()
            stream.ask(seconds or _LEASE_SECONDS)
        texts = buffer.feed(link.read(_READ_SECONDS))
        for text in texts:
            line = parse_line(text)
            rate = stream.rate
            pcm = stream.take(line)
            if len(pcm) or isinstance(line, PcmBegin):
                begun, heard = True, now()
            elif isinstance(line, Fault):
                refusal = f": {line.text}"
            yield Arrival(text, line, pcm)
            if isinstance(line, PcmEnd) and begun and seconds is not None:
                return
            if stream.rate != rate:
                buffer.rest()  # discard input read at the wrong rate
        if not texts:
            yield Arrival("", None, np.zeros(0, np.int16))
        if not begun and now() - begin > _ANSWER_SECONDS:
            raise BoardError(
                f"{link.device}: the board sends no samples{refusal}; write this version's "
                "firmware to it with kws deploy"
            )
        if begun and now() - heard > _PAUSE_SECONDS:
            raise BoardError(f"{link.device}: the board stopped sending samples; reset it")
