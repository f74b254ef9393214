# SPDX-License-Identifier: Apache-2.0
"""The exported page in Chromium, as a file or served: recordings, layout, damaged files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import soundfile

from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device, with_commands
from kws.bundle.reading import load_bundle
from kws.host.emulate.transcript import transcribe
from kws.host.web.export import export_page
from kws.host.web.file_server import file_server
from kws.host.web.site_files import ICON_SIZES, MODEL, icon_name
from tests.host.web.exported_page import Open, lines, play, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def kws_run(device: Device, wav: Path) -> str:
    return transcribe(device, wav).serial.text


def test_recordings_give_the_lines_of_kws_run(
    open_page: Open, bundle: Bundle, wavs: dict[str, Path]
) -> None:
    page = open_page()
    play(page, wavs["yes"], wavs["no"], wavs["spoken"])
    assert "not resampled" in page.inner_text("#status")
    boot, *said = lines(page)
    expected = []
    for name in ("yes", "no", "spoken"):
        text = kws_run(Device(bundle), wavs[name]).splitlines()
        assert boot == text[0].replace(" on host,", " on browser,")
        expected += [f"{name}.wav:", *text[1:]]
    assert said == expected
    assert sum(line.startswith("Heard") for line in expected) >= 4
    newest = page.locator("#heard li").first
    assert "no" in newest.inner_text()
    newest.locator("button").click()
    page.wait_for_function("() => document.getElementById('player').ended")
    player = page.locator("#player")
    assert player.evaluate("(player) => player.error === null && player.duration === 1.6")


def test_two_bundles_give_the_lines_of_kws_run(
    open_page: Open, bundle: Bundle, wavs: dict[str, Path], tmp_path: Path
) -> None:
    ten_words = load_bundle(default_bundle_path().with_name("ten_words"))
    device = with_commands(bundle, ten_words, 2500)
    export_page(device, tmp_path / "then")
    page = open_page(url=(tmp_path / "then" / "index.html").as_uri())
    assert page.inner_text("#model") == "yes_no then ten_words"
    play(page, wavs["spoken"], wavs["yes"])
    expected = []
    for name in ("spoken", "yes"):
        text = kws_run(device, wavs[name]).splitlines()
        expected += [f"{name}.wav:", *text[2:]]
    assert [line.replace(" on browser,", " on host,") for line in lines(page)] == [
        *text[:2],
        *expected,
    ]
    assert "Listening for commands" in "\n".join(expected)
    assert "Waiting for the wake word" in "\n".join(expected)
    assert page.locator("#heard li b").all_inner_texts() == [
        line.split()[1] for line in reversed(expected) if line.startswith("Heard")
    ]


@pytest.mark.slow
def test_other_recordings_are_resampled(
    open_page: Open, wavs: dict[str, Path], tmp_path: Path
) -> None:
    mono = load_clip(wavs["yes"]).repeat(3)  # 48 kHz
    soundfile.write(tmp_path / "stereo.flac", np.stack([mono, mono], axis=1), 48_000)
    page = open_page()
    play(page, tmp_path / "stereo.flac")
    assert "resampled by the browser" in page.inner_text("#status")
    assert "Heard yes" in "\n".join(lines(page))


@pytest.mark.slow
def test_a_dropped_recording_is_played(open_page: Open, wavs: dict[str, Path]) -> None:
    page = open_page()
    data = page.evaluate_handle(
        "bytes => { const data = new DataTransfer();"
        "data.items.add(new File([Uint8Array.from(bytes)], 'dropped.wav')); return data; }",
        list(wavs["yes"].read_bytes()),
    )
    page.dispatch_event("body", "dragover", {"dataTransfer": data})
    page.dispatch_event("body", "drop", {"dataTransfer": data})
    wait_for(page, "#lines", "Heard yes")
    wait_for(page, "#status", "dropped.wav: 1.0 s, not resampled")


@pytest.mark.slow
def test_the_second_models_scores_are_shown(open_page: Open, wavs: dict[str, Path]) -> None:
    bundle = load_bundle(default_bundle_path())
    threshold = bundle.rules.thresholds["yes"]
    page = open_page()
    row = page.locator("#classes .class").nth(bundle.labels.index("yes"))
    dot = row.locator(".look")
    assert row.locator(".score").text_content() == f"\N{EN DASH} / {threshold}"
    assert not dot.is_visible()
    assert row.locator(".proposal").is_visible()
    assert page.locator("#how-twice").is_visible()
    assert not page.locator("#how").is_visible()
    play(page, wavs["yes"])
    heard = next(line for line in lines(page) if line.startswith("Heard yes"))
    score = heard.split("(")[1].split(")")[0]
    assert row.locator(".score").text_content() == f"{score} / {threshold}"
    assert dot.is_visible()
    assert "above" in (row.get_attribute("class") or "")


@pytest.mark.slow
def test_a_moved_threshold_applies_immediately(open_page: Open, wavs: dict[str, Path]) -> None:
    page = open_page()
    mark = page.get_by_role("slider", name="threshold of yes")
    mark.focus()
    page.keyboard.press("End")
    assert mark.input_value() == "255"
    play(page, wavs["yes"])
    assert "Heard yes" not in "\n".join(lines(page))
    page.get_by_role("button", name="Reset thresholds").click()
    play(page, wavs["yes"])
    assert "Heard yes" in "\n".join(lines(page))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "bad.wav: empty file; record it again"),
        (b"no recording", "bad.wav: this browser cannot read it; convert it to WAV"),
        (b"RIFF\xff\xff\xff\xffWAVEfmt ", "bad.wav: this browser cannot read it"),
    ],
)
def test_a_file_that_is_not_a_recording_is_reported_in_one_line(
    content: bytes, said: str, open_page: Open, tmp_path: Path, wavs: dict[str, Path]
) -> None:
    bad = tmp_path / "bad.wav"
    bad.write_bytes(content)
    page = open_page()
    page.set_input_files("#files", [bad])
    wait_for(page, "#status", said)
    play(page, wavs["yes"])  # the page still works


@pytest.mark.slow
def test_a_served_page_requests_only_its_own_files(
    open_page: Open, page_folder: Path, spoken_to: Browser, wavs: dict[str, Path]
) -> None:
    with file_server(page_folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{server.server_port}/"
        page = open_page(spoken_to, url=home)
        asked: list[str] = []
        page.context.on("request", lambda request: asked.append(request.url))  # the worker's too
        page.reload()
        wait_for(page, "#status", "ready")
        page.get_by_role("button", name="Listen").click()
        wait_for(page, "#lines", "Heard yes")
        play(page, wavs["yes"])
        fetched = {url.split("?")[0] for url in asked if not url.startswith(("blob:", "data:"))}
        names = {"", *(file.name for file in page_folder.iterdir())}
        assert fetched <= {home + name for name in names}
        unused = {"index.html", "manifest.json", "sw.js"} | set(map(icon_name, ICON_SIZES))
        assert fetched >= {home + name for name in names - unused}
        server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda file: file.unlink(), "model.js or core.wasm.js is missing or damaged"),
        (lambda file: file.write_bytes(file.read_bytes()[:5000]), "is missing or damaged"),
        (
            lambda file: file.write_text(file.read_text().replace("AAAA", "AAAB", 3)),
            "model.js: its SHA-256 starts ",
        ),
    ],
    ids=["missing", "cut", "changed"],
)
def test_a_damaged_page_is_reported(
    change: Callable[[Path], object], said: str, open_page: Open, page_folder: Path
) -> None:
    change(page_folder / MODEL)
    page = open_page(status=said, complains=True)
    assert page.get_by_role("button", name="Listen").is_disabled()


# The lowest contrast between text and background (WCAG 2.2, 1.4.3).
CONTRAST = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (node) => {
    const colour = parse(getComputedStyle(node).backgroundColor);
    return colour.length === 4 && colour[3] === 0 ? behind(node.parentElement) : colour;
  };
  const worst = [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility()
    && !node.disabled && [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
    .map((node) => {
      const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.textContent.slice(0, 40)];
    }).sort((a, b) => a[0] - b[0])[0];
  return worst;
}"""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_the_page_is_readable_in_both_schemes_and_widths(
    scheme: str, width: int, open_page: Open, wavs: dict[str, Path], tmp_path: Path
) -> None:
    page = open_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    play(page, wavs["yes"])
    colours = page.evaluate(
        """() => {
          const { width, height } = document.getElementById("spectrogram");
          const paint = document.getElementById("spectrogram").getContext("2d");
          const pixels = paint.getImageData(0, 0, width, height).data.buffer;
          return new Set(new Uint32Array(pixels)).size;
        }"""
    )
    assert colours > 30
    page.screenshot(path=tmp_path / f"{scheme}_{width}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ratio, text = page.evaluate(CONTRAST)
    assert ratio >= 4.5, text


@pytest.mark.slow
def test_each_control_has_a_name_and_is_reachable_by_keyboard(open_page: Open) -> None:
    page = open_page()
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "document.activeElement.ariaLabel || document.activeElement.textContent.trim()"
            )
        )
    assert reached[:6] == [
        *("Listen", "Open recordings"),
        *(f"threshold of {label}" for label in ("silence", "unknown", "yes", "no")),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_columns_do_not_scroll_with_reduced_motion(motion: str, open_page: Open) -> None:
    page = open_page(reduced_motion=motion, viewport={"width": 1200, "height": 800})
    columns = page.evaluate(
        """() => {
          const canvas = document.getElementById("spectrogram");
          const spectrogram = new Spectrogram(canvas);
          spectrogram.clear(40);
          for (const value of [200, 20, 90]) {
            spectrogram.add(new Uint8Array(40).fill(value));
            spectrogram.draw();
          }
          const paint = canvas.getContext("2d"), { width } = canvas;
          return [0, 1, 2, width - 3, width - 2, width - 1]
            .map((x) => [...paint.getImageData(x, 0, 1, 40).data].join());
        }"""
    )
    first, last = (len(set(three)) for three in (columns[:3], columns[3:]))
    assert (first, last) == ((3, 1) if motion == "reduce" else (1, 3))
