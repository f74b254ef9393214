# SPDX-License-Identifier: Apache-2.0
"""The report in a browser: offline, light and dark, its threshold and its sounds."""

from __future__ import annotations

import base64
import io
import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile
from typer.testing import CliRunner

from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.making import make_bundle
from kws.cli.main import app
from kws.errors import ToolError
from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.kind_metrics import rate_text
from kws.model.evaluate.judge.verdict import Hears, Verdict
from kws.model.evaluate.report.html_report import render, save_report
from kws.model.evaluate.score.streams import Kind
from tests.accessibility import serious_violations
from tests.host.web.exported_page import wait_until
from tests.model.conftest import Run
from tests.model.evaluate.report.made_evaluation import EVIL, MISTAKES, made_evaluation
from tests.small_models import LABELS, dense_model

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Remembers the address of each sound that is really played.
LISTEN = """
window.played = [];
const play = HTMLMediaElement.prototype.play;
HTMLMediaElement.prototype.play = function () {
  this.addEventListener("playing", () => window.played.push(this.src), { once: true });
  return play.call(this);
};
"""


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return made_evaluation()


@pytest.fixture(scope="module")
def report(evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of an evaluation with names that try to become HTML."""
    verdict = Verdict(Hears.SOME, f"missed {EVIL}", ((f"why {EVIL}", f"next {EVIL}"),))
    return save_report(
        tmp_path_factory.mktemp("report") / "r", evaluation, [f"note {EVIL}"], verdict
    )


class Opened:
    """The report in a tab without network, its requests, and the browser's messages."""

    def __init__(self, browser: Browser, page: Path, **context: Any) -> None:
        self.requests: list[str] = []
        self.messages: list[str] = []
        self._context = browser.new_context(offline=True, **context)
        self.tab: Page = self._context.new_page()
        self.tab.on("request", lambda request: self.requests.append(request.url[:200]))
        self.tab.on("console", lambda message: self.messages.append(message.text))
        self.tab.on("pageerror", lambda error: self.messages.append(str(error)))
        self.tab.add_init_script(LISTEN)
        self.tab.goto(page.as_uri())
        self.tab.locator("#unscripted").wait_for(state="detached")

    def close(self) -> None:
        self._context.close()

    def move(self, place: int) -> None:
        """Move the slider to one of its stops."""
        self.tab.get_by_role("slider", name="Threshold").fill(str(place))

    def played(self) -> Pcm:
        """The sound that is playing, once it does."""
        wait_until(self.tab, "window.played.length > 0")
        (address,) = self.tab.evaluate("window.played.splice(0)")
        sound = io.BytesIO(base64.b64decode(address.partition(",")[2]))
        pcm: Pcm = soundfile.read(sound, dtype="int16")[0]
        return pcm


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Opened]:
    page = Opened(browser, report)
    yield page
    page.close()
    assert page.messages == []


def test_report_is_one_file_without_network(browser: Browser, report: Path, tmp_path: Path) -> None:
    moved = tmp_path / "alone.html"
    shutil.copy(report, moved)
    page = Opened(browser, moved)
    page.tab.locator(".cell").first.click()
    page.played()
    assert {url.partition(":")[0] for url in page.requests} <= {"file", "data"}
    assert [url for url in page.requests if url.startswith("file")] == [moved.as_uri()]
    assert page.messages == []
    assert {path.name for path in report.parent.iterdir()} == {"report.html", "report.json"}
    page.close()


def test_the_verdict_is_first_and_names_stay_text(opened: Opened) -> None:
    text = opened.tab.inner_text("main")
    assert text.startswith("It hears the words sometimes")
    assert text.index("It hears") < text.index("Misses and false alarms") < text.index("88 clips")
    opened.tab.get_by_role("button", name="Show all").first.click()
    opened.tab.locator(".cell").first.click()
    opened.played()
    opened.move(30)
    assert opened.tab.title() == "m: evaluation"
    assert opened.tab.evaluate("document.querySelectorAll('img, [onerror]').length") == 0
    for part in ("Why ", "Next ", "Note ", "recording ", "talk alone, "):
        assert f"{part}{EVIL}".lower() in opened.tab.inner_text("body").lower()


