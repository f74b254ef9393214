# SPDX-License-Identifier: Apache-2.0
"""Without a terminal, a long task prints its progress at intervals."""

from __future__ import annotations

import pytest

from kws import progress

pytestmark = pytest.mark.unit


def test_short_work_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.progress_bar("playing", 3) as advance:
        for _ in range(3):
            advance(1)
    assert capsys.readouterr().err == ""


def test_long_work_prints_a_line_from_time_to_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("kws.progress.time.monotonic", lambda: now)
    with progress.progress_bar("playing", 10) as advance:
        for _ in range(10):
            now += 12.0
            advance(1)
    assert capsys.readouterr().err == "playing: 3 of 10\nplaying: 6 of 10\nplaying: 9 of 10\n"
    with progress.progress_bar("reading", None) as advance:
        now += progress.LINE_SECONDS
        advance(2)
    assert capsys.readouterr().err == "reading: 2\n"


@pytest.mark.parametrize("columns", [40, 80])
def test_counts_and_remaining_time_fit_the_terminal(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    with progress.progress_bar("calibrating", 12345) as advance:
        advance(6789)
    drawn = capsys.readouterr().err
    assert "6789/12345" in drawn
    assert ("━" in drawn) == (columns == 80)
