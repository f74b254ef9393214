# SPDX-License-Identifier: Apache-2.0
"""Programs that do not work: one line that says what to do."""

from __future__ import annotations

import pytest

from kws.audio.tts.engines import speech_programs
from kws.errors import ToolError


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["sleep", "60"], r"sleep did not end within 0\.1 s; if the machine is busy, run the same"),
        (["no-such-program"], "no-such-program cannot be run: .* reinstall it"),
        (["sh", "-c", "echo no memory >&2; exit 3"], "sh failed: no memory; try its command line"),
    ],
)
def test_the_error_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, command: list[str], reason: str
) -> None:
    monkeypatch.setattr(speech_programs, "_TIMEOUT_S", 0.1)
    with pytest.raises(ToolError, match=reason):
        speech_programs.output(command)
