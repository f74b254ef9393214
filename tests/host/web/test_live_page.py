# SPDX-License-Identifier: Apache-2.0
"""The page of `kws listen --web` in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.emulate import host_device
from tests.host.live.listening import CLIPS, NO, YES, Listening, say
from tests.host.rooms import between_silence
from tests.host.web.conftest import Serve
from tests.sound_server import DEVICE, SoundServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

Open = Callable[..., "Page"]

PATIENCE = 60_000  # ms; the machine may be busy
PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Opens a page; errors and warnings on the page fail the test."""
    problems: list[str] = []
    with ExitStack() as stack:

        def start(url: str, allowed: str = "(?!)", **options: Any) -> Page:
            def note(message: ConsoleMessage) -> None:
                if message.type in ("error", "warning") and not re.search(allowed, message.text):
                    problems.append(message.text)

            context = browser.new_context(**options)
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("console", note)
            page.goto(url)
            page.locator(".class").first.wait_for(timeout=PATIENCE)
            return page

        yield start
    assert problems == []


def limit(page: Page, label: str) -> int:
    return int(page.get_by_role("slider", name=f"threshold of {label}").input_value())


def wait_for_limit(page: Page, label: str, value: int) -> None:
    from playwright.sync_api import expect

    slider = page.get_by_role("slider", name=f"threshold of {label}")
    expect(slider).to_have_value(str(value), timeout=PATIENCE)


MEANS = "[...document.querySelectorAll('.class .score span')].map((e) => Number(e.textContent))"
"""Returns the mean scores on the page."""

COPY = """() => {
  const shown = document.getElementById("spectrogram"), copy = document.createElement("canvas");
  [copy.width, copy.height] = [shown.width, shown.height];
  const paint = copy.getContext("2d", { willReadFrequently: true });
  paint.drawImage(shown, 0, 0);
  return paint.getImageData(0, 0, copy.width, copy.height);
}"""
"""Returns the spectrogram's pixels."""


@pytest.mark.slow
def test_words_from_the_microphone_are_shown_and_can_be_played(
    serve: Serve, visit: Open, sound_server: SoundServer
) -> None:
    program, url = serve("--device", DEVICE, env=sound_server.environment)
    page = visit(url)
    page.get_by_text(f"listening to {DEVICE}").wait_for(timeout=PATIENCE)
    # No word is reported in the first second. Wait until the model has run.
    page.wait_for_function(f"() => {MEANS}.some((mean) => mean > 0)")
    for clip, word in ((YES, "yes"), (NO, "no")):
        line, _ = say(sound_server, program, clip)
        assert line.startswith(f"Heard {word} ")
        first = page.locator("#heard li").first
        first.get_by_text(word, exact=True).wait_for(timeout=PATIENCE)
    with page.expect_response(re.compile(r"/clips/.*\.wav")) as answer:
        first.get_by_role("button", name="Play the sound of no").click()
    wav = answer.value.body()
    assert answer.value.headers["content-type"] == "audio/wav"
    page.wait_for_function("() => document.getElementById('player').ended")
    assert page.inner_text("#notice") == ""
    pcm = np.frombuffer(wav[44:], np.int16)
    assert len(pcm) == 25600
    assert np.abs(pcm.astype(int)).max() > 3000, "it contains the word"
    sound_server.unplug()
    page.get_by_text("is disconnected; plug it in again").wait_for(timeout=PATIENCE)
    sound_server.plug()
    page.get_by_text(f"listening to {DEVICE}").wait_for(timeout=PATIENCE)


@pytest.mark.slow
def test_a_word_and_a_near_miss_are_shown(serve: Serve, visit: Open, tmp_path: Path) -> None:
    """The built-in model's score of this *yes* is 200, then 254 for the other one."""
    names = ["yes_annie", "no_michael"] * 20
    pcm = quiet_room(100 * 16000)
    for number, name in enumerate(names):
        clip = load_clip(CLIPS / f"{name}.flac")
        start = 24_000 + number * 40_000
        pcm[start : start + len(clip)] += clip
    write_clip(tmp_path / "sound.wav", pcm)
    program, url = serve("--input", tmp_path / "sound.wav")
    page = visit(url)
    page.get_by_role("slider", name="threshold of yes").fill("230")
    page.wait_for_function("() => document.getElementById('spoken').textContent === 'no'")
    span = page.locator(".span", has_text="no").last
    span.wait_for(timeout=PATIENCE)
    # The word lasts half a second, 25 columns of 3 pixels.
    width = span.evaluate("(it) => it.getBoundingClientRect().width / 3")
    assert 8 < width < 45
    delay = page.locator("#heard .word .delay").first.inner_text(timeout=PATIENCE)
    assert re.fullmatch(r"about \d+ ms (after|before) its end", delay)
    near = page.locator("#heard .near").first
    near.wait_for(timeout=PATIENCE)
    assert re.search(r"nearly: yes\s+\d+ of 230", near.inner_text())
    frame = page.locator(".span.near").last
    assert frame.inner_text() == "yes?"
    assert 8 < frame.evaluate("(it) => it.getBoundingClientRect().width / 3") < 60
    with page.expect_response(re.compile(r"/clips/.*\.wav")) as answer:
        near.get_by_role("button", name="Play the sound of yes").click()
    pcm = np.frombuffer(answer.value.body()[44:], np.int16)
    assert len(pcm) == 25_600
    assert np.abs(pcm.astype(int)).max() > 3000, "it contains the word"
    late = visit(url)
    late.locator("#heard .near").first.wait_for(timeout=PATIENCE)
    assert late.locator("#heard .word").count() >= 1
    program.rest()


