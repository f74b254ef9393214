"""Draws the pictures of docs/live.md: `make pictures`. Needs PulseAudio and Chromium."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from rich.console import Console

from kws.audio.files import load_clip
from kws.audio.microphone import Block, Notice
from kws.convert.bundle import Bundle, default_bundle_path
from kws.host.listen import Hop, Listener
from kws.host.listen_terminal import Terminal
from kws.host.stream import between_silence
from tests.host.test_listen import CLIPS, Listening
from tests.sound_server import DEVICE, SoundServer

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
    listener = Listener(Bundle.load(default_bundle_path()))
    view = Terminal(listener, "microphone", keeps=True, console=Console(file=io.StringIO()))
    view.said(listener.boot)
    view.notice(Notice("listening to USB microphone at 48000 Hz", connected=True))
    for name in ("no_awb", "yes_slt"):
        pcm = between_silence(load_clip(CLIPS / f"{name}.flac"))[: 16000 * 5 // 2]
        for event in listener.hear(Block(pcm)):
            if isinstance(event, Hop):
                view.hop(event)
            else:
                view.said(event)
    console.print(view)
    path.write_text(console.export_svg(title="kws listen"), encoding="utf-8")


def pages(out: Path) -> None:
    """The page while words are said into a microphone."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = SoundServer(Path(folder))
        server.start()
        server.plug()
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        with Listening("--web", "--port", 0, "--device", DEVICE, env=server.environment) as program:
            line, _ = program.until("shows it", "stderr")
            found = re.search(r"http://\S+", line)
            url = found[0] if found else ""
            shown: dict[str, Any] = {}
            for name, options in PAGES.items():
                shown[name] = chromium.new_page(**options)
                shown[name].goto(url)
            time.sleep(2)
            for name in ("yes_rob", "left_slt", "no_awb", "yes_slt"):
                server.play(between_silence(load_clip(CLIPS / f"{name}.flac"))[8000:-4000])
            for name, page in shown.items():
                page.screenshot(path=out / f"{name}.png")
        server.stop()


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    terminal(OUT / "live_terminal.svg")
    pages(OUT)
