# SPDX-License-Identifier: Apache-2.0
"""From an empty folder to a phrase that the emulated board hears, with a real training."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.host.studio.conftest import Serve, go, open_studio

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing"),
    pytest.mark.skipif(not shutil.which("flite"), reason="flite is missing"),
]

PHRASE = "hey marvin"
MINUTE = 60_000  # ms


def run(page: Page, button: str) -> None:
    """Press a button that starts a command, and wait until it has succeeded."""
    page.get_by_role("button", name=button, exact=True).click()
    page.locator("#job[data-state=running]").wait_for()
    page.locator("#job:not([data-state=running])").wait_for(timeout=30 * MINUTE, state="attached")
    assert page.locator("#job").get_attribute("data-state") == "done", page.inner_text("#job")


@pytest.mark.usefixtures("board_tools")
def test_from_a_phrase_to_the_emulated_board(studio: Serve, page: Page, tmp_path: Path) -> None:
    served = studio(tmp_path / "marvin")
    open_studio(page, served)
    page.get_by_label("Word or phrase").fill(PHRASE)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved", exact=True).first.wait_for()

    go(page, "Train")
    run(page, "Train")
    go(page, "Judge")
    page.get_by_role("heading", name=re.compile("It hears the word")).wait_for()

    go(page, "Board")
    run(page, "Compare boards")
    page.get_by_role("radio", name=re.compile("QEMU")).check()
    run(page, "Run in emulator")
    said = served.state()["jobs"][0]["text"]
    assert said.endswith("on qemu, as on this machine\n"), said
    assert re.search(r"/hey_marvin/\S+ +hey_marvin +hey_marvin .*ok", said), said
