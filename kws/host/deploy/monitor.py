# SPDX-License-Identifier: Apache-2.0
"""`kws monitor`: what a board writes, as it comes; what is typed goes to the board."""

from __future__ import annotations

import csv
import json
import math
import os
import select
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from kws._core import SAMPLE_RATE
from kws.host.deploy.board_finder import BoardFinder
from kws.host.deploy.real_board import RealBoard
from kws.host.deploy.sound_recording import Recording
from kws.host.serial import ports
from kws.host.serial.lines import (
    Boot,
    Event,
    Fault,
    Health,
    Heard,
    Level,
    Line,
    LineBuffer,
    Listening,
    PcmBegin,
    PcmEnd,
    Samples,
    Scores,
    Stats,
    Then,
    Waiting,
    parse_line,
)
from kws.host.serial.ports import BAUD, Link, Lister, Port, PortError, PortLostError
from kws.host.serial.sample_stream import Arrival, SampleStream
from kws.labels import UNKNOWN

_KINDS: dict[type[Line], tuple[str, str]] = {  # name for scripts, colour
    Boot: ("boot", "bold cyan"),
    Then: ("then", "bold cyan"),
    Heard: ("heard", "bold green"),
    Listening: ("listening", "green"),
    Waiting: ("waiting", "green"),
    Fault: ("error", "bold red"),
    Stats: ("stats", "magenta"),
    Level: ("level", "yellow"),
    Scores: ("scores", "dim"),
    Health: ("health", "magenta"),
    PcmBegin: ("pcm_begin", "magenta"),
    PcmEnd: ("pcm_end", "magenta"),
}
_LEVEL_SECONDS = 1.0
_ROUND = 0.1  # seconds; how long something that was typed waits at most


@dataclass(frozen=True)
class Received:
    """A line that came."""

    time: datetime
    """When its end arrived, by this machine's clock."""
    text: str
    line: Line | None
    """None for a line of no known kind."""

    @property
    def kind(self) -> str:
        """A key of the table above, such as boot or heard; text for a line of no known kind."""
        return _KINDS[type(self.line)][0] if self.line else "text"


Show = Callable[[Received], None]


def show_text() -> Show:
    """Prints lines with the time, in colours where stdout is a terminal."""
    console = Console(highlight=False)

    def show(received: Received) -> None:
        style = _KINDS[type(received.line)][1] if received.line else ""
        if isinstance(received.line, Heard) and received.line.label == UNKNOWN:
            style = "blue"
        time = f"{received.time:%H:%M:%S}.{received.time.microsecond // 1000:03} "
        text = received.text
        if isinstance(received.line, Level):
            text = level_text(received.line)
        console.print(Text.assemble((time, "dim"), (text, style)), soft_wrap=True)

    return show


def level_text(level: Level) -> str:
    """A level in dB of full scale, with a bar from -60 dB to 0 dB and what to do about it."""
    rms, peak = (20 * math.log10(max(value, 1) / 32768) for value in (level.rms, level.peak))
    bar = "#" * round(max(0.0, 60 + rms) / 2)
    advice = ""
    if level.clipped_percent >= 1:
        advice = "  too loud: lower the gain"
    elif level.rms == 0:
        advice = "  no sound at all: the microphone is dead, or its wiring is wrong"
    return (
        f"{rms:6.1f} dB RMS  {peak:6.1f} dB peak  offset {level.offset:6}  "
        f"{level.clipped_percent:4.1f} % clipped  [{bar:<30}]{advice}"
    )


def show_arrival(arrival: Arrival, show: Show) -> None:
    """A line that came while a board sends samples."""
    if arrival.text and not isinstance(arrival.line, Samples):
        show(Received(datetime.now().astimezone(), arrival.text, arrival.line))


def recording_text(path: Path, recording: Recording) -> str:
    """What `--record` made."""
    seconds = len(recording.pcm) / SAMPLE_RATE
    text = f"{path}: {seconds:.2f} s, {recording.lost} samples lost by the board"
    return f"{text}, {recording.missing} on the way (they are zero)"


