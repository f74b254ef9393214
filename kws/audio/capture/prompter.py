# SPDX-License-Identifier: Apache-2.0
"""Display of `kws record`: one word after another, and the sound level."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

_WIDTH = 40
_CLIPPED = 0.999


class Lines:
    """One line per event, for pipes and log files."""

    def prompt(self, word: str, number: int, count: int) -> None:
        """Print the word to say."""
        self._print(f"say: {word} ({number} of {count})")

    def level(self, peak: float) -> None:
        """Ignore the level."""

    def verdict(self, path: Path | None, text: str) -> None:
        """Print the result of a take."""
        self._print(f"{path}: {text}" if path else f"again: {text}")

    def notice(self, text: str) -> None:
        """Print the message to stderr."""
        sys.stderr.write(f"kws: {text}\n")
        sys.stderr.flush()

    @staticmethod
    def _print(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def __enter__(self) -> Lines:
        """Do nothing."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Do nothing."""


class Prompter(Lines):
    """The word in bold, with a bar that shows the level."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._word = Text("")
        self._peak = 0.0

    def __enter__(self) -> Prompter:
        """Start drawing."""
        self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """Remove the line."""
        self._live.stop()

    def prompt(self, word: str, number: int, count: int) -> None:
        """Show the word to say."""
        self._word = Text.assemble("say  ", (f" {word} ", "bold reverse"), f"  {number} of {count}")
        self._peak = 0.0
        self.level(0.0)

    def level(self, peak: float) -> None:
        """Update the bar."""
        self._peak = max(peak, self._peak * 0.85)
        width = max(0, min(_WIDTH, self._console.width - self._word.cell_len - 2))
        full = round(min(1.0, self._peak**0.5) * width)
        style = "bold red" if self._peak >= _CLIPPED else "green"
        bar = Text.assemble(("█" * full, style), ("·" * (width - full), "dim"))
        self._live.update(Text.assemble(self._word, "  ", bar), refresh=True)

    def verdict(self, path: Path | None, text: str) -> None:
        """Print above the line."""
        if path:
            self._live.console.print(Text.assemble(("good ", "green"), str(path)))
        else:
            self._live.console.print(Text.assemble(("again ", "yellow"), text))

    def notice(self, text: str) -> None:
        """Print above the line."""
        self._live.console.print(Text(text, "dim"))
