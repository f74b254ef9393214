# SPDX-License-Identifier: Apache-2.0
"""Requests of other sites, other users and broken clients: none reads or changes anything."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from kws.host.studio.project import Project
from tests.host.studio.conftest import Studio, add_trained_run, spoken

SERIAL = "/api/serial/0123456789abcdef"
READS = [
    "/api/state",
    "/api/events",
    "/api/voices",
    "/api/runs/quick/sounds",
    SERIAL,
    "/runs/quick/report.html",
    "/studio.js",
    "/",
]
CHANGES = [
    (
        "PUT",
        "/api/settings",
        {"phrase": "evil", "language": "en", "data": "", "negatives": [], "sellable": False},
    ),
    ("POST", "/api/jobs", {"action": "boards", "effort": "quick"}),
    ("POST", "/api/jobs/1/stop", {}),
    ("DELETE", "/api/takes/yes/x_nohash_0.wav", {}),
    ("POST", "/api/takes?word=yes&speaker=eve", spoken()),
    ("PUT", f"{SERIAL}/ports", {"ports": []}),
    ("POST", f"{SERIAL}/1", b"Heard yes"),
    ("POST", f"{SERIAL}/1/state", {"is": "open"}),
]


pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A project with a trained model."""
    project = Project(tmp_path_factory.mktemp("guard") / "project")
    project.save("yes, no", "en", "", [])
    add_trained_run(project.path)
    one = Studio(project.path)
    yield one
    one.close()


def files(folder: Path) -> dict[str, bytes]:
    return {str(it): it.read_bytes() for it in sorted(folder.rglob("*")) if it.is_file()}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example:{port}",
        "a@localhost:{port}",
        "[::1]",
        "0.0.0.0:{port}",
        "",
        "127.0.0.1:{port}/",
        "127.0.0.1:{port}:1",
    ],
)
@pytest.mark.parametrize("path", ["/api/state", "/"])
def test_other_hosts_are_refused(served: Studio, host: str, path: str) -> None:
    status, content = served.request("GET", path, Host=host.format(port=served.port))
    assert status in {400, 403}
    assert b"yes" not in content


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize(
    "cookie", ["", "kws-studio-1=x", "kws-studio-{port}=", "kws-studio-{port}=a"]
)
def test_nobody_reads_without_the_token(served: Studio, path: str, cookie: str) -> None:
    status, _ = served.request("GET", path, Cookie=cookie.format(port=served.port))
    assert status == 403
    status, _ = served.request("GET", f"{path}?token=wrong", Cookie="")
    assert status == 403


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", ""])
def test_other_origins_change_nothing(
    served: Studio, method: str, path: str, body: object, origin: str
) -> None:
    before = files(served.project)
    status, _ = served.request(method, path, body, Origin=origin.format(port=served.port))
    assert status == 403
    assert files(served.project) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_cannot_embed_answers(served: Studio, site: str) -> None:
    status, _ = served.request("GET", "/api/state", Sec_Fetch_Site=site)
    assert status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/../studio.toml",
        "/%2e%2e/server.py",
        "/api/takes/..%2f/studio.toml",
        "/try/quick/..%2f..%2fstudio.toml",
        "/try/..%2f/studio.toml",
        "/downloads/../studio.toml.zip",
        "/downloads/runs/quick.zip",
        "/runs/..%2f/report.html",
        "/api/runs/..%2f/sounds",
        "/api/serial/..%2fstudio.toml",
        "/browser.port",
        "/try/quick/sw.js",
        "/server.py",
        "/api/takes/yes/%00",
        "/site/",
    ],
)
def test_other_files_are_not_served(served: Studio, path: str) -> None:
    status, content = served.request("GET", path)
    assert status in {400, 404}
    assert b"phrase" not in content


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/api/settings", {"phrase": 1}),
        ("PUT", "/api/settings", [1]),
        ("PUT", "/api/settings", {"phrase": "yes", "language": "en", "data": "", "negatives": "x"}),
        ("POST", "/api/jobs", {"action": "format", "effort": "quick"}),
        ("POST", "/api/jobs", {"action": "train", "effort": "; rm -rf /"}),
        ("POST", "/api/jobs", {"action": "build", "effort": "quick", "board": "../x"}),
        ("POST", "/api/jobs", {"action": "export", "effort": "quick", "kind": "--help"}),
        ("POST", "/api/jobs", {"action": "voice", "name": "--json"}),
        ("POST", "/api/jobs", {"action": ["train"]}),
        ("POST", "/api/takes?word=../x&speaker=a", spoken()),
        ("POST", "/api/takes?word=yes&speaker=a", b"odd"),
        ("POST", "/api/takes?word=yes&speaker=a", b"\0" * 400_000),
        ("POST", "/api/command", {"action": "train"}),
        ("PUT", f"{SERIAL}/ports", {"ports": [{"id": 1, "vendor": 1, "product": 1}]}),
        ("POST", f"{SERIAL}/1/state", {"is": ["open"]}),
    ],
)
def test_invalid_requests_start_nothing(
    served: Studio, method: str, path: str, body: object
) -> None:
    before = files(served.project)
    status, content = served.request(method, path, body)
    assert status in {400, 413}
    error = json.loads(content)["error"] if status == 400 else ""
    assert "\n" not in error
    assert files(served.project) == before


def test_a_deeply_nested_request_is_refused(served: Studio) -> None:
    status, _ = served.request("POST", "/api/jobs", b"[" * 100_000, Content_Type="application/json")
    assert status == 400


def test_silent_clients_do_not_block_the_page(served: Studio) -> None:
    clients = []
    for _ in range(40):
        client = socket.create_connection(("127.0.0.1", served.port), timeout=5)
        client.sendall(b"GET / HTTP/1.1\r\nHost: ")
        clients.append(client)
    assert served.state()["words"] == ["yes", "no"]
    for client in clients:
        client.close()


def test_the_answers_forbid_embedding_and_other_sources(served: Studio) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    connection.request("GET", "/", headers={"Cookie": f"kws-studio-{served.port}={served.token}"})
    answer = connection.getresponse()
    policy = str(answer.getheader("content-security-policy"))
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.getheader("x-content-type-options") == "nosniff"
    assert answer.getheader("server") is None


def test_only_this_machine_can_connect(served: Studio) -> None:
    with socket.socket() as other:
        other.settimeout(2)
        with pytest.raises(OSError, match="refused"):
            other.connect(("127.0.0.2", served.port))


def test_the_token_is_secret_to_other_users(served: Studio, tmp_path: Path) -> None:
    other = Studio(tmp_path / "new", KWS_CACHE_DIR=str(tmp_path))
    other.close()
    secrets = [it for it in (tmp_path / "studio").iterdir() if it.is_file()]
    assert [it.stat().st_mode & 0o077 for it in secrets] == [0]
    assert other.token != served.token
    assert secrets[0].stat().st_size >= 32
