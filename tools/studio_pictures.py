# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/studio.md from a real project: part of `make pictures`.

It says a phrase into the page's microphone, trains the quick look, and compares the boards: about
five minutes. Needs Chromium, espeak-ng and the compiler for the boards.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import to_int16, write_clip
from kws.audio.tts.engines.speech import Draws
from kws.audio.tts.voices import find_voices, speak
from kws.host.studio.project import Project
from kws.host.studio.server import Server

PHRASE = "hey marvin"
OUT = Path("docs/pictures")
STEPS = ("word", "record", "train", "judge", "try", "board")
PHONE_STEPS = ("record", "judge")
DESKTOP = {"width": 1200, "height": 800}
PHONE = {"width": 390, "height": 780}
MINUTE = 60_000  # ms


def microphone(file: Path) -> None:
    """The phrase by three voices, with pauses, for the browser's microphone."""
    parts = []
    for number, voice in enumerate(find_voices(3)):
        spoken = to_int16(speak(voice, PHRASE, Draws(160, 50)))
        parts += [quiet_room(20_000, number), spoken, quiet_room(16_000, number + 10)]
    write_clip(file, np.concatenate(parts))


def run(page: Page, button: str) -> None:
    """Press a button that starts a command, and wait for its end."""
    page.get_by_role("button", name=button, exact=True).click()
    page.locator("#job progress").wait_for(timeout=MINUTE)
    page.locator("#job progress").wait_for(state="hidden", timeout=20 * MINUTE)


def go(page: Page, step: str) -> None:
    """Show a step."""
    page.evaluate(f"location.hash = '{step}'")
    page.wait_for_timeout(1500)
    page.locator("[aria-busy]").first.wait_for(state="detached")
    if page.get_by_role("button", name="Dismiss").is_visible():
        page.get_by_role("button", name="Dismiss").click()


def make_project(page: Page) -> None:
    """The whole way, as a user goes it."""
    page.get_by_label("Word or phrase").fill(PHRASE)
    page.get_by_role("button", name="Save").click()
    go(page, "record")
    page.get_by_label("Who is speaking?").fill("Anna")
    for _ in range(12):
        page.locator("button.record").click()
        page.locator("button.record[data-phase=speak]").wait_for()
        page.locator("button.record[data-phase=idle]").wait_for()
        if page.locator(".take").count() >= 4:
            break
    go(page, "train")
    run(page, "Train")
    go(page, "try")
    run(page, "Make the page")
    go(page, "board")
    run(page, "Compare boards")


def main() -> None:
    """Make a project and draw each of its steps, light and dark, and some on a phone."""
    with tempfile.TemporaryDirectory() as place:
        sound = Path(place) / "microphone.wav"
        microphone(sound)
        server = Server(Project(Path(place) / "marvin"), 0)
        threading.Thread(target=server.run, daemon=True).start()
        program = shutil.which("chromium") or shutil.which("google-chrome")
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=program,
                args=[
                    "--no-sandbox",
                    "--use-fake-device-for-media-stream",
                    "--use-fake-ui-for-media-stream",
                    f"--use-file-for-fake-audio-capture={sound}",
                ],
            )
            first = opened(chromium, server.url, viewport=DESKTOP)
            make_project(first)
            for scheme in ("light", "dark"):
                page = opened(chromium, server.url, viewport=DESKTOP, color_scheme=scheme)
                for step in STEPS:
                    go(page, step)
                    page.screenshot(path=OUT / f"studio_{step}_{scheme}.png")
            page = opened(chromium, server.url, viewport=PHONE)
            for step in PHONE_STEPS:
                go(page, step)
                page.screenshot(path=OUT / f"studio_{step}_phone.png")
            chromium.close()
        server.stop()


def opened(chromium: Browser, url: str, **options: Any) -> Page:
    """The page in its own context."""
    page = chromium.new_context(permissions=["microphone"], **options).new_page()
    page.goto(url)
    page.get_by_role("heading", level=1).wait_for()
    page.evaluate("folder.style.visibility = 'hidden'")  # it names a temporary folder
    return page


if __name__ == "__main__":
    main()
