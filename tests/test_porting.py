"""docs/porting.md is true: it names every file that knows the board it was written from."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest

from tests.paths import ROOT


def grep(arguments: list[str]) -> set[str]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    run = subprocess.run(
        ["git", "grep", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    return set(run.stdout.splitlines())


def test_the_list_of_files_is_what_git_finds() -> None:
    page = (ROOT / "docs" / "porting.md").read_text()
    command = next(line for line in page.splitlines() if line.startswith("git grep"))
    named = set(re.findall(r"^\| `([^`]+)` \|", page, re.M))
    assert named == grep(shlex.split(command)[2:])


def test_the_core_knows_no_board() -> None:
    lines = grep(["-nE", "nrf|apollo", "--", "kws/firmware/src"])
    assert lines
    assert {line for line in lines if not line.startswith("kws/firmware/src/boards/")} == set()
