# SPDX-License-Identifier: Apache-2.0
"""Measures how much processor time an exported page needs in a slowed-down Chromium.

`python -m tools.page_speed` prints the table of docs/phones.md. Chromium slows down a page's main
thread (DevTools' CPU throttling), but not its workers. So the core, which the page runs in a
worker, is measured on the main thread; then the page listens to a microphone for the rest.

All figures are processor time of the main thread. On a busy machine, Chromium slows down less than
it should; then the program says so, and the figures should be measured again.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.web.export import export_page
from tools.markdown import row

MODELS = ("tiny", "yes_no", "ten_words")
RATES = (1, 4, 6)
REPEATS = 9
LISTEN_SECONDS = 5
TIMEOUT_MS = 600_000  # the slow page may leave little time for anything else
WORDS = ("yes_slt", "no_rms", "left_slt", "go_travis", "five_mike", "stop_slt")

# The core as the page's worker runs it, but here: it gets sound hop by hop, as from a microphone.
# The pause in quiet rooms is off, so every inference runs.
START = """(samples) => {
  const unpack = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  globalThis.measured = new KwsCore(unpack(KWS_CORE));
  KWS_BUNDLE.parts.forEach((part) => { part.recognizer.gate_db = 0; });
  measured.start(KWS_BUNDLE, KWS_MODELS.map(unpack));
  globalThis.pcm = Int16Array.from(samples);
}"""
HEAR = """() => {
  let inferences = 0;
  for (let at = 0; at < pcm.length; at += measured.hop) {
    const hops = measured.hear(pcm.subarray(at, at + measured.hop));
    inferences += hops.filter(({ means }) => means !== null).length;
  }
  return inferences;
}"""


def speech() -> Any:
    """int16[n]: words in a quiet room, whole seconds."""
    folder = Path("kws/assets/matrix")
    clips = [load_clip(folder / f"{name}.flac") for name in WORDS]
    pcm = np.concatenate([part for clip in clips for part in (quiet_room(8000), clip)])
    return pcm[: len(pcm) // 16_000 * 16_000]


def thread_seconds(session: CDPSession, name: str) -> float:
    """A metric of the page's main thread, in seconds of processor time."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == name))


def core_share(page: Page, session: CDPSession, pcm: Any, stride_ms: int) -> float:
    """Processor time of the core per second of sound, in seconds."""
    shares = []
    for repeat in range(REPEATS + 1):
        before = thread_seconds(session, "ThreadTime")
        inferences = page.evaluate(HEAR)
        used = thread_seconds(session, "ThreadTime") - before
        seconds = len(pcm) / 16_000
        if inferences < 0.9 * 1000 * seconds / stride_ms:
            raise SystemExit(f"only {inferences} inferences: the model did not run all the time")
        if repeat:  # in the first one, the browser still optimizes the code
            shares.append(used / seconds)
    return statistics.median(shares)


def page_share(page: Page, session: CDPSession) -> float:
    """Processor time of the main thread per second while the page listens, in seconds."""
    page.get_by_role("button", name="Listen", exact=True).click()
    page.wait_for_function(
        "() => document.getElementById('status').textContent.startsWith('listening')"
    )
    page.wait_for_timeout(2000)
    names = ("Timestamp", "ThreadTime")
    before = [thread_seconds(session, name) for name in names]
    page.wait_for_timeout(1000 * LISTEN_SECONDS)
    wall, used = (
        thread_seconds(session, name) - old for name, old in zip(names, before, strict=True)
    )
    status = page.inner_text("#status")
    page.get_by_role("button", name="Stop", exact=True).click()
    if "lost" in status:
        print(f"sound was lost: {status}")
    return used / wall


def measure(browser: Browser, folder: Path, name: str, pcm: Any) -> list[tuple[float, float]]:
    """For each of `RATES`, the shares of the core and of the page."""
    bundle = load_bundle(default_bundle_path().with_name(name))
    export_page(Device(bundle), folder / name)
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_default_timeout(TIMEOUT_MS)
    page.goto((folder / name / "index.html").as_uri())
    page.wait_for_function("() => document.getElementById('status').textContent === 'ready'")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(START, pcm.tolist())
    shares = []
    for rate in RATES:
        session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
        shares.append((core_share(page, session, pcm, bundle.every_ms), page_share(page, session)))
        slower = shares[-1][0] / shares[0][0]
        if abs(slower / rate - 1) > 0.2:
            text = (
                f"{name}: the core was {slower:.1f} times slower, not {rate}; this machine is busy"
            )
            print(text, file=sys.stderr, flush=True)
    page.close()
    return shares


def table(results: dict[str, Sequence[tuple[float, float]]]) -> str:
    """The table of docs/phones.md."""
    heads = ["model"]
    heads += [f"{part}, {rate}x" for part in ("core", "page") for rate in RATES]
    lines = [row(*heads), row(*["---"] * len(heads))]
    for name, shares in results.items():
        figures = [pair[part] for part in (0, 1) for pair in shares]
        lines.append(row(f"`{name}`", *(f"{100 * figure:.1f} %" for figure in figures)))
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    pcm = speech()
    found = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_clip(folder / "speech.wav", pcm)
        browser = playwright.chromium.launch(
            executable_path=found,
            args=[
                "--no-sandbox",
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                f"--use-file-for-fake-audio-capture={folder / 'speech.wav'}",
            ],
        )
        print(f"Chromium {browser.version}, {len(pcm) // 16_000} s of words")
        print(table({model: measure(browser, folder, model, pcm) for model in MODELS}))
        browser.close()


if __name__ == "__main__":
    main()
