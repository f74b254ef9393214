# SPDX-License-Identifier: Apache-2.0
"""The exported page and kws studio in Firefox, with a real sound device as the microphone."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.studio.project import Project
from kws.host.web.export import export_page
from tests.host.live.listening import CLIPS
from tests.host.studio.conftest import Serve
from tests.sound_server import SoundServer

pytestmark = pytest.mark.slow

Firefox = Any
"""Marionette of the package marionette_driver, which `make test-all` installs."""

PATIENCE_S = 60
PREFERENCES = {
    "media.navigator.permission.disabled": True,  # nobody is there to allow the microphone
    "media.autoplay.default": 0,
}


@pytest.fixture
def firefox(
    sound_server: SoundServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Firefox]:
    """Headless Firefox whose microphone is that of the sound server, or a skip."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("Firefox is not installed (make test-all installs firefox-esr)")
    mozprofile = pytest.importorskip("mozprofile")
    marionette = pytest.importorskip("marionette_driver.marionette").Marionette
    for name in ("HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_SERVER"):
        monkeypatch.setenv(name, sound_server.environment[name])
    profile = mozprofile.Profile(str(tmp_path / "firefox"), preferences=PREFERENCES, restore=False)
    log = str(tmp_path / "firefox.log")
    browser = marionette(bin=program, headless=True, profile=profile, gecko_log=log)
    browser.start_session()
    yield browser
    browser.delete_session()
    browser.cleanup()


def _until(firefox: Firefox, selector: str, holds: Callable[[str], bool]) -> str:
    """Wait until the text of an element suits; returns it."""
    end = time.monotonic() + PATIENCE_S
    while True:
        text = firefox.execute_script(
            "return document.querySelector(arguments[0])?.textContent ?? ''", [selector]
        )
        if holds(text):
            return str(text)
        assert time.monotonic() < end, f"{selector}: {text}"
        time.sleep(0.1)


def _press(firefox: Firefox, selector: str) -> None:
    firefox.find_element("css selector", selector).click()


def _play(sound_server: SoundServer, *names: str) -> None:
    clips = [load_clip(CLIPS / f"{name}.flac") for name in names]
    parts = [part for clip in clips for part in (quiet_room(24000), clip)]
    sound_server.play(np.concatenate([*parts, quiet_room(24000)]))


def test_the_exported_page_hears_words(
    firefox: Firefox, bundle: Bundle, sound_server: SoundServer, tmp_path: Path
) -> None:
    export_page(Device(bundle), tmp_path / "page")
    firefox.navigate((tmp_path / "page" / "index.html").as_uri())
    _until(firefox, "#status", lambda text: text.startswith("ready"))
    _press(firefox, "#listen")
    _until(firefox, "#status", lambda text: text.startswith("listening"))
    _play(sound_server, "yes_slt", "no_awb")
    lines = _until(firefox, "#lines", lambda text: "Heard yes" in text and "Heard no" in text)
    assert lines.index("Heard yes") < lines.index("Heard no")
    _press(firefox, "#listen")
    _until(firefox, "#status", lambda text: text.startswith("stopped"))


def test_a_take_is_recorded_in_the_studio(
    firefox: Firefox, studio: Serve, project: Project, sound_server: SoundServer
) -> None:
    firefox.navigate(f"{studio(project.path).url}#record")
    _until(firefox, "main h1", lambda text: text == "Record your voice")
    firefox.find_element("css selector", "input[id^=speaker]").send_keys("Anna")
    end = time.monotonic() + PATIENCE_S
    while not project.takes():  # the sound is not in time with the button
        assert time.monotonic() < end
        _press(firefox, "button.record")
        _until(firefox, "button.record[data-phase=speak]", bool)
        _play(sound_server, "yes_slt")
        _until(firefox, "button.record[data-phase=idle]", bool)
    (take,) = project.takes()
    assert take.word == "yes"
    assert "Anna" in project.settings.speakers.values()
