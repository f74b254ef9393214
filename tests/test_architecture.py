"""Imports run one way and without cycles, and only one package calls the core's frontend."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

# A room may import from itself and from earlier rooms.
ROOMS = (
    (
        "kws.errors",
        "kws.file_locks",
        "kws.files",
        "kws.home",
        "kws.parallel",
        "kws.progress",
        "kws.tables",
        "kws.extras",
        "kws.transfer",
        "kws.typed_input",
    ),
    ("kws._core",),
    ("kws.config", "kws.labels"),
    ("kws.audio",),
    ("kws.features",),
    ("kws.bundle",),
    ("kws.convert",),
    ("kws.model.zoo",),
    ("kws.model.samples",),
    ("kws.model.weights",),
    ("kws.model.evaluate.score",),
    ("kws.model.evaluate.judge",),
    ("kws.model.evaluate",),
    ("kws.model.evaluate.report",),
    ("kws.model.train",),
    ("kws.model.wake",),
    ("kws.host",),
    ("kws.api",),
    ("kws.cli",),
)
# The same for C++, under kws/firmware/src.
CPP_SOURCES = ROOT / "kws" / "firmware" / "src"
CPP_ROOMS = (
    ("kws/status.", "kws/detection.", "kws/version."),
    ("kws/frontend/",),
    ("kws/gate/",),
    ("kws/runtime/model/",),
    ("kws/runtime/planning/",),
    ("kws/runtime/registration.", "kws/runtime/graph_builder.", "kws/runtime/prepare_context."),
    ("kws/runtime/kernel_context.",),
    ("kws/runtime/kernels/",),
    ("kws/runtime/",),
    ("kws/pipeline/",),
    ("kws/",),  # the public headers
    ("serial/",),
    ("boards/",),
    ("app/",),
    ("tools/",),
    ("cores/",),
)
# Conditions about the processor that the core is compiled for.
_PROCESSOR = re.compile(
    r"^\s*#\s*(?:el)?if.*(?:__arm|__thumb|__aarch64|__x86|__i386|__riscv|__avx|__sse|__wasm|__xtensa"
    r"|kws_\w*have_|kws_\w*portable)",
    re.MULTILINE | re.IGNORECASE,
)
CODE = {".py", ".cc", ".h", ".js", ".cs"}


def _files(*folders: str) -> list[Path]:
    """All hand-written source files of the checkout, as paths from its root."""
    return sorted(
        path.relative_to(ROOT)
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in CODE and "assets" not in path.parts
    )


def test_pytest_enters_every_folder_of_tests(request: pytest.FixtureRequest) -> None:
    skipped = request.config.getini("norecursedirs")
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    for folder in folders:
        for name in folder.relative_to(ROOT).parts:
            assert not any(fnmatch(name, pattern) for pattern in skipped), folder


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text())


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _modules() -> dict[str, Path]:
    """The modules of kws by name. PlatformIO's scripts are not part of the package."""
    paths = [path for path in _files("kws") if path.suffix == ".py"]
    return {_module(path): path for path in paths if "platform" not in path.parts}


def _imports(name: str, path: Path) -> Iterator[str]:
    """The modules of kws that a module imports: at its top, in functions, under TYPE_CHECKING."""
    known = {*_modules(), "kws._core"}
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], base]).rstrip(".")
            for alias in node.names:
                module = f"{base}.{alias.name}"
                if module in known or base in known:
                    yield module if module in known else base


@cache
def _graph() -> dict[str, frozenset[str]]:
    return {
        name: frozenset(_imports(name, path)) - {name, "kws"} for name, path in _modules().items()
    }


def _room(module: str) -> int:
    """The index in ROOMS of a module's innermost room; `kws` itself comes first."""
    places = {start: place for place, room in enumerate(ROOMS) for start in room}
    name = module
    while name not in places:
        assert name, f"{module} is in none of ROOMS"
        if name in {"kws", "kws.model"}:
            return -1
        name = name.rpartition(".")[0]
    return places[name]


def _cycle(graph: dict[str, frozenset[str]]) -> set[str]:
    """The nodes on a cycle or between two cycles."""
    remaining = dict(graph)
    while True:
        reached = set().union(*remaining.values()) if remaining else set()
        ends = {
            name
            for name, imports in remaining.items()
            if not imports & remaining.keys() or name not in reached
        }
        if not ends:
            return set(remaining)
        remaining = {name: imports for name, imports in remaining.items() if name not in ends}


def wrong_directions() -> Iterator[str]:
    for name, imports in _graph().items():
        for imported in imports:
            if _room(imported) > _room(name):
                yield f"{name} imports {imported}"


def cycles_of_files() -> Iterator[str]:
    for name in _cycle(_graph()):
        yield f"cycle of files: {name}"


