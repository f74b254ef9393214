# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests with devices: the built-in model, a machine without tools, browsers."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.convert.tflite_import import convert_file
from kws.host.emulate.recordings import default_matrix

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

Launch = Callable[..., "Browser"]

LABELS = ("silence", "unknown", "yes", "no")


@pytest.fixture(scope="session")
def yes_no(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The built-in model with the default settings of `kws convert`."""
    out = tmp_path_factory.mktemp("bundles") / "yes_no"
    return convert_file(default_bundle_path() / "model.tflite", LABELS, out)


@pytest.fixture
def no_hanging() -> Iterator[None]:
    """Fail after 60 s, since a monitor runs until it is interrupted."""

    def give_up(*_: object) -> None:
        raise TimeoutError("the test did not end")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without compiler, emulator or network."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("KWS_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # the discard port is closed


# --- browsers -------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def wavs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A yes, a no, and both in a quiet room, for a microphone."""
    folder = tmp_path_factory.mktemp("wavs")
    yes, no = (
        load_clip(default_matrix() / "yes_slt.flac"),
        load_clip(default_matrix() / "no_rms.flac"),
    )
    spoken = np.concatenate(
        [quiet_room(24_000), yes, quiet_room(24_000, 1), no, quiet_room(24_000, 2)]
    )
    for name, pcm in {"yes": yes, "no": no, "spoken": spoken}.items():
        write_clip(folder / f"{name}.wav", pcm)
    return {file.stem: file for file in folder.iterdir()}


@pytest.fixture(scope="session")
def launch(playwright: Playwright, chromium: str) -> Iterator[Launch]:
    """Starts Chromium with extra arguments; one browser per set of arguments."""
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


@pytest.fixture(scope="session")
def spoken_to(launch: Launch, wavs: dict[str, Path]) -> Browser:
    """A browser with access to a microphone that repeats a yes and a no."""
    return launch(
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={wavs['spoken']}",
    )
