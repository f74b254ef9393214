# SPDX-License-Identifier: Apache-2.0
"""Writes generated tables into pages of docs/.

training.md gets the training settings, models.md the model zoo. A table is between two marker
lines. Run `python -m tools.docs_tables` after changing a setting or a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kws.features.frontend_settings import HOP_MS
from kws.model.train.named_settings import GROUPS, all_settings, show
from kws.model.zoo import MODELS

DOCS = Path(__file__).resolve().parents[1] / "docs"

_BEGIN = "<!-- {name}: written by tools/docs_tables.py -->"
_END = "<!-- end of {name} -->"


def settings_table() -> str:
    """All settings of training, a table per group."""
    parts = []
    for group in GROUPS:
        rows = [
            (f"`{s.name}`", show(s.default), s.range, s.help)
            for s in all_settings().values()
            if s.group == group
        ]
        parts.append(f"**{group}**\n\n{_table(('setting', 'default', 'range', ''), rows)}")
    return "\n\n".join(parts)


def zoo_table() -> str:
    """All architectures of the zoo."""
    rows = [
        (
            f"`{name}`",
            model.summary,
            model.source,
            ", ".join(f"{key} {show(value)}" for key, value in model.recipe.items()),
            f"{model.stride * HOP_MS} ms",
        )
        for name, model in MODELS.items()
    ]
    return _table(("name", "what it is", "source", "own settings", "runs every"), rows)


def with_table(text: str, name: str, table: str) -> str:
    """The text of a page with a new table between the marker lines of this name."""
    begin, end = _BEGIN.format(name=name), _END.format(name=name)
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    if not re.search(pattern, text, re.DOTALL):
        raise ValueError(f"no lines {begin} and {end}")
    return re.sub(pattern, lambda _: f"{begin}\n\n{table}\n\n{end}", text, flags=re.DOTALL)


def pages() -> dict[Path, str]:
    """The pages with up-to-date tables."""
    tables = {"training.md": ("settings", settings_table()), "models.md": ("zoo", zoo_table())}
    return {
        DOCS / page: with_table((DOCS / page).read_text(encoding="utf-8"), *named)
        for page, named in tables.items()
    }


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