@pytest.mark.slow
def test_the_spectrogram_has_fifty_columns_a_second(serve: Serve, visit: Open, words: Path) -> None:
    _, url = serve("--input", words)
    page = visit(url)
    times, got = page.evaluate(
        """() => new Promise((done) => {
          let got = 0;
          const times = [], counts = [], socket = new WebSocket(`ws://${location.host}/live`);
          socket.binaryType = "arraybuffer";
          socket.onmessage = ({ data }) => {
            if (typeof data !== "string") got += data.byteLength / (1 + 4 + 40);
            const message = typeof data === "string" ? JSON.parse(data) : {};
            if (message.type !== "word") return;
            times.push(message.time_ms);
            counts.push(got);
            if (times.length === 3) done([times, counts]);
          };
        })"""
    )
    # Measured on the audio clock. A text message may overtake a message with a few columns.
    assert np.diff(got) == pytest.approx(np.diff(times) / 20, abs=10)
    assert np.sum(np.diff(times)) > 2000
    height, colours = page.evaluate(
        f"() => {{ const image = ({COPY})();"
        "return [image.height, new Set(new Uint32Array(image.data.buffer)).size]; }"
    )
    assert height == 40
    assert colours > 20, "the picture shows sound"


def test_a_dragged_threshold_applies_and_can_be_saved(
    serve: Serve, visit: Open, words: Path, own_bundle: Path
) -> None:
    program, url = serve("--model", own_bundle, "--input", words)
    page, other = visit(url), visit(url)
    before = load_bundle(own_bundle)
    assert before.second_look
    usual = before.second_look.settings.thresholds
    save = page.get_by_role("button", name="Save to the bundle")
    assert save.is_disabled()
    slider = page.get_by_role("slider", name="threshold of yes")
    box = slider.bounding_box()
    assert box
    at = 8 + (box["width"] - 16) * limit(page, "yes") / 255
    page.mouse.move(box["x"] + at, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=10)
    page.mouse.move(box["x"] + box["width"] + 50, box["y"] + box["height"] / 2, steps=10)
    page.mouse.up()
    assert limit(page, "yes") == 255
    wait_for_limit(other, "yes", 255)
    # The keyboard works too.
    page.get_by_role("slider", name="threshold of no").focus()
    page.keyboard.press("ArrowLeft")
    assert limit(page, "no") == usual["no"] - 1
    save.click()
    page.get_by_text(f"saved to {own_bundle}").wait_for(timeout=PATIENCE)
    assert save.is_disabled()
    bundle = load_bundle(own_bundle)
    assert bundle.second_look
    assert bundle.second_look.settings.thresholds == {"yes": 255, "no": usual["no"] - 1}
    assert bundle.recognizer == before.recognizer, "without the second look, it is as before"
    program.until("Heard", seconds=60)  # reports from before the change
    program.rest()
    later = [program.until("Heard", seconds=60)[0] for _ in range(2)]
    assert not [line for line in later if "Heard yes" in line], "a score never exceeds 255"
    heard = host_device.play(Device(bundle), between_silence(load_clip(YES))).heard
    assert not heard, "other devices with this bundle use it too"


@pytest.mark.slow
def test_thresholds_can_be_reset_to_the_bundles(serve: Serve, visit: Open, words: Path) -> None:
    _, url = serve("--input", words)
    page = visit(url)
    usual = limit(page, "yes")
    other = visit(url)
    page.get_by_role("slider", name="threshold of yes").fill("17")
    wait_for_limit(other, "yes", 17)
    assert limit(page, "yes") == 17
    page.get_by_role("button", name="Reset thresholds").click()
    assert limit(page, "yes") == usual
    wait_for_limit(other, "yes", usual)
    assert page.get_by_role("button", name="Reset thresholds").is_disabled()


