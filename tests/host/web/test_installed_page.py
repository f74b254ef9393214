# SPDX-License-Identifier: Apache-2.0
"""The exported page as an installed one: manifest, use without network, screen lock."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.web.export import export_page
from kws.host.web.offline import INDEX, MANIFEST, WORKER
from kws.host.web.site_files import ICON_SIZES, MODEL, SITE, icon_name
from tests.host.web.exported_page import (
    Launch,
    Open,
    play,
    wait_for,
    wait_until,
    wait_until_kept,
)
from tools.icons import icon_levels, png

if TYPE_CHECKING:
    from playwright.sync_api import Browser

COPIES = "caches.keys()"


class Host(ThreadingHTTPServer):
    """A host that can end while browsers hold connections that they have opened in advance."""

    has_ended = False


class Handler(SimpleHTTPRequestHandler):
    """Like a plain host, which names no policies and lets browsers cache."""

    delay = 0.0

    def do_GET(self) -> None:
        time.sleep(self.delay)
        if isinstance(self.server, Host) and not self.server.has_ended:
            super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


def host_at(port: int, handler: partial[Handler]) -> Host:
    """A new host's port is never one that systems give to connections, so it can be used again."""
    for _ in range(100):
        with suppress(OSError):
            return Host(("127.0.0.1", port or random.randrange(20_000, 32_000)), handler)
        time.sleep(0.01)
    raise AssertionError(f"no port: {port}")


@contextmanager
def hosted(
    folder: Path, port: int = 0, handler: type[Handler] = Handler, path: str = ""
) -> Iterator[str]:
    """Serves a folder until the block ends; then nobody answers at its address.

    `port`: an earlier host's; 0 for a new one.
    """
    with host_at(port, partial(handler, directory=str(folder))) as host:
        threading.Thread(target=host.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{host.server_port}/{path}"
        host.has_ended = True
        host.shutdown()


def export(name: str, folder: Path) -> None:
    export_page(Device(load_bundle(default_bundle_path().with_name(name))), folder)


def version(folder: Path) -> str:
    return (folder / WORKER).read_text().split('KWS_VERSION = "')[1][:16]


def port_of(url: str) -> int:
    return urlsplit(url).port or 0


# --- manifest -------------------------------------------------------------------------------------


def test_the_manifest_is_accepted_and_its_icons_load(open_page: Open, page_folder: Path) -> None:
    with hosted(page_folder) as url:
        page = open_page(url=url)
        told = page.context.new_cdp_session(page).send("Page.getAppManifest")
        assert told["url"] == f"{url}{MANIFEST}"
        assert told["errors"] == []
        manifest = json.loads(told["data"])
        assert manifest["name"] == page.title() == "kws: yes, no"
        assert manifest["short_name"] == "yes_no"
        assert (manifest["start_url"], manifest["display"]) == (".", "standalone")
        for icon in manifest["icons"]:
            size = page.evaluate(
                """async (src) => {
                  const image = new Image();
                  image.src = src;
                  await image.decode();
                  return [image.naturalWidth, image.naturalHeight];
                }""",
                icon["src"],
            )
            assert icon["sizes"] == "x".join(map(str, size))
        purposes = {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]}
        assert purposes == {
            (f"{size}x{size}", purpose) for size in ICON_SIZES for purpose in ("any", "maskable")
        }


def test_chromium_finds_the_page_installable(open_page: Open, page_folder: Path) -> None:
    """The check behind "Install" in Chrome's menu."""
    manifest = page_folder / MANIFEST
    complete = manifest.read_text()
    with hosted(page_folder) as url:
        page = open_page(url=url, complains=True)
        session = page.context.new_cdp_session(page)

        def errors() -> set[str]:
            found = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
            # The tests' contexts are private windows, where nothing can be installed.
            return {error["errorId"] for error in found} - {"in-incognito"}

        wait_until_kept(page)
        assert errors() == set()
        manifest.write_text(complete.replace("standalone", "browser"))
        # Hosts tell changes by whole seconds.
        os.utime(manifest, (time.time() + 5, time.time() + 5))
        page.reload()
        assert errors() == {"manifest-display-not-supported"}
        manifest.unlink()
        page.reload()
        assert errors()


