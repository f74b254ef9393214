# SPDX-License-Identifier: Apache-2.0
"""Packages of extras: imported on demand, named if missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kws.errors import ToolError
from kws.extras import require


def test_a_module_that_is_installed_is_imported() -> None:
    assert require("os.path", "plots", "a test") is sys.modules["os.path"]


def test_a_missing_package_gives_a_one_line_error_that_names_the_extra() -> None:
    with pytest.raises(ToolError) as error:
        require("no_such_package.figure", "plots", "a picture of the memory plan")
    assert str(error.value) == (
        "a picture of the memory plan needs no_such_package, which is not installed; "
        "pip install 'kws[plots]'"
    )


def test_an_import_error_inside_a_package_is_raised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "broken_package.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        require("broken_package", "plots", "a test")
