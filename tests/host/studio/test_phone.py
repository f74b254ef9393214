# SPDX-License-Identifier: Apache-2.0
"""Recording with a phone: off by default, over HTTPS, and good for nothing but recording."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from typing import TYPE_CHECKING, Any

import pytest

from kws.errors import KwsError
from kws.host.studio.project import Project
from tests.accessibility import serious_violations
from tests.host.studio.conftest import Serve, Studio, add_trained_run, go, open_studio, spoken
from tests.host.web.exported_page import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BOB = "/api/takes?word=yes&speaker=bob"


class PhonePage:
    """The phone's page as another machine sees it."""

    def __init__(self, url: str) -> None:
        self.address, port, self.token = (
            url.removeprefix("https://").replace("/?token=", ":").split(":")
        )
        self.port = int(port)
        self.origin = f"https://{self.address}:{port}"

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> http.client.HTTPResponse:
        """A request with the token; `headers` replace its own."""
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # as after the user's consent
        own = {
            "Cookie": f"kws-studio-{self.port}={self.token}",
            "Origin": self.origin,
            "Content-Type": "application/octet-stream",
        }
        connection = http.client.HTTPSConnection(
            self.address, self.port, timeout=20, context=context
        )
        connection.request(method, path, body, {**own, **headers})
        return connection.getresponse()


def switch_on(served: Studio) -> PhonePage:
    """Switch the phone's page on; skips on a machine without a network."""
    status, content = served.request("POST", "/api/phone", {"on": True})
    if status != 200 and b"in no network" in content:
        pytest.skip("this machine is in no network")
    assert status == 200, content
    return PhonePage(served.state()["phone"])


@pytest.mark.process
def test_it_is_off_until_it_is_switched_on_and_gets_a_new_address(
    studio: Serve, project: Project
) -> None:
    served = studio(project.path)
    assert served.state()["phone"] is None
    assert served.request("GET", "/api/phone.svg")[0] == 404
    first = switch_on(served)
    assert b"<svg" in served.request("GET", "/api/phone.svg")[1]
    assert first.request("GET", "/api/words").status == 200
    served.json("POST", "/api/phone", {"on": False})
    assert served.state()["phone"] is None
    with pytest.raises(OSError, match="refused"):
        first.request("GET", "/api/words")
    assert switch_on(served).token != first.token
    assert served.request("POST", "/api/phone", {"on": 1})[0] == 400


@pytest.mark.process
def test_a_phone_records_and_reaches_nothing_else(studio: Serve, project: Project) -> None:
    add_trained_run(project.path)
    served = studio(project.path)
    served.request("POST", "/api/takes?word=no&speaker=anna", spoken())
    (annas,) = served.state()["takes"]
    other = switch_on(served)
    answer = other.request("POST", BOB, spoken())
    assert answer.status == 201
    name = json.loads(answer.read())["name"]
    assert name in {take["name"] for take in served.state()["takes"]}
    words = json.loads(other.request("GET", "/api/words").read())
    assert words == {"words": ["yes", "no"], "window_ms": 1000, "takes": {"yes": 1, "no": 1}}
    hidden: list[tuple[str, str, Any]] = [
        ("GET", "/api/state", None),
        ("GET", "/api/events", None),
        ("GET", f"/api/takes/no/{annas['name']}", None),
        ("DELETE", f"/api/takes/no/{annas['name']}", None),
        ("GET", "/api/takes", None),
        ("PUT", "/api/settings", b"{}"),
        ("POST", "/api/phone", b'{"on": false}'),
        ("GET", "/api/phone.svg", None),
        ("POST", "/api/jobs", b'{"action": "page", "effort": "quick"}'),
        ("POST", "/api/command", b'{"action": "page", "effort": "quick"}'),
        ("POST", "/api/cards?kind=heard&label=yes&score=1", spoken()),
        ("GET", "/api/voices", None),
        ("GET", "/api/say?phrase=yes", None),
        ("GET", "/runs/quick/report.html", None),
        ("GET", "/try/quick/index.html", None),
        ("GET", "/index.html", None),
        ("GET", "/studio.js", None),
        ("GET", "/../studio.toml", None),
        ("GET", "/%2e%2e/studio.toml", None),
    ]
    for method, path, body in hidden:
        assert other.request(method, path, body).status in {404, 405}, (method, path)
    assert {take["name"] for take in served.state()["takes"]} == {name, annas["name"]}
    assert served.state()["jobs"] == []


@pytest.mark.process
def test_others_in_the_network_are_refused(studio: Serve, project: Project) -> None:
    served = studio(project.path)
    other = switch_on(served)
    cookie = f"kws-studio-{other.port}="
    for headers in (
        {"Cookie": ""},
        {"Cookie": f"{cookie}wrong"},
        {"Cookie": f"{cookie}{served.token}"},
        {"Origin": "https://evil.example"},
        {"Origin": served.origin},
        {"Origin": other.origin.replace("https", "http")},
        {"Host": "evil.example"},
        {"Host": f"127.0.0.1:{other.port}"},
    ):
        assert other.request("POST", BOB, spoken(), **headers).status == 403, headers
    assert other.request("GET", f"/?token={served.token}", Cookie="").status == 403
    welcome = other.request("GET", f"/?token={other.token}", Cookie="")
    assert welcome.status == 303
    assert "Secure" in str(welcome.getheader("set-cookie"))
    assert served.state()["takes"] == []
    # Without encryption there is no answer.
    connection = http.client.HTTPConnection(other.address, other.port, timeout=10)
    with pytest.raises((OSError, http.client.HTTPException)):
        connection.request("GET", "/")
        connection.getresponse()
    # The studio itself stays unreachable.
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((other.address, served.port), timeout=5)


@pytest.mark.process  # Starlette is installed for these
def test_a_machine_without_a_network_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from kws.host.studio import phone

    def refuse(*_: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    switch = phone.Phone(lambda _: pytest.fail("no page without a network"))
    with pytest.raises(KwsError, match="is in no network; connect it"):
        switch.start()
    assert switch.place is None


@pytest.mark.browser
def test_a_take_from_the_phone_appears_on_the_page(
    studio: Serve, listener: Browser, page: Page, project: Project
) -> None:
    served = studio(project.path)
    open_studio(page, served)
    go(page, "Record")
    switch_on(served)
    page.get_by_role("button", name="Switch off").wait_for()
    picture = page.get_by_alt_text("QR code of the address below")
    picture.evaluate("image => image.decode()")
    url = page.locator(".phone code").inner_text()
    context = listener.new_context(
        ignore_https_errors=True,
        permissions=["microphone"],
        viewport={"width": 390, "height": 844},
    )
    other = context.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(url)
    other.get_by_label("Who is speaking?").fill("Bob")
    other.get_by_role("button", name="Record").click()
    other.get_by_text("Saved. 1 take of “yes”.").wait_for()
    page.get_by_text("Bob, 1 take").wait_for()
    assert other.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert serious_violations(other) == []
    page.get_by_role("button", name="Switch off").click()
    other.get_by_text("kws studio does not answer").wait_for()
    context.close()
