# SPDX-License-Identifier: Apache-2.0
"""A project with a trained model, and `kws studio` as a separate process."""

from __future__ import annotations

import http.client
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.host.emulate.recordings import default_matrix
from kws.host.studio.project import Project
from tests.host.conftest import Launch
from tests.host.web.exported_page import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WORDS = "yes, no"


def spoken(take_ms: int = 1000) -> bytes:
    """A good take: a second of quiet room and a tone, as 16-bit samples."""
    rng = np.random.default_rng(3)
    samples = 16 * (take_ms + 1200)
    pcm = rng.normal(0, 20, samples)
    time_s = np.arange(6400) / 16000
    start = samples // 2
    pcm[start : start + 6400] += 9000 * np.sin(2 * np.pi * 500 * time_s)
    return bytes(np.rint(pcm).astype("<i2").tobytes())


def add_trained_run(project: Path, effort: str = "quick", bundle: str = "tiny") -> Path:
    """A finished run of `kws wake`, with a built-in bundle."""
    run = project / "runs" / effort
    shutil.copytree(default_bundle_path().with_name(bundle), run / "bundle")
    result = {
        "labels": ["silence", "unknown", "yes", "no"],
        "recordings": 0,
        "verdict": {"hears": "well", "evidence": "missed yes 1 of 20 times", "causes": []},
        "lines": ["verdict: detects well: missed yes 1 of 20 times"],
        "calibration": {"recognizer": {"thresholds": {"yes": 200, "no": 190}}},
    }
    (run / "result.json").write_text(json.dumps(result))
    curve = [
        {
            "threshold": threshold,
            "quiet": {
                "miss_share": threshold / 400,
                "miss_share_95": [threshold / 800, threshold / 300],
            },
            "talk": {
                "alarms_an_hour": 400 / threshold - 1.6,
                "alarms_an_hour_95": [200 / threshold - 0.8, 800 / threshold - 3.2 + 0.5],
            },
        }
        for threshold in range(100, 250, 5)
    ]
    (run / "report").mkdir()
    (run / "report" / "report.json").write_text(json.dumps({"stream": {"curve": curve}}))
    return run


def add_clips(run: Path) -> None:
    """Clips of enough speakers for the test split of a run."""
    for word, file in (("yes", "yes_slt"), ("no", "no_awb")):
        for number in range(20):
            clip = load_clip(default_matrix() / f"{file}.flac")
            write_clip(run / "data" / word / f"speaker{number}_nohash_0.wav", clip)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with two words."""
    made = Project(tmp_path / "project")
    made.save(WORDS, "en", "", [])
    return made


class Studio:
    """`kws studio` as a separate process, and a page's requests to it."""

    def __init__(self, project: Path, port: int = 0, **environment: str) -> None:
        self.project = project
        self._process = subprocess.Popen(
            [
                sys.executable, "-c", "from kws.cli.main import main; main()",
                "studio", str(project), "--port", str(port), "--no-browser",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        )  # fmt: skip
        text = b""
        end = time.monotonic() + 60
        assert self._process.stdout
        while not (found := re.search(rb"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+) ", text)):
            assert time.monotonic() < end, "kws studio does not start"
            ready, _, _ = select.select([self._process.stdout], [], [], 0.5)
            part = os.read(self._process.stdout.fileno(), 4096) if ready else b""
            assert part or not ready, self.errors()
            text += part
        self.port, self.token = int(found[1]), found[2].decode()
        self.url = f"http://127.0.0.1:{self.port}/?token={self.token}"
        self.origin = f"http://127.0.0.1:{self.port}"

    def errors(self) -> str:
        """What it wrote to stderr; call it after its end."""
        assert self._process.stderr
        return self._process.stderr.read().decode()

    def request(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, bytes]:
        """A request of the page: status and body."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        own = {"Cookie": f"kws-studio-{self.port}={self.token}"}
        if method != "GET":
            own["Origin"] = self.origin
        if isinstance(body, bytes):
            own["Content-Type"] = "application/octet-stream"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, data, {**own, **names})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def json(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON answer to a request that succeeds."""
        status, content = self.request(method, path, body)
        assert status < 300, content
        return json.loads(content)

    def state(self) -> Any:
        """The page's state."""
        return self.json("GET", "/api/state")

    def start(self, **action: str) -> int:
        """Start a job; returns its number."""
        return int(self.json("POST", "/api/jobs", action)["id"])

    def end_of(self, number: int, seconds: float = 120) -> Any:
        """Wait for the end of a job."""
        end = time.monotonic() + seconds
        while True:
            job = next(job for job in self.state()["jobs"] if job["id"] == number)
            if job["state"] != "running":
                return job
            assert time.monotonic() < end, job
            time.sleep(0.1)

    def kill(self) -> None:
        """End the server in the hardest way."""
        self._process.kill()
        self._process.wait()

    def interrupt(self) -> int:
        """Press Ctrl-C; returns the exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(30)

    def close(self) -> None:
        """Stop the running job and the server."""
        if self._process.poll() is None:
            for job in self.state()["jobs"]:
                if job["state"] == "running":
                    self.request("POST", f"/api/jobs/{job['id']}/stop")
                    self.request("POST", f"/api/jobs/{job['id']}/stop")
            self.kill()
        for stream in (self._process.stdout, self._process.stderr):
            if stream:
                stream.close()


Serve = Callable[..., Studio]


@pytest.fixture
def studio() -> Iterator[Serve]:
    """Starts `kws studio` for a project's folder."""
    with ExitStack() as stack:

        def start(project: Path, **options: Any) -> Studio:
            served = Studio(project, **options)
            stack.callback(served.close)
            return served

        yield start


# --- the page -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def listener(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """A browser whose microphone hears *yes* every two seconds."""
    file = tmp_path_factory.mktemp("microphone") / "yes.wav"
    clip = load_clip(default_matrix() / "yes_slt.flac")
    write_clip(file, np.concatenate([clip, quiet_room(16_000)]))
    return launch(
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={file}",
    )


# The browser's own lines about a server that was killed.
EXPECTED = (
    "ERR_CONNECTION_RE",
    "ERR_CONTENT_LENGTH_MISMATCH",
    "ERR_INCOMPLETE_CHUNKED",
    "ERR_SOCKET_NOT_",
)


@pytest.fixture
def page(listener: Browser) -> Iterator[Page]:
    """A page; fails at the end if the browser logged other errors."""
    complaints: list[str] = []
    context = listener.new_context(permissions=["microphone"])
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    opened.on(
        "console",
        lambda it: complaints.append(f"{it.text} {it.location}") if it.type == "error" else None,
    )
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert [it for it in complaints if not any(text in it for text in EXPECTED)] == []


def go(page: Page, step: str) -> None:
    """Open a step."""
    page.get_by_role("link", name=step).first.click()


def open_studio(page: Page, served: Studio) -> None:
    """Open the page with its token."""
    page.goto(served.url)
    page.get_by_role("heading", level=1).wait_for()
    assert "token" not in page.url
