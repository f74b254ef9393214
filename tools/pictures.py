# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/live.md: `make pictures`. Needs Chromium."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console

from kws.audio.background_noises import quiet_room
from kws.audio.capture.blocks import Block, Notice
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.live.listener import Hop, Listener, Said
from kws.host.live.terminal import Terminal
from kws.host.live.views import Plain
from kws.host.web.web_view import Web

CLIPS = Path("kws/assets/matrix")
ROOM = quiet_room(16_000)
OUT = Path("docs/pictures")
PAGES: dict[str, dict[str, Any]] = {
    "live_light": {"viewport": {"width": 1000, "height": 700}, "color_scheme": "light"},
    "live_dark": {"viewport": {"width": 1000, "height": 700}, "color_scheme": "dark"},
    "live_phone": {"viewport": {"width": 360, "height": 700}, "color_scheme": "light"},
}


def terminal(path: Path) -> None:
    """The terminal view after two words."""
    console = Console(
        file=io.StringIO(),
        record=True,
        force_terminal=True,
        color_system="truecolor",
        width=96,
        height=26,
    )
    listener = Listener(Device(load_bundle(default_bundle_path())))
    view = Terminal(listener, "microphone", keeps=True, console=Console(file=io.StringIO()))
    view.said(listener.boot[0])
    view.notice(Notice("listening to USB microphone at 48000 Hz", connected=True))
    for name in ("no_awb", "yes_slt"):
        pcm = np.concatenate([ROOM, load_clip(CLIPS / f"{name}.flac"), ROOM])[: 16000 * 5 // 2]
        for event in listener.hear(Block(pcm)):
            if isinstance(event, Hop):
                view.hop(event)
            else:
                view.said(event)
    console.print(view)
    # Rich links a web font. Remove it: the reader's fonts are used instead.
    svg = re.sub(
        r',\s*url\("http[^)]*\) format\("\w+"\)', "", console.export_svg(title="kws listen")
    )
    path.write_text(svg, encoding="utf-8")


class Silent(Plain):
    """Writes nothing."""

    def said(self, said: Said) -> None:
        """Do nothing."""

    def notice(self, notice: Notice | str) -> None:
        """Do nothing."""


def page(path: Path, chromium: Browser, options: dict[str, Any]) -> None:
    """The page after some words. There is no microphone, so it runs at full speed."""
    listener = Listener(Device(load_bundle(default_bundle_path())))
    web = Web(listener, Silent(), "127.0.0.1", 0)
    with web:
        shown = chromium.new_page(**options)
        shown.goto(web.url)
        shown.locator(".class").first.wait_for()
        web.notice(Notice("listening to USB microphone at 48000 Hz", connected=True))
        for name in ("yes_rob", "left_slt", "no_awb", "yes_slt"):
            pcm = np.concatenate([ROOM, load_clip(CLIPS / f"{name}.flac"), ROOM])[8000:38400]
            for at in range(0, len(pcm), 3200):
                for event in listener.hear(Block(pcm[at : at + 3200])):
                    if isinstance(event, Hop):
                        web.hop(event)
                    else:
                        web.said(event)
                web.tick()
                shown.wait_for_timeout(60)
        shown.screenshot(path=path)
        shown.close()


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    terminal(OUT / "live_terminal.svg")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for name, options in PAGES.items():
            page(OUT / f"{name}.png", chromium, options)
        chromium.close()
