# SPDX-License-Identifier: Apache-2.0
"""Cached object files that all bundles of a board share.

PlatformIO builds a board's first bundle. The objects that do not depend on the bundle are kept,
together with the commands that build the others. Building another bundle repeats only those
commands.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from kws.host.build.boards import firmware_folder
from kws.host.build.platformio_run import (
    COMMANDS,
    build_error,
    compiler_environment,
    copy_results,
)
from kws.parallel import on_all_cores

# Placeholders for folders in a build's commands; none occurs in a compiler option.
_PROJECT, _BUNDLE, _BUILD, _CORE = "@project@", "@bundle@", "@build@", "@core@"

INDEX = "core.json"
"""File in a core's folder: sizes of its objects, and the commands."""


class _Index(TypedDict):
    objects: dict[str, int]
    """Sizes in bytes, by path in the core's folder."""
    commands: list[list[str]]
    """Programs with their arguments, in build order."""


def keep_core(environment: str, generated: Path, work: Path, core: Path) -> None:
    """Move the objects that any bundle can use out of a finished build.

    Args:
        environment: a section of platformio.ini, without `env:`.
        generated: the bundle's generated C++.
        work: the work folder passed to `run_platformio`; its objects are moved.
        core: an empty folder on the same file system.
    """
    build = work / "build" / environment
    marks = {
        str(generated.resolve()): _BUNDLE,
        str(build): _BUILD,
        str(work / "project"): _PROJECT,
    }
    lines = (work / COMMANDS).read_text(encoding="utf-8").splitlines()
    commands = list(_of_the_bundle(_replaced(json.loads(line), marks) for line in lines))
    its_own = {_target(command) for command in commands}
    sizes: dict[str, int] = {}
    for file in sorted(build.rglob("*.o")):
        name = file.relative_to(build).as_posix()
        if f"{_BUILD}/{name}" in its_own:
            continue
        place = core / name
        place.parent.mkdir(parents=True, exist_ok=True)
        file.rename(place)
        sizes[name] = place.stat().st_size
    shared = {f"{_BUILD}/{name}": f"{_CORE}/{name}" for name in sizes}
    commands = [[shared.get(word, word) for word in command] for command in commands]
    index: _Index = {"objects": sizes, "commands": commands}
    (core / INDEX).write_text(json.dumps(index), encoding="utf-8")


def is_whole(core: Path) -> bool:
    """Whether the core exists and is complete."""
    try:
        index = _read(core)
        sizes = {name: (core / name).stat().st_size for name in index["objects"]}
        programs = {command[0] for command in index["commands"]}
        return sizes == index["objects"] and all(os.access(each, os.X_OK) for each in programs)
    except (OSError, ValueError, KeyError):
        return False


def link_bundle(environment: str, generated: Path, core: Path, work: Path, result: Path) -> None:
    """Like `run_platformio`, but with the objects of `core`, which must be complete.

    Raises:
        TooLargeError: the firmware does not fit the board.
        ToolError: the build failed; the text names the log.
    """
    build = work / "build" / environment
    places = {
        _BUNDLE: str(generated.resolve()),
        _BUILD: str(build),
        _PROJECT: str(firmware_folder()),
        _CORE: str(core),
    }
    commands = [_replaced(command, places) for command in _read(core)["commands"]]
    for command in commands:
        Path(_target(command)).parent.mkdir(parents=True, exist_ok=True)
    compiling = [command for command in commands if "-c" in command]
    runs = [*on_all_cores(_run, compiling)]
    for command in commands:
        if command not in compiling and all(run.returncode == 0 for run in runs):
            runs.append(_run(command))
    output = "".join(f"{' '.join(run.args)}\n{run.stdout}" for run in runs)
    if any(run.returncode != 0 for run in runs):
        raise build_error(environment, output, work)
    copy_results(build, output, result)


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in the source folder, as PlatformIO does."""
    return subprocess.run(
        command,
        cwd=firmware_folder(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=compiler_environment(),
        check=False,
    )


def _of_the_bundle(commands: Iterable[list[str]]) -> Iterator[list[str]]:
    """The commands that read the bundle's files, or files that such a command wrote."""
    written: set[str] = set()
    for command in commands:
        if any(_BUNDLE in word or word in written for word in command):
            written.add(_target(command))
            yield command


def _target(command: Sequence[str]) -> str:
    """The file that a command of gcc or objcopy writes."""
    return command[command.index("-o") + 1] if "-o" in command else command[-1]


def _replaced(command: Iterable[str], texts: dict[str, str]) -> list[str]:
    words = list(command)
    for old, new in texts.items():
        words = [word.replace(old, new) for word in words]
    return words


def _read(core: Path) -> _Index:
    index: _Index = json.loads((core / INDEX).read_text(encoding="utf-8"))
    return index
