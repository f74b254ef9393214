# SPDX-License-Identifier: Apache-2.0
"""The C++ compiles for Linux, macOS and Windows, and gives the same results where it can run.

Windows programs run in Wine, AArch64's in QEMU. Programs for macOS are linked, not run.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sysconfig
import wave
from collections.abc import Callable
from pathlib import Path

import nanobind
import numpy as np
import pytest

from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.host.emulate import cores
from kws.host.emulate.inference import image_of, on_host, read_outcomes
from kws.host.export.exporters import export
from tests.bundle.compiled.compiled_jobs import jobs_of
from tests.host.export.building import STRICT, lines
from tests.host.export.zig import TARGETS, Zig, starter
from tests.paths import ROOT
from tests.runtime.fuzz.fuzz_seeds import seeds
from tests.runtime.ops.cases import Case
from tests.runtime.ops.elementwise_cases import ELEMENTWISE
from tests.runtime.ops.filter_cases import FILTERS
from tests.runtime.ops.typed_cases import TYPED

pytestmark = pytest.mark.slow

WINDOWS = "x86_64-windows-gnu"
WINDOWS_PYTHON = "KWS_WINDOWS_PYTHON"
"""Environment variable with the folder of a Python for Windows; it has include/Python.h."""

SOURCE = ROOT / "kws" / "firmware" / "src"
# As for firmware. The core then needs no C++ library.
CORE_FLAGS = ("-O2", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics")
AVX2_MAIN = """
#include "kws/runtime/kernels/loops/avx2.h"
int main() { return kws::avx2::in_use ? 0 : 3; }
"""


@pytest.fixture(scope="session")
def windows(made_once: Callable[[str, Callable[[Path], object]], Path]) -> dict[str, str]:
    """The environment of Wine, with its own folder of settings."""
    folder = made_once("wine", lambda _: None)
    return {**os.environ, "WINEPREFIX": str(folder), "WINEDEBUG": "-all"}


def ran(
    command: list[str], folder: Path, env: dict[str, str], codes: tuple[int, ...] = (0,)
) -> tuple[int, str]:
    """Exit code and output of a program that runs in a folder."""
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, check=False, timeout=600
    )
    assert done.returncode in codes, done.stderr.decode("utf-8", "replace")
    return done.returncode, done.stdout.decode("ascii").replace("\r\n", "\n")


@pytest.fixture
def recording(tmp_path: Path, sound: Pcm) -> Path:
    """The recording in the test's folder."""
    file = tmp_path / "sound.wav"
    with wave.open(str(file), "wb") as output:
        output.setnchannels(1)
        output.setsampwidth(2)
        output.setframerate(16000)
        output.writeframes(sound.tobytes())
    return file


@pytest.mark.parametrize("target", TARGETS)
def test_programs_hear_what_the_device_hears(
    target: str,
    yes_no: Bundle,
    recording: Path,
    heard: list[tuple[str, int, int]],
    windows: dict[str, str],
) -> None:
    tmp_path = recording.parent
    zig = Zig(target)
    project = tmp_path / "kws_yes_no"
    export("cmake", yes_no, project)
    include = f"-I{project / 'src'}"
    sources = sorted((project / "src").rglob("*.cc"))
    assert len(sources) > len(list((SOURCE / "kws").rglob("*.cc")))
    flags = ("-std=c++11", "-pedantic-errors", *STRICT, *CORE_FLAGS, include)
    core = zig.compile(sources, flags, tmp_path / "core")

    avx2 = tmp_path / "avx2.cc"
    avx2.write_text(AVX2_MAIN)
    hear = project / "examples" / "hear.cc"
    cc, has_avx2 = zig.compile([hear, avx2], flags, tmp_path / "cc")
    (c,) = zig.compile([hear.with_suffix(".c")], ["-std=c11", *STRICT, include], tmp_path / "c")
    mains = {"hear_cc": cc, "hear_c": c, "has_avx2": has_avx2}
    programs = [zig.link([*core, main], tmp_path / name).name for name, main in mains.items()]
    if "macos" in target:
        return
    start = starter(target)
    for program in programs[:2]:
        _, text = ran([*start, f"./{program}", recording.name], tmp_path, windows)
        assert text == lines(heard)
    if target.startswith(platform.machine()):
        has = "avx2" in Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
        code, _ = ran([*start, f"./{programs[2]}"], tmp_path, windows, (0, 3))
        assert (code == 0) == has


def test_every_op_is_bit_identical_on_windows(tmp_path: Path, windows: dict[str, str]) -> None:
    zig, start = Zig(WINDOWS), starter(WINDOWS)
    jobs = jobs_of([*seeds().values()])

    def add(case: Case) -> None:
        jobs.append(case.job)

    for drawn in (*ELEMENTWISE.values(), *FILTERS.values(), *TYPED.values()):
        drawn.each(add)
    assert len(jobs) > 500
    flags = ("-std=c++17", *CORE_FLAGS, f"-I{SOURCE}")
    sources = cores._sources(SOURCE, cores.CORES["aarch64"])
    program = zig.link(zig.compile(sources, flags, tmp_path / "o"), tmp_path / "infer")
    (tmp_path / "image.bin").write_bytes(image_of(jobs))
    _, text = ran([*start, str(program)], tmp_path, {**windows, "KWS_IMAGE": "image.bin"})
    for outcome, job in zip(read_outcomes(jobs, text, "Wine"), jobs, strict=True):
        host = on_host(job)
        assert outcome.arena_used_bytes == host.arena_used_bytes
        for values, expected in zip(outcome.outputs, host.outputs, strict=True):
            np.testing.assert_array_equal(values.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("target", TARGETS)
def test_the_python_module_compiles(target: str, tmp_path: Path) -> None:
    """Linux's headers of Python also fit macOS: both are 64-bit with 64-bit long."""
    zig = Zig(target)
    headers = Path(sysconfig.get_path("include"))
    if target == WINDOWS:
        if not os.environ.get(WINDOWS_PYTHON):
            pytest.skip(f"{WINDOWS_PYTHON} does not name a Python for Windows")
        headers = Path(os.environ[WINDOWS_PYTHON]) / "include"
    flags = (
        *("-std=c++17", "-O1", "-fvisibility=hidden", "-fno-strict-aliasing", "-Wall", "-Wextra"),
        *("-Wno-unused-parameter", "-Werror", f"-I{SOURCE}", '-DKWS_VERSION="test"'),
        *("-isystem", str(headers), "-isystem", nanobind.include_dir()),
        *("-isystem", str(Path(nanobind.include_dir()).parent / "ext" / "robin_map" / "include")),
    )
    bindings = sorted((ROOT / "kws" / "bindings").glob("*.cc"))
    serial = [SOURCE / "serial" / name for name in ("text.cc", "responder.cc")]
    objects = zig.compile([*bindings, *serial], flags, tmp_path / "o")
    assert len(objects) > 8
