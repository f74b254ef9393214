# SPDX-License-Identifier: Apache-2.0
"""Runs commands: in this process, for tests of their output, or in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest

from kws.cli.main import main

KWS = (sys.executable, "-c", "from kws.cli.main import main; main()")
"""Start of a command line for a process of its own."""

Run = Callable[..., tuple[int, str, str]]
"""Runs a command line; returns exit code, stdout and stderr."""


def run_process(
    *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command line in a process of its own."""
    return subprocess.run(
        [*KWS, *arguments], env=env, capture_output=True, text=True, timeout=60, check=False
    )


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The value of the fixture `kws`."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kws", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
        out, err = capsys.readouterr()
        return code, out, err

    return run
