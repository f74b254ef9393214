# SPDX-License-Identifier: Apache-2.0
"""The source collection of each clip in a data set."""

from __future__ import annotations

from pathlib import Path

import pytest

from kws.audio.clip_collections import clip_collections
from kws.errors import DataError


@pytest.mark.parametrize("columns", ["path,source", "file,repository", "path,repo"])
def test_manifest_names_the_collection(tmp_path: Path, columns: str) -> None:
    (tmp_path / "manifest.csv").write_text(f"{columns}\nyes/a.wav,web\n,web\nno/b.wav,phone\n")
    assert clip_collections(tmp_path) == {
        tmp_path / "yes" / "a.wav": "web",
        tmp_path / "no" / "b.wav": "phone",
    }


@pytest.mark.parametrize("text", [None, "", "path,speaker\nyes/a.wav,me\n", "repo\nweb\n"])
def test_without_the_columns_nothing_is_known(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "manifest.csv").write_text(text)
    assert clip_collections(tmp_path) == {}


def test_short_line_has_no_collection(tmp_path: Path) -> None:
    (tmp_path / "manifest.csv").write_text("path,source\nyes/a.wav\n")
    assert clip_collections(tmp_path) == {tmp_path / "yes" / "a.wav": ""}


def test_binary_manifest_is_named(tmp_path: Path) -> None:
    (tmp_path / "manifest.csv").write_bytes(b"path,source\n\xff\xfe\x00,\x00\n")
    with pytest.raises(DataError, match=r"manifest\.csv: it is not a text table"):
        clip_collections(tmp_path)
