# SPDX-License-Identifier: Apache-2.0
"""What tests of the exported page share: how to open it, to play recordings, to read its lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Launch = Callable[..., "Browser"]
Open = Callable[..., "Page"]

PATIENCE = 60_000  # ms; the machine may have other work


def wait_for(page: Page, selector: str, text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_contain_text(text, timeout=PATIENCE)


def lines(page: Page) -> list[str]:
    """What the page shows of the serial port."""
    return (page.text_content("#lines") or "").splitlines()


def play(page: Page, *files: Path) -> None:
    """Open recordings and wait for the end of the last."""
    page.set_input_files("#files", list(files))
    wait_for(page, "#status", f"{files[-1].name}: ")
    wait_for(page, "#status", "the bars show the highest scores")
