# SPDX-License-Identifier: Apache-2.0
"""The word to say, and the microphone's level."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from kws.audio.capture.prompter import Prompter


@pytest.mark.parametrize("columns", [40, 100])
def test_the_prompt_stays_on_one_line(columns: int) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=columns, height=10)
    prompter = Prompter(console)
    with console.capture() as capture, prompter:
        prompter.prompt("hey marvin", 7, 20)
        prompter.level(0.25)
    # Live moves the cursor up before it redraws more than one line.
    assert "\x1b[1A\x1b[2K\x1b[1A" not in capture.get()
    assert "hey marvin" in capture.get()
    assert "7 of 20" in capture.get()
    assert "█" in capture.get()