@pytest.mark.parametrize("size", ICON_SIZES)
def test_the_committed_icons_are_those_of_the_script(size: int) -> None:
    from matplotlib.image import imread

    levels = icon_levels((SITE / "icon.svg").read_text(), size)
    assert set(np.unique(levels)) == set(range(16))
    x, y = np.meshgrid(*2 * [(np.arange(size) + 0.5) / size - 0.5])
    assert not levels[np.hypot(x, y) > 0.4].any(), "outside the circle that every phone shows"
    image = imread(SITE / icon_name(size))[..., :3]
    shares = levels[..., None] / 15
    expected = image[0, 0] + shares * (image[levels == 15][0] - image[0, 0])
    np.testing.assert_allclose(image, expected, atol=1 / 255)
    assert (SITE / icon_name(size)).stat().st_size < 2000
    assert png(levels, ("#152a52", "#d3df50"))[:33] == (SITE / icon_name(size)).read_bytes()[:33]


# --- without network ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_page_hears_words_after_its_server_has_stopped(
    open_page: Open, page_folder: Path, spoken_to: Browser, wavs: dict[str, Path]
) -> None:
    with hosted(page_folder) as url:
        page = open_page(spoken_to, url=url)
        wait_until_kept(page)
    page.reload()
    wait_for(page, "#status", "ready")
    play(page, wavs["yes"])
    wait_for(page, "#lines", "Heard yes")
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#lines", "Heard no")
    page.goto(f"{url}{INDEX}")
    wait_for(page, "#status", "ready")
    assert page.evaluate("document.styleSheets[0].cssRules.length > 20"), "the style is kept too"


def test_a_page_exported_again_replaces_the_copy(
    open_page: Open, page_folder: Path, wavs: dict[str, Path]
) -> None:
    old = version(page_folder)
    with hosted(page_folder) as url:
        page = open_page(url=url)
        wait_until_kept(page)
        assert [name.split()[-1] for name in page.evaluate(COPIES)] == [old]
    export("tiny", page_folder)
    new = version(page_folder)
    assert new != old
    with hosted(page_folder, port_of(url)):
        page.reload()
        wait_for(page, "#status", "ready")
        assert page.inner_text("#model") == "tiny", "at once, not at the second visit"
        wait_until(page, f"{COPIES}.then(([name, other]) => !other && name.endsWith('{new}'))")
    page.reload()
    wait_for(page, "#status", "ready")
    assert page.inner_text("#model") == "tiny"
    play(page, wavs["yes"])
    wait_for(page, "#lines", "Heard yes")


@pytest.mark.slow
def test_a_page_that_is_still_open_elsewhere_keeps_its_whole_copy(
    open_page: Open, page_folder: Path
) -> None:
    """The new copy waits for the other tab. Until then the old one answers without network."""
    with hosted(page_folder) as url:
        page = open_page(url=url)
        wait_until_kept(page)
        other = page.context.new_page()
        other.goto(url)
        wait_for(other, "#status", "ready")
    export("tiny", page_folder)
    with hosted(page_folder, port_of(url)):
        page.reload()
        wait_for(page, "#status", "ready")
        assert page.inner_text("#model") == "tiny"
        waiting = "navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting)"
        wait_until(page, f"{waiting}.then(Boolean)")
        assert len(page.evaluate(COPIES)) == 2
    page.reload()
    wait_for(page, "#status", "ready")
    assert page.inner_text("#model") == "yes_no"
    other.close()


