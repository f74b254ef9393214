# SPDX-License-Identifier: Apache-2.0
"""The exported page and the microphone: a fake one of Chromium, a refused one, a slow machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.host.web.exported_page import Launch, Open, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser


pytestmark = pytest.mark.slow

# What the tests look at: the microphone's track, the clock of its sound.
WATCH = """
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    const stream = await ask(wanted);
    globalThis.track = stream.getAudioTracks()[0];
    return stream;
  };
  globalThis.AudioContext = class extends AudioContext {
    constructor(options) {
      super(options);
      globalThis.context = this;
    }
  };"""

# Sound for the core is kept back while `slow` is true.
SLOW_WORKER = """
  globalThis.slow = true;
  globalThis.kept = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message) {
    if (slow && message.type === "hear") kept.push(() => post.call(this, message));
    else post.call(this, message);
  };"""


def test_the_microphone_is_heard_from_a_file(open_page: Open, spoken_to: Browser) -> None:
    page = open_page(spoken_to, before=WATCH)
    page.get_by_role("button", name="Listen").press("Enter")
    wait_for(page, "#status", "listening: ")
    wait_for(page, "#lines", "Heard yes")
    wait_for(page, "#lines", "Heard no")
    page.get_by_role("button", name="Stop").click()
    wait_for(page, "#status", "stopped")
    page.wait_for_function("() => track.readyState === 'ended'")


def test_a_browser_that_does_not_resample_is_helped(open_page: Open, spoken_to: Browser) -> None:
    """As Firefox: a context at 16 kHz refuses a microphone at another rate."""
    refuse = """
      const source = AudioContext.prototype.createMediaStreamSource;
      AudioContext.prototype.createMediaStreamSource = function (stream) {
        if (this.sampleRate === 16000) throw new DOMException("rates", "NotSupportedError");
        globalThis.rate = this.sampleRate;
        return source.call(this, stream);
      };"""
    page = open_page(spoken_to, before=refuse)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#lines", "Heard yes")
    wait_for(page, "#lines", "Heard no")
    assert page.evaluate("rate") in (44_100, 48_000)


def test_a_machine_that_is_too_slow_says_so_and_catches_up(
    open_page: Open, spoken_to: Browser
) -> None:
    """The core gets nothing to hear until the page says so; then all that was kept."""
    page = open_page(spoken_to, before=WATCH + SLOW_WORKER)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "this machine does not keep up: sound is lost")
    assert page.evaluate("kept.length") == 100, "two seconds of hops"
    lost_from = page.evaluate("context.currentTime")
    page.wait_for_function(f"() => context.currentTime > {lost_from} + 1")
    assert page.evaluate("kept.length") == 100
    page.evaluate("slow = false, kept.forEach((post) => post())")
    wait_for(page, "#status", " s were lost")
    wait_for(page, "#lines", "Heard yes")


REFUSALS = {
    "NotAllowedError": "the microphone was not allowed; allow it for this page in the browser",
    "NotFoundError": "no microphone is there; plug one in, then press Listen",
    "NotReadableError": "the microphone is busy or broken; close what uses it",
    "OverconstrainedError": "the microphone cannot be used (why)",
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refused_microphone_is_said_in_a_line(name: str, open_page: Open) -> None:
    page = open_page(
        before="navigator.mediaDevices.getUserMedia = async () =>"
        f"{{ throw new DOMException('why', '{name}'); }};"
    )
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", REFUSALS[name])
    assert page.get_by_role("button", name="Listen").is_enabled()


def test_a_permission_that_is_not_given_is_said(open_page: Open, launch: Launch) -> None:
    """Chromium's own refusal: nobody answers its question in a headless browser."""
    page = open_page(launch("--use-fake-device-for-media-stream"))
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", REFUSALS["NotAllowedError"])


def test_a_page_without_rights_names_the_way_out(open_page: Open) -> None:
    hide = "Object.defineProperty(navigator, 'mediaDevices', { value: undefined });"
    page = open_page(before=hide)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "over https and from localhost only; open it with kws export web")


def test_an_unplugged_microphone_is_said(open_page: Open, spoken_to: Browser) -> None:
    page = open_page(spoken_to, before=WATCH)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
    page.evaluate("track.dispatchEvent(new Event('ended'))")
    wait_for(page, "#status", "the microphone was unplugged; plug it in, then press Listen")
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