def cycles_of_host_rooms() -> Iterator[str]:
    def room(module: str) -> str:
        return ".".join(module.split(".")[:3])

    rooms: dict[str, frozenset[str]] = {}
    for name, imports in _graph().items():
        if name.startswith("kws.host."):
            others = {room(imported) for imported in imports if imported.startswith("kws.host.")}
            rooms[room(name)] = rooms.get(room(name), frozenset()) | (others - {room(name)})
    for name in _cycle(rooms):
        yield f"cycle of rooms: {name}"


@cache
def _cpp_includes() -> dict[str, frozenset[str]]:
    """The files of this project that each C++ file includes, except for generated files."""
    paths = [path for path in CPP_SOURCES.rglob("*") if path.suffix in {".cc", ".h", ".inc"}]
    names = {path.relative_to(CPP_SOURCES).as_posix(): path for path in paths}
    return {
        name: frozenset(
            include
            for include in re.findall(r'^#include "(.+)"', path.read_text(), re.MULTILINE)
            if include in names
        )
        for name, path in names.items()
    }


def _cpp_room(name: str) -> int:
    return next(i for i, room in enumerate(CPP_ROOMS) if name.startswith(room))


def wrong_directions_of_cpp() -> Iterator[str]:
    for name, includes in _cpp_includes().items():
        for included in includes:
            if _cpp_room(included) > _cpp_room(name):
                yield f"{name} includes {included}"


def cycles_of_cpp() -> Iterator[str]:
    """A header and its source file count as one."""
    units: dict[str, frozenset[str]] = {}
    for name, includes in _cpp_includes().items():
        unit = name.rpartition(".")[0]
        others = frozenset(included.rpartition(".")[0] for included in includes) - {unit}
        units[unit] = units.get(unit, frozenset()) | others
    for unit in _cycle(units):
        yield f"cycle of C++ files: {unit}"


def processors_outside_loops() -> Iterator[str]:
    """Only files in the core's folders loops/ ask which processor they are compiled for."""
    for name in _cpp_includes():
        if name.startswith("kws/") and "/loops/" not in name:
            for condition in _PROCESSOR.findall((CPP_SOURCES / name).read_text()):
                yield f"{name} has {condition.strip()}"


def entries_into_loops() -> Iterator[str]:
    """Other files include the headers of loops/, not those of a processor's folder in it."""
    for name, includes in _cpp_includes().items():
        for included in includes:
            folder, loops, file = included.partition("/loops/")
            if "/" in file and not name.startswith(folder + loops):
                yield f"{name} includes {included}"


def second_ways_to_spectrograms() -> Iterator[str]:
    """Only kws.features calls the core's frontend."""
    for name, path in _modules().items():
        if name.startswith("kws.features"):
            continue
        for node in ast.walk(_tree(path)):
            match node:
                case ast.Attribute(value=ast.Name(id="_core"), attr="features" | "Frontend"):
                    yield f"frontend called in {name}"
                case ast.ImportFrom(module="kws._core", names=names):
                    if {"features", "Frontend"} & {alias.name for alias in names}:
                        yield f"frontend called in {name}"


def imports_of_tests() -> Iterator[str]:
    """Imports of one test file by another: shared helpers must be in their own modules."""
    for path in _files("tests"):
        if path.suffix == ".py":
            for node in ast.walk(_tree(path)):
                if isinstance(node, ast.ImportFrom) and ".test_" in f".{node.module}":
                    yield f"{path.as_posix()} imports {node.module}"


RULES = (
    wrong_directions,
    second_ways_to_spectrograms,
    cycles_of_files,
    cycles_of_host_rooms,
    wrong_directions_of_cpp,
    cycles_of_cpp,
    processors_outside_loops,
    entries_into_loops,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_is_kept(rule: Callable[[], Iterator[str]]) -> None:
    assert sorted(set(rule())) == []


def test_nodes_that_lead_to_a_cycle_are_not_on_it() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}, "e": set()}
    assert _cycle({name: frozenset(imports) for name, imports in graph.items()}) == {"b", "c"}


def test_all_forms_of_imports_are_read(tmp_path: Path) -> None:
    source = """
import kws.files, os
from kws import errors
from ...features import spectrogram
from kws.bundle.card import bundle_card
if TYPE_CHECKING:
    from kws.convert.slim import slim
def late():
    import kws.progress
"""
    path = tmp_path / "module.py"
    path.write_text(source)
    assert set(_imports("kws.model.zoo.module", path)) == {
        *("kws.files", "kws.errors", "kws.features.spectrogram", "kws.bundle.card"),
        *("kws.convert.slim", "kws.progress"),
    }