def test_the_slider_shows_the_figures_of_each_threshold(opened: Opened, report: Path) -> None:
    figures = json.loads(report.with_suffix(".json").read_text())["stream"]
    curve, shown = figures["curve"], []
    for place in (0, 13, len(curve) - 1):
        opened.move(place)
        row = curve[place]
        stats = opened.tab.inner_text(".stats")
        assert opened.tab.inner_text("output") == str(row["threshold"])
        for kind, title in (("quiet", "quiet room"), ("noise", "noise")):
            low, high = (100 * share for share in row[kind]["miss_share_95"])
            assert (
                f"missed, {title}\n{100 * row[kind]['miss_share']:.1f} %\n"
                f"95 %: {low:.1f} to {high:.1f} %\n{row[kind]['missed']} of 40"
            ) in "\n".join(stats.split("\n\n"))
        low, high = row["talk"]["alarms_an_hour_95"]
        assert f"95 %: {rate_text(low)} to {rate_text(high)}" in stats
        assert f"per hour of talk\n{rate_text(row['talk']['alarms_an_hour'])}\n" in stats
        assert f"{row['talk']['false_alarms']} in 0.50 h" in stats
        label = opened.tab.locator("#tuning svg[role=img]").get_attribute("aria-label")
        assert label
        assert f"{row['threshold']}: {100 * row['quiet']['miss_share']:.1f} % missed" in label
        shown.append((stats, opened.tab.locator("#tuning .dot").first.get_attribute("cy")))
    assert len(set(shown)) == 3
    opened.tab.get_by_role("button", name="Back to the model's own").click()
    share = figures["by_kind"]["quiet"]["miss_share"]
    assert f"missed, quiet room\n{100 * share:.1f} %" in opened.tab.inner_text(".stats")


def test_the_slider_shows_which_false_alarms_remain(opened: Opened, report: Path) -> None:
    curve = json.loads(report.with_suffix(".json").read_text())["stream"]["curve"]
    place = next(i for i, row in enumerate(curve) if row["threshold"] == 155)
    gone = opened.tab.locator("#alarms .gone")
    assert gone.count() == 0
    opened.move(place)
    assert gone.count() == 2, "their peaks are 150 and 151"
    opened.move(place - 1)
    assert gone.count() == 0


def test_a_point_of_the_curve_is_chosen_and_heard(
    opened: Opened, evaluation: Evaluation, report: Path
) -> None:
    assert evaluation.stream
    curve = json.loads(report.with_suffix(".json").read_text())["stream"]["curve"]
    thresholds = sorted(row["threshold"] for row in curve)
    chart, value = opened.tab.locator("#tuning .chart"), opened.tab.locator("#tuning output")
    assert "own" in value.inner_text()
    chart.focus()
    weakest = min(
        (x for x in evaluation.stream.excerpts if x.kind == Kind.TALK), key=lambda x: x.peak
    )
    for _ in range(2):  # the second time, the sound starts again
        chart.press("Home")
        chart.press("Enter")
        assert value.inner_text() == str(thresholds[0])
        np.testing.assert_array_equal(opened.played(), weakest.pcm)
    chart.press("End")
    tip = chart.get_by_role("status").inner_text()
    chart.press("Enter")
    assert value.inner_text() == str(thresholds[-1]) == tip.split(":")[0]
    assert opened.tab.locator("#tuning .sound").count() == 0, "no false alarm is left"
    chart.locator(".curve").first.click(force=True)
    assert thresholds[0] < int(value.inner_text()) < thresholds[-1]
    opened.tab.evaluate("window.played.splice(0)")
    opened.move(next(i for i, row in enumerate(curve) if row["threshold"] == 150))
    buttons = opened.tab.locator("#tuning .sound")
    assert [text.split()[1] for text in buttons.all_inner_texts()] == ["150", "151"]
    buttons.last.click()
    assert not np.array_equal(opened.played(), weakest.pcm)


def test_a_cell_plays_clips_of_its_mistake(opened: Opened, evaluation: Evaluation) -> None:
    clips = evaluation.clips
    assert clips
    assert opened.tab.locator(".cell").count() == len(MISTAKES)
    for truth, said in MISTAKES:
        mine = [c for c in clips.examples if (c.truth, c.said) == (LABELS[truth], LABELS[said])]
        name = f"{LABELS[truth]} heard as {LABELS[said]}:"
        cell = opened.tab.get_by_role("button", name=name)
        cell.press("Enter")
        np.testing.assert_array_equal(opened.played(), mine[0].pcm)
        assert cell.get_attribute("aria-pressed") == "true"
        assert opened.tab.locator("[aria-pressed=true]").count() == 1
        rows = opened.tab.locator(".clips .sound")
        assert rows.count() == len(mine) == min(MISTAKES[truth, said], 3)
        rows.last.click()
        if len(mine) > 1:
            np.testing.assert_array_equal(opened.played(), mine[-1].pcm)
    opened.tab.get_by_role("button", name="All mistakes").click()
    assert opened.tab.locator(".clips .sound").count() == len(clips.examples)


@pytest.mark.parametrize("section", ["#alarms", "#missed"])
def test_false_alarms_and_missed_words_are_played(
    opened: Opened, evaluation: Evaluation, section: str
) -> None:
    assert evaluation.stream
    talk = section == "#alarms"
    sounds = [x.pcm for x in evaluation.stream.excerpts if (x.kind == Kind.TALK) == talk]
    buttons = opened.tab.locator(f"{section} .sound")
    assert buttons.count() == len(sounds)
    buttons.nth(1).click()
    np.testing.assert_array_equal(opened.played(), sounds[1])