@pytest.mark.slow
def test_half_an_upload_is_not_kept(open_page: Open, page_folder: Path) -> None:
    old = (page_folder / MODEL).read_bytes()
    with hosted(page_folder) as url:
        page = open_page(url=url)
        wait_until_kept(page)
    export("tiny", page_folder)
    (page_folder / MODEL).write_bytes(old)
    with hosted(page_folder, port_of(url)):
        page.goto(url)
        states = page.evaluate(
            """async () => {
              const registration = await navigator.serviceWorker.getRegistration();
              const states = [];
              const isOver = new Promise((resolve) => {
                registration.addEventListener("updatefound", () => {
                  const worker = registration.installing;
                  worker.addEventListener("statechange", () => {
                    states.push(worker.state);
                    if (worker.state === "redundant") resolve();
                  });
                });
              });
              registration.update().catch(() => {});
              await isOver;
              return states;
            }"""
        )
        assert states == ["redundant"], "never installed"
    page.reload()
    wait_for(page, "#status", "ready")
    assert page.inner_text("#model") == "yes_no"


@pytest.mark.slow
def test_two_pages_on_one_host_keep_their_own_copies(open_page: Open, tmp_path: Path) -> None:
    for name in ("yes_no", "tiny"):
        export(name, tmp_path / name)
    with hosted(tmp_path) as url:
        page = open_page(url=f"{url}yes_no/")
        wait_until_kept(page)
        page.goto(f"{url}tiny/")
        wait_for(page, "#status", "ready")
        wait_until_kept(page)
        assert len(page.evaluate(COPIES)) == 2
    for name in ("yes_no", "tiny"):
        page.goto(f"{url}{name}/")
        wait_for(page, "#status", "ready")
        assert page.inner_text("#model") == name


@pytest.mark.slow
def test_a_host_without_an_answer_is_not_waited_for(open_page: Open, page_folder: Path) -> None:
    class Slow(Handler):
        delay = 20.0

    with hosted(page_folder) as url:
        page = open_page(url=url)
        wait_until_kept(page)
    with hosted(page_folder, port_of(url), Slow):
        started = time.monotonic()
        page.reload(wait_until="domcontentloaded")
        wait_for(page, "#status", "ready")
        assert 2.5 < time.monotonic() - started < Slow.delay


@pytest.mark.slow
@pytest.mark.parametrize("code", [301, 503])
def test_a_host_that_redirects_or_is_broken(code: int, open_page: Open, page_folder: Path) -> None:
    """Some hosts redirect index.html to its folder; a broken host is answered by the copy."""

    class Other(Handler):
        broken = False

        def do_GET(self) -> None:
            if code == 301 and self.path.startswith("/index.html"):
                self.send_response(301)
                self.send_header("Location", "./")
                self.end_headers()
            elif self.broken:
                self.send_error(503)
            else:
                super().do_GET()

    with hosted(page_folder, handler=Other) as url:
        page = open_page(url=url)
        wait_until_kept(page)
        Other.broken = code == 503
        page.reload()
        wait_for(page, "#status", "ready")
    page.goto(f"{url}index.html")
    wait_for(page, "#status", "ready")


@pytest.mark.slow
def test_another_site_at_the_same_address_is_left_alone(
    open_page: Open, page_folder: Path, tmp_path: Path
) -> None:
    """As on localhost:8000, where the next program serves something else."""
    with hosted(page_folder) as url:
        page = open_page(url=url)
        wait_until_kept(page)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / INDEX).write_text(
        "<title>other</title><link rel=icon href=data:,><script src=app.js></script>"
    )
    (tmp_path / "other" / "app.js").write_text("document.title += ' script';")
    with hosted(tmp_path / "other", port_of(url)):
        page.goto(url)
        assert page.title() == "other script"


