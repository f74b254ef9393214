# SPDX-License-Identifier: Apache-2.0
"""Emulators' processes end in time, also where processes have no groups, as on Windows."""

from __future__ import annotations

import os
import sys
import time

import pytest

from kws.errors import BoardError
from kws.host.emulate.processes import Processes

HANGS = [sys.executable, "-c", "import sys, time; print(1, file=sys.stderr); time.sleep(60)"]


@pytest.fixture(params=[True, False])
def groups(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.delattr(os, "killpg")


@pytest.mark.usefixtures("groups")
def test_a_hanging_process_is_killed() -> None:
    begin = time.monotonic()
    with Processes() as processes:
        assert processes._execute(HANGS, 0.5) is None
        with pytest.raises(BoardError, match="did not end within 0 s"):
            list(processes._errors(HANGS, 0.5))
    assert time.monotonic() - begin < 30


def test_a_process_killed_without_a_signal_is_late_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows reports an exit code of 1."""
    stays = [sys.executable, "-c", f"import signal, time; {_EXITS}; time.sleep(60)"]
    monkeypatch.setattr("kws.host.emulate.processes._end", lambda process: process.terminate())
    with Processes() as processes, pytest.raises(BoardError, match="did not end"):
        list(processes._errors(stays, 2.0))


_EXITS = "signal.signal(signal.SIGTERM, lambda *_: exit(1))"
