# SPDX-License-Identifier: Apache-2.0
"""`kws licences`: the obligations of a device's seller."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kws.bundle.making import make_bundle
from kws.bundle.writing import write_bundle
from tests.command_line import Run
from tests.small_models import LABELS, dense_model


def _write(folder: Path, data: str) -> Path:
    write_bundle(make_bundle(dense_model(), LABELS, name=folder.name, data=data), folder)
    return folder


@pytest.mark.parametrize("columns", ["80", "40"])
def test_non_commercial_data_is_not_for_sale(
    kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    code, out, err = kws("licences", "--model", _write(tmp_path / "mine", "Talk, CC BY-NC 4.0."))
    assert (code, err) == (0, "")
    assert "CC-BY-NC-4.0" in out
    assert "not for sale" in out
    assert all(len(line.rstrip()) <= int(columns) for line in out.splitlines())


def test_a_bundle_without_a_text_records_nothing(kws: Run, tmp_path: Path) -> None:
    code, out, err = kws("licences", "--model", _write(tmp_path / "theirs", ""))
    assert (code, err) == (0, "")
    assert out.startswith("theirs, data: not recorded\n")
    assert "ask its owner" in out


def test_brackets_in_a_folder_name_are_shown(kws: Run, tmp_path: Path) -> None:
    data = "9 clips of the folder my[red]."
    _, out, _ = kws("licences", "--model", _write(tmp_path / "mine", data))
    assert "folder my[red] " in out


def test_json_lists_both_bundles_and_the_firmware(kws: Run, tmp_path: Path) -> None:
    first, second = _write(tmp_path / "wake", "Talk, CC0."), _write(tmp_path / "commands", "")
    code, out, _ = kws("licences", "--model", first, "--then", second, "--json")
    got = json.loads(out)
    assert code == 0
    assert [model["name"] for model in got["models"]] == ["wake", "commands"]
    assert got["models"][0]["data"] == "Talk, CC0."
    assert got["models"][0]["licences"][1] == {
        "part": "data",
        "licence": "CC0-1.0",
        "sale": "yes",
        "must": [],
    }
    assert [item["part"] for item in got["firmware"]] == ["kws", "newlib", "libgcc"]


def test_the_default_is_the_built_in_bundle(kws: Run) -> None:
    _, out, _ = kws("licences", "--json")
    assert [model["name"] for model in json.loads(out)["models"]] == ["yes_no"]


def test_a_missing_bundle_is_one_line(kws: Run, tmp_path: Path) -> None:
    code, out, err = kws("licences", "--model", tmp_path / "none")
    assert (code, out) == (1, "")
    assert err.startswith(f"kws: {tmp_path / 'none'}: no such bundle")
