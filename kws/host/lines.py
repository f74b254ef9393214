"""What a device writes on its serial port, read back."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEARD = re.compile(r"Heard (?P<label>.+) \((?P<score>\d{1,3})\) @(?P<time>\d+)ms")
_BOOT = re.compile(
    r"kws (?P<version>\S+) on (?P<board>\S+), model (?P<model>\S+) (?P<sha8>[0-9a-f]{8}), "
    r"arena (?P<used>\d+) of (?P<size>\d+) bytes"
)
_FAULT = "error: "


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
class Serial:
    """All that a device wrote, in order of each kind."""

    text: str
    boot: Boot | None
    heard: tuple[Heard, ...]
    faults: tuple[str, ...]
    """What follows `error: ` in lines that start so."""


def parse(data: bytes) -> Serial:
    """The lines in what came from a serial port; lines of other kinds stay in `text` alone."""
    text = data.decode("utf-8", "replace")
    boot: Boot | None = None
    heard: list[Heard] = []
    faults: list[str] = []
    for line in text.splitlines():
        if match := _HEARD.fullmatch(line):
            heard.append(Heard(match["label"], int(match["score"]), int(match["time"])))
        elif match := _BOOT.fullmatch(line):
            boot = Boot(
                match["version"],
                match["board"],
                match["model"],
                match["sha8"],
                int(match["used"]),
                int(match["size"]),
            )
        elif line.startswith(_FAULT):
            faults.append(line.removeprefix(_FAULT))
    return Serial(text, boot, tuple(heard), tuple(faults))
