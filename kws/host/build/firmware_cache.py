# SPDX-License-Identifier: Apache-2.0
"""Built firmware that is kept.

A build is named by the hash of all that goes into it. It is made in a folder of its own and then
renamed, so builds may run at the same time and a second build of the same is a look-up.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kws import __version__
from kws.errors import ToolError
from kws.host.build.boards import firmware_folder
from kws.host.build.platformio_run import ELF, NO_SOURCES, run_platformio
from kws.host.build.programs import COMPILER, cache_folder, find_tool

OPTIONS = "KWS_OPTIONS"
"""The environment variable that names the chosen options of a board, with commas between."""

_MAX_BUILDS = 16  # in the cache; the oldest go


@contextlib.contextmanager
def added_options(names: str) -> Iterator[None]:
    """Builds in this block have these options too; `names` is as in the environment variable."""
    with _options(",".join([*chosen_options(), *names.split(",")]) if names else None):
        yield


@contextlib.contextmanager
def without_options() -> Iterator[None]:
    """Builds in this block have no options: they are for another board."""
    with _options(""):
        yield


def chosen_options() -> list[str]:
    """The names of the options that builds have."""
    return os.environ.get(OPTIONS, "").replace(",", " ").split()


@contextlib.contextmanager
def _options(names: str | None) -> Iterator[None]:
    """Builds in this block have these options; None: those that they had."""
    before = os.environ.get(OPTIONS)
    if names is not None:
        os.environ[OPTIONS] = names
    try:
        yield
    finally:
        if before is not None:
            os.environ[OPTIONS] = before
        else:
            os.environ.pop(OPTIONS, None)


def cached_build(environment: str, generated: Path | None) -> Path:
    """The folder of a build, which is made unless it is there.

    Args:
        environment: a section of platformio.ini, without `env:`.
        generated: a bundle's generated C++; None for firmware without a model.

    Raises:
        ToolError: the compiler is missing, the build failed, or the cache cannot be written.
    """
    folder = cache_folder() / "firmware" / f"{environment}-{build_key(environment, generated)}"
    if not (folder / ELF).is_file():
        _fill(folder, environment, generated)
    with contextlib.suppress(OSError):
        os.utime(folder)
    return folder


def _fill(folder: Path, environment: str, generated: Path | None) -> None:
    """Build into `folder`. If another process builds there, wait for its result."""
    cache = folder.parent
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _locked(cache / f".{folder.name}.lock"):
            if (folder / ELF).is_file():
                return
            with tempfile.TemporaryDirectory(dir=cache, prefix=".building-") as work:
                result = Path(work) / "result"
                result.mkdir()
                run_platformio(environment, generated, Path(work), result)
                result.rename(folder)
        _remove_oldest(cache)
    except OSError as error:
        raise ToolError(
            f"{cache}: {(error.strerror or str(error)).lower()}; firmware is built there, so make "
            "room or set KWS_CACHE_DIR to another folder"
        ) from None


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Wait until no other process or thread holds `file`; the lock dies with its holder."""
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def build_key(environment: str, generated: Path | None) -> str:
    """Hash of all that a build depends on: sources, bundle, versions, compiler."""
    digest = hashlib.sha256()
    texts = (
        environment,
        os.environ.get(OPTIONS, ""),
        __version__,
        importlib.metadata.version("platformio"),
        _compiler_version(),
    )
    for text in texts:
        digest.update(text.encode() + b"\0")
    for root in (firmware_folder(), generated):
        if root is None:
            continue
        for file in _sources(root):
            data = file.read_bytes()
            digest.update(f"{file.relative_to(root)}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()[:20]


def _sources(root: Path) -> Iterator[Path]:
    for file in sorted(root.rglob("*")):
        parts = file.relative_to(root).parts
        if file.is_file() and not NO_SOURCES & set(parts):
            yield file


def _compiler_version() -> str:
    if not shutil.which(COMPILER):
        return ""
    path = find_tool(COMPILER)
    run = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return f"{path} {run.stdout}"


def _remove_oldest(cache: Path) -> None:
    builds = [path for path in cache.iterdir() if (path / ELF).is_file()]
    for path in sorted(builds, key=lambda path: path.stat().st_mtime)[:-_MAX_BUILDS]:
        shutil.rmtree(path, ignore_errors=True)
        (cache / f".{path.name}.lock").unlink(missing_ok=True)
