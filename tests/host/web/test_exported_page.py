"""The exported page in Chromium: opened as a file, fed by a fake microphone and by recordings."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile

from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.bundle import Bundle, default_bundle_path
from kws.bundle.reading import load_bundle
from kws.host.emulate import host_device
from kws.host.emulate.padding import between_silence, silence
from kws.host.web import page_export
from kws.host.web.page_server import page_server
from tests.paths import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

    from tests.host.conftest import Run

    Launch = Callable[..., Browser]
    Open = Callable[..., Page]

CLIPS = ROOT / "kws" / "assets" / "matrix"
PATIENCE = 60_000  # ms; the machine may have other work


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return load_bundle(default_bundle_path())


@pytest.fixture
def page_folder(bundle: Bundle, tmp_path: Path) -> Path:
    page_export.export_page(bundle, tmp_path / "page")
    return tmp_path / "page"


@pytest.fixture(scope="module")
def wavs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A yes, a no, and what a microphone hears of them."""
    folder = tmp_path_factory.mktemp("wavs")
    yes, no = load_clip(CLIPS / "yes_slt.flac"), load_clip(CLIPS / "no_rms.flac")
    spoken = np.concatenate([silence(24_000), yes, silence(24_000, 1), no, silence(24_000, 2)])
    for name, pcm in {"yes": yes, "no": no, "spoken": spoken}.items():
        write_clip(folder / f"{name}.wav", pcm)
    return {file.stem: file for file in folder.iterdir()}


@pytest.fixture(scope="module")
def launch(playwright: Playwright, chromium: str) -> Iterator[Launch]:
    """Starts Chromium with more arguments; one browser for each set of them."""
    browsers: dict[tuple[str, ...], Browser] = {}

    def start(*arguments: str) -> Browser:
        if arguments not in browsers:
            browsers[arguments] = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", *arguments]
            )
        return browsers[arguments]

    yield start
    for browser in browsers.values():
        browser.close()


@pytest.fixture(scope="module")
def spoken_to(launch: Launch, wavs: dict[str, Path]) -> Browser:
    """A browser whose microphone hears a yes and a no, again and again, and may be used."""
    return launch(
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={wavs['spoken']}",
    )


