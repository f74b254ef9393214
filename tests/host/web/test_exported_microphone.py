# SPDX-License-Identifier: Apache-2.0
"""The exported page with Chromium's fake microphone, without permission, and on a slow machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.host.web.exported_page import Launch, Open, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser


pytestmark = pytest.mark.slow

# For the tests: the microphone's track, and the audio context with a clock.
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

# While `slow` is true, sound for the core is held back.
SLOW_WORKER = """
  globalThis.slow = true;
  globalThis.kept = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message) {
    if (slow && message.type === "hear") kept.push(() => post.call(this, message));
    else post.call(this, message);
  };"""


def test_words_from_the_microphone_are_reported(open_page: Open, spoken_to: Browser) -> None:
    page = open_page(spoken_to, before=WATCH)
    page.get_by_role("button", name="Listen").press("Enter")
    wait_for(page, "#status", "listening: ")
    wait_for(page, "#lines", "Heard yes")
    wait_for(page, "#lines", "Heard no")
    page.get_by_role("button", name="Stop").click()
    wait_for(page, "#status", "stopped")
    page.wait_for_function("() => track.readyState === 'ended'")


def test_a_browser_that_does_not_resample_works(open_page: Open, spoken_to: Browser) -> None:
    """As in Firefox: a context at 16 kHz refuses a microphone with another rate."""
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


def test_a_too_slow_machine_is_reported_and_catches_up(open_page: Open, spoken_to: Browser) -> None:
    """The core gets no sound until the page reports it, then all the held-back sound."""
    page = open_page(spoken_to, before=WATCH + SLOW_WORKER)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "this machine is too slow: sound is being lost")
    assert page.evaluate("kept.length") == 100, "two seconds of hops"
    lost_from = page.evaluate("context.currentTime")
    page.wait_for_function(f"() => context.currentTime > {lost_from} + 1")
    assert page.evaluate("kept.length") == 100
    page.evaluate("slow = false, kept.forEach((post) => post())")
    wait_for(page, "#status", " s were lost")
    wait_for(page, "#lines", "Heard yes")


REFUSALS = {
    "NotAllowedError": "access to the microphone was denied; allow it for this page in the browser",
    "NotFoundError": "there is no microphone; plug one in, then press Listen",
    "NotReadableError": "the microphone is in use or broken; close the program that uses it",
    "OverconstrainedError": "the microphone cannot be used (why)",
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refused_microphone_is_reported_in_one_line(name: str, open_page: Open) -> None:
    page = open_page(
        before="navigator.mediaDevices.getUserMedia = async () =>"
        f"{{ throw new DOMException('why', '{name}'); }};"
    )
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", REFUSALS[name])
    assert page.get_by_role("button", name="Listen").is_enabled()


def test_a_missing_permission_is_reported(open_page: Open, launch: Launch) -> None:
    """A headless Chromium denies the permission by default."""
    page = open_page(launch("--use-fake-device-for-media-stream"))
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", REFUSALS["NotAllowedError"])


def test_a_page_without_microphone_access_has_a_remedy(open_page: Open) -> None:
    hide = "Object.defineProperty(navigator, 'mediaDevices', { value: undefined });"
    page = open_page(before=hide)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "only over https or from localhost; open the page with kws export")


def test_an_unplugged_microphone_is_reported(open_page: Open, spoken_to: Browser) -> None:
    page = open_page(spoken_to, before=WATCH)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
    page.evaluate("track.dispatchEvent(new Event('ended'))")
    wait_for(page, "#status", "the microphone was unplugged; plug it in, then press Listen")
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
