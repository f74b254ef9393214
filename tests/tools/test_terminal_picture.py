# SPDX-License-Identifier: Apache-2.0
"""The README shows what kws prints, as text and as a picture."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from tests.paths import ROOT
from tools.terminal_picture import COMMANDS, PICTURE, Shown, picture

README = (ROOT / "README.md").read_text(encoding="utf-8")


def texts(svg: str) -> list[str]:
    """The lines of text of a picture; reading fails if it is not XML."""
    return [
        element.text or "" for element in ElementTree.fromstring(svg).iter() if element.get("y")
    ]


def printed(command: str) -> list[str]:
    """The output of this version of kws for a command."""
    program, *arguments = command.split()
    assert program == "kws"
    run = [str(Path(sys.executable).parent / "kws"), *arguments]
    return subprocess.run(
        run, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()


def test_a_picture_shows_commands_and_their_lines() -> None:
    svg = picture(
        [Shown("kws run <a>", ("kws 1 & more", "", "Heard yes (1) @2ms")), Shown("b", ())]
    )
    shown = [text for text in texts(svg) if text]
    assert shown == ["$", "kws run <a>", "kws 1 & more", "Heard yes (1) @2ms", "$", "b"]
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    assert "prefers-reduced-motion" in svg


def test_no_line_is_cut() -> None:
    for lines in (("short",), ("a" * 200, "b")):
        root = ElementTree.fromstring(picture([Shown("c", lines)]))
        ends = [float(text.get("x", 0)) + float(text.get("textLength", 0)) for text in root.iter()]
        assert max(ends) < float(root.get("width", 0))


def test_picture_and_text_of_the_readme_equal_the_output_of_kws_run() -> None:
    assert f"]({PICTURE})" in README
    svg = (ROOT / PICTURE).read_text(encoding="utf-8")
    command = next(line for line in README.splitlines() if line.startswith("kws run "))
    assert command == COMMANDS[0]
    lines = printed(command)
    assert lines[-1].startswith("Heard yes (")
    assert "```\n" + "\n".join(lines) + "\n```" in README
    shown = texts(svg)
    assert set(lines) <= set(shown)
    assert set(COMMANDS) <= set(shown)