def show_json() -> Show:
    """Prints an object for each line."""

    def show(received: Received) -> None:
        fields = asdict(received.line) if received.line else {}
        about = {"time": received.time.isoformat(timespec="milliseconds"), "kind": received.kind}
        _print(json.dumps({**about, "line": received.text, **fields}))

    return show


def show_csv() -> Show:
    """Prints a header, then a row for each line; label, score and time for what was heard."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["time", "kind", "label", "score", "time_ms", "line"])
    sys.stdout.flush()

    def show(received: Received) -> None:
        line = received.line
        cells: list[object] = ["", "", ""]
        if isinstance(line, Heard):
            cells = [line.label, line.score, line.time_ms]
        elif isinstance(line, Event):
            cells = ["", "", line.time_ms]
        time = received.time.isoformat(timespec="milliseconds")
        writer.writerow([time, received.kind, *cells, received.text])
        sys.stdout.flush()

    return show


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _notice(line: str) -> None:
    """What is not from the board goes to stderr, so that scripts need not tell it apart."""
    sys.stderr.write(f"kws: {line}\n")
    sys.stderr.flush()


def keyboard() -> int | None:
    """The descriptor of stdin; None where there is none."""
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None


@dataclass
class Monitor:
    """Follows one board, through restarts and unplugging, until Ctrl-C."""

    boards: tuple[RealBoard, ...]
    """Kinds of board that it may be."""
    wanted: str | None
    """A port that the user named; None finds a board by its USB id."""
    show: Show
    baud: int = BAUD
    lister: Lister = field(default_factory=lambda: ports.list_ports)
    open_port: Callable[[str, float, int], Link] = field(default_factory=lambda: ports.open_soon)
    """Opens a port by its name, which may take so many seconds to be usable, at a rate."""
    typed: int | None = None
    """Descriptor that commands for the board come from, such as stdin's."""
    level: bool = False
    """Ask the board each second how loud it is."""

    def run(self) -> None:
        """Show lines until KeyboardInterrupt.

        Raises:
            BoardError: there is no board, or its port cannot be opened, at the start.
        """
        finder = BoardFinder(self.boards, self.wanted, self.baud, self.lister, self.open_port)
        port, link = finder.first()
        while True:
            _notice(
                f"{port.device}: connected; gain N, threshold N, level, scores on and stats go to "
                "the board"
            )
            with link:
                self._follow(link)
            _notice(f"{port.device}: the board went away; waiting for it to come back")
            port, link = self._again(finder, port)

    def _again(self, finder: BoardFinder, last: Port) -> tuple[Port, Link]:
        """Wait until the board is back and its port can be opened."""
        said = ""
        while True:
            time.sleep(_ROUND)
            if self._typed_lines():
                _notice("nothing was sent: the board is not there")
            try:
                if back := finder.again(last):
                    return back
            except PortError as error:
                if str(error) != said:
                    said = str(error)
                    _notice(said)

    def _follow(self, link: Link) -> None:
        """Show what comes and send what is typed, until the board goes away."""
        buffer = LineBuffer()
        samples = SampleStream(link, self.baud)
        asked = time.monotonic()
        try:
            while True:
                if self.level and time.monotonic() - asked >= _LEVEL_SECONDS:
                    asked = time.monotonic()
                    link.write(b"level\n")
                for text in buffer.feed(link.read(_ROUND)):
                    line = parse_line(text)
                    samples.take(line)  # its port's rate; the sound is for --record
                    if not isinstance(line, Samples):
                        self.show(Received(datetime.now().astimezone(), text, line))
                for typed in self._typed_lines():
                    link.write(typed)
        except PortLostError:
            if rest := buffer.rest():
                self.show(Received(datetime.now().astimezone(), rest, parse_line(rest)))

    def _typed_lines(self) -> list[bytes]:
        """What was typed since the last call; a terminal gives whole lines."""
        if self.typed is None or not select.select([self.typed], [], [], 0)[0]:
            return []
        data = os.read(self.typed, 4096)
        if not data:  # the end of a script's input, not of the monitor
            self.typed = None
            return []
        return [line + b"\n" for line in data.split(b"\n") if line.strip()]