@pytest.mark.slow
def test_a_page_over_plain_http_works_without_a_copy(
    open_page: Open, page_folder: Path, launch: Launch, wavs: dict[str, Path]
) -> None:
    browser = launch("--host-resolver-rules=MAP kws.test 127.0.0.1")
    with hosted(page_folder) as url:
        page = open_page(browser, url=url.replace("127.0.0.1", "kws.test"))
        assert page.evaluate("[isSecureContext, 'serviceWorker' in navigator]") == [False, False]
        play(page, wavs["yes"])
        wait_for(page, "#lines", "Heard yes")


def test_a_file_has_neither_manifest_nor_copy(open_page: Open) -> None:
    page = open_page()
    assert page.locator("link[rel=manifest]").count() == 0
    assert page.evaluate("navigator.serviceWorker.controller") is None


# --- the screen -----------------------------------------------------------------------------------

# Notes each call, and refuses those that a browser refuses.
SCREEN = """
  globalThis.calls = [];
  globalThis.mayLock = true;
  let hidden = false;
  Object.defineProperty(document, "hidden", { get: () => hidden });
  globalThis.show = (isShown) => {
    hidden = !isShown;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  class Lock extends EventTarget {
    released = false;
    async release() {
      if (this.released) calls.push("released twice");
      this.end();
    }
    end() {
      this.released = true;
      calls.push("released");
      this.dispatchEvent(new Event("release"));
    }
  }
  Object.defineProperty(navigator, "wakeLock", { value: {
    async request(type) {
      if (type !== "screen") throw new TypeError(type);
      if (hidden || !mayLock) throw new DOMException("hidden", "NotAllowedError");
      calls.push("locked");
      await new Promise((resolve) => setTimeout(resolve, globalThis.lockDelay ?? 0));
      return globalThis.lock = new Lock();
    },
  } });"""


def test_the_screen_stays_on_while_the_page_listens(open_page: Open, spoken_to: Browser) -> None:
    page = open_page(spoken_to, before=SCREEN)
    calls: Callable[[], Any] = lambda: page.evaluate("calls")  # noqa: E731 - read each time
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
    assert calls() == ["locked"]
    page.evaluate("show(false)")
    assert calls() == ["locked", "released"]
    page.evaluate("show(true)")
    assert calls() == ["locked", "released", "locked"]
    page.get_by_role("button", name="Stop").click()
    assert calls() == ["locked", "released"] * 2
    page.evaluate("show(false), show(true)")
    assert calls() == ["locked", "released"] * 2, "stopped, so not again"


def test_a_lock_that_the_phone_ended_is_taken_again_when_visible(
    open_page: Open, spoken_to: Browser
) -> None:
    page = open_page(spoken_to, before=SCREEN)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
    page.evaluate("lock.end(), show(false), show(true)")
    assert page.evaluate("calls") == ["locked", "released", "locked"]


def test_a_lock_that_comes_after_stop_is_released(open_page: Open, spoken_to: Browser) -> None:
    page = open_page(spoken_to, before=SCREEN + "globalThis.lockDelay = 300;")
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_function("() => globalThis.lock?.released")
    assert page.evaluate("calls") == ["locked", "released"]


@pytest.mark.parametrize(
    "before",
    [
        SCREEN + "mayLock = false;",
        "Object.defineProperty(navigator, 'wakeLock', { value: undefined });",
    ],
    ids=["refused", "missing"],
)
def test_a_page_without_a_screen_lock_listens(
    before: str, open_page: Open, spoken_to: Browser
) -> None:
    page = open_page(spoken_to, before=before)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#lines", "Heard yes")


def test_chromiums_own_screen_lock_is_used(open_page: Open, spoken_to: Browser) -> None:
    """No stand-in: Chromium itself counts the lock as held, then as released."""
    keep = """
      const request = navigator.wakeLock.request.bind(navigator.wakeLock);
      navigator.wakeLock.request = async (type) => globalThis.lock = await request(type);"""
    page = open_page(spoken_to, before=keep)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening: ")
    page.wait_for_function("() => globalThis.lock?.released === false")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_function("() => lock.released")
