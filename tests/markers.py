# SPDX-License-Identifier: Apache-2.0
"""Which tests belong to which loop: markers that follow from what a test imports and asks for.

`make check` runs what is marked `unit`, which is what has no other marker; `make test` all but
`slow`, `make test-all` everything. `slow` and `long` are written at tests; the others only where
they do not follow, as with TensorFlow that is imported within a function. Of a test with many
parameters that starts programs, the first and the last run in `make test`; the others are slow.
"""

from __future__ import annotations

import ast
import shutil
from functools import cache
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

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
    "tflm_data": "people",
}
"""What a test needs that asks for a fixture."""

PROCESSES = ("pty", "select", "signal", "subprocess", "threading")
"""Modules that a test file imports whose tests start programs or wait for real time."""

HEAVY = ("tensorflow", "keras", "jax", "torch", "ray")
"""Modules that no unit test may import."""


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """What importing a file imports first, with `a` and `a.b` for `from a import b`."""
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
    """Whether importing a file of this project imports TensorFlow or its like."""
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
    """Whether this run is that of `make check`."""
    return bool(config.option.markexpr == "unit")


class NoHeavyImports(MetaPathFinder):
    """TensorFlow and its like cannot be imported: a unit test that tries fails."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Say no to what is heavy; others look for the rest."""
        if fullname in HEAVY:
            raise ModuleNotFoundError(f"a unit test imports {fullname}; see tests/markers.py")


def _markers(item: pytest.Item) -> set[str]:
    """The markers that follow from a test's fixtures and imports, and those written at it."""
    names = {marker.name for marker in item.iter_markers()}
    names |= {FIXTURES[name] for name in getattr(item, "fixturenames", ()) if name in FIXTURES}
    if imports_tensorflow(item.path):
        names.add("tensorflow")
    imports = _imports(item.path)
    if any(name in PROCESSES or ".simulated_" in name for name in imports):
        names.add("process")
    return names & {"slow", "long", "process", "renode", *FIXTURES.values()}


def mark(items: list[pytest.Item]) -> None:
    """Add the markers of each test."""
    matrices: dict[tuple[Path, str], list[pytest.Item]] = {}
    without_renode = pytest.mark.skipif(
        not shutil.which("renode"), reason="renode is not installed"
    )
    for item in items:
        if item.get_closest_marker("renode"):
            item.add_marker(without_renode)
        names = _markers(item)
        for name in names or {"unit"}:
            item.add_marker(name)
        if names & {"process", "emulator", "browser", "sound"}:
            test = getattr(item, "originalname", item.name)
            matrices.setdefault((item.path, test), []).append(item)
    for matrix in matrices.values():
        for item in matrix[1:-1]:
            item.add_marker("slow")
