# SPDX-License-Identifier: Apache-2.0
"""The page of `kws studio` in a browser with a microphone: from a word to an emulated board."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kws.audio.sound_cards import HEARD
from kws.audio.sound_files import load_clip
from kws.bundle.reading import load_bundle
from kws.host.studio.cards import add_card
from kws.host.studio.project import Project
from kws.model.evaluate.report.html_report import save_report
from kws.model.evaluate.report.page_files import content_policy
from tests.accessibility import serious_violations
from tests.host.studio.conftest import Serve, add_clips, add_trained_run, go, open_studio, spoken
from tests.host.web.exported_page import PATIENCE, wait_until
from tests.model.evaluate.report.made_evaluation import made_evaluation

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")

STEPS = ("Word", "Record", "Train", "Judge", "Try", "Board")


@needs_espeak
def test_a_word_is_scored_saved_recorded_and_deleted(
    studio: Serve, page: Page, tmp_path: Path
) -> None:
    served = studio(tmp_path / "new")
    open_studio(page, served)
    page.get_by_label("Word or phrase").fill("yes")
    page.get_by_text("Poor choice", exact=True).wait_for()
    page.get_by_text("1 syllable", exact=True).wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved", exact=True).first.wait_for()
    assert Project(served.project).words == ("yes",)
    go(page, "Record")
    page.locator("button.record").click()
    page.get_by_text("Enter a name first.").wait_for()
    page.get_by_label("Who is speaking?").fill("Anna")
    for _ in range(4):  # the fake microphone is not in time with the button
        page.locator("button.record").click()
        page.locator("button.record[data-phase=speak]").wait_for()
        page.locator("button.record[data-phase=idle]").wait_for()
        if page.locator(".take").count():
            break
    page.get_by_text("Saved. 1 take of").wait_for()
    page.locator(".take").scroll_into_view_if_needed()
    drawn = "document.querySelector('.take canvas').width"
    wait_until(page, f"{drawn} > 40 && {drawn} < 60")
    (take,) = Project(served.project).takes()
    assert len(load_clip(take.path)) == 16000
    page.get_by_role("button", name="Delete take 1 of yes by Anna").click()
    assert take.path.exists(), "it asks first"
    page.get_by_role("button", name="Press again to delete").click()
    page.get_by_text("No takes yet").wait_for()
    assert not take.path.exists()


def test_a_model_is_judged_tried_and_run_on_the_emulated_board(
    studio: Serve, page: Page, project: Project, board_tools: object
) -> None:
    run = add_trained_run(project.path)
    add_clips(run)
    served = studio(project.path)
    open_studio(page, served)

    go(page, "Judge")
    page.get_by_text("It hears the words well").wait_for()
    page.get_by_label("Threshold").and_(page.locator("[type=range]")).fill("125")
    page.get_by_text("kws set runs/quick/bundle --threshold 125").wait_for()
    page.get_by_role("button", name="Set threshold of all words to 125").click()
    page.get_by_text("This is the model's threshold").wait_for()
    look = load_bundle(run / "bundle").second_look
    assert look
    assert set(look.settings.thresholds.values()) == {125}

    go(page, "Try")
    page.get_by_text("kws export web --model runs/quick/bundle --out pages/quick").wait_for()
    page.get_by_role("button", name="Make the page").click()
    frame = page.frame_locator("iframe[src]")
    frame.get_by_role("button", name="Listen").click()
    frame.locator("#heard b", has_text="yes").first.wait_for()
    page.get_by_text(re.compile(r"heard yes \(\d+\)")).first.wait_for()
    page.get_by_label("Word that was missed").select_option("no")
    page.get_by_role("button", name="I said it, and it did not hear me").click()
    page.get_by_text("missed no").wait_for()
    frame.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name=re.compile("Not my word: .* heard yes")).first.click()
    page.get_by_label("Who is speaking?").fill("Anna")
    page.get_by_role("button", name=re.compile("^I said no: .* missed no")).click()
    page.get_by_text("missed no").wait_for(state="detached")
    assert len(list((project.path / "sound/home/mined").glob("*_yes.wav"))) == 1
    assert [take.word for take in Project(project.path).takes()] == ["no"]

    go(page, "Board")
    job = served.start(action="test", effort="quick", board="qemu")
    assert served.end_of(job, 300)["state"] == "done"
    assert "as on this machine" in served.state()["jobs"][0]["text"]
    page.get_by_label("Format").select_option("arduino")
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Arduino library, quick").click()
    assert download.value.suggested_filename == "quick-arduino.zip"


def test_a_page_is_shown_only_when_all_of_it_is_made(
    studio: Serve, page: Page, project: Project
) -> None:
    add_trained_run(project.path)
    served = studio(project.path)
    served.end_of(served.start(action="page", effort="quick"))
    state = served.state()
    (job,) = state["jobs"]
    assert state["pages"] == ["quick"]
    job["state"] = "running"
    page.route(
        "**/api/events",
        lambda route: route.fulfill(
            content_type="text/event-stream", body=f"retry: 100\ndata: {json.dumps(state)}\n\n"
        ),
    )
    open_studio(page, served)
    go(page, "Try")
    page.get_by_role("button", name="Make the page again").wait_for()
    page.wait_for_timeout(500)
    assert page.locator("iframe[src]").count() == 0, "it would be replaced when the job ends"
    job["state"] = "done"
    frame = page.frame_locator("iframe[src]")
    frame.get_by_role("button", name="Listen").click()
    frame.get_by_role("button", name="Stop").wait_for()


def test_the_report_is_live_in_step_judge_and_locked_in(
    studio: Serve, page: Page, project: Project
) -> None:
    run = add_trained_run(project.path)
    file = save_report(run / "report", made_evaluation())
    served = studio(project.path)
    open_studio(page, served)
    go(page, "Judge")
    with page.expect_response("**/report.html") as answer:
        page.get_by_role("button", name="Show it here").click()
    policy = answer.value.headers["content-security-policy"]
    assert policy.startswith(content_policy(file.read_bytes()))
    frame = page.frame_locator("iframe[src]")
    frame.get_by_text("% of keywords missed in a quiet room").wait_for()
    frame.get_by_role("slider", name="Threshold").fill("3")
    frame.get_by_role("button", name="Back to the model's own").wait_for()
    frame.locator(".cell").first.click()
    frame.locator(".clips .icon.pause").wait_for()
    inside = next(it for it in page.frames if file.name in it.url)
    assert inside.evaluate("origin") == "null", "it cannot reach the studio's page"
    assert page.locator("iframe").evaluate("(it) => it.contentDocument") is None


def test_two_trainings_are_compared_at_equal_false_alarms(
    studio: Serve, page: Page, project: Project
) -> None:
    add_trained_run(project.path)
    second = add_trained_run(project.path, "quick-2")
    figures = second / "report" / "report.json"
    curve = json.loads(figures.read_text())["stream"]["curve"]
    for point in curve:
        point["quiet"]["miss_share"] = round(point["quiet"]["miss_share"] / 2, 4)
        point["threshold"] -= 30  # the same alarms at another threshold
    figures.write_text(json.dumps({"stream": {"curve": curve}}))
    look = load_bundle(second / "bundle").second_look
    assert look
    chosen = min(look.settings.thresholds.values())
    at = min(curve, key=lambda point: abs(point["threshold"] - chosen))
    after = at["quiet"]["miss_share"]
    open_studio(page, studio(project.path))
    go(page, "Judge")
    table = page.get_by_role("group", name="Before and after")
    row = table.get_by_role("row", name=re.compile("missed, "))
    shown = [row.locator("td").nth(column).inner_text() for column in (0, 1)]
    assert shown == [f"{round(200 * after)} %", f"{round(100 * after)} %"]


def test_the_figures_at_a_threshold_have_intervals(
    studio: Serve, page: Page, project: Project
) -> None:
    add_trained_run(project.path)
    open_studio(page, studio(project.path))
    go(page, "Judge")
    slider, stats = page.get_by_role("slider", name="Threshold"), page.locator(".stats")
    slider.fill("160")
    assert re.search(r"false alarms per hour\s+0.9\s+95 %: 0.4 to 2.3", stats.inner_text())
    assert re.search(r"missed, quiet room\s+40 %\s+95 %: 20 to 53 %", stats.inner_text())
    assert page.locator(".chart .range").count() == 2
    chart = page.get_by_role("group", name="Misses against false alarms")
    chart.focus()
    chart.press("Home")
    chart.press("Enter")
    assert slider.input_value() == "100"
    page.get_by_role("button", name="Set threshold of all words to 100").wait_for()
    chart.locator(".curve").click(force=True)
    assert 100 < int(slider.input_value()) < 245


def test_a_point_of_the_curve_plays_a_false_alarm_that_it_reports(
    studio: Serve, page: Page, project: Project
) -> None:
    run = add_trained_run(project.path)
    save_report(run / "report", made_evaluation())
    open_studio(page, studio(project.path))
    go(page, "Judge")
    sounds = page.locator(".mistakes")
    alarms = sounds.get_by_role("button", name="false alarm")
    sounds.get_by_role("button", name="missed").first.wait_for()
    assert sounds.get_by_role("button", name="missed").count() == 4
    assert alarms.count() == 0, "no one is reported at the model's own threshold"
    chart = page.get_by_role("group", name="Misses against false alarms")
    chart.focus()
    chart.press("Home")
    chart.press("Enter")
    alarms.first.locator(".icon.pause").wait_for()
    assert serious_violations(page) == []
    wait_until(page, "document.querySelector('.mistakes .icon.pause') === null")
    slider = page.get_by_role("slider", name="Threshold")
    peaks = [int(text.split()[1]) for text in alarms.all_inner_texts()]
    assert peaks == sorted(peaks)
    slider.fill(str(peaks[0] + 1))
    assert [int(text.split()[1]) for text in alarms.all_inner_texts()] == peaks[1:]
    slider.fill(str(peaks[-1] + 1))
    assert not alarms.count() or not alarms.first.is_visible()


def test_a_threshold_can_be_set_without_a_curve(
    studio: Serve, page: Page, project: Project
) -> None:
    run = add_trained_run(project.path)
    (run / "report" / "report.json").unlink()
    served = studio(project.path)
    open_studio(page, served)
    go(page, "Judge")
    page.get_by_text("trained without talk").wait_for()
    assert page.get_by_role("group", name="Misses against false alarms").count() == 0
    page.get_by_role("slider", name="Threshold").fill("131")
    page.get_by_role("button", name="Set threshold of all words to 131").click()
    page.get_by_role("button", name="This is the model's threshold").wait_for()
    look = load_bundle(run / "bundle").second_look
    assert look
    assert set(look.settings.thresholds.values()) == {131}


def test_sources_that_may_not_be_sold_can_be_left_out(
    studio: Serve, page: Page, project: Project
) -> None:
    open_studio(page, studio(project.path))
    go(page, "Train")
    only = page.get_by_role("checkbox", name="Only sources that may be sold")
    only.check()
    page.get_by_text(re.compile(r"kws wake .*--sellable")).first.wait_for(state="attached")
    assert Project(project.path).settings.sellable
    only.uncheck()
    page.get_by_text("--sellable").first.wait_for(state="detached")
    assert not Project(project.path).settings.sellable


def test_a_board_records_for_a_named_speaker(studio: Serve, page: Page, project: Project) -> None:
    open_studio(page, studio(project.path))
    go(page, "Record")
    card = page.locator(".card", has_text="Record with a board")
    card.get_by_text("Say above who is speaking.").wait_for()
    page.get_by_label("Who is speaking?").fill("Anna")
    card.get_by_text("--speaker Anna --port auto").wait_for()
    assert card.get_by_text("Say above who is speaking.").is_hidden()
    card.get_by_role("button", name="Record with the board").click()
    bar = page.get_by_role("region", name="Command")
    bar.get_by_text("Record with a board: failed").wait_for()
    assert card.locator(".prompt").is_hidden()


def test_listening_for_an_evening_shows_its_command(
    studio: Serve, page: Page, project: Project
) -> None:
    add_trained_run(project.path)
    open_studio(page, studio(project.path))
    go(page, "Try")
    command = page.locator(".run", has_text="Start listening").locator("code")
    page.get_by_text("no, nobody").wait_for()
    page.get_by_text("kws listen --model runs/quick/bundle --keep sound/home --plain").wait_for()
    page.get_by_role("radio", name="yes, sometimes").check()
    page.get_by_role("radio", name="the board's").check()
    page.get_by_text("becomes a card above").wait_for()
    wanted = "kws listen --model runs/quick/bundle --cards cards --port auto --plain"
    page.get_by_text(wanted).wait_for()
    assert command.inner_text() == wanted


def test_a_card_becomes_a_take_of_whoever_said_it(
    studio: Serve, page: Page, project: Project
) -> None:
    add_trained_run(project.path)
    add_card(project, HEARD, "yes", 200, np.frombuffer(spoken(), "<i2").astype(np.int16))
    open_studio(page, studio(project.path))
    go(page, "Try")
    mine = page.get_by_role("button", name="I said yes")
    mine.click()
    page.get_by_text("Enter a name first.").wait_for()
    assert project.takes() == []
    page.get_by_label("Who is speaking?").fill("Anna")
    mine.click()
    mine.wait_for(state="detached")
    (take,) = project.takes()
    assert Project(project.path).settings.speakers[take.speaker] == "Anna"
    go(page, "Record")
    name = page.get_by_label("Who is speaking?").filter(visible=True)
    assert name.input_value() == "Anna"


def test_the_page_continues_after_its_server_was_killed(
    studio: Serve, page: Page, project: Project
) -> None:
    served = studio(project.path)
    open_studio(page, served)
    go(page, "Word")
    served.kill()
    page.get_by_text("The connection to kws studio is lost").wait_for()
    again = studio(project.path, port=served.port)
    again.json(
        "PUT",
        "/api/settings",
        {"phrase": "yes", "language": "en", "data": "", "negatives": [], "sellable": False},
    )
    page.get_by_text("The connection to kws studio is lost").wait_for(state="hidden")
    phrase = page.get_by_label("Word or phrase")
    end = time.monotonic() + PATIENCE / 1000
    while phrase.input_value() != "yes":
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_step_is_accessible_and_fits(
    studio: Serve, listener: Browser, project: Project, scheme: str, width: int
) -> None:
    add_trained_run(project.path)
    served = studio(project.path)
    context = listener.new_context(
        viewport={"width": width, "height": 844},
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    open_studio(page, served)
    for step in STEPS:
        go(page, step)
        page.wait_for_timeout(600)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), step
        assert serious_violations(page, iframes=False) == [], step
    context.close()


def test_all_steps_can_be_reached_with_the_keyboard(
    studio: Serve, page: Page, project: Project
) -> None:
    open_studio(page, studio(project.path))
    page.keyboard.press("Tab")
    assert "Skip" in page.evaluate("document.activeElement.textContent")
    for step in STEPS:
        page.keyboard.press("Tab")
        assert step in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Put it on a board").wait_for()
    assert page.evaluate("document.activeElement.tagName") == "H1", "the focus moves to the step"


def test_the_page_is_small_and_needs_no_other_server(
    studio: Serve, page: Page, project: Project
) -> None:
    sizes: list[int] = []
    addresses: list[str] = []
    page.on("response", lambda it: sizes.append(len(it.body())) if "/api/" not in it.url else None)
    page.on("request", lambda it: addresses.append(it.url))
    served = studio(project.path)
    page.goto(served.url)
    page.get_by_role("heading", level=1).wait_for()
    assert sum(sizes) < 200_000
    assert all(it.startswith(served.origin) for it in addresses)


def test_the_page_is_light(studio: Serve, page: Page, project: Project) -> None:
    received: list[float] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda it: received.append(it["encodedDataLength"]))
    open_studio(page, studio(project.path))
    for step in ("Record", "Train", "Judge", "Try", "Board"):
        go(page, step)
    page.wait_for_load_state("load")
    assert len(received) > 20
    assert sum(received) < 150_000
