# SPDX-License-Identifier: Apache-2.0
"""`kws listen` in a terminal: spectrogram, level, a bar per class, detections."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from importlib import import_module

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from kws import _core
from kws.audio.capture.blocks import Notice
from kws.files import descriptor
from kws.host.live.listener import Hop, Listener, NearMiss, Said
from kws.host.serial.lines import Boot, Heard, Listening, Then, Waiting
from kws.labels import UNKNOWN
from kws.typed_input import TypedInput

_FRAMES_A_SECOND = 8
_HOPS_A_COLUMN = 2
_ROWS = 10  # of the spectrogram; each shows two bands of channels
_WIDEST = 160
_KEPT_LINES = 6
_CLIP_SECONDS = 1.0  # duration of the clipping mark
_LOOK_SECONDS = 3.0  # how long the scores of a second look stay
_QUIETEST_DB = -60.0

# Dark to bright, so that the order is visible without colours.
_SHADES = (
    "#0b1026", "#101a3c", "#152a52", "#183c66", "#1a5076", "#1c6580", "#227b84", "#2f9082",
    "#46a579", "#66b86c", "#8cc95e", "#b2d653", "#d3df50", "#ebe55a", "#f7ec7d", "#fdf6b0",
)  # fmt: skip


class Terminal:
    """The terminal view; redraws at least `_FRAMES_A_SECOND` times a second."""

    def __init__(
        self, listener: Listener, title: str, *, keeps: bool, console: Console | None = None
    ) -> None:
        """`title`: the microphone or file; `keeps`: whether a key saves recent sound."""
        console = console or Console(highlight=False)
        self._listener = listener
        self._title = title
        self._keys = ("m saves a missed word   " if keeps else "") + "q quits"
        self._console = console
        self._columns: deque[np.ndarray] = deque(maxlen=_WIDEST)  # int8[40] each
        self._half: list[np.ndarray] = []
        self._means = (0,) * len(listener.device.labels)
        self._proposals = listener.device.proposals
        self._looked: tuple[int, ...] = ()
        self._looked_at = -1e9
        self._peak = 0.0
        self._clipped_at = -1e9
        self._heard: deque[tuple[str, Said]] = deque(maxlen=_KEPT_LINES)
        self._notice = Text("")
        self._latency = 0.0
        self._cpu = CpuShare()
        self._drawn = 0.0
        self._live = Live(
            console=console, auto_refresh=False, screen=True, get_renderable=lambda: self
        )

    def __enter__(self) -> Terminal:
        self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._live.stop()
        # The previous screen is restored; print the last detections below it.
        for _time, said in self._heard:
            print(said.text)  # noqa: T201 - this is the command's output

    def said(self, said: Said) -> None:
        """Keep a line, and draw."""
        if isinstance(said.line, Heard):
            self._latency = said.latency
        self._heard.append((f"{datetime.now():%H:%M:%S}", said))
        self._draw()

    def hop(self, hop: Hop) -> None:
        """Add a hop; draw if it is time."""
        if len(hop.frame):
            self._half.append(hop.frame)
            if len(self._half) == _HOPS_A_COLUMN:
                self._columns.append(np.maximum.reduce(self._half))
                self._half = []
        self._means = hop.means
        if hop.looked:
            self._looked, self._looked_at = hop.looked, time.monotonic()
        self._peak = max(hop.peak, self._peak * 0.9)
        if hop.clipped:
            self._clipped_at = time.monotonic()
        self.tick()

    def near(self, miss: NearMiss) -> None:
        """Show nothing: talk has many, which would hide other notices."""

    def notice(self, notice: Notice | str) -> None:
        """Show a line about the microphone or a command until the next one."""
        if isinstance(notice, str):
            self._notice = Text(notice, "yellow")
        else:
            self._notice = Text(notice.text, "green" if notice.connected else "bold red")
        self._draw()

    def tick(self) -> None:
        """Draw if it is time."""
        if time.monotonic() - self._drawn >= 1 / _FRAMES_A_SECOND:
            self._draw()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        self._live.refresh()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw everything to fit the terminal."""
        width, height = options.max_width, console.size.height
        labels = self._listener.device.labels
        yield from self._lines([self._head(width)])
        spare = height - len(labels) - 4
        rows = max(0, min(_ROWS, spare - 2))
        yield from self._spectrogram(width, rows)
        yield from self._lines([self._level(width)])
        yield from self._lines(self._bars(width))
        shown = list(self._heard)[-max(0, spare - rows) :] if spare > rows else []
        yield from self._lines(self._heard_line(*item) for item in shown)
        yield from self._lines([self._notice, self._foot()])

    @staticmethod
    def _lines(texts: Iterable[Text]) -> Iterator[Text]:
        for text in texts:
            text.no_wrap, text.overflow = True, "ellipsis"
            yield text

    def _head(self, width: int) -> Text:
        bundle = self._listener.device.bundle
        text = Text.assemble(("kws listen", "bold"), f"  {bundle.name} {bundle.sha8}", end="\n")
        text.append(f"  {self._title}", "dim")
        text.truncate(width)
        return text

    def _spectrogram(self, width: int, rows: int) -> Iterator[Segment]:
        """Two bands per character: foreground for the upper one, background for the lower."""
        if not rows:
            return
        columns = list(self._columns)[-width:]
        bands = 2 * rows
        shades = np.zeros((bands, len(columns)), np.intp)
        if columns:
            picture = np.stack(columns, axis=1)[::-1]  # highest frequency first
            edges = np.arange(bands) * _core.CHANNELS // bands
            shades = (np.maximum.reduceat(picture, edges, axis=0).astype(np.intp) + 128) >> 4
        blank = " " * (width - len(columns))
        for row in range(rows):
            if blank:
                yield Segment(blank, _shade(0, 0))
            upper, lower = shades[2 * row].tolist(), shades[2 * row + 1].tolist()
            start = 0
            for end in range(1, len(columns) + 1):
                if end == len(columns) or (upper[end], lower[end]) != (upper[start], lower[start]):
                    yield Segment("▀" * (end - start), _shade(upper[start], lower[start]))
                    start = end
            yield Segment.line()

    def _level(self, width: int) -> Text:
        decibel = 20 * np.log10(max(self._peak, 1e-6))
        share = (max(decibel, _QUIETEST_DB) - _QUIETEST_DB) / -_QUIETEST_DB
        room = max(4, min(width, _WIDEST) - 34)
        full = round(share * room)
        style = "red" if decibel > -1 else "yellow" if decibel > -6 else "green"
        text = Text(f"{'level':<12}")
        text.append("█" * full, style)
        text.append("·" * (room - full), "dim")
        text.append(f" {max(decibel, -99):4.0f} dB")
        if time.monotonic() - self._clipped_at < _CLIP_SECONDS:
            text.append("  CLIPPED", "bold red")
        return text

    def _bars(self, width: int) -> Iterator[Text]:
        room = max(4, min(width, _WIDEST) - 34)
        labels = self._listener.device.labels
        is_recent = time.monotonic() - self._looked_at < _LOOK_SECONDS
        looked = self._looked if is_recent and self._looked else (None,) * len(labels)
        rows = zip(
            labels, self._means, looked, self._proposals, self._listener.thresholds, strict=True
        )
        for label, mean, look, proposal, threshold in rows:
            # With a second model its score decides; the bar is the first model's.
            score = mean if proposal is None else look
            above = score is not None and score > threshold
            style = "bold green" if above else "cyan"
            full = (mean * room + 128) // 256
            cells = [("█", style)] * full + [("·", "dim")] * (room - full)
            if proposal is not None:
                cells[_cell(proposal, room)] = ("┊", "")
            cells[_cell(threshold, room)] = ("┃", "bold yellow")
            if proposal is not None and look is not None:
                cells[_cell(look - 1, room)] = ("◆", "bold green" if above else "")
            text = Text(f"{label[:11]:<12}", "bold" if above else "")
            for (sign, of_sign), group in itertools.groupby(cells):
                text.append(sign * len(list(group)), of_sign)
            text.append(f" {'-' if score is None else score:>3} / {threshold}")
            yield text

    @staticmethod
    def _heard_line(at: str, said: Said) -> Text:
        style = "bold red"
        if isinstance(said.line, Heard):
            style = "blue" if said.line.label == UNKNOWN else "bold green"
        elif isinstance(said.line, Listening | Waiting):
            style = "green"
        elif isinstance(said.line, Boot | Then):
            style = "dim"
        return Text.assemble((f"{at}  ", "dim"), (said.text, style))

    def _foot(self) -> Text:
        late = f"{self._latency * 1000:.0f} ms" if self._latency else "-"
        return Text(f"{self._keys}   delay {late}   processor {self._cpu.percent():.0f} %", "dim")


