# SPDX-License-Identifier: Apache-2.0
"""Step Try of `kws studio`: a word that was nearly heard becomes a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kws.audio.sound_files import load_clip
from kws.host.studio.project import Project
from tests.host.studio.conftest import Serve, add_trained_run, go, open_studio
from tests.host.web.exported_page import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# As the page of the model does it; `ms` is a second and a half ago.
NEAR = """dispatchEvent(new CustomEvent("kws-near",
  { detail: { label: "yes", score: 143, ms: 1000 * kws.given / kws.rate - 1500 } }))"""


@pytest.mark.slow
def test_a_near_miss_becomes_a_card_at_most_every_five_seconds(
    studio: Serve, spoken_to: Browser, project: Project
) -> None:
    add_trained_run(project.path)
    served = studio(project.path)
    context = spoken_to.new_context(permissions=["microphone"])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    open_studio(page, served)
    go(page, "Try")
    page.get_by_role("button", name="Make the page").click()
    frame = page.frame_locator("iframe[src]")
    frame.get_by_role("button", name="Listen").click()
    inner = next(it for it in page.frames if "/try/" in it.url)
    inner.wait_for_function("() => kws.given > 6 * kws.rate")
    inner.evaluate(NEAR)
    inner.evaluate(NEAR)
    page.get_by_text("nearly heard yes (143)").wait_for()
    frame.get_by_role("button", name="Stop").click()
    page.wait_for_timeout(500)
    assert page.get_by_text("nearly heard yes").count() == 1
    (file,) = (project.path / "cards").glob("*_near_143_yes.wav")
    assert len(load_clip(file)) == 48_000
    context.close()
