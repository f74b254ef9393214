# SPDX-License-Identifier: Apache-2.0
"""How the exported page shows a word: large, over its columns, with its delay; and near misses."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.capture.blocks import Block
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip, read_recording, write_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.emulate import host_device
from kws.host.emulate.recordings import default_matrix
from kws.host.live.listener import Hop, Listener, NearMiss
from kws.host.serial.lines import Heard
from tests.accessibility import serious_violations
from tests.host.web.exported_page import PATIENCE, Open, page_of, play

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOP = 320

# For the tests: the page's events, in the order of their dispatch.
EVENTS = """
  globalThis.events = [];
  for (const type of ["kws-word", "kws-near"]) {
    addEventListener(type, ({ detail: { label, score, ms } }) => {
      events.push([type, label, score, ms]);
    });
  }"""

# Sound as from a microphone, in real time. Returns when a sample was captured, and when the first
# word got into the list.
SPEAK = """async ([text, sample]) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const pcm = new Int16Array(bytes.buffer);
  kws.microphone = { close() {} };
  kws.newStream();
  const start = performance.now();
  let shown = null;
  const watcher = new MutationObserver(() => { shown ??= performance.now(); });
  watcher.observe($("heard"), { childList: true });
  for (let k = 1; 320 * k <= pcm.length; k++) {
    while (performance.now() < start + 20 * k) await new Promise((done) => setTimeout(done, 2));
    kws.giveMicrophone(pcm.slice(320 * (k - 1), 320 * k));
  }
  return [start + sample / 16, shown];
}"""

SPANS = """[...document.querySelectorAll(".span")].map((span) =>
  [span.textContent, parseFloat(span.style.left), parseFloat(span.style.width)])"""


def clip(name: str) -> Pcm:
    return load_clip(default_matrix() / f"{name}.flac")


def speak(page: Page, pcm: Pcm, sample: int = 0) -> tuple[float, float]:
    text = base64.b64encode(pcm.tobytes()).decode()
    captured, shown = page.evaluate(SPEAK, [text, sample])
    return captured, shown


def wav(folder: Path, *parts: Pcm) -> Path:
    write_clip(folder / "sound.wav", np.concatenate(parts))
    return folder / "sound.wav"


@pytest.fixture
def hard_yes(tmp_path: Path) -> Path:
    """A *yes* whose score is 245; the threshold is 210."""
    return wav(tmp_path, quiet_room(24_000), clip("yes_annie"), quiet_room(40_000, 1))


def test_a_word_is_shown_large_for_a_moment_without_moving_the_page(
    open_page: Open, wavs: dict[str, Path]
) -> None:
    page = open_page()
    places = "['h2', '#picture', '#classes'].map((it) => $('stage').parentNode.parentNode"
    places += ".querySelector(it).getBoundingClientRect().top)"
    before = page.evaluate(places)
    play(page, wavs["yes"])
    word = page.get_by_role("status").and_(page.locator("#spoken"))
    assert word.text_content() == "yes"
    assert page.evaluate("getComputedStyle($('spoken')).opacity") == "1"
    assert page.evaluate("parseFloat(getComputedStyle($('spoken')).fontSize)") > 35
    assert page.evaluate(places) == before
    page.wait_for_function("() => getComputedStyle($('spoken')).opacity === '0'")
    page.wait_for_function("() => $('spoken').textContent === ''")
    assert page.evaluate(places) == before
    assert "yes" in page.locator("#heard li").first.inner_text(), "the list keeps it"


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_span_covers_the_columns_of_the_word(
    motion: str, open_page: Open, tmp_path: Path
) -> None:
    """The word starts at 1.74 s and ends at 2.10 s: it is 18 columns."""
    word = clip("yes_slt")[3840:9600]
    room = quiet_room(48_000)
    pcm = np.concatenate([room[: 16_000 + 11_840], word, room])
    page = open_page(viewport={"width": 1400, "height": 800}, reduced_motion=motion)
    play(page, wav(tmp_path, pcm))
    ((label, left, width),) = page.evaluate(SPANS)
    assert label == "yes"
    columns = page.evaluate("$('spectrogram').width")
    page.wait_for_function("() => kws.app.spectrogram.waiting.length === 0")
    ((_, left, width),) = page.evaluate(SPANS)
    first, last = left * columns / 100, (left + width) * columns / 100
    if motion == "no-preference":  # the newest column is at the right edge
        drawn = page.evaluate("kws.app.spectrogram.added")
        first, last = first - (columns - drawn), last - (columns - drawn)
    assert first == pytest.approx(1740 / 20, abs=4)
    assert last == pytest.approx(2100 / 20, abs=4)
    moved = page.evaluate(
        f"""() => {{
          const before = {SPANS}[0][1], picture = kws.app.spectrogram;
          for (let i = 0; i < 10; i++) picture.add(new Uint8Array(40));
          picture.draw();
          return (before - {SPANS}[0][1]) * picture.canvas.width / 100;
        }}"""
    )
    assert moved == pytest.approx(0 if motion == "reduce" else 10, abs=0.01)
    gone = page.evaluate(
        f"""() => {{
          const picture = kws.app.spectrogram;
          for (let i = 0; i < picture.canvas.width; i++) {{
            picture.add(new Uint8Array(40));
            picture.draw();
          }}
          return {SPANS}.length;
        }}"""
    )
    assert gone == 0, "its columns are gone"


@pytest.mark.slow
def test_a_span_at_both_edges_has_two_parts(open_page: Open) -> None:
    page = open_page(reduced_motion="reduce", viewport={"width": 1000, "height": 800})
    parts = page.evaluate(
        f"""() => {{
          const picture = kws.app.spectrogram, {{ width }} = picture.canvas;
          for (let i = 0; i < width + 30; i++) picture.add(new Uint8Array(40));
          picture.draw();
          picture.span({{}}, "yes", 39, 0, "word");
          const columns = (percent) => percent * width / 100;
          return {SPANS}.map(([label, left, size]) => [label, columns(left), columns(size)]);
        }}"""
    )
    width = page.evaluate("$('spectrogram').width")
    assert parts == [
        ["", pytest.approx(width - 10, abs=0.01), pytest.approx(10, abs=0.01)],
        ["yes", 0, pytest.approx(30, abs=0.01)],
    ]


@pytest.mark.slow
def test_silence_and_other_words_show_nothing(open_page: Open, tmp_path: Path) -> None:
    page = open_page(before=EVENTS)
    play(page, wav(tmp_path, quiet_room(64_000), clip("stop_slt"), quiet_room(32_000, 1)))
    assert page.evaluate("events") == []
    assert page.evaluate(SPANS) == []
    assert page.locator("#heard li").count() == 0
    assert page.text_content("#spoken") == ""


@pytest.mark.slow
def test_a_near_miss_is_shown_if_a_threshold_is_too_high(open_page: Open, hard_yes: Path) -> None:
    page = open_page(before=EVENTS)
    play(page, hard_yes)
    assert [event[:3] for event in page.evaluate("events")] == [["kws-word", "yes", 245]]
    assert page.locator("#heard .near").count() == 0, "it was heard"
    page.get_by_role("slider", name="threshold of yes").fill("250")
    play(page, hard_yes)
    assert [event[:3] for event in page.evaluate("events")[1:]] == [["kws-near", "yes", 245]]
    near = page.locator("#heard .near")
    assert near.count() == 1
    assert "nearly: yes" in near.inner_text()
    assert "245 of 250" in near.inner_text()
    assert [label for label, *_ in page.evaluate(SPANS)] == ["yes?"]
    frame = page.locator(".span.near")
    assert frame.evaluate("(it) => getComputedStyle(it).borderStyle") == "dotted"
    assert 8 < frame.evaluate("(it) => it.getBoundingClientRect().width / 3") < 60
    assert page.locator("#heard .word").count() == 1, "only the earlier one"
    near.get_by_role("button", name="Play the sound of yes").click()
    page.wait_for_function("() => document.getElementById('player').ended")
    assert page.locator("#player").evaluate("(player) => player.duration === 1.6")
    page.get_by_role("slider", name="threshold of yes").fill("255")
    play(page, hard_yes)
    assert len(page.evaluate("events")) == 2, "a word that is off is never nearly heard"


def heard_on_host(device: Device, recording: Path) -> list[list[Any]]:
    """Detections and near misses of this machine."""
    listener = Listener(device)
    found: list[list[Any]] = []
    pcm = host_device.with_room(device, read_recording(recording).pcm)

    def add(misses: tuple[NearMiss, ...]) -> None:
        found.extend(["kws-near", miss.label, miss.score, miss.time_ms] for miss in misses)

    for event in listener.hear(Block(pcm)):
        if isinstance(event, Hop):
            add(event.near_misses)
        elif isinstance(event.line, Heard):
            line = event.line
            found.append(["kws-word", line.label, line.score, line.time_ms])
    add(listener.end())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("looks", [True, False], ids=["second look", "one model"])
def test_the_page_finds_the_near_misses_of_kws_listen(
    looks: bool, open_page: Open, tiny: Bundle, tmp_path: Path
) -> None:
    names = ("yes_annie", "go_travis", "yes_slt", "no_michael", "yes_annie", "no_rms", "left_slt")
    sound = wav(
        tmp_path,
        *(part for name in names for part in (quiet_room(12_000), clip(name), quiet_room(8_000))),
    )
    device = Device(tiny) if looks else Device(tiny).without_second_looks()
    thresholds = (255, 255, 245, 240) if looks else (255, 255, 240, 232)
    device = Device(device.bundle.with_thresholds(thresholds))  # reached by some of the words only
    page = open_page(
        url=(page_of(device, tmp_path / "tiny") / "index.html").as_uri(), before=EVENTS
    )
    play(page, sound)
    expected = heard_on_host(device, sound)
    assert page.evaluate("events") == expected
    assert {event[0] for event in expected} == {"kws-word", "kws-near"}
    heard = [event for event in expected if event[0] == "kws-word"]
    for _, label, _, ms in (event for event in expected if event[0] == "kws-near"):
        assert all(abs(ms - at) >= 1500 for _, word, _, at in heard if word == label)


@pytest.mark.slow
def test_the_delay_after_the_words_end_is_about_right(open_page: Open) -> None:
    """A word with a known end, as if from a microphone; this test measures the delay, too."""
    room = quiet_room(32_000)
    word = clip("yes_slt")[3840:9600]
    pcm = np.concatenate([room[:24_000], word, room])
    page = open_page()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
    ended, shown = speak(page, pcm, 24_000 + len(word))
    text = page.locator("#heard .delay").inner_text(timeout=PATIENCE)
    about, number, unit, side, *_ = text.split()
    assert (about, unit) == ("about", "ms")
    delay = int(number) * (1 if side == "after" else -1)
    assert delay == pytest.approx(shown - ended, abs=80)


@pytest.mark.slow
def test_the_delay_includes_what_is_queued(open_page: Open) -> None:
    """The core gets the sound half a second late."""
    late = """
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message) {
        if (message.type !== "hear") return post.call(this, message);
        setTimeout(() => post.call(this, message), 500);
      };"""
    page = open_page(before=late)
    room = quiet_room(32_000)
    word = clip("yes_slt")[3840:9600]
    pcm = np.concatenate([room[:24_000], word, room])
    ended, shown = speak(page, pcm, 24_000 + len(word))
    delay = int(page.locator("#heard .delay").inner_text(timeout=PATIENCE).split()[1])
    assert delay > 300
    assert delay == pytest.approx(shown - ended, abs=80)


@pytest.mark.slow
def test_a_recording_has_no_delay(open_page: Open, wavs: dict[str, Path]) -> None:
    """It is played faster than time."""
    page = open_page()
    play(page, wavs["spoken"])
    assert page.locator("#heard li").count() == 2
    assert page.locator("#heard .delay").count() == 0


@pytest.mark.slow
def test_the_level_tells_where_a_word_is(open_page: Open) -> None:
    page = open_page()

    def find(peaks: list[float], ms: int, window: int = 1600) -> Any:
        return page.evaluate(
            """([peaks, ms, window]) => {
              const levels = new Levels();
              peaks.forEach((peak, hop) => levels.add(peak, 20 * (hop + 1)));
              return levels.find(ms, window);
            }""",
            [peaks, ms, window],
        )

    room, word, click = [0.002] * 50, [0.3] * 20, [0.3] * 2
    assert find([], 0) is None
    assert find(room, 1000) is None
    assert find([0.0] * 50, 1000) is None
    spoken = [*room, *word, *room]
    assert find(spoken, 1600) == {"from": 1020, "to": 1400, "isOver": True}
    assert find(spoken[:75], 1500) == {"from": 1020, "to": 1400, "isOver": False}
    gap = [*room, *word, *[0.002] * 7, *word, *room]
    assert find(gap, 2000) == {"from": 1020, "to": 1940, "isOver": True}, "the pause before a t"
    assert find([*spoken, *click, *room], 2600)["to"] == 1400, "a click is no word"
    assert find([*spoken, *word, *room], 1600)["to"] == 1400, (
        "the next word starts after the report"
    )
    quiet = [0.02 * (1 + hop % 3 / 10) for hop in range(100)]
    assert find(quiet, 2000) is None, "noise"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_a_detection_is_accessible_and_fits(
    scheme: str, width: int, open_page: Open, hard_yes: Path, wavs: dict[str, Path]
) -> None:
    page = open_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page.get_by_role("slider", name="threshold of yes").fill("220")
    play(page, hard_yes)
    play(page, wavs["yes"])
    page.evaluate("kws.app.speak('yes'), clearTimeout(kws.app.spokenTimer)")  # the word stays
    assert page.locator("#heard li").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("summary").click()
    assert serious_violations(page, preload=False) == []
