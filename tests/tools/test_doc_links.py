# SPDX-License-Identifier: Apache-2.0
"""Links and paths in the Markdown pages exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.tools.pages import FOLDERS, PAGES


def prose(page: Path) -> str:
    """A page without code blocks."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def dead_links(page: Path) -> list[str]:
    """Links of a page to missing files or headings."""
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if link.startswith("http"):
            continue
        path, _, heading = link.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (heading and heading not in anchors(file)):
            dead.append(link)
    return dead


def dead_paths(page: Path) -> list[str]:
    """Missing paths of this repository that a page names; headers as programs include them."""
    roots = (ROOT, ROOT / "kws" / "firmware" / "src")
    named = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[^`\s]*)`", prose(page))
    plain = [path for path in named if not re.search(r"[<>*{}]|NAME", path)]
    return [
        path
        for path in plain
        if not any((root / path).exists() for root in roots)
        and not list((ROOT / path).parent.glob(Path(path).name + ".*"))  # a pair of .cc and .h
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_exist(page: Path) -> None:
    assert dead_links(page) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_paths_exist(page: Path) -> None:
    assert dead_paths(page) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A head: line\n[a](page.md#a-head-line) [b](page.md#b) [c](no.md) `kws/no.py`"
    )
    assert dead_links(page) == ["page.md#b", "no.md"]
    assert dead_paths(page) == ["kws/no.py"]