def test_charts_are_described_and_show_their_values(opened: Opened) -> None:
    names = ("tuning", "roc", "det", "calibration", "noise", "level", "speakers", "latency")
    for name in names:
        place = "#tuning" if name == "tuning" else f"[data-chart={name}]"
        picture = opened.tab.locator(f"{place} svg[role=img]")
        assert len(picture.get_attribute("aria-label") or "") > 20
        box = picture.bounding_box()
        assert box
        assert box["width"] > 200
        assert opened.tab.locator(f"{place} details tbody tr").count() > 0
        chart = opened.tab.locator(f"{place} .chart")
        chart.focus()
        chart.press("ArrowRight")
        tip = chart.get_by_role("status")
        first = tip.inner_text()
        chart.press("End")
        assert first != tip.inner_text() != ""
        chart.press("Escape")
        assert tip.is_hidden()
        chart.hover()
        assert tip.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_report_is_accessible_and_fits(
    browser: Browser, report: Path, scheme: Any, width: int, tmp_path: Path
) -> None:
    from PIL import Image

    page = Opened(browser, report, color_scheme=scheme, viewport={"width": width, "height": 844})
    page.move(20)
    page.tab.evaluate("document.querySelectorAll('details').forEach((it) => (it.open = true))")
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_violations(page.tab) == []
    page.tab.screenshot(path=str(tmp_path / "page.png"), full_page=True)
    with Image.open(tmp_path / "page.png") as image:
        histogram = image.convert("L").histogram()
    bright, dark = sum(histogram[200:]), sum(histogram[:80])
    # Charts have the page's colours.
    assert (bright if scheme == "light" else dark) > 0.75 * sum(histogram)
    page.close()


def test_an_evaluation_of_clips_talk_and_streams_has_a_report(
    browser: Browser, run: Run, tmp_path: Path
) -> None:
    out, talk = tmp_path / "r", tmp_path / "radio"
    pause = np.zeros(24000, np.int16)
    word = load_clip(run.data / "low" / "test0_nohash_0.wav")
    write_clip(talk / "evening.wav", np.concatenate([pause, pause, *([word, pause] * 20)]))
    command = ["evaluate", "--model", str(run.out / "bundle"), "--data", str(run.data)]
    more = ["--stream", "--hours", "0.05", "--other-hours", "0.02", "--out", str(out)]
    more += ["--negatives", str(talk), "--split", "all"]
    result = CliRunner().invoke(app, [*command, *more])
    assert result.exit_code == 0, result.output
    assert f"report: {out / 'report.html'}" in result.stdout
    page = Opened(browser, out / "report.html")
    text = page.tab.inner_text("body")
    for part in (
        *("Accuracy", "false alarms per hour of talk", "Noise, level, speakers", "low"),
        *("quiet room", "over talk", "talk alone", "radio", "At -55, -25 and -8 dB"),
    ):
        assert part in text
    page.tab.locator("#alarms .sound").first.click()
    assert len(page.played()) == 40000
    assert page.messages == []
    page.close()


def test_report_may_have_only_talk(
    browser: Browser, evaluation: Evaluation, tmp_path: Path
) -> None:
    assert evaluation.stream
    talk = evaluation.stream.by_kind[-1:]
    stream = replace(evaluation.stream, by_kind=talk, total=talk[0].metrics, excerpts=())
    page = Opened(browser, save_report(tmp_path, Evaluation(evaluation.bundle, None, stream)))
    page.move(10)
    text = page.tab.inner_text("body")
    assert "Misses were not measured" in text
    assert "missed\nnot measured" in text
    assert page.tab.locator("#tuning .curve").count() == 1
    assert page.tab.locator(".sound").count() == 0
    assert page.messages == []
    page.close()


def test_report_may_have_only_clips(
    browser: Browser, evaluation: Evaluation, tmp_path: Path
) -> None:
    page = Opened(browser, save_report(tmp_path, replace(evaluation, stream=None)))
    assert "False alarms per hour were not measured" in page.tab.inner_text(".verdict")
    assert page.tab.locator("#tuning").count() == 0
    assert page.tab.locator("[data-chart] svg[role=img]").count() == 6
    assert page.messages == []
    page.close()


def test_missing_template_engine_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    bundle = make_bundle(dense_model(), LABELS, name="m")
    with pytest.raises(ToolError, match=r"kws\[evaluate\]"):
        render(Evaluation(bundle, None, None))


def test_report_needs_no_matplotlib(
    monkeypatch: pytest.MonkeyPatch, evaluation: Evaluation, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert save_report(tmp_path, evaluation).stat().st_size < 3_000_000
