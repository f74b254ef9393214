# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of the exported page: plays recordings in a browser and in Node.js."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kws import _core
from kws.audio.capture.blocks import Block
from kws.audio.pcm import Pcm
from kws.audio.sound_files import read_recording
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.features.spectrogram import Spectrograms, spectrogram
from kws.host.emulate import host_device
from kws.host.live.listener import Hop, Listener
from kws.host.web.export import export_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Launch = Callable[..., "Browser"]
Open = Callable[..., "Page"]

PATIENCE = 60_000  # ms; the machine may be busy


def wait_for(page: Page, selector: str, text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_contain_text(text, timeout=PATIENCE)


def wait_until(page: Page, promise: str) -> None:
    """Wait until a promise's value is true; Playwright's own wait does not read promises."""
    started = time.monotonic()
    while not page.evaluate(promise):
        assert time.monotonic() - started < PATIENCE / 1000, promise
        time.sleep(0.1)


def wait_until_kept(page: Page) -> None:
    """Wait until the browser has a complete copy of the page."""
    state = "navigator.serviceWorker.ready.then(({ active }) => active.state)"
    wait_until(page, f"{state}.then((state) => state === 'activated')")


def lines(page: Page) -> list[str]:
    """The lines of the serial port on the page."""
    return (page.text_content("#lines") or "").splitlines()


def play(page: Page, *files: Path) -> None:
    """Open recordings and wait until the last one ends."""
    page.set_input_files("#files", list(files))
    wait_for(page, "#status", f"{files[-1].name}: ")
    wait_for(page, "#status", "the bars show the highest scores")


def trace(page: Path, wavs: list[Path], block: int = 16_000) -> dict[str, Any]:
    """The results of the page's scripts for recordings; the core gets blocks of `block` samples."""
    script = Path(__file__).parent / "browser_trace.js"
    command = ["node", *map(str, (script, page, block, *wavs))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def page_of(device: Device, folder: Path) -> Path:
    export_page(device, folder)
    return folder


def looks_of(device: Device, pcm: Pcm) -> list[list[Any]]:
    """Time and scores of each second look on the host."""
    hops = [event for event in Listener(device).hear(Block(pcm)) if isinstance(event, Hop)]
    return [[hop.time_ms, list(hop.looked)] for hop in hops if hop.looked]


def frames_of(bundle: Bundle, pcm: Pcm) -> Spectrograms:
    """The frames that the bundle's model sees, with a frame every 20 ms."""
    return spectrogram(pcm, keep_noise=bundle.frontend.keep_noise)


def check_same(bundle: Bundle, said: dict[str, Any], wavs: list[Path]) -> int:
    """Check that lines, words, scores, means and frames equal the host's; return the line count."""
    assert said["thresholds"] == Device(bundle).pipeline().thresholds
    lines = 0
    for wav, clip in zip(wavs, said["clips"], strict=True):
        pcm = host_device.with_room(Device(bundle), read_recording(wav).pcm)
        serial = host_device.play(Device(bundle), pcm).text
        assert (said["boot"] + clip["text"]).replace(" on browser,", " on host,") == serial, (
            wav.name
        )
        words = "".join(f"Heard {label} ({score}) @{ms}ms\n" for label, score, ms in clip["words"])
        assert words == clip["text"]
        pipeline = Device(bundle).pipeline()
        _, times, scores = pipeline.trace(pcm)
        np.testing.assert_array_equal(clip["times"], times)
        np.testing.assert_array_equal(clip["scores"], scores)
        assert clip["means"] == pipeline.means
        whole_hops = pcm[: len(pcm) // _core.STRIDE_SAMPLES * _core.STRIDE_SAMPLES]
        np.testing.assert_array_equal(clip["frames"], frames_of(bundle, whole_hops))
        lines += len(clip["text"].splitlines())
    return lines


def check_same_lines(device: Device, said: dict[str, Any], wavs: list[Path]) -> str:
    """Check that lines, words, means and frames of two bundles equal the host's; return lines."""
    assert said["thresholds"] == device.pipeline().thresholds
    text = ""
    for wav, clip in zip(wavs, said["clips"], strict=True):
        pcm = host_device.with_room(device, read_recording(wav).pcm)
        serial = host_device.play(device, pcm).text
        page_serial = (said["boot"] + clip["text"]).replace(" on browser,", " on host,")
        assert page_serial == serial, wav.name
        words = [f"Heard {label} ({score}) @{ms}ms" for label, score, ms in clip["words"]]
        assert words == [line for line in clip["text"].splitlines() if line.startswith("Heard")]
        assert clip["looks"] == looks_of(device, pcm)
        sizes = {len(part.labels) for part in device.parts}
        assert {len(scores) for scores in clip["scores"]} <= sizes
        whole_hops = pcm[: len(pcm) // _core.STRIDE_SAMPLES * _core.STRIDE_SAMPLES]
        np.testing.assert_array_equal(clip["frames"], frames_of(device.parts[0], whole_hops))
        text += clip["text"]
    return text