@pytest.fixture
def open_page(page_folder: Path, launch: Launch) -> Iterator[Open]:
    """Opens the page; at the end the browser may have had nothing to complain of."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def complain(text: str) -> None:
        if "willReadFrequently" not in text:  # it is these tests that read the canvas
            complaints.append(text)

    def opened(
        browser: Browser | None = None,
        *,
        url: str | None = None,
        before: str = "",
        status: str = "ready",
        complains: bool = False,
        **options: Any,
    ) -> Page:
        context = (browser or launch()).new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        if not complains:
            page.on("console", lambda message: complain(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
        if before:
            page.add_init_script(before)
        page.goto(url or (page_folder / "index.html").as_uri())
        wait_for(page, "#status", status)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def wait_for(page: Page, selector: str, text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_contain_text(text, timeout=PATIENCE)


def status(page: Page) -> str:
    return page.inner_text("#status")


def lines(page: Page) -> list[str]:
    return (page.text_content("#lines") or "").splitlines()


def play(page: Page, *files: Path) -> None:
    page.set_input_files("#files", list(files))
    wait_for(page, "#status", f"{files[-1].name}: ")
    wait_for(page, "#status", "scores are the highest")


# --- recordings -----------------------------------------------------------------------------------


def test_recordings_give_the_lines_of_kws_run(
    open_page: Open, bundle: Bundle, wavs: dict[str, Path]
) -> None:
    page = open_page()
    play(page, wavs["yes"], wavs["no"], wavs["spoken"])
    assert "bit for bit" in status(page)
    boot, *said = lines(page)
    expected = []
    for name in ("yes", "no", "spoken"):
        text = host_device.play(bundle, between_silence(load_clip(wavs[name]))).text.splitlines()
        assert boot == text[0].replace(" on host,", " on browser,")
        expected += [f"{name}.wav:", *text[1:]]
    assert said == expected
    assert sum(line.startswith("Heard") for line in expected) >= 4
    newest = page.locator("#heard li").first
    assert "no" in newest.inner_text()
    newest.locator("button").click()
    page.evaluate("new Promise((ended) => player.addEventListener('ended', ended))")
    assert page.evaluate("player.error === null && player.duration === 1.6")


def test_other_recordings_are_resampled_and_heard(
    open_page: Open, wavs: dict[str, Path], tmp_path: Path
) -> None:
    mono = load_clip(wavs["yes"]).repeat(3)  # 48 kHz
    soundfile.write(tmp_path / "stereo.flac", np.stack([mono, mono], axis=1), 48_000)
    page = open_page()
    play(page, tmp_path / "stereo.flac")
    assert "resampled by the browser" in status(page)
    assert "Heard yes" in "\n".join(lines(page))


def test_a_dropped_recording_is_heard(open_page: Open, wavs: dict[str, Path]) -> None:
    page = open_page()
    data = page.evaluate_handle(
        "bytes => { const data = new DataTransfer();"
        "data.items.add(new File([Uint8Array.from(bytes)], 'dropped.wav')); return data; }",
        list(wavs["yes"].read_bytes()),
    )
    page.dispatch_event("body", "dragover", {"dataTransfer": data})
    page.dispatch_event("body", "drop", {"dataTransfer": data})
    wait_for(page, "#lines", "Heard yes")
    wait_for(page, "#status", "dropped.wav: 1.0 s bit for bit")


def test_a_moved_threshold_counts_at_once(open_page: Open, wavs: dict[str, Path]) -> None:
    page = open_page()
    mark = page.get_by_role("slider", name="threshold of yes")
    mark.focus()
    page.keyboard.press("End")
    assert mark.input_value() == "255"
    play(page, wavs["yes"])
    assert "Heard yes" not in "\n".join(lines(page))
    page.get_by_role("button", name="Back to the model").click()
    play(page, wavs["yes"])
    assert "Heard yes" in "\n".join(lines(page))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "bad.wav: empty file; record it again"),
        (b"no recording", "bad.wav: no recording that this browser can read; convert it to WAV"),
        (b"RIFF\xff\xff\xff\xffWAVEfmt ", "bad.wav: no recording that this browser can read"),
    ],
)
def test_what_is_no_recording_is_said_in_a_line(
    content: bytes, said: str, open_page: Open, tmp_path: Path, wavs: dict[str, Path]
) -> None:
    bad = tmp_path / "bad.wav"
    bad.write_bytes(content)
    page = open_page()
    page.set_input_files("#files", [bad])
    wait_for(page, "#status", said)
    play(page, wavs["yes"])  # and it goes on


# --- microphone -----------------------------------------------------------------------------------


def test_the_microphone_is_heard_from_a_file(open_page: Open, spoken_to: Browser) -> None:
    page = open_page(spoken_to)
    page.get_by_role("button", name="Listen").press("Enter")
    wait_for(page, "#status", "listening: ")
    wait_for(page, "#lines", "Heard yes")
    wait_for(page, "#lines", "Heard no")
    page.get_by_role("button", name="Stop").click()
    wait_for(page, "#status", "stopped")
    count = len(lines(page))
    page.wait_for_timeout(3000)
    assert len(lines(page)) == count


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
    page = open_page(spoken_to)
    page.evaluate(
        "globalThis.kept = []; globalThis.slow = true; const post = worker.postMessage;"
        "worker.postMessage = (message) => {"
        "  if (slow && message.type === 'hear') kept.push(message);"
        "  else post.call(worker, message); }; null"
    )
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "this machine does not keep up: sound is lost")
    assert page.evaluate("[behind, given, kept.length]") == [32_000, 32_000, 100]
    page.evaluate("new Promise((done) => setInterval(() => { if (lost >= RATE) done(); }, 20))")
    assert page.evaluate("[behind, given, kept.length]") == [32_000, 32_000, 100]
    page.evaluate("slow = false, kept.forEach((message) => worker.postMessage(message))")
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
    page = open_page(spoken_to)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
    page.evaluate("microphone.stream.getAudioTracks()[0].dispatchEvent(new Event('ended'))")
    wait_for(page, "#status", "the microphone was unplugged; plug it in, then press Listen")
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")


# --- the page -------------------------------------------------------------------------------------


def test_served_it_asks_for_its_own_files_only(
    open_page: Open, page_folder: Path, spoken_to: Browser, wavs: dict[str, Path]
) -> None:
    with page_server(page_folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{server.server_port}/"
        page = open_page(spoken_to, url=home)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.reload()
        wait_for(page, "#status", "ready")
        page.get_by_role("button", name="Listen").click()
        wait_for(page, "#lines", "Heard yes")
        play(page, wavs["yes"])
        fetched = {url for url in asked if not url.startswith(("blob:", "data:"))}
        names = {"", "model.js", page_export.CORE, *page_export.FILES} - {"index.html"}
        assert fetched == {home + name for name in names}
        server.shutdown()


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
def test_a_damaged_page_says_so(
    change: Callable[[Path], object], said: str, open_page: Open, page_folder: Path
) -> None:
    change(page_folder / page_export.MODEL)
    page = open_page(status=said, complains=True)
    assert page.get_by_role("button", name="Listen").is_disabled()


# Contrast of each text with what is behind it (WCAG 2.2, 1.4.3), the lowest.
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_it_reads_well(
    scheme: str, width: int, open_page: Open, wavs: dict[str, Path], tmp_path: Path
) -> None:
    page = open_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    play(page, wavs["yes"])
    colours = page.evaluate(
        "spectrogram.draw(), new Set(new Uint32Array(spectrogram.paint.getImageData(0, 0,"
        "spectrogram.canvas.width, spectrogram.canvas.height).data.buffer)).size"
    )
    assert colours > 30
    page.screenshot(path=tmp_path / f"{scheme}_{width}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ratio, text = page.evaluate(CONTRAST)
    assert ratio >= 4.5, text


def test_every_control_has_a_name_and_the_keyboard_reaches_it(open_page: Open) -> None:
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


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_columns_stand_still_where_motion_is_not_wanted(
    motion: str, open_page: Open, wavs: dict[str, Path]
) -> None:
    page = open_page(reduced_motion=motion, viewport={"width": 1200, "height": 800})
    column = "(x => [...spectrogram.paint.getImageData(x, 0, 1, 40).data].join())"
    fill = "spectrogram.add(new Uint8Array(40).fill({value})); spectrogram.draw()"
    for value in (200, 20, 90):
        page.evaluate(fill.format(value=value))
    still = page.evaluate(f"{column}(0) !== {column}(1) && {column}(1) !== {column}(2)")
    scrolled = page.evaluate("(w => [w - 3, w - 2, w - 1])(spectrogram.canvas.width)")
    assert still == (motion == "reduce")
    moved = len({page.evaluate(f"{column}({x})") for x in scrolled}) == 3
    assert moved == (motion != "reduce")


# --- the command ----------------------------------------------------------------------------------


def test_the_command_writes_the_page(kws: Run, tmp_path: Path) -> None:
    out = tmp_path / "page"
    code, said, _ = kws("export", "web", "--out", out)
    assert code == 0
    assert f"{out}: yes_no " in said
    assert {file.name for file in out.iterdir()} == {
        *page_export.FILES,
        page_export.CORE,
        page_export.MODEL,
    }
    assert kws("export", "web", "--model", default_bundle_path(), "--out", out)[0] == 0  # again


def test_the_command_refuses_in_a_line(
    kws: Run, tmp_path: Path, read_only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, said = kws("export", "web", "--model", tmp_path / "none", "--out", tmp_path / "page")
    assert (code, said.count("\n")) == (1, 1)
    assert "no such bundle" in said
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").touch()
    code, _, said = kws("export", "web", "--out", tmp_path / "other")
    assert code == 2
    assert "holds something else than a page; name another" in said
    code, _, said = kws("export", "web", "--out", tmp_path / "other" / "letter.txt")
    assert code == 2
    code, _, said = kws("export", "web", "--out", read_only / "page")
    assert (code, said.count("\n")) == (1, 1)
    with page_server(tmp_path, 0) as taken:
        port = taken.server_port
        code, _, said = kws("export", "web", "--out", tmp_path / "p", "--serve", "--port", port)
        assert code == 1
        assert f"port {port}: " in said
    monkeypatch.setattr(page_export, "WASM", tmp_path / "kws.wasm")
    code, _, said = kws("export", "web", "--out", tmp_path / "page")
    assert code == 1
    assert "missing; build it with make wasm" in said
    assert not (tmp_path / "page").exists()
