# SPDX-License-Identifier: Apache-2.0
"""Parses the lines that a device writes on its serial port."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kws._core import ERROR_MARK, LINE_FORMATS

_FIELDS = {
    "heard": (".+", r"\d{1,3}", r"\d+"),
    "boot": (r"\S+", r"\S+", r"\S+", "[0-9a-f]{8}", r"\d+", r"\d+"),
    "level": (r"\d+", r"\d+", "-?", r"\d+", r"\d+", r"\d"),
    "then": (r"\S+", "[0-9a-f]{8}", r"\d+", r"\d+", r"\d+"),
    "listening": (r"\d+",),
    "waiting": (r"\d+",),
    "stats": (r"\d+", r"\d+", r"\d+", r"\d", *[r"\d+"] * 6),
    "scores": (r"\d{1,3}(?: \d{1,3})*", r"\d+"),
    "pcm_begin": (r"\d+", r"\d+"),
    "pcm": ("[A-Za-z0-9+/]{176}",),
    "pcm_end": (r"\d+", r"\d+"),
    "health": (r"\S+", r"\d+", r"\d+", r"\d+", r"\d+", r"\w+"),
}
LINE_SAMPLES = 64
"""Samples per line (Diagnostics::kLineSamples)."""

SAMPLE_LINES = 1 << 16
"""Line numbers of samples wrap after this many lines: 262 s."""

_LONGEST = 1000  # characters of a line; longer lines are noise and are cut


def line_pattern(name: str, values: Mapping[int, str] | None = None) -> str:
    """A regular expression for a line of `_core.LINE_FORMATS`: a group for each `{}`.

    Args:
        name: a key of `LINE_FORMATS`.
        values: patterns that replace those of some fields, by index from 0.
    """
    first, *texts = map(re.escape, LINE_FORMATS[name].split("{}"))
    fields = [(values or {}).get(place, field) for place, field in enumerate(_FIELDS[name])]
    groups = zip(fields, texts, strict=True)
    return first + "".join(f"({field}){text}" for field, text in groups)


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
class Then:
    """The second line of a device with two bundles: the bundle that listens after a wake word."""

    model: str
    sha8: str
    listen_ms: int
    arena_used: int
    arena_size: int


@dataclass(frozen=True)
class Listening:
    """A line such as `Listening for commands @4056ms`: the second bundle takes over."""

    time_ms: int


@dataclass(frozen=True)
class Waiting:
    """A line such as `Waiting for the wake word @9056ms`: the first bundle takes over again."""

    time_ms: int


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
    kilocycles: int
    """Thousands of awake cycles per second of that time."""
    skipped: int
    """Inferences that the gate skipped."""
    inferences: int
    arena_used: int
    """Bytes."""
    stack_used: int
    """Bytes, maximum so far."""
    stack_size: int


@dataclass(frozen=True)
class Level:
    """The answer to the command `level`: level of the last second, full scale is 32768."""

    peak: int
    rms: int
    """Without the offset."""
    offset: int
    clipped_percent: float


@dataclass(frozen=True)
class Scores:
    """The line of `scores on` for each inference."""

    means: tuple[int, ...]
    """Each label's mean score, 0 to 255."""
    time_ms: int


@dataclass(frozen=True)
class PcmBegin:
    """The answer to the command `pcm`: samples follow."""

    seconds: int
    rate: int
    """Bit/s of the port from now on; 0: USB, without a rate."""


@dataclass(frozen=True)
class Samples:
    """A block of samples requested by `pcm`, with a correct checksum."""

    number: int
    """Line number from 0; it wraps at SAMPLE_LINES."""
    pcm: npt.NDArray[np.int16]
    """int16[LINE_SAMPLES], 16 kHz."""


@dataclass(frozen=True)
class PcmEnd:
    """The end of the samples requested by `pcm`."""

    samples: int
    lost: int
    """Samples that the board dropped because it did not keep up."""


@dataclass(frozen=True)
class Health:
    """The answer to the command `health`."""

    board: str
    up_ms: int
    """Time since the start, by the board's clock."""
    core_khz: int
    """The core's clock, by the board's clock."""
    hop_cycles: int
    """Cycles of the longest hop without an inference since the last `health`."""
    inference_cycles: int
    """Cycles of the longest hop with an inference."""
    reset: str
    """Cause of the last reset, such as power or watchdog."""


Event = Heard | Listening | Waiting
"""Lines of the running pipeline; each has its `time_ms`."""

Line = Event | Boot | Then | Fault | Stats | Level | Scores | PcmBegin | Samples | PcmEnd | Health


