"""The recipes for boards and ops name every file that mentions their example."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest

from kws import _core
from tests.paths import ROOT


def grep(arguments: list[str]) -> set[str]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    run = subprocess.run(
        ["git", "grep", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    return set(run.stdout.splitlines())


@pytest.mark.parametrize("page", ["porting", "adding_an_op"])
def test_the_list_of_files_equals_git_grep(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    command = next(line for line in text.splitlines() if line.startswith("git grep"))
    named = set(re.findall(r"^\| `([^`]+)` \|", text, re.M))
    assert named == grep(shlex.split(command)[2:])


def test_each_op_and_type_has_a_file_and_each_file_an_op() -> None:
    kernels = ROOT / "kws" / "firmware" / "src" / "kws" / "runtime" / "kernels" / "ops"
    files = {path.stem.replace("_", "") for path in kernels.glob("*.cc")} - {"anytype"}
    types = {name for name in _core.KERNELS.values() if name.endswith(("Float32", "Int16"))}
    assert files == {name.lower() for name in types.union(_core.OPS.values())}


def test_the_core_does_not_mention_boards() -> None:
    lines = grep(["-niE", "nrf|apollo|stm32|l475", "--", "kws/firmware/src"])
    assert lines
    assert {line for line in lines if not line.startswith("kws/firmware/src/boards/")} == set()