@pytest.mark.slow
def test_a_built_in_bundle_is_not_changed(serve: Serve, visit: Open, words: Path) -> None:
    _, url = serve("--input", words)
    page = visit(url)
    page.get_by_role("slider", name="threshold of yes").fill("17")
    page.get_by_role("button", name="Save to the bundle").click()
    page.get_by_text("the built-in model cannot be changed").wait_for(timeout=PATIENCE)


@pytest.mark.slow
def test_a_page_reconnects_and_gets_earlier_reports(serve: Serve, visit: Open, words: Path) -> None:
    program, url = serve("--input", words)
    program.until("Heard yes", seconds=60)
    late = visit(url, allowed="ERR_CONNECTION_REFUSED")  # the browser's message
    late.locator("#heard li").first.get_by_text("yes", exact=True).wait_for(timeout=PATIENCE)
    assert "Heard yes" in late.inner_text("#lines")
    program.process.terminate()
    program.process.wait(10)
    late.get_by_text("kws listen has ended; this page reconnects").wait_for(timeout=PATIENCE)
    port = url.rsplit(":", 1)[1].strip("/")
    with Listening("--web", "--web-port", port, "--input", words) as again:
        again.until("in a browser", "stderr")
        late.wait_for_function("() => document.querySelectorAll('#heard li').length === 0")
        late.locator("#heard li").first.wait_for(timeout=PATIENCE)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_text_has_enough_contrast(serve: Serve, visit: Open, words: Path, scheme: str) -> None:
    """At least 4.5 to 1: WCAG 2.2, success criterion 1.4.3."""
    program, url = serve("--input", words)
    page = visit(url, color_scheme=scheme)
    program.until("Heard", seconds=60)
    page.locator("#heard li").first.wait_for()
    pairs = page.evaluate(
        """() => {
          const hasText = (e) => [...e.childNodes].some(
            (n) => n.nodeType === 3 && n.textContent.trim());
          const paper = (e) => {
            const colour = getComputedStyle(e).backgroundColor;
            return colour === "rgba(0, 0, 0, 0)" ? paper(e.parentElement) : colour;
          };
          return [...document.querySelectorAll("body *")]
            .filter((e) => !e.disabled && e.offsetParent && hasText(e))
            .map((e) => [e.outerHTML, getComputedStyle(e).color, paper(e)]);
        }"""
    )
    assert len(pairs) > 30

    def light(colour: str) -> float:
        parts = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    for name, ink, paper in pairs:
        low, high = sorted([light(ink), light(paper)])
        assert (high + 0.05) / (low + 0.05) >= 4.5, (name, ink, paper)


@pytest.mark.slow
def test_all_controls_are_reachable_by_keyboard(serve: Serve, visit: Open, words: Path) -> None:
    program, url = serve("--input", words)
    page = visit(url)
    program.until("Heard", seconds=60)
    page.get_by_role("slider", name="threshold of yes").fill("17")
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "() => { const e = document.activeElement;"
                " return e.getAttribute('aria-label') || e.textContent; }"
            )
        )
        outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        if reached[-1].startswith(("threshold", "Play", "Save", "Reset")):
            assert outline == "solid", reached
    text = " ".join(reached)
    for wanted in ("threshold of no", "Save to", "Reset", "Play the sound of"):
        assert wanted in text


@pytest.mark.slow
def test_nothing_scrolls_with_reduced_motion(serve: Serve, visit: Open, words: Path) -> None:
    _, url = serve("--input", words)
    page = visit(url, reduced_motion="reduce")
    page.wait_for_function(f"() => new Set(new Uint32Array(({COPY})().data.buffer)).size > 20")
    width, changed = page.evaluate(
        f"""async () => {{
          const copy = {COPY}, before = copy();
          await new Promise((done) => setTimeout(done, 200));
          const after = copy(), {{ width, height }} = after;
          const pixels = [before, after].map((image) => new Uint32Array(image.data.buffer));
          const differs = (x) => Array.from({{ length: height }}, (_, y) => y * width + x)
            .some((at) => pixels[0][at] !== pixels[1][at]);
          return [width, Array.from({{ length: width }}, (_, x) => x).filter(differs).length];
        }}"""
    )
    assert changed < width * 0.3, "drawn columns do not move"


@pytest.mark.slow
def test_the_page_fits_a_phone(serve: Serve, visit: Open, words: Path) -> None:
    program, url = serve("--input", words)
    page = visit(url, **PHONE)
    program.until("Heard", seconds=60)
    page.locator("#heard li").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    cut = page.evaluate(
        """() => [...document.querySelectorAll("button, input, output, .score, canvas")]
          .filter((e) => e.offsetParent && (e.getBoundingClientRect().right > 360
            || e.getBoundingClientRect().width < 8)).map((e) => e.outerHTML)"""
    )
    assert cut == []
    page.get_by_role("slider", name="threshold of yes").tap()
    assert page.get_by_role("button", name="Save to the bundle").is_enabled()
