# SPDX-License-Identifier: Apache-2.0
"""How help is laid out: commands in groups, types and ranges in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup

_RANGE = re.compile(r"\b(?:(\S+)<=)?x(?:<=(\S+)|>=(\S+))(?=[;\]])")
_SUMMARY = 200  # letters of a command's first sentence, which is shown whole


class PlainCommand(TyperCommand):
    """A command whose options have types such as `<path>` and ranges such as `1 to 10`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of arguments and options."""
        _write_options(self, ctx, formatter)


class GroupedCommands(TyperGroup):
    """Commands under headings: their help panels, in the order of the commands."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, then a section of commands for each panel."""
        _write_options(self, ctx, formatter)
        commands = [self.commands[name] for name in self.list_commands(ctx)]
        width = max(len(command.name or "") for command in commands)
        panels: dict[str, list[tuple[str, str]]] = {}
        for command in commands:
            panel = str(getattr(command, "rich_help_panel", None) or "Commands")
            row = ((command.name or "").ljust(width), command.get_short_help_str(_SUMMARY))
            panels.setdefault(panel, []).append(row)
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)


def plain_type(text: str) -> str:
    """An option and its type as people write them: `--out <path>`, `--takes <int>`."""
    text = text.replace(" range>", ">").replace("<str>", "<text>").replace("<float>", "<number>")
    return re.sub(r"<list\[(\w+)\]>", lambda match: f"<{_TYPES.get(match[1], match[1])}>", text)


_TYPES = {"Path": "path", "str": "text"}


def plain_range(text: str) -> str:
    """An option's help with its range and default in words: `[default: 3; 1 or more]`."""
    text = re.sub(r"\[default: \(([^()]*)\)", r"[default: \1", text)
    return _RANGE.sub(_range_words, text)


def _range_words(match: re.Match[str]) -> str:
    low, high, least = match.groups()
    if least is not None:
        return f"{least} or more"
    return f"at most {high}" if low is None else f"{low} to {high}"


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    for title, kind in (("Arguments", "argument"), ("Options", "option")):
        records: Iterable[tuple[str, str] | None] = (
            parameter.get_help_record(ctx)
            for parameter in command.get_params(ctx)
            if parameter.param_type_name == kind
        )
        rows = [(plain_type(name), plain_range(text)) for name, text in filter(None, records)]
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)
