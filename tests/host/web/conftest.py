# SPDX-License-Identifier: Apache-2.0
"""`kws listen --web` in a separate process, and a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.changes import change_bundle
from kws.bundle.device import Device
from kws.host.web.export import export_page
from tests.host.live.listening import CLIPS, Listening
from tests.host.web.exported_page import PATIENCE, Launch, Open, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Serve = Callable[..., tuple[Listening, str]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts `kws listen --web`; returns the program and the page's address."""
    with ExitStack() as stack:

        def start(*arguments: object, **options: dict[str, str]) -> tuple[Listening, str]:
            program = Listening("--web", "--web-port", 0, *arguments, **options)
            stack.enter_context(program)
            line, _ = program.until("in a browser", "stderr")
            address = re.search(r"http://\S+/", line)
            assert address
            return program, address[0]

        yield start


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """Four minutes with spoken words, starting after one second."""
    pcm = quiet_room(240 * 16000)
    for number, name in enumerate(["yes_slt", "no_awb", "yes_rob", "left_slt"] * 18):
        clip = load_clip(CLIPS / f"{name}.flac")
        start = 16000 + number * 52000
        pcm[start : start + len(clip)] += clip
    write_clip(tmp_path / "words.wav", pcm)
    return tmp_path / "words.wav"


@pytest.fixture
def own_bundle(tmp_path: Path) -> Path:
    """A bundle that a test may change."""
    return change_bundle(default_bundle_path(), tmp_path / "bundle").path or Path()


# --- the exported page ----------------------------------------------------------------------------


@pytest.fixture
def page_folder(bundle: Bundle, tmp_path: Path) -> Path:
    export_page(Device(bundle), tmp_path / "page")
    return tmp_path / "page"


@pytest.fixture
def open_page(page_folder: Path, launch: Launch) -> Iterator[Open]:
    """Opens the page; fails at the end if the browser logged errors or warnings."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def complain(text: str) -> None:
        if "willReadFrequently" not in text:  # only the tests read the canvas
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
