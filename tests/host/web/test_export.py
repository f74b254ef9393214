# SPDX-License-Identifier: Apache-2.0
"""`kws export web`: output and errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kws.bundle.built_in import default_bundle_path
from kws.host.web import export, site_files
from kws.host.web.file_server import file_server
from kws.host.web.site_files import MODEL

if TYPE_CHECKING:
    from tests.command_line import Run


def test_the_command_writes_the_page(kws: Run, tmp_path: Path) -> None:
    out = tmp_path / "page"
    code, said, _ = kws("export", "web", "--out", out)
    assert code == 0
    assert f"{out}: yes_no " in said
    names = {file.name for file in out.iterdir()}
    asked = re.findall(r'(?:src|href)="([^"]*)\?v=\w{16}"', (out / "index.html").read_text())
    assert names == {"index.html", *asked, "icon-512.png", "manifest.json", "sw.js"}
    assert kws("export", "web", "--model", default_bundle_path(), "--out", out)[0] == 0  # again


def test_the_version_changes_with_any_file(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Browsers keep files by the version in their address."""

    def version(*options: object) -> str:
        out = tmp_path / "page"
        assert kws("export", "web", "--out", out, *options)[0] == 0
        versions = set(re.findall(r"\?v=(\w{16})", (out / "index.html").read_text()))
        versions |= set(re.findall(r"\?v=(\w{16})", (out / "sw.js").read_text()))
        assert len(versions) == 1
        return str(versions.pop())

    first = version()
    assert version() == first
    ten_words = default_bundle_path().with_name("ten_words")
    assert len({first, version("--model", ten_words), version("--then", ten_words)}) == 3
    page = site_files.exported_page()
    page["page.css"] += b" "
    monkeypatch.setattr(export, "exported_page", lambda: dict(page))
    assert version() != first


def test_a_page_of_two_bundles_has_both(kws: Run, tmp_path: Path) -> None:
    out = tmp_path / "page"
    then = default_bundle_path().with_name("ten_words")
    code, said, _ = kws("export", "web", "--then", then, "--for", "3s", "--out", out)
    assert code == 0
    assert re.match(rf"{out}: yes_no \w{{8}} then ten_words \w{{8}}, ", said)
    assert '"listen_ms": 3000' in (out / MODEL).read_text()
    code, _, said = kws("export", "web", "--for", "3s", "--out", out)
    assert code == 2
    assert "pass it with --then" in said


def test_a_page_with_the_model_built_in_needs_a_compiler(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "page"
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, said = kws("export", "web", "--compiled", "--out", out)
    assert (code, said.count("\n")) == (1, 1)
    assert "em++ was not found on PATH" in said
    assert "apt-get install emscripten" in said
    broken = tmp_path / "em++"
    broken.write_text(
        "#!/bin/sh\nprintf 'warning: x\\nerror: no space left\\nmore\\n' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    code, _, said = kws("export", "web", "--compiled", "--out", out)
    assert (code, said.count("\n")) == (1, 1)
    assert "em++ failed: error: no space left" in said
    assert not out.exists()


def test_errors_are_one_line(
    kws: Run, tmp_path: Path, read_only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, said = kws("export", "web", "--model", tmp_path / "none", "--out", tmp_path / "page")
    assert (code, said.count("\n")) == (1, 1)
    assert "no such bundle" in said
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").touch()
    code, _, said = kws("export", "web", "--out", tmp_path / "other")
    assert code == 2
    assert "contains files other than a page; choose another" in said
    code, _, said = kws("export", "web", "--out", tmp_path / "other" / "letter.txt")
    assert code == 2
    code, _, said = kws("export", "web", "--out", read_only / "page")
    assert (code, said.count("\n")) == (1, 1)
    with file_server(tmp_path, 0) as taken:
        port = taken.server_port
        code, _, said = kws("export", "web", "--out", tmp_path / "p", "--serve", "--port", port)
        assert code == 1
        assert f"port {port}: " in said
    monkeypatch.setattr(export, "WASM", tmp_path / "kws.wasm")
    code, _, said = kws("export", "web", "--out", tmp_path / "page")
    assert code == 1
    assert "missing; build it with make wasm" in said
    assert not (tmp_path / "page").exists()
