# SPDX-License-Identifier: Apache-2.0
"""Draws the README's picture: an animated terminal with commands and what they print.

`make pictures` runs it. The commands run when the picture is drawn, so it shows real output. The
picture is one SVG file without scripts and without external fonts. Readers whose system asks
for reduced motion see the last image at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

PICTURE = Path("docs/pictures/terminal.svg")
COMMANDS = (
    "kws run kws/assets/matrix/yes_slt.flac",
    "kws build --board nano33ble --out build/nano33ble",
    "kws test --board qemu | tail -n 1",
)

COLUMNS = 92
CHARACTER = 8.4  # width, in px at the font size of 14 px; textLength makes any font fit
LINE = 20
MARGIN = 18
BAR = 30  # height of the window's title bar
TYPING_S = 0.035  # per character
PAUSE_S = 0.8

_STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
fill: #d5dae3; white-space: pre }
.prompt { fill: #7fd0a0 } .heard { fill: #f2d06b; font-weight: bold }
.late { opacity: 0; animation: show 1ms linear forwards }
.typed { animation: type linear both }
@keyframes show { to { opacity: 1 } }
@keyframes type { from { transform: scaleX(1) } to { transform: scaleX(0) } }
@media (prefers-reduced-motion: reduce) { .late { animation: none; opacity: 1 } \
.typed { display: none } }
""".strip()


@dataclass(frozen=True)
class Shown:
    """A command and the lines that it printed."""

    command: str
    lines: tuple[str, ...]


def run(command: str) -> Shown:
    """Run a command line as a user types it, with this environment's kws; progress is not kept."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PATH": path, "COLUMNS": str(COLUMNS)},
    )
    return Shown(command, tuple(line.rstrip() for line in done.stdout.rstrip().splitlines()))


def picture(shown: Sequence[Shown]) -> str:
    """The SVG: each command is typed, then its lines appear."""
    rows: list[str] = []
    y = BAR + MARGIN
    now = PAUSE_S
    for part in shown:
        y += LINE
        rows += _typed(part.command, y, now)
        now += len(part.command) * TYPING_S + PAUSE_S / 2
        for line in part.lines:
            y += LINE
            if line:
                kind = "late heard" if line.startswith("Heard ") else "late"
                rows.append(_text(line, MARGIN, y, kind, now))
        y += LINE
        now += PAUSE_S * 2
    columns = max([COLUMNS, *(len(line) for part in shown for line in part.lines)])
    width, height = round(columns * CHARACTER) + 2 * MARGIN, y + MARGIN // 2
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    buttons = [
        f'<circle cx="{MARGIN + 4 + 20 * i}" cy="{BAR // 2 + 3}" r="5.5" fill="{color}"/>'
        for i, color in enumerate(("#e0655c", "#e3b34c", "#62b866"))
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            "<title>kws in a terminal</title>",
            f"<style>{_STYLE}</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#161b26"/>',
            *buttons,
            *rows,
            "</svg>",
            "",
        ]
    )


def _typed(command: str, y: int, at: float) -> list[str]:
    """A prompt and a command, which a shrinking cover uncovers from left to right."""
    left = MARGIN + 2 * CHARACTER
    width = len(command) * CHARACTER
    cover = (
        f'<rect class="typed" x="{left:.1f}" y="{y - 15}" width="{width + 4:.1f}" height="{LINE}" '
        f'fill="#161b26" style="transform-origin: {left + width + 4:.1f}px 0; '
        f"animation-delay: {at:.2f}s; animation-duration: {len(command) * TYPING_S:.2f}s; "
        f'animation-timing-function: steps({len(command)})"/>'
    )
    return [_text("$", MARGIN, y, "late prompt", at - 0.3), _text(command, left, y), cover]


def _text(text: str, x: float, y: int, kind: str = "", at: float | None = None) -> str:
    attributes = f' class="{kind}"' if kind else ""
    if at is not None:
        attributes += f' style="animation-delay: {at:.2f}s"'
    length = f'textLength="{len(text) * CHARACTER:.1f}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text x="{x:.1f}" y="{y}" {length}{attributes} xml:space="preserve">{escape(text)}</text>'
    )


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture([run(command) for command in COMMANDS]), encoding="utf-8")
