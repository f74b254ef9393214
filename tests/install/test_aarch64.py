# SPDX-License-Identifier: Apache-2.0
"""The wheel for AArch64 Linux, cross-compiled, gives the same lines in an AArch64 Python in QEMU.

KWS_AARCH64_PYTHON names a folder with `root/`, Debian's arm64 packages python3.11, libstdc++6 and
those that they need, unpacked; and `site/`, kws's requirements for AArch64: `pip install
--platform manylinux_2_28_aarch64 --python-version 3.11 --only-binary :all: --target site ...`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kws.host.build.programs import PACKAGES
from tests.command_line import Run
from tests.paths import ROOT

pytestmark = pytest.mark.slow

PYTHON = "KWS_AARCH64_PYTHON"
COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
AARCH64 = 183  # e_machine of ELF files
MATRIX = sorted((ROOT / "kws" / "assets" / "matrix").glob("*.flac"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed: apt-get install {PACKAGES[COMPILER][0]}")
    out = tmp_path_factory.mktemp("aarch64")
    suffix = f".cpython-3{sys.version_info.minor}-aarch64-linux-gnu.so"
    settings = {
        "build-dir": out / "build",
        "cmake.define.CMAKE_SYSTEM_NAME": "Linux",
        "cmake.define.CMAKE_SYSTEM_PROCESSOR": "aarch64",
    }
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"),
            *(word for name, value in settings.items()
              for word in ("--config-settings", f"{name}={value}")),
            *("-w", str(out), str(ROOT)),
        ],
        env={
            **os.environ,
            "CXX": COMPILER,
            "SETUPTOOLS_EXT_SUFFIX": suffix,
            "_PYTHON_HOST_PLATFORM": "linux-aarch64",
        },
        check=True,
        capture_output=True,
    )  # fmt: skip
    (path,) = out.glob("kws-*.whl")
    return path


def test_the_wheel_is_for_aarch64(wheel: Path) -> None:
    assert wheel.name.endswith("-linux_aarch64.whl")
    with zipfile.ZipFile(wheel) as files:
        (core,) = (name for name in files.namelist() if name.endswith("-aarch64-linux-gnu.so"))
        assert core.startswith("kws/_core.")
        data = files.read(core)
    assert data[:5] == b"\x7fELF\x02"
    assert int.from_bytes(data[18:20], "little") == AARCH64


def test_kws_run_prints_the_same_lines(wheel: Path, tmp_path: Path, kws: Run) -> None:
    if shutil.which(EMULATOR) is None:
        pytest.skip(f"{EMULATOR} is not installed: apt-get install {PACKAGES[EMULATOR][0]}")
    if not os.environ.get(PYTHON):
        pytest.skip(f"{PYTHON} does not name an AArch64 Python (see the top of {Path(__file__)})")
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the wheel is for this Python's version, and the AArch64 Python is 3.11")
    folder = Path(os.environ[PYTHON])
    with zipfile.ZipFile(wheel) as files:
        files.extractall(tmp_path)
    code = "import platform; assert platform.machine() == 'aarch64'; import kws.cli.main as m"
    done = subprocess.run(
        [
            *(EMULATOR, "-L", str(folder / "root")),
            *("-E", f"PYTHONHOME={folder / 'root' / 'usr'}"),
            *("-E", f"PYTHONPATH={tmp_path}:{folder / 'site'}"),
            *(str(folder / "root" / "usr" / "bin" / "python3.11"), "-c", f"{code}; m.main()"),
            *("run", *map(str, MATRIX)),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    status, lines, _ = kws("run", *MATRIX)
    assert lines.count("Heard ") == 6
    assert (done.returncode, done.stdout) == (status, lines), done.stderr
