# SPDX-License-Identifier: Apache-2.0
"""Compiles the core to WebAssembly: for any device, or with one built in as C++."""

from __future__ import annotations

import contextlib
import hashlib
import math
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kws import __version__
from kws.bundle.device import Device
from kws.errors import ToolError
from kws.host.build.boards import firmware_folder
from kws.host.build.firmware import generated
from kws.host.build.programs import WASM_COMPILER, find_tool

_BROWSER = Path(__file__).with_suffix(".cc")

# No JavaScript glue and no imports: the page's own script grows the memory.
_OPTIONS = (
    *("-std=c++17", "-O2", "-fno-exceptions", "-fno-rtti"),
    *("-Wall", "-Wextra", "-Wshadow", "-Wno-unused-private-field"),
    *("--no-entry", "-s", "STANDALONE_WASM=1", "-s", "ALLOW_MEMORY_GROWTH=1"),
    *("-s", "TOTAL_STACK=65536", "-Wl,--stack-first"),
)
_MEMORY = 262_144
"""Bytes of memory at the start, without the constants of compiled models."""

_PAGE = 65_536
"""WebAssembly's unit of memory, in bytes."""


def build_core(device: Device | None = None) -> bytes:
    """The core as WebAssembly.

    Args:
        device: its models are compiled in, without an interpreter. None: models are loaded
            at run time.

    Raises:
        ToolError: emscripten is missing or failed.
        ModelError: the bundle's model cannot be compiled.
    """
    compiler = find_tool(WASM_COMPILER)
    sources = firmware_folder() / "src"
    core = [source for source in _sources() if source.suffix == ".cc"]
    with _generated(device) as own, tempfile.TemporaryDirectory(prefix="kws-wasm-") as place:
        out = Path(place) / "kws.wasm"
        command = [
            *(compiler, *_OPTIONS, f'-DKWS_VERSION="{__version__}"'),
            *("-s", f"INITIAL_MEMORY={_initial_memory(device)}"),
            f"-I{sources}",
            *own,
            *(_BROWSER, *core),
            *("-o", out),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ToolError(f"{WASM_COMPILER} failed: {_reason(done.stderr)}")
        return out.read_bytes()


def sources_digest() -> str:
    """SHA-256 of the sources and options of `build_core()`, in hexadecimal.

    `make wasm` writes it next to `kws.wasm`, so that a test finds a stale file without emscripten.
    """
    digest = hashlib.sha256("\n".join((__version__, *_OPTIONS)).encode())
    for file in (_BROWSER, *_sources()):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _initial_memory(device: Device | None) -> int:
    models = sum(len(model.model) for model in device.models) if device else 0
    return _MEMORY + math.ceil(models / _PAGE) * _PAGE


def _sources() -> list[Path]:
    """The C++ files of the core and of the device's serial lines.

    Without the core's C interface, because the page's functions have some of its names.
    """
    source = firmware_folder() / "src"
    files = [*source.glob("kws/**/*"), *source.glob("serial/*")]
    return sorted(
        file
        for file in files
        if file.suffix in {".cc", ".h", ".inc"} and not file.name.startswith("kws_c.")
    )


def _reason(said: str) -> str:
    """The first line with the word error, or else the last line."""
    lines = said.strip().splitlines() or ["no error message"]
    return next((line for line in lines if "error" in line.lower()), lines[-1])


@contextlib.contextmanager
def _generated(device: Device | None) -> Iterator[list[str | Path]]:
    """Compiler arguments for the device's generated C++."""
    if device is None:
        yield []
        return
    with generated(device.as_compiled()) as folder:
        yield ["-DKWS_COMPILED", f"-I{folder}", *sorted(folder.glob("**/*.cc"))]
