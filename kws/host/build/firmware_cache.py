# SPDX-License-Identifier: Apache-2.0
"""Cache of built firmware.

A build is named by the hash of its inputs. It is made in a temporary folder and then renamed, so
builds may run at the same time, and repeating a build is a look-up. Objects that builds of
different bundles share are cached too (`compiled_core`), under their own hash.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from kws import __version__
from kws.errors import ToolError, os_reason
from kws.file_locks import lock, try_lock
from kws.files import check_space
from kws.host.build.boards import firmware_folder
from kws.host.build.compiled_core import INDEX as CORE_INDEX
from kws.host.build.compiled_core import is_whole, keep_core, link_bundle
from kws.host.build.platformio_run import ELF, NO_SOURCES, run_platformio
from kws.host.build.programs import COMPILER, cache_folder, find_tool

OPTIONS = "KWS_OPTIONS"
"""Environment variable with the chosen build options, separated by commas."""

_BUILD_BYTES = 20_000_000  # nano33ble with yes_no took 8.6 MB at its peak
_MAX_BUILDS = 32  # of about 2 MB each; the oldest are removed
_MAX_CORES = 24  # of about 4 MB each

_BUILDING = ".building-"
_LONGEST_BUILD_S = 24 * 3600


@contextlib.contextmanager
def added_options(names: str) -> Iterator[None]:
    """Builds in this block also have these options, in the format of the environment variable."""
    with _options(",".join([*chosen_options(), *names.split(",")]) if names else None):
        yield


@contextlib.contextmanager
def without_options() -> Iterator[None]:
    """Builds in this block have no options, because they are for another board."""
    with _options(""):
        yield


def chosen_options() -> list[str]:
    """Names of the current build options."""
    return os.environ.get(OPTIONS, "").replace(",", " ").split()


@contextlib.contextmanager
def _options(names: str | None) -> Iterator[None]:
    """Builds in this block have these options; None leaves them unchanged."""
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
    """The folder of a build; builds it if it is not cached.

    Args:
        environment: a section of platformio.ini, without `env:`.
        generated: a bundle's generated C++; None for firmware without a model.

    Raises:
        ToolError: the compiler is missing, the build failed, or the cache cannot be written.
    """

    def fill(work: Path, result: Path) -> None:
        if generated is None:
            run_platformio(environment, None, work, result)
        else:
            _build_with_bundle(environment, generated, work, result)

    return cached(f"{environment}-{build_key(environment, generated)}", fill)


def cached(name: str, fill: Callable[[Path, Path], None]) -> Path:
    """The folder `name` of the cache; fills it if it is not there.

    Args:
        name: ends in a hash of all inputs of the content.
        fill: gets an empty folder to work in and one for the results, ELF among them.

    Raises:
        ToolError: the cache cannot be written.
    """
    folder = cache_folder() / "firmware" / name
    if not (folder / ELF).is_file():
        _fill(folder, fill)
    with contextlib.suppress(OSError):
        os.utime(folder)
    return folder


def _fill(folder: Path, fill: Callable[[Path, Path], None]) -> None:
    """Fill `folder`, or wait for another process that is doing so."""
    cache = folder.parent
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            if (folder / ELF).is_file():
                return
            with tempfile.TemporaryDirectory(dir=cache, prefix=_BUILDING) as place:
                work = Path(place).resolve()
                result = work / "result"
                result.mkdir()
                check_space(work, _BUILD_BYTES, "a build")
                fill(work, result)
                result.rename(folder)
        _remove_oldest(cache, ELF, _MAX_BUILDS)
    except OSError as error:
        raise ToolError(
            f"{cache}: {os_reason(error)}; firmware is built there: free "
            "space or set KWS_CACHE_DIR to another folder"
        ) from None


def _build_with_bundle(environment: str, generated: Path, work: Path, result: Path) -> None:
    """Build with cached objects of another bundle, or cache this build's objects."""
    cores = cache_folder() / "cores"
    cores.mkdir(parents=True, exist_ok=True)
    core = cores / f"{environment}-{_core_key(environment, generated)}"
    with _locked(core, shared=True):
        if is_whole(core):
            os.utime(core)
            link_bundle(environment, generated, core, work, result)
            return
    with _locked(core):
        if is_whole(core):  # another process has just made it
            link_bundle(environment, generated, core, work, result)
            return
        run_platformio(environment, generated, work, result)
        kept = work / "kept"
        kept.mkdir()
        keep_core(environment, generated, work, kept)
        shutil.rmtree(core, ignore_errors=True)
        kept.rename(core)
    _remove_oldest(cores, CORE_INDEX, _MAX_CORES)


