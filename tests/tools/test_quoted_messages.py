# SPDX-License-Identifier: Apache-2.0
"""Messages quoted in the docs are printed by the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

PAGES = ("docs/troubleshooting.md", "docs/deploy.md")

_FILLED = "\0"
"""Placeholder for a field of an f-string."""

_TELLING = 8
"""Minimum length: shorter clauses would match anything."""


def quoted(page: str) -> list[str]:
    """The messages that begin a paragraph: bold, as code."""
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    return re.findall(r"\*\*`([^`]+)`\*\*", text)


def clauses(message: str) -> list[str]:
    """The parts of a message between semicolons and colons."""
    return [part.strip() for part in re.split(r"; |: |\n", message) if part.strip()]


@cache
def printed() -> dict[str, re.Pattern[str]]:
    """The clauses of all messages in Python, C++ and the Makefile, with their patterns."""
    texts = [(ROOT / "Makefile").read_text(encoding="utf-8")]
    for path in sorted((ROOT / "kws").rglob("*.py")):
        texts += python_strings(path)
    for path in sorted((ROOT / "kws/firmware/src").rglob("*.[ch]*")):
        code = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
        strings = re.findall(r'"((?:[^"\\\n]|\\.)*)"', code)
        texts += [text.replace("{}", _FILLED).removesuffix("\\n") for text in strings]
    return {
        clause: re.compile(".*".join(map(re.escape, clause.split(_FILLED))))
        for text in texts
        for clause in clauses(text)
        if len(clause.replace(_FILLED, "")) >= _TELLING
    }


def python_strings(path: Path) -> Iterator[str]:
    """The strings of a file except docstrings, with _FILLED for the fields of f-strings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if node in docstrings:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (n.value if isinstance(n, ast.Constant) else _FILLED for n in node.values)
            yield "".join(map(str, parts))


def is_printed(clause: str) -> bool:
    """Whether the code has a message with this clause; `...` stands for anything."""
    parts = [part.strip() for part in clause.split("...") if len(part.strip()) > 3]
    return any(pattern.fullmatch(clause) for pattern in printed().values()) or all(
        any(part in text for text in printed()) for part in parts
    )


@pytest.mark.parametrize("page", PAGES)
def test_quoted_messages_exist_in_the_code(page: str) -> None:
    messages = quoted(page)
    assert len(messages) > 3
    assert [part for text in messages for part in clauses(text) if not is_printed(part)] == []


def test_an_invented_message_is_not_printed() -> None:
    assert not is_printed("no clips were ever found by anybody here")
    assert is_printed("no clips of 'marvin' (did you mean ...?)")
