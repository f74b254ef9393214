# SPDX-License-Identifier: Apache-2.0
"""Downloads from a faulty local server."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.dataset import Split
from kws.audio.download import ARCHIVES, Archive, download, find_archive
from kws.audio.long_recordings import LongRecording, load_recordings, open_recordings
from kws.errors import DataError, KwsError, UsageError
from tests.audio.archives import FILES, contents, tar


@dataclass
class Server:
    """The file to serve, faults, and the requests."""

    url: str = ""
    data: bytes = b""
    status: int = 200
    ranges: bool = True
    cut_after: list[int] = field(default_factory=list)
    """Length of each of the next replies, in bytes."""
    asked: list[str | None] = field(default_factory=list)
    """The Range header of each request."""


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.asked.append(wanted)
            if state.status != 200:
                self.send_error(state.status)
                return
            start = 0
            if wanted and state.ranges:
                start = int(wanted.removeprefix("bytes=").rstrip("-"))
                if start >= len(state.data):
                    self.send_error(416)
                    return
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-/{len(state.data)}")
            else:
                self.send_response(200)
            body = state.data[start:]
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            cut = state.cut_after.pop(0) if state.cut_after else len(body)
            self.wfile.write(body[:cut])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        state.url = f"http://127.0.0.1:{httpd.server_port}/set.tar.gz"
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield state
        httpd.shutdown()
        thread.join()


def archive(server: Server, data: bytes | None = None, size: bool = True) -> Archive:
    server.data = tar(FILES) if data is None else data
    digest = hashlib.sha256(server.data).hexdigest()
    return Archive("the set", server.url, digest, len(server.data) if size else None)


def fetch(what: Archive, out: Path) -> bool:
    return download(what, out, retry_wait_s=0.01)


@pytest.mark.parametrize("size", [True, False])
def test_download_unpacks_and_removes_the_archive(
    server: Server, tmp_path: Path, size: bool
) -> None:
    assert fetch(archive(server, size=size), tmp_path / "set") is True
    assert contents(tmp_path / "set") == FILES
    assert [p.name for p in tmp_path.iterdir()] == ["set"]


def test_second_download_does_nothing(server: Server, tmp_path: Path) -> None:
    what = archive(server)
    fetch(what, tmp_path / "set")
    asked = len(server.asked)
    assert fetch(what, tmp_path / "set") is False
    assert len(server.asked) == asked


def test_broken_connection_is_resumed(server: Server, tmp_path: Path) -> None:
    what = archive(server)
    server.cut_after = [100_000, 50_000]
    fetch(what, tmp_path / "set")
    assert server.asked == [None, "bytes=100000-", "bytes=150000-"]
    assert contents(tmp_path / "set") == FILES


def test_next_run_resumes_an_interrupted_download(server: Server, tmp_path: Path) -> None:
    what = archive(server)
    (tmp_path / "set.tar.gz.part").write_bytes(server.data[:1234])
    fetch(what, tmp_path / "set")
    assert server.asked == ["bytes=1234-"]
    assert contents(tmp_path / "set") == FILES


@pytest.mark.parametrize("size", [True, False])
def test_complete_part_is_not_fetched_again(server: Server, tmp_path: Path, size: bool) -> None:
    what = archive(server, size=size)
    (tmp_path / "set.tar.gz.part").write_bytes(server.data)
    fetch(what, tmp_path / "set")
    assert server.asked == ([] if size else [f"bytes={len(server.data)}-"])
    assert contents(tmp_path / "set") == FILES


def test_server_without_ranges_starts_over(server: Server, tmp_path: Path) -> None:
    what = archive(server)
    server.ranges = False
    server.cut_after = [100_000]
    fetch(what, tmp_path / "set")
    assert server.asked == [None, "bytes=100000-"]
    assert contents(tmp_path / "set") == FILES


def test_wrong_bytes_are_refused_and_removed(server: Server, tmp_path: Path) -> None:
    what = archive(server)
    server.data = server.data[:-1] + b"x"
    with pytest.raises(DataError, match=r"is not the set \(its SHA-256 differs\)"):
        fetch(what, tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_a_file_missing_on_the_server(server: Server, tmp_path: Path) -> None:
    what = archive(server)
    server.status = 404
    with pytest.raises(DataError, match="answers 404"):
        fetch(what, tmp_path / "set")
    assert len(server.asked) == 1
    assert list(tmp_path.iterdir()) == []


def test_gives_up_on_a_server_that_keeps_failing(server: Server, tmp_path: Path) -> None:
    what = archive(server)
    server.status = 503
    with pytest.raises(DataError, match=r"answers 503 .*run the command again"):
        fetch(what, tmp_path / "set")
    assert len(server.asked) == 5


def test_no_network(server: Server, tmp_path: Path) -> None:
    closed = Archive("the set", "http://127.0.0.1:9/set.tar.gz", "0" * 64, None)
    with pytest.raises(DataError, match=r"refused; check the network") as caught:
        fetch(closed, tmp_path / "set")
    assert "\n" not in str(caught.value)


def test_connection_that_always_breaks_keeps_the_received_bytes(
    server: Server, tmp_path: Path
) -> None:
    what = archive(server)
    server.cut_after = [1000] + [0] * 10
    with pytest.raises(DataError, match=r"run the command again to resume after 1,000 bytes"):
        fetch(what, tmp_path / "set")
    assert (tmp_path / "set.tar.gz.part").read_bytes() == server.data[:1000]


def test_full_disk_while_downloading(server: Server, full_disk: Path) -> None:
    with pytest.raises(KwsError, match=r"set\.tar\.gz\.part: cannot be written \(no space"):
        fetch(archive(server), full_disk / "set")
    assert not (full_disk / "set").exists()


def test_full_disk_while_unpacking_leaves_no_partial_data_set(
    server: Server, full_disk: Path
) -> None:
    big = tar({"./_background_noise_/zeros.wav": bytes(1 << 20)})
    with pytest.raises(KwsError, match="no space left"):
        fetch(archive(server, big), full_disk / "set")
    assert [p.name for p in full_disk.iterdir()] == ["set.tar.gz.part"]


def test_read_only_folder(server: Server, read_only: Path) -> None:
    with pytest.raises(KwsError, match="cannot be written"):
        fetch(archive(server), read_only / "set")


@pytest.mark.parametrize("name", ["../evil.wav", "/tmp/evil.wav", "./yes/../../evil.wav"])
def test_archive_cannot_write_outside(server: Server, tmp_path: Path, name: str) -> None:
    out = tmp_path / "inner" / "set"
    with pytest.raises(DataError, match="unsafe"):
        fetch(archive(server, tar(FILES | {name: b"evil"})), out)
    assert not out.exists()
    assert not list(tmp_path.rglob("evil.wav"))


def test_archive_cannot_hold_links(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="unsafe"):
        fetch(archive(server, tar(FILES, link="/etc/passwd")), tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_file_that_is_not_an_archive(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be unpacked"):
        fetch(archive(server, b"\x1f\x8b" + bytes(5000)), tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_folder_with_other_files_is_refused(server: Server, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="exists and is not a data set"):
        fetch(archive(server), tmp_path / "set")
    assert contents(tmp_path / "set") == {"./thesis.txt": b"mine"}
    assert server.asked == []


def flac(seconds: float) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.zeros(round(16000 * seconds), np.int16), 16000, format="FLAC")
    return buffer.getvalue()


TALK = {
    "LibriSpeech/README.TXT": b"about",
    "LibriSpeech/dev-clean/84/7/84-7-0000.flac": flac(0.5),
    "LibriSpeech/dev-clean/84/7/84-7-0001.flac": flac(0.25),
    "LibriSpeech/dev-clean/84/7/84-7.trans.txt": b"84-7-0000 OH, NO\n84-7-0001 A DOG\n",
    "LibriSpeech/dev-clean/2/9/2-9-0000.flac": flac(0.25),
    "LibriSpeech/dev-clean/2/9/2-9.trans.txt": b"2-9-0000 ANOTHER DAY\n",
}


def test_talk_gets_speakers_splits_and_transcripts(server: Server, tmp_path: Path) -> None:
    what = replace(archive(server, tar(TALK)), talk=True)
    assert fetch(what, tmp_path / "talk") is True
    assert (tmp_path / "talk" / "README.TXT").read_bytes() == b"about"
    talk = open_recordings([tmp_path / "talk"], None, "speech")
    assert [(t.path.name, t.source, t.speaker) for t in talk] == [
        ("2-9-0000.flac", "dev-clean", "2"),
        ("84-7-0000.flac", "dev-clean", "84"),
        ("84-7-0001.flac", "dev-clean", "84"),
    ]
    assert [t.may_contain(["no"]) for t in talk] == [False, True, False]
    assert [len(pcm) for pcm in load_recordings(talk)] == [4000, 8000, 4000]
    listed = [t.path for split in Split for t in of_split(tmp_path / "talk", split)]
    assert sorted(listed) == [t.path for t in talk]
    assert fetch(what, tmp_path / "talk") is False


def of_split(folder: Path, split: Split) -> list[LongRecording]:
    try:
        return open_recordings([folder], split, "speech")
    except DataError:
        return []


def test_talk_without_transcripts_is_refused(server: Server, tmp_path: Path) -> None:
    files = {name: data for name, data in TALK.items() if "84-7.trans" not in name}
    with pytest.raises(DataError, match=r"no transcript of 84-7-0000\.flac"):
        fetch(replace(archive(server, tar(files)), talk=True), tmp_path / "talk")
    assert not (tmp_path / "talk").exists()


def test_archive_of_words_is_refused_as_talk(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no recordings"):
        fetch(replace(archive(server), talk=True), tmp_path / "talk")


def test_unknown_data_set_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"speech_commands --version 0\.02"):
        find_archive("speech_commands", "0.03")


def test_first_version_is_the_default() -> None:
    assert find_archive("speech_commands") == ARCHIVES["speech_commands", "0.02"]
    assert find_archive("librispeech") == ARCHIVES["librispeech", "dev-clean"]


def test_official_archives_have_full_checksums() -> None:
    for what in ARCHIVES.values():
        assert len(bytes.fromhex(what.sha256)) == 32
