# SPDX-License-Identifier: Apache-2.0
"""What axe-core finds on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page


def serious_violations(page: Page, **options: Any) -> list[tuple[str, str]]:
    """Rules that a page violates seriously or critically, each with the first element's HTML.

    Args:
        page: the page, as it is now.
        options: of `axe.run`.
    """
    from axe_playwright_python.sync_playwright import Axe  # not installed for make check

    return [
        (it["id"], it["nodes"][0]["html"])
        for it in Axe().run(page, options=options or None).response["violations"]
        if it["impact"] in {"serious", "critical"}
    ]
