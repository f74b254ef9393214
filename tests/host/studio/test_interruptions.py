# SPDX-License-Identifier: Apache-2.0
"""Full disks, killed browsers and pulled microphones: nothing that was recorded is lost."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kws.audio.sound_files import load_clip
from kws.host.studio.project import Project
from tests.host.studio.conftest import Serve, add_trained_run, go, open_studio, spoken

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright, Response

KILLS = 20

YES = {"phrase": "yes", "language": "en", "data": "", "negatives": [], "sellable": False}
TAKE = "/api/takes?word=yes&speaker=anna"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with 300 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "kws-test", str(disk)]
    if os.getuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("only root can make a small file system, and not in every container")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Use up a disk; returns the file."""
    file = disk / "filler"
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 1024)
    return file


@pytest.mark.process
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", TAKE, spoken()),
        ("PUT", "/api/settings", {**YES, "phrase": "yes, no"}),
        ("POST", "/api/cards?kind=near&label=yes&score=120", spoken()),
        ("POST", "/api/jobs", {"action": "page", "effort": "quick"}),
        ("POST", "/api/jobs", {"action": "train", "effort": "quick"}),
    ],
)
def test_an_action_on_a_full_disk_changes_nothing_and_works_later(
    studio: Serve, small_disk: Path, method: str, path: str, body: Any
) -> None:
    served = studio(small_disk / "project")
    served.json("PUT", "/api/settings", YES)
    served.json("POST", TAKE, spoken())
    run = add_trained_run(small_disk.with_name("elsewhere"))
    (small_disk / "project/runs").mkdir()
    (small_disk / "project/runs/quick").symlink_to(run)
    before = served.state()
    filler = fill(small_disk)
    status, content = served.request(method, path, body)
    assert status == 500
    assert "\n" not in json.loads(content)["error"]
    after = served.state()
    assert {key: after[key] for key in ("settings", "takes", "cards", "jobs")} == {
        key: before[key] for key in ("settings", "takes", "cards", "jobs")
    }
    filler.unlink()
    status, content = served.request(method, path, body)
    assert status < 300, content


@pytest.mark.process
def test_a_full_disk_loses_no_recording_and_is_one_line(studio: Serve, small_disk: Path) -> None:
    served = studio(small_disk / "project")
    served.json("PUT", "/api/settings", YES)
    saved = 0
    for _ in range(60):
        status, content = served.request("POST", TAKE, spoken())
        if status != 201:
            break
        saved += 1
    assert status == 500
    assert "free some disk space" in json.loads(content)["error"]
    assert saved >= 5
    takes = served.state()["takes"]
    assert len(takes) == saved
    for take in takes:
        status, _ = served.request("GET", f"/api/takes/yes/{take['name']}")
        assert status == 200
    fill(small_disk)
    status, content = served.request("POST", "/api/jobs", {"action": "train", "effort": "quick"})
    assert status == 500
    assert "\n" not in json.loads(content)["error"]
    served.request("DELETE", f"/api/takes/yes/{takes[0]['name']}")
    status, _ = served.request("POST", TAKE, spoken())
    assert status == 201, "there is room again"


@pytest.mark.browser
@pytest.mark.slow
def test_a_killed_browser_loses_no_recording(
    studio: Serve, playwright: Playwright, chromium: str, wavs: dict[str, Path], project: Project
) -> None:
    """Killed at random moments of recording, with its microphone open."""
    import psutil

    rng = random.Random(3)
    served = studio(project.path)
    told: set[str] = set()

    def hear(answer: Response) -> None:
        if answer.status == 201 and "/api/takes" in answer.url:
            with contextlib.suppress(Exception):  # the browser may be gone
                told.add(answer.json()["name"])

    for _ in range(KILLS):
        others = {it.pid for it in psutil.Process().children(recursive=True)}
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                f"--use-file-for-fake-audio-capture={wavs['spoken']}",
            ],
        )
        own = [it for it in psutil.Process().children(recursive=True) if it.pid not in others]
        page = browser.new_context(permissions=["microphone"]).new_page()
        page.on("response", hear)
        open_studio(page, served)
        go(page, "Record")
        page.get_by_label("Who is speaking?").fill("Anna")
        page.evaluate("setInterval(() => document.querySelector('button.record').click(), 50)")
        end = time.monotonic() + rng.uniform(0.1, 7.0)
        with contextlib.suppress(Exception):
            page.wait_for_timeout(1000 * (end - time.monotonic()))
        for process in own:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        with contextlib.suppress(Exception):
            browser.close()
    takes = Project(project.path).takes()
    assert len(takes) >= KILLS / 4, "too few recordings to be a test"
    assert told <= {take.path.name for take in takes}
    assert len(takes) <= len(told) + KILLS
    assert {len(load_clip(take.path)) for take in takes} == {16000}
    assert not list(project.path.rglob("*.part"))
    assert len(served.state()["takes"]) == len(takes)


@pytest.mark.browser
def test_a_pulled_microphone_is_one_line_and_recording_works_again(
    studio: Serve, listener: Browser, page: Page, project: Project
) -> None:
    served = studio(project.path)
    open_studio(page, served)
    go(page, "Record")
    page.get_by_label("Who is speaking?").fill("Anna")
    button = page.locator("button.record")
    # The browser ends a track when its device is unplugged; here the track is told that it has.
    page.evaluate(
        """() => {
          const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
          navigator.mediaDevices.getUserMedia = async (wanted) => {
            const stream = await open(wanted);
            globalThis.pull = () => stream.getTracks().forEach((track) => {
              track.stop();
              track.dispatchEvent(new Event("ended"));
            });
            return stream;
          };
        }"""
    )
    button.click()
    page.locator("button.record[data-phase=speak]").wait_for()
    page.evaluate("pull()")
    page.locator("button.record[data-phase=idle]").wait_for()
    line = page.locator(".result").inner_text()
    assert "microphone" in line.lower(), line
    assert Project(project.path).takes() == []
    for _ in range(4):  # the fake microphone is not in time with the button
        button.click()
        page.locator("button.record[data-phase=speak]").wait_for()
        page.locator("button.record[data-phase=idle]").wait_for()
        if page.locator(".take").count():
            break
    assert len(Project(project.path).takes()) == 1
