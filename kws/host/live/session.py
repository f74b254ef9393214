# SPDX-License-Identifier: Apache-2.0
"""`kws listen`: connects the sound source to the listener, views and actions."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from kws._core import SAMPLE_RATE
from kws.audio.capture.blocks import Block, Notice
from kws.errors import KwsError
from kws.host.live.actions import Cards, Commands, Misses, WakeUps
from kws.host.live.listener import Hop, Listener, NearMiss
from kws.host.live.terminal import Keyboard
from kws.host.live.views import View
from kws.host.serial.lines import Heard

KEEP_KEYS = "m\n "
QUIT_KEYS = "q\x04"


@dataclass
class Session:
    """One run of `kws listen`."""

    listener: Listener
    sound: Iterator[Block | Notice]
    view: View
    commands: Commands
    keys: Keyboard
    misses: Misses | None = None
    wake_ups: WakeUps | None = None
    cards: Cards | None = None
    _now_ms: int = 0

    def run(self) -> None:
        """Listen until the sound ends, `q` or Ctrl-C is pressed, or SIGTERM arrives.

        Raises:
            AudioError: a recording cannot be read.
            ModelError: the core reported a fault.
        """
        for line in self.listener.boot:
            self.view.said(line)
        with _asked_to_end() as end:
            try:
                self._listen(end)
            finally:
                self._nearly(self.listener.end())
                self._keep(all_due=True)

    def _listen(self, end: threading.Event) -> None:
        for item in self.sound:
            if end.is_set():
                return
            if isinstance(item, Notice):
                if not item.connected:
                    self._nearly(self.listener.end())
                self.view.notice(item)
                continue
            self._hear(item)
            self.view.tick()
            for line in self.commands.ended():
                self.view.notice(line)
            if self._press(self.keys.pressed()):
                return

    def _hear(self, block: Block) -> None:
        for event in self.listener.hear(block):
            if isinstance(event, Hop):
                self._now_ms = event.time_ms
                self.view.hop(event)
                self._nearly(event.near_misses)
                self._keep(all_due=False)
                continue
            self.view.said(event)
            if isinstance(event.line, Heard):
                for kept in self._kept():
                    kept.add(event.line, self._now_ms)
                for line in self.commands.run(event.line):
                    self.view.notice(line)

    def _nearly(self, misses: tuple[NearMiss, ...]) -> None:
        for miss in misses:
            self.view.near(miss)
            if self.cards:
                self.cards.add_near(miss)

    def _kept(self) -> list[WakeUps | Cards]:
        return [kept for kept in (self.wake_ups, self.cards) if kept]

    def _keep(self, *, all_due: bool) -> None:
        for kept in self._kept():
            for line in kept.write_due(self._now_ms, self.listener.recent, all_due=all_due):
                self.view.notice(line)

    def _press(self, keys: str) -> bool:
        """Handle keys; returns whether to quit."""
        if self.misses and any(key in KEEP_KEYS for key in keys):
            try:
                recent = self.listener.recent()
                path = self.misses.keep(recent)
                seconds = len(recent) / SAMPLE_RATE
                self.view.notice(f"{path}: the loudest of the last {seconds:g} seconds")
            except KwsError as error:  # a full disk does not end listening
                self.view.notice(str(error))
        return any(key in QUIT_KEYS for key in keys)


@contextlib.contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """An event that is set by Ctrl-C or SIGTERM; a second Ctrl-C interrupts at once.

    An exception raised inside PortAudio's callbacks could be lost or leave a device half open.
    """
    event = threading.Event()

    def ask(*_: object) -> None:
        event.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    before = [(number, signal.signal(number, ask)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield event
    finally:
        for number, handler in before:
            signal.signal(number, handler)
