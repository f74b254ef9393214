# SPDX-License-Identifier: Apache-2.0
"""The Arduino library and its sketches compile with real cores.

KWS_ARDUINO_CORES is a folder with checkouts, with their submodules: ArduinoCore-mbed (its
cores/arduino/api linked to ArduinoCore-API's api), Adafruit_nRF52_Arduino, arduino-pico. Includes
and options are those of each core's platform.txt; nothing is linked.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kws.bundle.bundle import Bundle
from kws.host.build.programs import COMPILER
from kws.host.export.exporters import export

VARIABLE = "KWS_ARDUINO_CORES"
M4 = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-fno-exceptions", "-fno-rtti"]


def _mbed(cores: Path) -> list[str]:
    core = cores / "ArduinoCore-mbed"
    variant = core / "variants" / "ARDUINO_NANO33BLE"
    own = [flag for flag in (variant / "cxxflags.txt").read_text().split() if flag != "-c"]
    return [
        *own,
        *("-DARDUINO=10819", "-DARDUINO_ARDUINO_NANO33BLE", "-DARDUINO_ARCH_MBED"),
        *(f"@{variant / 'defines.txt'}", "-iprefix", str(core / "cores" / "arduino")),
        *(f"@{variant / 'includes.txt'}", f"-I{core / 'cores' / 'arduino'}", f"-I{variant}"),
        f"-I{core / 'libraries' / 'PDM' / 'src'}",
    ]


def _adafruit(cores: Path) -> list[str]:
    platform = cores / "Adafruit_nRF52_Arduino"
    core, libraries = platform / "cores" / "nRF5", platform / "libraries"
    nordic, rtos = core / "nordic", core / "freertos"
    mbed = cores / "ArduinoCore-mbed" / "cores" / "arduino" / "mbed"
    soft_device = sorted((nordic / "softdevice").glob("s140*6*"))[-1] / "include"
    folders = [
        *(nordic, nordic / "nrfx", nordic / "nrfx" / "hal", nordic / "nrfx" / "mdk"),
        *(nordic / "nrfx" / "soc", nordic / "nrfx" / "drivers" / "include"),
        *(soft_device, soft_device / "nrf52"),
        *(rtos / "Source" / "include", rtos / "config"),
        *(rtos / "portable" / "GCC" / "nrf52", rtos / "portable" / "CMSIS" / "nrf52"),
        *(core / "sysview" / "SEGGER", core / "sysview" / "Config", core),
        platform / "variants" / "feather_nrf52840_sense",
        *(libraries / "PDM" / "src", libraries / "SPI"),
        libraries / "Adafruit_TinyUSB_Arduino" / "src" / "arduino",
        libraries / "Adafruit_TinyUSB_Arduino" / "src",
        # CMSIS comes with the tools of Adafruit's package; any copy has the same functions.
        mbed / "cmsis" / "CMSIS_5" / "CMSIS" / "TARGET_CORTEX_M" / "Include",
    ]
    return [
        *M4,
        *("-std=gnu++11", "-mfloat-abi=hard", "-Os", "-DF_CPU=64000000", "-DARDUINO=10819"),
        *("-DARDUINO_NRF52840_FEATHER_SENSE", "-DARDUINO_ARCH_NRF52", "-DARDUINO_NRF52_ADAFRUIT"),
        *("-DSOFTDEVICE_PRESENT", "-DNRF52_SERIES", "-DNRF52840_XXAA", "-DUSBCON", "-DUSE_TINYUSB"),
        *("-DUSB_VID=0x239a", "-DUSB_PID=0x8087"),
        *('-DUSB_MANUFACTURER="Adafruit"', '-DUSB_PRODUCT="Feather"'),
        *(f"-I{folder}" for folder in folders),
    ]


def _nano_connect(cores: Path) -> list[str]:
    return [*_pico(cores, "arduino_nano_connect", "PDM"), "-DARDUINO_ARDUINO_NANO_RP2040_CONNECT"]


def _raspberry_pi_pico(cores: Path) -> list[str]:
    return [*_pico(cores, "rpipico", "I2S"), "-DARDUINO_RASPBERRY_PI_PICO"]


def _pico(cores: Path, variant: str, library: str) -> list[str]:
    platform = cores / "arduino-pico"
    lib, libraries = platform / "lib", platform / "libraries"
    folders = [
        *(platform / "include", platform / "cores" / "rp2040", platform / "variants" / variant),
        *(libraries / library / "src", libraries / "AudioBufferManager" / "src"),
    ]
    return [
        *("-std=gnu++20", "-march=armv6-m", "-mcpu=cortex-m0plus", "-mthumb", "-Os"),
        *("-fno-exceptions", "-fno-rtti", "-DF_CPU=133000000", "-DARDUINO=10819"),
        *("-DARDUINO_ARCH_RP2040", '-DBOARD_NAME="x"'),
        *("-DLED_BUILTIN=6", "-DPICO_FLASH_SIZE_BYTES=16777216"),
        *(f"@{lib / 'rp2040' / 'platform_def.txt'}", f"@{lib / 'platform_def.txt'}"),
        *("-iprefix", str(platform)),
        *(f"@{lib / 'rp2040' / 'platform_inc.txt'}", f"@{lib / 'core_inc.txt'}"),
        *(f"-I{folder}" for folder in folders),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (_mbed, "PrintWords"),
        (_adafruit, "PrintWords"),
        (_nano_connect, "PrintWords"),
        (_raspberry_pi_pico, "PrintWordsPico"),
    ],
    ids=["mbed", "adafruit", "nano-connect", "pico"],
)
def test_the_sketch_compiles_with_a_real_core(
    flags: Callable[[Path], list[str]], name: str, yes_no: Bundle, board_tools: None, tmp_path: Path
) -> None:
    library = tmp_path / "kws_yes_no"
    export("arduino", yes_no, library)
    sketch = library / "examples" / name / f"{name}.ino"
    source = tmp_path / "sketch.cpp"
    source.write_text(f"#include <Arduino.h>\n{sketch.read_text()}")
    compile_files([source, *(library / "src").rglob("*.cpp")], flags, library)


@pytest.mark.slow
def test_the_tflm_library_compiles_with_a_real_core(
    yes_no: Bundle, board_tools: None, tmp_path: Path
) -> None:
    library = tmp_path / "kws_tflm"
    export("tflm", yes_no, library)
    compile_files([*(library / "src").rglob("*.cpp")], _nano_connect, library)


def compile_files(files: list[Path], flags: Callable[[Path], list[str]], library: Path) -> None:
    """Compile each file as a core does; this project's files cause no warnings."""
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} does not name a folder with Arduino cores")
    options = flags(Path(os.environ[VARIABLE]).resolve())
    for file in files:
        command: list[str | Path] = [COMPILER, "-c", *options, f"-I{library / 'src'}", file]
        done = subprocess.run(
            [*command, "-o", library / "object.o"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        own = [line for line in done.stderr.splitlines() if library.name in line]
        assert not [line for line in own if "warning" in line]
