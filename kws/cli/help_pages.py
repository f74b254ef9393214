# SPDX-License-Identifier: Apache-2.0
"""Layout of help pages (groups, plain types and ranges), and shell completion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from kws.errors import UsageError

if TYPE_CHECKING:
    from kws.host.build.boards import Board

_RANGE = re.compile(r"\b(?:(\S+)<=)?x(?:<=(\S+)|>=(\S+))(?=[;\]])")
_SUMMARY = 200  # letters: a command's first sentence is shown in full


MOVED = {
    "convert": dict.fromkeys(
        (
            *("--threshold", "--average-window-ms", "--suppression-ms", "--minimum-count"),
            *("--gate-db", "--report-unknown", "--no-report-unknown", "--interpreted"),
        ),
        "kws set BUNDLE",
    )
}
"""Moved options, by their old command: the command that has them now."""


class PlainCommand(TyperCommand):
    """A command whose options have types such as `<path>` and ranges such as `1 to 10`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; a moved option is an error that names its new command."""
        moved = MOVED.get(self.name or "", {})
        for option in (argument.partition("=")[0] for argument in args):
            if option in moved:
                raise UsageError(
                    f"kws {self.name} has no {option}: {moved[option]} {option} sets it"
                )
        return super().parse_args(ctx, args)

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
    """An option and its type: `--out <path>`, `--takes <int>`."""
    text = re.sub(r"(<\w+>) <Path>", r"\1", text)  # an argument named after its type
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


def complete_bundle(incomplete: str) -> list[str]:
    """The built-in bundles; if none matches, the shell completes folder names."""
    from kws.bundle.built_in import built_in_names

    return [name for name in built_in_names() if name.startswith(incomplete)]


def complete_board(incomplete: str) -> list[tuple[str, str]]:
    """All boards, with their titles."""
    return _board_names(incomplete, lambda _: True)


def complete_emulated_board(incomplete: str) -> list[tuple[str, str]]:
    """The boards that an emulator runs, and this machine."""
    names = _board_names(incomplete, lambda board: board.emulator is not None)
    return [*names, *([("host", "this machine")] if "host".startswith(incomplete) else [])]


def complete_bench_board(incomplete: str) -> list[tuple[str, str]]:
    """The targets of `kws bench`: emulated boards and processors, and this machine."""
    from kws.host.emulate.cores import CORES

    boards = [pair for pair in complete_emulated_board(incomplete) if pair[0] in ("qemu", "host")]
    names = [(name, core.title) for name, core in CORES.items() if name.startswith(incomplete)]
    return [*boards, *names]


def complete_real_board(incomplete: str) -> list[tuple[str, str]]:
    """The boards that kws deploy writes."""
    return _board_names(incomplete, lambda board: board.deploy is not None)


def _board_names(incomplete: str, wanted: Callable[[Board], bool]) -> list[tuple[str, str]]:
    from kws.host.build.boards import boards

    fitting = (board for board in boards() if wanted(board))
    return [(it.name, it.title) for it in fitting if it.name.startswith(incomplete)]
