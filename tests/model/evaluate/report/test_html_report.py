# SPDX-License-Identifier: Apache-2.0
"""The report in a browser: offline, light and dark, wide and narrow."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.making import make_bundle
from kws.cli.main import app
from kws.errors import ToolError
from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.kind_metrics import KindMetrics, StreamResult
from kws.model.evaluate.judge.stream_metrics import StreamMetrics
from kws.model.evaluate.report.html_report import Picture, render
from kws.model.evaluate.score.streams import Kind
from tests.model.conftest import Run
from tests.small_models import LABELS, dense_model

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def report(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on the tones' model with clips, talk and streams."""
    out = tmp_path_factory.mktemp("report") / "r"
    talk = tmp_path_factory.mktemp("talk") / "radio"
    pause = np.zeros(24000, np.int16)
    word = load_clip(run.data / "low" / "test0_nohash_0.wav")
    write_clip(talk / "evening.wav", np.concatenate([pause, pause, *([word, pause] * 20)]))
    command = ["evaluate", "--model", str(run.out / "bundle"), "--data", str(run.data)]
    more = ["--stream", "--hours", "0.05", "--other-hours", "0.02", "--out", str(out)]
    more += ["--negatives", str(talk), "--split", "all"]
    result = CliRunner().invoke(app, [*command, *more])
    assert result.exit_code == 0, result.output
    assert f"report: {out / 'report.html'}" in result.stdout
    return out


def opened(browser: Browser, page: Path, **context: Any) -> tuple[Page, list[str], list[str]]:
    """The page opened offline, the page's requests, and the browser's messages."""
    requests: list[str] = []
    messages: list[str] = []
    tab = browser.new_context(offline=True, **context).new_page()
    tab.on("request", lambda request: requests.append(request.url[:60]))
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    tab.goto(page.as_uri())
    tab.wait_for_function(
        "[...document.images].every(i => i.complete) &&"
        "[...document.querySelectorAll('audio')].every(a => a.readyState >= 1 || a.error)"
    )
    return tab, requests, messages


def test_report_is_one_file(browser: Browser, report: Path, tmp_path: Path) -> None:
    moved = tmp_path / "alone.html"
    shutil.copy(report / "report.html", moved)
    tab, requests, messages = opened(browser, moved)
    assert {url.partition(":")[0] for url in requests} <= {"file", "data"}
    assert [url for url in requests if url.startswith("file")] == [moved.as_uri()[:60]]
    assert messages == []
    text = tab.inner_text("body")
    for part in (
        *("accuracy on clips", "false alarms per hour of talk", "Noise, level, speakers", "low"),
        *("quiet room", "over talk", "talk alone", "radio", "At -55, -25 and -8 dB"),
    ):
        assert part in text
    # The most important comes first.
    assert text.index("talk alone") < text.index("Noise, level, speakers")


def test_pictures_are_shown_and_described(browser: Browser, report: Path) -> None:
    tab, _, _ = opened(browser, report / "report.html")
    pictures = tab.evaluate("[...document.images].map(i => [i.naturalWidth, i.clientWidth, i.alt])")
    names = {"confusion", "roc", "det", "reliability", "conditions", "speakers", "stream"}
    assert names <= {path.stem for path in report.glob("*.png")}
    assert len(pictures) == len(list(report.glob("*.png")))
    for natural, shown, described in pictures:
        assert natural > 400
        assert shown > 200
        assert len(described) > 30


def test_sounds_can_be_played(browser: Browser, report: Path) -> None:
    tab, _, _ = opened(browser, report / "report.html")
    sounds = tab.evaluate(
        "[...document.querySelectorAll('audio')].map(a => [a.duration, a.error && a.error.message])"
    )
    assert len(sounds) > 2
    for seconds, error in sounds:
        assert error is None
        assert 0.99 < seconds < 2.51
    assert max(seconds for seconds, _ in sounds) == pytest.approx(2.5, abs=0.01)
    assert tab.evaluate(
        "(async () => { const a = document.querySelector('audio'); a.muted = true; await a.play();"
        "await new Promise(r => a.addEventListener('timeupdate', () => a.currentTime > 0 && r()));"
        "return true; })()"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_has_a_light_and_a_dark_scheme(
    browser: Browser, report: Path, scheme: Any, tmp_path: Path
) -> None:
    from PIL import Image

    tab, _, _ = opened(browser, report / "report.html", color_scheme=scheme)
    tab.screenshot(path=str(tmp_path / "page.png"), full_page=True)
    with Image.open(tmp_path / "page.png") as image:
        grey = image.convert("L")
        histogram = grey.histogram()
    bright = sum(histogram[200:]) / sum(histogram)
    dark = sum(histogram[:80]) / sum(histogram)
    # The pictures have the page's colours.
    assert (bright > 0.75) if scheme == "light" else (dark > 0.75), (bright, dark)


@pytest.mark.parametrize("width", [360, 1400])
def test_page_fits_its_window(browser: Browser, report: Path, width: int) -> None:
    tab, _, _ = opened(browser, report / "report.html", viewport={"width": width, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_report_may_have_only_talk(run: Run, tmp_path: Path) -> None:
    write_clip(tmp_path / "talk" / "quiet.wav", np.zeros(40000, np.int16))
    command = ["evaluate", "--model", str(run.out / "bundle"), "--split", "all"]
    more = ["--negatives", str(tmp_path / "talk"), "--out", str(tmp_path / "r")]
    result = CliRunner().invoke(app, [*command, *more])
    assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "r").iterdir()}
    assert names == {"report.html", "report.json", "alarms.png"}
    html = (tmp_path / "r" / "report.html").read_text()
    assert "talk alone" in html
    assert "<audio" not in html


def test_names_cannot_become_html(browser: Browser) -> None:
    name = "<script>document.title = 'bad'</script>"
    nothing = StreamMetrics(("yes",), 1.0, {"yes": 0}, {"yes": 0}, {"yes": 0}, (), (), 0)
    rows = (KindMetrics(Kind.RECORDING, nothing, (), {}),)
    stream = StreamResult({"recording": name}, nothing, rows, ())
    bundle = make_bundle(dense_model(), LABELS, name="m")
    tab = browser.new_page()
    evaluation, pictures = Evaluation(bundle, None, stream), {"alarms": Picture(b"", b"")}
    tab.set_content(render(evaluation, pictures, [f"people say {name}"]))
    assert tab.title() == "m: evaluation"
    assert f"People say {name}." in tab.inner_text("body")
    assert f"recording {name}" in tab.inner_text("body")


def test_missing_template_engine_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    bundle = make_bundle(dense_model(), LABELS, name="m")
    with pytest.raises(ToolError, match=r"kws\[evaluate\]"):
        render(Evaluation(bundle, None, None), {})
