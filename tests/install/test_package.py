"""The wheel, installed without a checkout."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.paths import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    build = out / "build"  # the checkout's build folder belongs to its editable install
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"),
            *("--config-settings", f"build-dir={build}", "-w", str(out), str(ROOT)),  # pip 23.0
            # A third of the compilation time.
            *("--config-settings", "cmake.build-type=Debug"),
            *("--config-settings", "cmake.define.CMAKE_CXX_FLAGS_DEBUG=-O0"),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    (path,) = out.glob("kws-*.whl")
    return path


def test_wheel_contains_firmware_platform_and_default_model(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "kws/firmware/platformio.ini",
        "kws/firmware/platform/platform.json",
        "kws/firmware/platform/builder/main.py",
        "kws/firmware/src/app/main.cc",
        "kws/firmware/src/boards/qemu/board.cc",
        "kws/firmware/src/boards/nrf52840/board.cc",
        "kws/firmware/src/boards/sparkfun_edge/board.cc",
        "kws/firmware/src/boards/b_l475e_iot01a/board.cc",
        "kws/renode/nano33ble.resc",
        "kws/renode/platforms/nano33ble.repl",
        "kws/renode/platforms/nrf52840.repl",
        "kws/renode/peripherals/apollo3/adc.cs",
        "kws/renode/platforms/apollo3.repl",
        "kws/renode/platforms/sparkfun_edge.repl",
        "kws/renode/peripherals/stm32l4/dfsdm.cs",
        "kws/renode/b_l475e_iot01a.resc",
        "kws/renode/sparkfun_edge.resc",
        "kws/renode/sparkfun_edge.robot",
        "kws/renode/firmware.resource",
        "kws/assets/yes_no/model.tflite",
        "kws/assets/yes_no/bundle.toml",
        "kws/assets/yes_no/firmware/model_data.cc",
        "kws/host/web/site/index.html",
        "kws/host/web/browser_core.cc",
        "kws/host/web/site/kws.wasm",
        "kws/assets/ten_words/model.tflite",
        "kws/py.typed",
        "kws/_core.pyi",
    ):
        assert name in names
    assert any(name.startswith("kws/_core.") and name.endswith(".so") for name in names)
    assert not [name for name in names if name.startswith("kws/bindings/")]
    assert not [name for name in names if name.startswith(("tests/", "kws/firmware/test/"))]


def test_installed_wheel_runs_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile"),
            *("-t", str(site), str(wheel)),
        ],
        check=True,
        capture_output=True,
    )
    # Without `site` (-S), the environment's editable install does not come first.
    packages = sysconfig.get_path("purelib")
    code = (
        f"import sys; sys.path += [{str(site)!r}, {packages!r}]; import kws, kws.cli.main;"
        f"assert kws.__file__.startswith({str(site)!r}), kws.__file__;"
        "from kws.bundle.built_in import default_bundle_path;"
        "from kws.bundle.reading import load_bundle;"
        "from kws.host.emulate.renode import scripts;"
        f"assert str(scripts()).startswith({str(site)!r}), scripts();"
        "print(load_bundle(default_bundle_path()).labels)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stdout == "('silence', 'unknown', 'yes', 'no')\n", done.stderr
