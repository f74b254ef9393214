# SPDX-License-Identifier: Apache-2.0
"""Runs commands in this process, for tests of their output."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from kws.cli.main import main

Run = Callable[..., tuple[int, str, str]]
"""Runs a command line; returns exit code, stdout and stderr."""


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
