"""Firmware: builds it for a board with PlatformIO, and keeps what was built.

A build is named by the hash of all that goes into it, made in a folder of its own and then renamed,
so that builds may run side by side and a second one of the same is a look-up.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.metadata
import importlib.resources
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformio
import requests

from kws import __version__
from kws.bundle.bundle import Bundle
from kws.errors import ToolError, UsageError
from kws.files import new_directory
from kws.host.build.elf_sections import Size, read_size
from kws.host.build.programs import COMPILER, cache_folder, find_tool

ELF, BINARY, HEX, MAP, LOG = (
    "firmware.elf",
    "firmware.bin",
    "firmware.hex",
    "firmware.map",
    "build.log",
)

REVISION = "KWS_REVISION"
"""The environment variable that names a board's hardware revision, read by the SCons script."""

DEFAULT_REVISION = "1"

OPTIONS = "KWS_OPTIONS"
"""The environment variable that names what is chosen of a board's options, with commas between."""

PLATFORMIO = "platformio.ini"

_KEPT = 16  # built firmwares in the cache; the oldest go

# GNU ld's words; the regions are those of the ports' linker scripts.
_OVERFLOW = re.compile(r"region `(flash|ram)' overflowed by (\d+) bytes")

_NO_SOURCES = frozenset({"test", "__pycache__", ".pio", "compile_commands.json"})


@dataclass(frozen=True)
class Board:
    """A board that firmware can be built for."""

    name: str
    title: str

    flash: int
    """Bytes that a firmware may take."""

    ram: int
    """Bytes for variables, arena and stack."""

    dropped_samples: int = 0
    """Samples of the microphone after power-on that the firmware drops, in the revision chosen."""


class _TooLargeError(ToolError):
    """The linker found no room.

    Attributes:
        flash: bytes that are too many; 0 where it is the RAM.
        ram: the same for RAM.
    """

    def __init__(self, environment: str, flash: int, ram: int) -> None:
        super().__init__(f"{environment}: {flash} bytes of flash or {ram} of RAM too many")
        self.flash, self.ram = flash, ram


@dataclass(frozen=True)
class Firmware:
    """What a build gave."""

    elf: Path
    log: Path
    size: Size

    @property
    def folder(self) -> Path:
        """Holds the ELF file, the flash image (also as Intel HEX), the linker's map and the log."""
        return self.elf.parent


def firmware_folder() -> Path:
    """The C++ sources and PlatformIO's files, as installed."""
    return Path(str(importlib.resources.files("kws") / "firmware"))


def boards() -> list[Board]:
    """The boards that there is a port for."""
    files = sorted((firmware_folder() / "platform" / "boards").glob("*.json"))
    return [_board(file.stem, json.loads(file.read_text(encoding="utf-8"))) for file in files]


def _board(name: str, described: dict[str, Any]) -> Board:
    limits = described["upload"]
    revision = os.environ.get(REVISION) or DEFAULT_REVISION
    settings = described["build"].get("revisions", {}).get(revision, {})
    return Board(
        name,
        described["name"],
        flash=limits["maximum_size"],
        ram=limits["maximum_ram_size"],
        dropped_samples=settings.get("KWS_DROPPED_SAMPLES", 0),
    )


def find_board(name: str) -> Board:
    """The board `name`.

    Raises:
        UsageError: there is no port for it.
    """
    known = {board.name: board for board in boards()}
    if name not in known:
        raise UsageError(f"there is no board {name!r}; there are {', '.join(known)}")
    return known[name]


def check_board(name: str) -> None:
    """Raise UsageError unless there is a port for the board `name`."""
    find_board(name)


def build(board: str, bundle: Bundle, out: Path | None = None) -> Firmware:
    """Firmware for `board` with `bundle` built in.

    Args:
        board: one of `boards()`.
        bundle: as loaded from its folder.
        out: folder to put copies of the results in; None leaves them in the cache.

    Raises:
        UsageError: there is no such board.
        ToolError: the toolchain is missing, the firmware does not fit the board or the build
            failed; the text names the log.
        KwsError: the results could not be written.
    """
    target = find_board(board)
    try:
        return _build(board, bundle.firmware, out)
    except _TooLargeError as error:
        raise ToolError(_what_to_shrink(target, bundle, error)) from None


def build_tool(board: str, tool: str) -> Firmware:
    """Firmware of the emulated board that is no product: `infer` runs any model, `bench` counts.

    Raises:
        UsageError: there is no such board, or it has no such firmware.
        ToolError: as `build`.
    """
    check_board(board)
    environment = f"{board}_{tool}"
    if f"[env:{environment}]" not in (firmware_folder() / PLATFORMIO).read_text(encoding="utf-8"):
        raise UsageError(f"kws {tool} runs on the emulated board qemu, not on {board}")
    return _build(environment, None, None)


def build_sources(board: str, generated: Path) -> Firmware:
    """As `build`, from a folder of generated C++ that need not be a bundle's."""
    check_board(board)
    return _build(board, generated, None)


def _build(environment: str, generated: Path | None, out: Path | None) -> Firmware:
    cache = cache_folder() / "firmware"
    place = cache / f"{environment}-{_key(environment, generated)}"
    if not (place / ELF).is_file():
        _fill(place, environment, generated)
    with contextlib.suppress(OSError):
        os.utime(place)
    if out is not None:
        _check_out(out)
        with new_directory(out) as folder:
            for name in (ELF, BINARY, HEX, MAP, LOG):
                shutil.copyfile(place / name, folder / name)
        place = out
    return Firmware(place / ELF, place / LOG, read_size(place / ELF))


