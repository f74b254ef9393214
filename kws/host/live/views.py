# SPDX-License-Identifier: Apache-2.0
"""What `kws listen` writes where no terminal is: the device's lines, or an object a line."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import datetime
from typing import Protocol

from kws.audio.capture.blocks import Notice
from kws.host.live.listener import Hop, Said
from kws.host.serial.lines import Boot, Fault, Heard, Listening, Then, Waiting


class View(Protocol):
    """Shows a listener's events within a `with` block; every method returns at once."""

    def __enter__(self) -> View:
        """Begin."""

    def __exit__(self, *exc: object) -> None:
        """Leave everything as it was."""

    def said(self, said: Said) -> None:
        """A line that the device would write."""

    def hop(self, hop: Hop) -> None:
        """20 ms were heard."""

    def notice(self, notice: Notice | str) -> None:
        """Something about the microphone, a command or a kept recording."""

    def tick(self) -> None:
        """Time went on: ten times a second or more."""


def tell(text: str) -> None:
    """What is not from the device goes to stderr, so that scripts need not tell it apart."""
    sys.stderr.write(f"kws: {text}\n")
    sys.stderr.flush()


class Plain:
    """The lines as they are: the same bytes that the device and `kws run` write."""

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

    def notice(self, notice: Notice | str) -> None:
        """Print it to stderr."""
        tell(notice if isinstance(notice, str) else notice.text)

    def tick(self) -> None:
        """Do nothing."""


class Json(Plain):
    """An object a line, with the keys that `kws monitor --json` has, and the delay."""

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
