"""The report, looked at in a browser: offline, light and dark, wide and narrow."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from kws.cli.main import app
from kws.model.evaluate.report.html_report import _table
from tests.model.conftest import Run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def report(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with clips and streams of the tones' model."""
    out = tmp_path_factory.mktemp("report") / "r"
    command = ["evaluate", "--model", str(run.out / "bundle"), "--data", str(run.data)]
    more = ["--stream", "--hours", "0.05", "--quiet-hours", "0.02", "--out", str(out)]
    result = CliRunner().invoke(app, [*command, *more])
    assert result.exit_code == 0, result.output
    assert f"report: {out / 'report.html'}" in result.stdout
    return out


def opened(browser: Browser, page: Path, **context: Any) -> tuple[Page, list[str], list[str]]:
    """The page without a network, what it asked for, and what the browser complained of."""
    asked: list[str] = []
    complaints: list[str] = []
    tab = browser.new_context(offline=True, **context).new_page()
    tab.on("request", lambda request: asked.append(request.url[:60]))
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(page.as_uri())
    tab.wait_for_function(
        "[...document.images].every(i => i.complete) &&"
        "[...document.querySelectorAll('audio')].every(a => a.readyState >= 1 || a.error)"
    )
    return tab, asked, complaints


def test_report_stands_alone(browser: Browser, report: Path, tmp_path: Path) -> None:
    moved = tmp_path / "alone.html"
    shutil.copy(report / "report.html", moved)
    tab, asked, complaints = opened(browser, moved)
    assert {url.partition(":")[0] for url in asked} <= {"file", "data"}
    assert [url for url in asked if url.startswith("file")] == [moved.as_uri()[:60]]
    assert complaints == []
    text = tab.inner_text("body")
    for part in ("accuracy on clips", "false alarms an hour", "Noise, level, speakers", "low"):
        assert part in text


def test_pictures_are_seen_and_described(browser: Browser, report: Path) -> None:
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
        assert seconds == pytest.approx(1, abs=0.01) or seconds == pytest.approx(2.5, abs=0.01)
    assert tab.evaluate(
        "(async () => { const a = document.querySelector('audio'); a.muted = true; await a.play();"
        "await new Promise(r => setTimeout(r, 300)); return a.currentTime > 0; })()"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_and_dark(browser: Browser, report: Path, scheme: Any, tmp_path: Path) -> None:
    from PIL import Image

    tab, _, _ = opened(browser, report / "report.html", color_scheme=scheme)
    tab.screenshot(path=str(tmp_path / "page.png"), full_page=True)
    with Image.open(tmp_path / "page.png") as image:
        grey = image.convert("L")
        histogram = grey.histogram()
    bright = sum(histogram[200:]) / sum(histogram)
    dark = sum(histogram[:80]) / sum(histogram)
    # Pictures have the page's colours, too.
    assert (bright > 0.75) if scheme == "light" else (dark > 0.75), (bright, dark)


@pytest.mark.parametrize("width", [360, 1400])
def test_nothing_runs_over_the_edge(browser: Browser, report: Path, width: int) -> None:
    tab, _, _ = opened(browser, report / "report.html", viewport={"width": width, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_names_cannot_become_html(browser: Browser) -> None:
    tab = browser.new_page()
    tab.set_content(_table("<i>a", ("<b>",), [("<script>document.title = 'bad'</script>",)]))
    assert tab.title() == ""
    assert "<script>" in tab.inner_text("td")


def test_same_judgement_gives_the_same_pictures(run: Run) -> None:
    from kws.model.evaluate.report import plots

    evaluation = run.result.report.core
    assert plots.confusion(evaluation, "x") == plots.confusion(evaluation, "x")
    assert plots.confusion(evaluation, "x") != plots.confusion(evaluation, "x", plots.DARK)
