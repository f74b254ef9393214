# SPDX-License-Identifier: Apache-2.0
"""Compilers for other systems, from the package ziglang: Clang with each system's headers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.host.export.building import run
from tests.paths import ROOT

TARGETS = {
    "x86_64-linux-gnu": b"\x7fELF",
    "aarch64-linux-gnu": b"\x7fELF",
    "x86_64-windows-gnu": b"MZ",
    "x86_64-macos": b"\xcf\xfa\xed\xfe",
    "aarch64-macos": b"\xcf\xfa\xed\xfe",
}
"""Systems, with the first bytes of their programs."""

CACHE = ROOT / "build" / "zig"
"""Keeps the systems' libraries, which zig compiles: about a minute for each system."""


class Zig:
    """The compilers for one target; skips the test without ziglang."""

    def __init__(self, target: str) -> None:
        if find_spec("ziglang") is None:
            pytest.skip("ziglang is not installed (make test-all installs it)")
        import ziglang

        self.target = target
        self._zig = str(Path(ziglang.__file__).with_name("zig"))
        self._environment = {
            **os.environ,
            "ZIG_GLOBAL_CACHE_DIR": str(CACHE),
            "ZIG_LOCAL_CACHE_DIR": str(CACHE),
        }

    def compile(self, sources: Sequence[Path], flags: Sequence[str], folder: Path) -> list[Path]:
        """The objects of C and C++ sources, in a folder."""
        folder.mkdir(parents=True, exist_ok=True)

        def compiled(numbered: tuple[int, Path]) -> Path:
            number, source = numbered
            out = folder / f"{number}_{source.stem}.o"
            language = "cc" if source.suffix == ".c" else "c++"
            self._run(language, *flags, "-c", str(source), "-o", str(out))
            return out

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(compiled, enumerate(sources)))

    def link(self, objects: Sequence[Path], program: Path) -> Path:
        """A program without the C++ library, which the core does not need."""
        program = program.with_suffix(".exe") if "windows" in self.target else program
        self._run("cc", *map(str, objects), "-o", str(program))
        assert program.read_bytes().startswith(TARGETS[self.target])
        return program

    def _run(self, language: str, *words: str) -> None:
        run(self._zig, language, "-target", self.target, *words, env=self._environment)


def wine() -> str:
    """Wine's loader, or a skip."""
    places = (shutil.which("wine64"), shutil.which("wine"), "/usr/lib/wine/wine64")
    found = next((place for place in places if place and Path(place).exists()), None)
    if found is None:
        pytest.skip("Wine is not installed, so the Windows program was compiled but not run: "
                    "apt-get install wine64")  # fmt: skip
    return found


def starter(target: str) -> list[str]:
    """The command before a program of another system, or a skip."""
    if "windows" in target:
        return [wine()]
    if target.startswith("aarch64"):
        if shutil.which("qemu-aarch64") is None:
            pytest.skip("qemu-aarch64 is not installed: apt-get install qemu-user")
        return ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]  # of g++-aarch64-linux-gnu
    return []