@dataclass(frozen=True)
class Serial:
    """A device's complete output, in order of each kind."""

    text: str
    boot: Boot | None
    events: tuple[Event, ...]
    faults: tuple[str, ...]
    """The text after `error: ` in lines that start with it."""
    flaws: tuple[str, ...] = ()
    """Misbehaviour, in words: restarts, bytes that are not text."""

    @property
    def heard(self) -> tuple[Heard, ...]:
        """The detections, without the hand-overs between two bundles."""
        return tuple(event for event in self.events if isinstance(event, Heard))


def _samples(match: re.Match[str]) -> Samples | None:
    """None if the line's checksum is wrong."""
    block = binascii.a2b_base64(match[1])
    number, *_, checksum = words = np.frombuffer(block, "<u2")
    if binascii.crc_hqx(block[:-2], 0xFFFF) != checksum:
        return None
    return Samples(int(number), words[1:-1].astype(np.int16))


_READERS: dict[str, Callable[[re.Match[str]], Line | None]] = {
    "heard": lambda m: Heard(m[1], int(m[2]), int(m[3])),
    "boot": lambda m: Boot(m[1], m[2], m[3], m[4], int(m[5]), int(m[6])),
    "then": lambda m: Then(m[1], m[2], int(m[3]), int(m[4]), int(m[5])),
    "listening": lambda m: Listening(int(m[1])),
    "waiting": lambda m: Waiting(int(m[1])),
    "stats": lambda m: Stats(
        int(m[1]), int(m[2]), float(f"{m[3]}.{m[4]}"), *(int(m[i]) for i in range(5, 11))
    ),
    "scores": lambda m: Scores(tuple(map(int, m[1].split())), int(m[2])),
    "pcm_begin": lambda m: PcmBegin(int(m[1]), int(m[2])),
    "pcm": _samples,
    "pcm_end": lambda m: PcmEnd(int(m[1]), int(m[2])),
    "health": lambda m: Health(m[1], int(m[2]), int(m[3]), int(m[4]), int(m[5]), m[6]),
    "level": lambda m: Level(int(m[1]), int(m[2]), int(m[3] + m[4]), float(f"{m[5]}.{m[6]}")),
}
_BOOT = re.compile(line_pattern("boot"))
_PATTERNS = [(re.compile(line_pattern(name)), reader) for name, reader in _READERS.items()]


def parse_line(line: str) -> Line | None:
    """The parsed line; None for unknown kinds, partial lines and noise."""
    for pattern, reader in _PATTERNS:
        if match := pattern.fullmatch(line):
            return reader(match)
    if line.startswith(ERROR_MARK):
        return Fault(line.removeprefix(ERROR_MARK))
    return None


def parse(data: bytes) -> Serial:
    """Parse a device's output; lines of other kinds appear only in `text`."""
    text = data.decode("utf-8", "replace")
    boot: Boot | None = None
    events: list[Event] = []
    faults: list[str] = []
    for line in split_lines(data):
        message = parse_line(line)
        if isinstance(message, Event):
            events.append(message)
        elif isinstance(message, Boot):
            boot = message
        elif isinstance(message, Fault):
            faults.append(message.text)
    return Serial(text, boot, tuple(events), tuple(faults), flaws(data))


def split_lines(data: bytes) -> list[str]:
    """The lines of a device's output without their ends; only a line feed ends a line."""
    lines = data.decode("utf-8", "replace").split("\n")
    return [line.removesuffix("\r") for line in lines if line]


def flaws(data: bytes) -> tuple[str, ...]:
    """Misbehaviour in the output of a device that was switched on once."""
    lines = split_lines(data)
    # `pcm` restarts the pipeline, which prints the boot line again.
    expected = sum(isinstance(parse_line(line), PcmBegin) for line in lines)
    starts = sum(map(is_start, lines)) - expected
    restarts = [f"it started {starts} times"] if starts > 1 else []
    damaged = [f"a line is damaged: {line!a}" for line in lines if is_damaged(line)]
    return (*restarts, *damaged)


def is_start(line: str) -> bool:
    """Whether a line contains a boot line, maybe after a line that a reset cut off."""
    return _BOOT.search(line) is not None


def is_damaged(line: str) -> bool:
    """Whether it has characters that no device writes: NUL, or bytes that are not text."""
    return not line.isprintable() or "\N{REPLACEMENT CHARACTER}" in line


class LineBuffer:
    """Assembles lines from a port's bytes, however they are split."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes, without their ends.

        Unprintable characters are replaced; an overlong line is cut.
        """
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            whole.append(self._rest)
            self._rest = b""
        return [_text(line) for line in whole]

    def rest(self) -> str:
        """Remove and return the incomplete line."""
        line, self._rest = self._rest, b""
        return _text(line)


def _text(line: bytes) -> str:
    """A line as text. Control characters are replaced, because they could alter the terminal."""
    text = line.rstrip(b"\r").decode("utf-8", "replace")[:_LONGEST]
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
