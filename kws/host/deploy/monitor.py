# SPDX-License-Identifier: Apache-2.0
"""`kws monitor`: shows a board's output and sends the user's input to it."""

from __future__ import annotations

import csv
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from kws._core import SAMPLE_RATE
from kws.host.deploy.board_finder import BoardFinder
from kws.host.deploy.sound_recording import Recording
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
from kws.host.serial.ports import Link, Port, PortError, PortLostError
from kws.host.serial.sample_stream import Arrival, SampleStream
from kws.labels import UNKNOWN
from kws.typed_input import TypedInput

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
_ROUND = 0.1  # seconds; maximum delay of typed input


@dataclass(frozen=True)
class Received:
    """A received line."""

    time: datetime
    """Local time at which its end arrived."""
    text: str
    line: Line | None
    """None for an unknown kind of line."""

    @property
    def kind(self) -> str:
        """Its name in `_KINDS`, such as boot or heard; text for an unknown kind."""
        return _KINDS[type(self.line)][0] if self.line else "text"


Show = Callable[[Received], None]


def show_text() -> Show:
    """Prints lines with the time, in colour if stdout is a terminal."""
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
    """A level in dBFS, with a bar from -60 dB to 0 dB and advice."""
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
    """Show a line that arrived while a board sends samples."""
    if arrival.text and not isinstance(arrival.line, Samples):
        show(Received(datetime.now().astimezone(), arrival.text, arrival.line))


def recording_text(path: Path, recording: Recording) -> str:
    """Summary of a recording, for `--record`."""
    seconds = len(recording.pcm) / SAMPLE_RATE
    text = f"{path}: {seconds:.2f} s, {recording.lost} samples lost by the board"
    return f"{text}, {recording.missing} in transfer (replaced by zeros)"


def show_json() -> Show:
    """Prints a JSON object per line."""

    def show(received: Received) -> None:
        fields = asdict(received.line) if received.line else {}
        about = {"time": received.time.isoformat(timespec="milliseconds"), "kind": received.kind}
        _print(json.dumps({**about, "line": received.text, **fields}))

    return show


def show_csv() -> Show:
    """Prints a CSV header, then a row per line; label, score and time only for detections."""
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
    """Print kws's own messages to stderr, so that stdout holds only the board's lines."""
    sys.stderr.write(f"kws: {line}\n")
    sys.stderr.flush()


@dataclass
class Monitor:
    """Follows one board, through restarts and unplugging, until Ctrl-C."""

    finder: BoardFinder
    show: Show
    typed: int | None = None
    """Descriptor with commands for the board, such as stdin's."""
    level_seconds: float | None = None
    """Time between requests for the sound level; None: no requests."""

    def __post_init__(self) -> None:
        self._input = TypedInput(self.typed)

    def run(self) -> None:
        """Show lines until KeyboardInterrupt.

        Raises:
            BoardError: at the start, there is no board, or its port cannot be opened.
        """
        port, link = self.finder.first()
        while True:
            _notice(
                f"{port.device}: connected; gain N, threshold N, level, scores on and stats go to "
                "the board"
            )
            with link:
                self._follow(link)
            _notice(f"{port.device}: the board disconnected; waiting for it to reconnect")
            port, link = self._again(port)

    def _again(self, last: Port) -> tuple[Port, Link]:
        """Wait until the board is back and its port can be opened."""
        said = ""
        while True:
            time.sleep(_ROUND)
            if self._typed_lines():
                _notice("nothing was sent: the board is not connected")
            try:
                if back := self.finder.again(last):
                    return back
            except PortError as error:
                if str(error) != said:
                    said = str(error)
                    _notice(said)

    def _follow(self, link: Link) -> None:
        """Show output and send typed input until the board disconnects."""
        buffer = LineBuffer()
        samples = SampleStream(link, self.finder.baud)
        asked = time.monotonic()
        try:
            while True:
                waited = time.monotonic() - asked
                if self.level_seconds is not None and waited >= self.level_seconds:
                    asked = time.monotonic()
                    link.write(b"level\n")
                for text in buffer.feed(link.read(_ROUND)):
                    line = parse_line(text)
                    samples.take(line)  # follows changes of the baud rate
                    if not isinstance(line, Samples):
                        self.show(Received(datetime.now().astimezone(), text, line))
                for typed in self._typed_lines():
                    link.write(typed)
        except PortLostError:
            if rest := buffer.rest():
                self.show(Received(datetime.now().astimezone(), rest, parse_line(rest)))

    def _typed_lines(self) -> list[bytes]:
        """Lines typed since the last call."""
        lines = self._input.read().split(b"\n")
        return [line.rstrip(b"\r") + b"\n" for line in lines if line.strip()]
