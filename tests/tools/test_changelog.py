# SPDX-License-Identifier: Apache-2.0
"""The files in changelog/ have a text, and a kind that CHANGELOG.md knows."""

from __future__ import annotations

import tomllib

from tests.paths import ROOT

FOLDER = ROOT / "changelog"


def test_each_change_has_a_kind() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    settings = project["tool"]["towncrier"]
    kinds = {kind["directory"] for kind in settings["type"]}
    others = {"README.md", *settings["ignore"]}
    changes = [file.name for file in FOLDER.iterdir() if file.name not in others]
    assert [name for name in changes if name.split(".")[1:] not in [[k, "md"] for k in kinds]] == []


def test_each_change_has_a_text() -> None:
    assert [file.name for file in FOLDER.iterdir() if not file.read_text("utf-8").strip()] == []


def test_changelog_has_the_marker_for_new_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    start = project["tool"]["towncrier"]["start_string"]
    assert (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").count(start) == 1