class CpuShare:
    """This process's recent use of one core, in percent."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._used = time.process_time()
        self._percent = 0.0

    def percent(self) -> float:
        """Average over the last second or more."""
        now = time.monotonic()
        if now - self._since >= 1.0:
            used = time.process_time()
            self._percent = 100 * (used - self._used) / (now - self._since)
            self._since, self._used = now, used
        return self._percent


def _cell(score: int, room: int) -> int:
    """The cell of a bar that begins right above a score."""
    return max(0, min(room - 1, (score + 1) * room // 256))


@cache
def _shade(ink: int, paper: int) -> Style:
    return Style(color=_SHADES[ink], bgcolor=_SHADES[paper])


@contextlib.contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Unbuffered keys; restores the terminal's settings afterwards."""
    number = descriptor(sys.stdin)
    if number is None or not os.isatty(number):
        yield Keyboard(number)
        return
    try:
        import termios  # noqa: PLC0415
        import tty  # noqa: PLC0415
    except ImportError:  # Windows
        yield ConsoleKeyboard()
        return

    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        yield Keyboard(number)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


class Keyboard:
    """Non-blocking keyboard input."""

    def __init__(self, number: int | None) -> None:
        """`number`: stdin's descriptor, or None."""
        self._typed = TypedInput(number)

    def pressed(self) -> str:
        """All keys since the last call; piped input counts as keys."""
        return self._typed.read().decode("ascii", "ignore")


class ConsoleKeyboard(Keyboard):
    """The keyboard of a console window of Windows."""

    def __init__(self) -> None:
        super().__init__(None)
        self._console = import_module("msvcrt")

    def pressed(self) -> str:
        """All keys since the last call."""
        keys = ""
        while self._console.kbhit():
            keys += self._console.getwch()
        return keys
