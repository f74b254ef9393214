# SPDX-License-Identifier: Apache-2.0
"""Tests of every command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from kws import __version__
from kws.cli.main import app
from tests.command_line import KWS, run_process

COMMANDS = sorted(getattr(get_command(app), "commands", {}))


def test_version() -> None:
    assert run_process("--version").stdout == f"kws {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_a_mistyped_command_is_wrong_usage() -> None:
    result = run_process("trian")
    assert result.returncode == 2
    assert "No such command 'trian'" in result.stderr
    assert "Traceback" not in result.stderr


def test_help_imports_nothing_slow() -> None:
    code = (
        "import sys, kws.cli.main;"
        "heavy = {'tensorflow', 'keras', 'matplotlib', 'platformio', 'numpy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_to_a_full_disk_gives_a_one_line_error() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*KWS, "boards"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "kws: no space left for the output\n"


@pytest.mark.parametrize(
    "command",
    [
        ["set", "tiny", "--threshold", "180"],
        ["calibrate", "--data", "."],
        ["enroll", "ten_words", "."],
    ],
)
def test_a_built_in_bundle_cannot_be_changed(command: list[str]) -> None:
    done = run_process(*command)
    assert done.returncode == 2
    assert "a built-in bundle cannot be changed" in done.stderr
    assert len(done.stderr.splitlines()) == 1