@contextlib.contextmanager
def _locked(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Lock `folder` for making or removing it, or, if `shared`, for using it.

    The lock is released when its process ends.
    """
    file = _lock_file(folder)
    while True:
        with file.open("a") as handle:
            lock(handle.fileno(), shared=shared)
            if _is_same_file(handle, file):  # else it was removed during the wait
                yield
                return


def _lock_file(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.lock")


def _is_same_file(handle: IO[str], file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle.fileno()), file.stat())
    except FileNotFoundError:
        return False


def build_key(environment: str, generated: Path | None) -> str:
    """Hash of a build's inputs: sources, bundle, versions, compiler."""
    digest = _common_digest(environment)
    if generated is not None:
        _add_sources(digest, generated)
    return digest.hexdigest()[:20]


def _core_key(environment: str, generated: Path) -> str:
    """Hash of a build's inputs without the content of the bundle's files."""
    digest = _common_digest(environment)
    for file in _sources(generated):
        if file.suffix == ".cc":  # PlatformIO runs a command for each
            digest.update(f"{file.relative_to(generated)}\0".encode())
    return digest.hexdigest()[:20]


def _common_digest(environment: str) -> hashlib._Hash:
    version = importlib.metadata.version("platformio")
    return sources_digest(environment, os.environ.get(OPTIONS, ""), version, compiler=COMPILER)


def sources_digest(*texts: str, compiler: str) -> hashlib._Hash:
    """Hash of `texts`, the version of kws, its C++ sources, and a compiler's path and version."""
    digest = hashlib.sha256()
    for text in (*texts, __version__, _compiler_version(compiler)):
        digest.update(text.encode() + b"\0")
    _add_sources(digest, firmware_folder())
    return digest


def _add_sources(digest: hashlib._Hash, root: Path) -> None:
    for file in _sources(root):
        data = file.read_bytes()
        digest.update(f"{file.relative_to(root)}\0{len(data)}\0".encode() + data)


def _sources(root: Path) -> Iterator[Path]:
    for file in sorted(root.rglob("*")):
        parts = file.relative_to(root).parts
        if file.is_file() and not NO_SOURCES & set(parts):
            yield file


def _compiler_version(compiler: str) -> str:
    if not shutil.which(compiler):
        return ""
    path = find_tool(compiler)
    run = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return f"{path} {run.stdout}"


def _remove_oldest(cache: Path, whole: str, most: int) -> None:
    """Remove all but the `most` recently used builds, and the leftovers of killed builds.

    Args:
        cache: the folder of the builds.
        whole: a file that every complete build has.
        most: number of builds to keep.
    """
    builds = [path for path in cache.iterdir() if (path / whole).is_file()]
    for path in sorted(builds, key=lambda path: path.stat().st_mtime)[:-most]:
        file = _lock_file(path)
        with file.open("a") as handle:
            if try_lock(handle.fileno()):
                shutil.rmtree(path, ignore_errors=True)
                with contextlib.suppress(PermissionError):  # Windows removes no open file
                    file.unlink(missing_ok=True)
    for path in cache.glob(f"{_BUILDING}*"):
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - _LONGEST_BUILD_S:
                shutil.rmtree(path, ignore_errors=True)
