# SPDX-License-Identifier: Apache-2.0
"""Markers that decide when a test runs, derived from its imports and fixtures.

`make check` runs tests marked `unit`, which have no other marker; `make test` runs all but `slow`;
`make test-all` runs everything. `slow` and `long` are set in the tests; other markers only if they
cannot be derived, as when a function imports TensorFlow. If a test that starts programs has many
parameters, only the first and the last run in `make test`; the others are marked slow.
"""

from __future__ import annotations

import ast
import shutil
from functools import cache
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

from kws.errors import ToolError
from kws.host.build.programs import NODE, find_tool
from kws.host.emulate.rp2040js import find_rp2040js
from tests.paths import ROOT

FIXTURES = {
    "board_tools": "emulator",
    "browser": "browser",
    "chromium": "browser",
    "playwright": "browser",
    "sound_server": "sound",
    "run": "tensorflow",
    "serve": "process",
    "speech_commands": "people",
    "studio": "process",
    "tflm_data": "people",
}
"""The marker of each fixture."""

PROCESSES = ("pty", "select", "signal", "subprocess", "threading")
"""Modules whose import marks a test file: its tests start programs or wait for real time."""

HEAVY = ("tensorflow", "keras", "jax", "torch", "ray")
"""Modules that no unit test may import."""


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """The modules that a file imports at its top, with `a` and `a.b` for `from a import b`."""
    modules: list[str] = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            modules += [node.module or "", *names]
    return tuple(modules)


@cache
def imports_tensorflow(path: Path) -> bool:
    """Whether importing a file of this project imports TensorFlow or a similar package."""
    waiting, seen = [path], {path}
    while waiting:
        for module in _imports(waiting.pop()):
            if module.split(".")[0] in HEAVY:
                return True
            folder = ROOT / module.replace(".", "/")
            files = {folder.with_suffix(".py"), folder / "__init__.py"}
            new = {file for file in files - seen if file.exists()}
            waiting += new
            seen |= new
    return False


def only_units(config: pytest.Config) -> bool:
    """Whether only unit tests run, as in `make check`."""
    return bool(config.option.markexpr == "unit")


class NoHeavyImports(MetaPathFinder):
    """Blocks imports of TensorFlow and similar packages, so that a unit test with one fails."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Refuse heavy packages; other finders handle the rest."""
        if fullname in HEAVY:
            raise ModuleNotFoundError(f"a unit test imports {fullname}; see tests/markers.py")


def _markers(item: pytest.Item) -> set[str]:
    """A test's own markers, and the markers derived from its fixtures and imports."""
    names = {marker.name for marker in item.iter_markers()}
    names |= {FIXTURES[name] for name in getattr(item, "fixturenames", ()) if name in FIXTURES}
    if imports_tensorflow(item.path):
        names.add("tensorflow")
    imports = _imports(item.path)
    if any(name in PROCESSES or ".simulated_" in name for name in imports):
        names.add("process")
    return names & {"slow", "long", "process", "renode", "rp2040js", *FIXTURES.values()}


def _missing_rp2040js() -> str:
    """Why tests in rp2040js cannot run; empty if they can."""
    try:
        find_tool(NODE)
        find_rp2040js()
    except ToolError as error:
        return str(error)
    return ""


def mark(items: list[pytest.Item]) -> None:
    """Add the markers of each test."""
    matrices: dict[tuple[Path, str], list[pytest.Item]] = {}
    without_renode = pytest.mark.skipif(
        not shutil.which("renode"), reason="renode is not installed"
    )
    missing = _missing_rp2040js()
    without_rp2040js = pytest.mark.skipif(bool(missing), reason=missing)
    for item in items:
        if item.get_closest_marker("renode"):
            item.add_marker(without_renode)
        if item.get_closest_marker("rp2040js"):
            item.add_marker(without_rp2040js)
        names = _markers(item)
        for name in names or {"unit"}:
            item.add_marker(name)
        if names & {"process", "emulator", "browser", "sound"}:
            test = getattr(item, "originalname", item.name)
            matrices.setdefault((item.path, test), []).append(item)
    for matrix in matrices.values():
        for item in matrix[1:-1]:
            item.add_marker("slow")
