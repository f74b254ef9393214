# SPDX-License-Identifier: Apache-2.0
"""What a device writes on its serial port, read back."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEARD = re.compile(r"Heard (?P<label>.+) \((?P<score>\d{1,3})\) @(?P<time>\d+)ms")
_BOOT = re.compile(
    r"kws (?P<version>\S+) on (?P<board>\S+), model (?P<model>\S+) (?P<sha8>[0-9a-f]{8}), "
    r"arena (?P<used>\d+) of (?P<size>\d+) bytes"
)
_STATS = re.compile(
    r"stats: (?P<hops>\d+) hops, (?P<lost>\d+) samples lost, (?P<idle>\d+\.\d) % idle, "
    r"arena (?P<arena>\d+) bytes, stack (?P<stack>\d+) of (?P<size>\d+) bytes"
)
_FAULT = "error: "
_LONGEST = 1000  # characters of a line; what is longer is noise and is cut


@dataclass(frozen=True)
class Heard:
    """A line such as `Heard yes (201) @4056ms`."""

    label: str
    score: int
    """Mean score, 0 to 255."""
    time_ms: int
    """End of the hop that completed it, from the device's start."""


@dataclass(frozen=True)
class Boot:
    """The first line of a device."""

    version: str
    board: str
    model: str
    sha8: str
    arena_used: int
    arena_size: int


@dataclass(frozen=True)
class Fault:
    """A line such as `error: lost 320 samples`."""

    text: str
    """What follows `error: `."""


@dataclass(frozen=True)
class Stats:
    """The answer to the command `stats`."""

    hops: int
    """Hops of 20 ms since the start."""
    samples_lost: int
    idle_percent: float
    """Share of the time since the last `stats` that the processor slept."""
    arena_used: int
    """Bytes."""
    stack_used: int
    """Bytes, at most so far."""
    stack_size: int


Line = Boot | Heard | Fault | Stats


@dataclass(frozen=True)
class Serial:
    """All that a device wrote, in order of each kind."""

    text: str
    boot: Boot | None
    heard: tuple[Heard, ...]
    faults: tuple[str, ...]
    """What follows `error: ` in lines that start so."""


def parse_line(line: str) -> Line | None:
    """What a line says; None for one of another kind, and for half a line or noise."""
    if match := _HEARD.fullmatch(line):
        return Heard(match["label"], int(match["score"]), int(match["time"]))
    if match := _BOOT.fullmatch(line):
        return Boot(
            match["version"],
            match["board"],
            match["model"],
            match["sha8"],
            int(match["used"]),
            int(match["size"]),
        )
    if match := _STATS.fullmatch(line):
        return Stats(
            int(match["hops"]),
            int(match["lost"]),
            float(match["idle"]),
            int(match["arena"]),
            int(match["stack"]),
            int(match["size"]),
        )
    if line.startswith(_FAULT):
        return Fault(line.removeprefix(_FAULT))
    return None


def parse(data: bytes) -> Serial:
    """The lines in what came from a serial port; lines of other kinds stay in `text` alone."""
    text = data.decode("utf-8", "replace")
    boot: Boot | None = None
    heard: list[Heard] = []
    faults: list[str] = []
    for line in text.splitlines():
        message = parse_line(line)
        if isinstance(message, Heard):
            heard.append(message)
        elif isinstance(message, Boot):
            boot = message
        elif isinstance(message, Fault):
            faults.append(message.text)
    return Serial(text, boot, tuple(heard), tuple(faults))


class LineBuffer:
    """Assembles lines from the bytes that a port gives, however they are split."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes, without their ends.

        What is no text, such as noise on the line, is replaced; a line without end is cut.
        """
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            whole.append(self._rest)
            self._rest = b""
        return [_text(line) for line in whole]

    def rest(self) -> str:
        """The begin of a line whose end did not come; forgotten with this."""
        line, self._rest = self._rest, b""
        return _text(line)


def _text(line: bytes) -> str:
    """A line as text; control characters could change the user's terminal."""
    text = line.rstrip(b"\r").decode("utf-8", "replace")[:_LONGEST]
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
