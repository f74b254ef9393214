# SPDX-License-Identifier: Apache-2.0
"""Output of `kws listen` without a terminal: the device's lines, or a JSON object per line."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import datetime
from typing import Protocol

from kws.audio.capture.blocks import Notice
from kws.host.live.listener import Hop, NearMiss, Said
from kws.host.serial.lines import Boot, Fault, Heard, Listening, Then, Waiting


class View(Protocol):
    """Shows a listener's events within a `with` block; every method returns at once."""

    def __enter__(self) -> View:
        """Begin."""

    def __exit__(self, *exc: object) -> None:
        """End, and restore the screen."""

    def said(self, said: Said) -> None:
        """A line that the device would write."""

    def hop(self, hop: Hop) -> None:
        """20 ms of sound were processed."""

    def near(self, miss: NearMiss) -> None:
        """A word was nearly heard, up to `NEAR_MISS_MS` ago."""

    def notice(self, notice: Notice | str) -> None:
        """A message about the microphone, a command or a saved recording."""

    def tick(self) -> None:
        """Called at least ten times a second."""


def tell(text: str) -> None:
    """Print kws's own messages to stderr, so that stdout holds only the device's lines."""
    sys.stderr.write(f"kws: {text}\n")
    sys.stderr.flush()


class Plain:
    """The unchanged lines: the same bytes as from the device and `kws run`."""

    def __enter__(self) -> View:
        """Do nothing."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Do nothing."""

    def said(self, said: Said) -> None:
        """Print it."""
        _print(said.text)

    def hop(self, hop: Hop) -> None:
        """Show nothing."""

    def near(self, miss: NearMiss) -> None:
        """Show nothing."""

    def notice(self, notice: Notice | str) -> None:
        """Print it to stderr."""
        tell(notice if isinstance(notice, str) else notice.text)

    def tick(self) -> None:
        """Do nothing."""


class Json(Plain):
    """A JSON object per line, with the keys of `kws monitor --json`, and the delay."""

    def said(self, said: Said) -> None:
        """Print it."""
        kinds = {
            Boot: "boot",
            Then: "then",
            Heard: "heard",
            Listening: "listening",
            Waiting: "waiting",
            Fault: "error",
        }
        about: dict[str, object] = {
            "time": datetime.now().astimezone().isoformat(timespec="milliseconds"),
            "kind": kinds.get(type(said.line), "text"),
            "line": said.text,
        }
        if said.latency:
            about["delay_ms"] = round(said.latency * 1000)
        _print(json.dumps({**about, **(asdict(said.line) if said.line else {})}))


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
