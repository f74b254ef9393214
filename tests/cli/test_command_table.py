# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in a command: exit code 130, and a line that names the kept files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kws.cli.command_table import GROUPS, Command, stoppable
from kws.errors import StoppedError


def work(*, out: Path) -> None:
    """A command in which Ctrl-C is pressed."""
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (True, "stopped; {out} keeps the clips; go on"),
        (False, "stopped; nothing was written; run the same command again"),
    ],
)
def test_ctrl_c_names_the_kept_files(made: bool, says: str, tmp_path: Path) -> None:
    out = tmp_path / "my data"
    if made:
        out.mkdir()
    with pytest.raises(StoppedError) as caught:
        stoppable(Command(work, "", "{out} keeps the clips; go on"))(out=out)
    assert str(caught.value) == says.format(out=out)
    assert caught.value.exit_code == 130


def test_each_command_names_its_kept_files_and_how_to_continue() -> None:
    for commands in GROUPS.values():
        for command in commands:
            kept, _, following = command.kept.partition("; ")
            assert kept and following
            if "{out}" in kept:
                assert kept.startswith("{out}") and " keeps " in kept
