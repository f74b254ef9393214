# SPDX-License-Identifier: Apache-2.0
"""Command lines in the Markdown pages use existing commands and options of kws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from kws.cli.main import app
from tests.paths import ROOT
from tests.tools.pages import PAGES

_COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined] # a group


def command_lines(page: Path) -> list[str]:
    """The command lines after `kws` in code blocks and between backticks."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    lines = [line.partition(" #")[0] for block in blocks for line in block.splitlines()]
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return [
        match[1]
        for code in (*lines, *inline)
        if (match := re.match(r"(?:[A-Z_]+=\S+ )*kws ((?:[a-z]+)(?: .*)?)$", code.strip()))
    ]


def unknown_parts(line: str) -> list[str]:
    """An unknown command, or unknown options, in a line."""
    name, *rest = line.split()
    if name not in _COMMANDS:
        return [name]
    command = _COMMANDS[name]
    if rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest[0]]
    known = {option for parameter in command.params for option in parameter.opts}
    known |= {option for parameter in command.params for option in parameter.secondary_opts}
    options = {word for word in rest if re.fullmatch(r"--[a-z][a-z-]*", word)}
    return sorted(options - known - {"--help"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_options_exist(page: Path) -> None:
    assert [(line, parts) for line in command_lines(page) if (parts := unknown_parts(line))] == []


def test_an_invented_option_is_found() -> None:
    assert unknown_parts("train --model x --data d") == ["--model"]
    assert unknown_parts("sing --loud") == ["sing"]
    assert unknown_parts("export web --model x --out page") == []
