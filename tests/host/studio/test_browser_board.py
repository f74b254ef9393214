# SPDX-License-Identifier: Apache-2.0
"""Step Board with a board at the browser's USB: WebSerial's ports are simulated boards."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kws.host.serial import ports
from kws.host.studio.project import Project
from tests.accessibility import serious_violations
from tests.host.deploy.simulated_nano33 import BOOT_LINE, ORIGIN, Board
from tests.host.studio.browser_usb import BrowserUsb
from tests.host.studio.conftest import Serve, Studio, add_trained_run, go, open_studio

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

CHOOSE = "Choose the board"
BUILD_MS = 180_000


def add_boards(run: Path) -> None:
    """Figures of two boards, as from `kws boards --json`."""
    figures = {
        "fits": True,
        "problems": [],
        "inference_ms": 30.0,
        "processor_share": 0.2,
        "flash": 100_000,
        "ram": 40_000,
        "limits": {"flash": 800_000, "ram": 256_000},
    }
    rows = [{"board": name, **figures} for name in ("nano33ble", "xiao_nrf52840_sense", "qemu")]
    (run / "boards.json").write_text(json.dumps({"boards": rows}))


def open_board_step(page: Page, served: Studio) -> Locator:
    """Open step Board, and say that the board is at the browser; returns the step that is shown."""
    open_studio(page, served)
    go(page, "Board")
    here = page.locator(".step:not([hidden])")
    here.get_by_role("radio", name="the computer of this browser").check()
    here.get_by_text("No board is chosen.").wait_for()
    return here


@pytest.fixture
def served(studio: Serve, project: Project) -> Studio:
    """A project with a model and figures of boards."""
    add_boards(add_trained_run(project.path))
    return studio(project.path)


def test_a_board_at_the_browser_is_watched(page: Page, served: Studio) -> None:
    with Board() as board:
        usb = BrowserUsb(page, board)
        here = open_board_step(page, served)
        here.get_by_role("button", name=CHOOSE).click()
        here.get_by_text("1 board is connected.").wait_for()
        watch = here.locator(".run", has_text="Watch")
        watch.get_by_text("kws monitor --board nano33ble --level --port browser.port").wait_for()
        assert serious_violations(page) == []
        watch.get_by_role("button", name="Watch").click()
        # Its lines are in the page, not only in the log.
        here.get_by_label("Output").get_by_text(BOOT_LINE).wait_for()
        here.get_by_role("heading", name="Watch nano33ble: running").wait_for()
        bar = page.get_by_role("region", name="Command")
        for _ in range(100):
            page.wait_for_timeout(100)
            if b"level\n" in board.typed:
                break
        assert b"level\n" in board.typed
        bar.get_by_role("button", name="Stop").click()
        page.get_by_text(re.compile("Watch nano33ble: (stopped|done)")).first.wait_for()
        assert usb.complaints == []

        here.get_by_role("radio", name=re.compile("XIAO")).check()
        here.get_by_text("cannot be written from here").wait_for()
        assert here.get_by_role("button", name="Write to the board").is_hidden()
        here.get_by_role("radio", name="the computer that runs kws").check()
        watch.get_by_text("kws monitor --board xiao_nrf52840_sense --level", exact=True).wait_for()
        here.get_by_role("radio", name="the computer of this browser").check()
        here.get_by_text("1 board is connected.").wait_for()
        go(page, "Record")
        page.get_by_label("Who is speaking?").filter(visible=True).fill("Anna")
        page.get_by_text("--speaker Anna --port browser.port").wait_for()
        go(page, "Try")
        page.get_by_role("radio", name="the board's").check()
        page.get_by_text("--keep sound/home --port browser.port --plain").wait_for()
        board.unplug()
        here.get_by_text("No board is chosen.").wait_for()


def test_one_tab_offers_the_board(page: Page, served: Studio) -> None:
    with Board() as board:
        BrowserUsb(page, board)
        here = open_board_step(page, served)
        here.get_by_role("button", name=CHOOSE).click()
        here.get_by_text("1 board is connected.").wait_for()
        other = page.context.new_page()
        BrowserUsb(other, board)
        there = open_board_step(other, served)
        here.get_by_text("No board is chosen.").wait_for()
        there.get_by_role("button", name=CHOOSE).click()
        there.get_by_text("1 board is connected.").wait_for()
        lister, _ = ports.choose(str(served.project / "browser.port"))
        for _ in range(50):
            if len(lister()) == 1:
                break
            other.wait_for_timeout(100)
        assert len(lister()) == 1


@pytest.mark.slow
def test_firmware_is_built_and_written_through_the_browser(
    page: Page, served: Studio, board_tools: object
) -> None:
    with Board() as board:
        usb = BrowserUsb(page, board)
        here = open_board_step(page, served)
        here.get_by_role("button", name=CHOOSE).click()
        here.get_by_text("1 board is connected.").wait_for()
        here.get_by_role("button", name="Write to the board").click()
        # Its bootloader is another device, which the user has to allow once.
        here.get_by_text("Waiting for the board.").wait_for(timeout=BUILD_MS)
        here.get_by_role("button", name=CHOOSE).click()
        output = here.get_by_label("Output")
        output.get_by_text("it runs: kws 0.1.0 on nano33ble").wait_for(timeout=BUILD_MS)
        assert board.bootloader.problems == []
        stack, start = struct.unpack_from("<II", board.bootloader.flash, ORIGIN)
        assert 0x20000000 < stack <= 0x20040000
        assert ORIGIN < start < ORIGIN + 0x40000
        assert start & 1, "Thumb"
        assert bytes(board.bootloader.flash[:ORIGIN]) == b"\xb0\x07" * (ORIGIN // 2)
        assert usb.complaints == []
