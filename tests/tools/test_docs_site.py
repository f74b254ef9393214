# SPDX-License-Identifier: Apache-2.0
"""The documentation is built into a site without a dead link."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools.docs_site import dead_links, main, outside_links

DOCS = ROOT / "docs"
PAGE = (
    "[a](../README.md#more) [b](deploy.md) ![c](../x.png) `[d](../e.md)`\n```\n[f](../g.md)\n```\n"
)


def test_links_out_of_docs_lead_to_the_repository() -> None:
    changed = outside_links(PAGE, DOCS, "https://example.org/kws")
    link = "[a](https://example.org/kws/blob/main/README.md#more)"
    assert changed == PAGE.replace("[a](../README.md#more)", link)


def test_without_a_repository_only_the_text_of_a_link_is_kept() -> None:
    assert outside_links(PAGE, DOCS, None) == PAGE.replace("[a](../README.md#more)", "a")
    inside = "[a](../deploy.md) and [b](../../CONTRIBUTING.md)"
    assert outside_links(inside, DOCS / "boards", None) == "[a](../deploy.md) and b"


def test_dead_links_and_resources_of_other_sites_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text(
        '<link href="https://cdn.example/a.css"><script src="no.js"></script><a id="top"></a>'
        '<a href="#top"><a href="index.html#no"><a href="https://example.org"><a href="b.html">'
    )
    assert list(dead_links(tmp_path)) == [
        "index.html: https://cdn.example/a.css is on another site",
        "index.html: index.html#no leads nowhere",
        "index.html: b.html leads nowhere",
        "index.html: no.js leads nowhere",
    ]
    assert main(tmp_path) == "4 dead links"
    assert "1 pages" in capsys.readouterr().out


def test_the_documentation_is_built_without_a_warning(tmp_path: Path) -> None:
    if not all(importlib.util.find_spec(name) for name in ("mkdocs", "material")):
        pytest.skip("mkdocs is not installed: pip install 'kws[docs]'")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "search" / "search_index.json").is_file()
    assert list(dead_links(tmp_path)) == []
