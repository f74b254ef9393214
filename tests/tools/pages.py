# SPDX-License-Identifier: Apache-2.0
"""The Markdown pages."""

from __future__ import annotations

from tests.paths import ROOT

FOLDERS = ("docs", "examples", "kws", "renode", "tests", "tools")

PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *(p for f in FOLDERS for p in (ROOT / f).rglob("*.md")))
    if "build" not in page.relative_to(ROOT).parts
)
