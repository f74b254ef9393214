# SPDX-License-Identifier: Apache-2.0
"""The exported page with a host's policies: the page names the policy that blocks it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.host.web.conftest import Serve
from tests.host.web.exported_page import Launch, Open, play, wait_for, wait_until_kept

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

Host = Callable[..., str]

ALL = "default-src 'none'; style-src 'self'; img-src 'self'; media-src blob:; worker-src blob:; "
OFFLINE = ALL.replace("worker-src", "manifest-src 'self'; connect-src 'self'; worker-src 'self'")
SCRIPTS = "script-src 'self' blob: data: 'wasm-unsafe-eval'"


@pytest.fixture
def host(page_folder: Path) -> Iterator[Host]:
    """Serves the exported page with the given headers; returns the page's address."""
    servers: list[ThreadingHTTPServer] = []

    def serve(**headers: str) -> str:
        class Handler(SimpleHTTPRequestHandler):
            def end_headers(self) -> None:
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                super().end_headers()

            def guess_type(self, path: object) -> str:
                return headers.get("type", super().guess_type(str(path)))

            def log_message(self, *_: object) -> None:
                pass

        handler = partial(Handler, directory=str(page_folder))
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}/"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        (
            f"{ALL.replace('worker-src blob:', 'worker-src *')}{SCRIPTS}",
            "forbids the core's thread: its Content-Security-Policy lacks worker-src blob:",
        ),
        (
            "default-src 'self'",
            "forbids the core's thread: its Content-Security-Policy lacks worker-src blob:",
        ),
        (
            ALL + SCRIPTS.replace(" 'wasm-unsafe-eval'", ""),
            "forbids WebAssembly: its Content-Security-Policy lacks script-src 'wasm-unsafe-eval'",
        ),
        (
            f"{ALL}{SCRIPTS}; require-trusted-types-for 'script'",
            "forbids the core's thread: its Content-Security-Policy",
        ),
        ("script-src 'none'", "this page's scripts do not run: its host (Content-Security-Policy"),
    ],
    ids=["worker", "everything else", "WebAssembly", "Trusted Types", "scripts"],
)
def test_the_policy_is_named(policy: str, says: str, host: Host, open_page: Open) -> None:
    url = host(Content_Security_Policy=policy)
    page = open_page(url=url, status=says, complains=True)
    for button in ("#listen", "#open"):
        assert page.locator(button).is_disabled()


def test_the_documented_policy_is_sufficient(
    host: Host, open_page: Open, spoken_to: Browser, wavs: dict[str, Path]
) -> None:
    """The policy of docs/live.md, with cross-origin isolation, blocks nothing."""
    url = host(
        Content_Security_Policy=f"{OFFLINE}{SCRIPTS}",
        Cross_Origin_Opener_Policy="same-origin",
        Cross_Origin_Embedder_Policy="require-corp",
        Permissions_Policy="microphone=(self)",
        X_Content_Type_Options="nosniff",
    )
    page = open_page(spoken_to, url=url)
    play(page, wavs["yes"])
    wait_for(page, "#lines", "Heard yes")
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", "listening")
    wait_until_kept(page)


def test_a_policy_without_offline_use_leaves_the_page_alone(
    host: Host, open_page: Open, wavs: dict[str, Path]
) -> None:
    """The policy that docs/live.md listed before the page could be installed."""
    page = open_page(url=host(Content_Security_Policy=f"{ALL}{SCRIPTS}"), complains=True)
    play(page, wavs["yes"])
    wait_for(page, "#lines", "Heard yes")
    assert page.evaluate("navigator.serviceWorker.getRegistration()") is None
    assert page.evaluate("violations") == 0, "of what the page needs"


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        (
            {"Permissions_Policy": "microphone=()"},
            "forbids the microphone: its Permissions-Policy lacks microphone=(self)",
        ),
        (
            {"Content_Security_Policy": ALL + SCRIPTS.replace(" data:", "")},
            "forbids the microphone's thread: its Content-Security-Policy lacks script-src data:",
        ),
    ],
    ids=["the microphone", "its thread"],
)
def test_a_forbidden_microphone_is_named(
    headers: dict[str, str], says: str, host: Host, open_page: Open, spoken_to: Browser
) -> None:
    page = open_page(spoken_to, url=host(**headers), complains=True)
    page.get_by_role("button", name="Listen").click()
    wait_for(page, "#status", says)


def test_the_live_page_names_the_policy_of_a_proxy(
    serve: Serve, launch: Launch, words: Path
) -> None:
    _, address = serve("--input", words)
    context = launch().new_context()
    try:
        page = context.new_page()

        def with_policy(route: Route) -> None:
            answer = route.fetch()
            policy = "default-src 'self'; connect-src 'none'"
            route.fulfill(
                response=answer, headers={**answer.headers, "content-security-policy": policy}
            )

        page.route(address, with_policy)
        page.goto(address)
        wait_for(page, "#status", "forbids the connection to kws listen: its Content-Security")
    finally:
        context.close()