def _fill(place: Path, environment: str, generated: Path | None) -> None:
    """Build into `place`, unless another process is about to: then wait for that one."""
    cache = place.parent
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _locked(cache / f".{place.name}.lock"):
            if (place / ELF).is_file():
                return
            with tempfile.TemporaryDirectory(dir=cache, prefix=".building-") as work:
                result = Path(work) / "result"
                result.mkdir()
                _run_platformio(environment, generated, Path(work), result)
                result.rename(place)
        _forget_old(cache)
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


def _check_out(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: a file is in the way; name another folder")
    if out.is_dir() and any(out.iterdir()) and not (out / ELF).is_file():
        raise UsageError(f"{out}: this folder holds something else than firmware; name another")


def _key(environment: str, generated: Path | None) -> str:
    """Hash of all that a build depends on: sources, bundle, versions, compiler."""
    digest = hashlib.sha256()
    texts = (
        environment,
        os.environ.get(REVISION, ""),
        os.environ.get(OPTIONS, ""),
        __version__,
        importlib.metadata.version("platformio"),
        _compiler(),
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
        if file.is_file() and not _NO_SOURCES & set(parts):
            yield file


def _compiler() -> str:
    if not shutil.which(COMPILER):
        return ""
    path = find_tool(COMPILER)
    run = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return f"{path} {run.stdout}"


def _run_platformio(environment: str, generated: Path | None, work: Path, result: Path) -> None:
    """Build in `work` and put what is wanted into `result`."""
    _check_compiler()
    # A copy, because PlatformIO refuses a project that it could not write to.
    project = work / "project"
    shutil.copytree(firmware_folder(), project, ignore=shutil.ignore_patterns(*_NO_SOURCES))
    run = subprocess.run(
        [
            *(sys.executable, "-m", "platformio", "run", "--environment", environment),
            *("--project-dir", str(project), "--jobs", str(os.cpu_count() or 1)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=_environment(work, generated),
        check=False,
    )
    if run.returncode != 0:
        log = work.parent / f"{environment}-failed.log"
        log.write_text(run.stdout, encoding="utf-8")
        excess = {region: int(size) for region, size in _OVERFLOW.findall(run.stdout)}
        if excess:
            raise _TooLargeError(environment, excess.get("flash", 0), excess.get("ram", 0))
        raise ToolError(_failure(environment, run.stdout, log))
    built = work / "build" / environment
    for name in (ELF, BINARY, HEX, MAP):
        shutil.copyfile(built / name, result / name)
    (result / LOG).write_text(run.stdout, encoding="utf-8")


def _environment(work: Path, generated: Path | None) -> dict[str, str]:
    """PlatformIO keeps to `work`: nothing in the user's home, nothing in the installed package."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PLATFORMIO_")}
    variables |= {
        "KWS_VERSION": __version__,
        "PLATFORMIO_CORE_DIR": str(work / "core"),
        "PLATFORMIO_WORKSPACE_DIR": str(work),
        "PLATFORMIO_BUILD_DIR": str(work / "build"),
        "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
        "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
        "PLATFORMIO_NO_ANSI": "true",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if not shutil.which(COMPILER):
        # PlatformIO downloads its own compiler: once, not for each build.
        variables["PLATFORMIO_PACKAGES_DIR"] = str(_packages())
    if generated is not None:
        variables["KWS_BUNDLE"] = str(generated.parent.resolve())
    return variables


def _packages() -> Path:
    """Where PlatformIO keeps a compiler that it downloaded."""
    return cache_folder() / "platformio" / "packages"


def _check_compiler() -> None:
    """Fail at once where there is no compiler: offline, PlatformIO would try for a minute."""
    if shutil.which(COMPILER) or any(_packages().glob("toolchain-*")) or _can_download():
        return
    find_tool(COMPILER)


def _can_download() -> bool:
    """Whether a server that PlatformIO gets its packages from answers, through a proxy if set."""
    for host in platformio.__registry_mirror_hosts__:
        with contextlib.suppress(requests.RequestException):
            requests.get(f"https://api.{host}", timeout=5, allow_redirects=False)
            return True
    return False


def _what_to_shrink(board: Board, bundle: Bundle, excess: _TooLargeError) -> str:
    needs = []
    if excess.flash:
        needs.append(
            f"{excess.flash} bytes more than the {board.flash} of flash, "
            f"{len(bundle.model)} are the model's"
        )
    if excess.ram:
        needs.append(
            f"{excess.ram} bytes more than the {board.ram} of RAM, "
            f"{bundle.arena_bytes} are the model's arena (kws convert --plan shows what fills it)"
        )
    return (
        f"{bundle.name} does not fit {board.name}: it needs {' and '.join(needs)}; "
        "train a smaller model"
    )


def _failure(environment: str, output: str, log: Path) -> str:
    telling = re.compile(r"error:|undefined reference|overflowed|No such file", re.IGNORECASE)
    lines = [line.strip() for line in output.splitlines() if telling.search(line)]
    first = lines[0] if lines else "PlatformIO gave no reason"
    return f"building the firmware for {environment} failed: {first}; the log is {log}"


def _forget_old(cache: Path) -> None:
    built = [path for path in cache.iterdir() if (path / ELF).is_file()]
    for path in sorted(built, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)
        (cache / f".{path.name}.lock").unlink(missing_ok=True)
