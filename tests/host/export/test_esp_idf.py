# SPDX-License-Identifier: Apache-2.0
"""The ESP-IDF component builds in CMake, and its example detects the same words as the device.

The example runs on the PC, with stub headers for ESP-IDF and a simulated I2S driver that is as
strict as the real one.

KWS_ESP_IDF is a checkout of ESP-IDF. The example compiles with its headers, with the compiler for
Arm, as Debian has none for the ESP32; nothing is linked.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from kws import __version__
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.host.build.programs import COMPILER
from kws.host.export.exporters import export
from tests.host.export.building import detections, lines, refusal, run, slow_files
from tests.host.export.microphones import inmp441

STUBS = Path(__file__).with_name("esp_idf_stubs")
VARIABLE = "KWS_ESP_IDF"


@pytest.fixture(scope="module")
def component(yes_no: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("components") / "kws_yes_no"
    export("esp-idf", yes_no, folder)
    return folder


@pytest.fixture(scope="module")
def build(component: Path) -> Path:
    """A build of the example as by idf.py, with IDF_PATH set to the stubs."""
    folder = component.parent / "build"
    (folder / "config").mkdir(parents=True)
    pins = defaults(component, "IDF_TARGET_ESP32S3")
    header = "".join(f"#define CONFIG_{name} {value}\n" for name, value in pins.items())
    (folder / "config" / "sdkconfig.h").write_text(header)
    run("cmake", "-S", component / "examples" / "hear", "-B", folder, "-G", "Unix Makefiles",
        "-DCMAKE_CXX_STANDARD=11", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        env={**os.environ, "IDF_PATH": str(STUBS)})  # fmt: skip
    run("cmake", "--build", folder, f"-j{os.cpu_count()}")
    return folder


def defaults(component: Path, target: str) -> dict[str, int]:
    """The example's options for a chip."""
    text = (component / "examples" / "hear" / "main" / "Kconfig.projbuild").read_text()
    values = {}
    for name, body in re.findall(r"^config (\w+)\n(.*?)^$", text, re.MULTILINE | re.DOTALL):
        rules = re.findall(r"^    default (\d+)(?: if (\w+))?$", body, re.MULTILINE)
        values[name] = next(int(value) for value, chip in rules if chip in ("", target))
    return values


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text())


def test_the_example_hears_what_the_device_hears(
    build: Path, sound: Pcm, heard: list[tuple[str, int, int]]
) -> None:
    assert run(build / "hear", sound=inmp441(sound)) == lines(heard)


def test_the_example_reports_lost_samples(
    build: Path, sound: Pcm, heard: list[tuple[str, int, int]]
) -> None:
    expected = "samples were lost\n" + lines(heard)
    assert run(build / "hear", sound=inmp441(sound), env={"LOSE": "1"}) == expected


def test_loud_sound_is_clipped(build: Path, sound: Pcm, yes_no: Bundle) -> None:
    """The microphone's full scale is 8 times the program's."""
    clipped = np.clip(sound.astype(np.int32) * 8, -32768, 32767).astype(np.int16)
    assert np.mean(np.abs(clipped) == 32767) > 0.005
    line = (sound.astype(np.int32) << 16).tobytes()
    assert run(build / "hear", sound=line) == lines(detections(yes_no, clipped))


@pytest.mark.parametrize(
    "change",
    [
        ("kSampleRate);", "kSampleRate / 2);", "not 16 kHz"),
        ("WIDTH_32BIT", "WIDTH_16BIT", "not 32 bits"),
        ("MODE_MONO", "MODE_STEREO", "not left"),
        ("  config.slot_cfg.slot_mask = I2S_STD_SLOT_LEFT;", "", "not left"),
        ("CONFIG_HEAR_DIN", "CONFIG_HEAR_WS", "not the data's pin"),
        ("dma_desc_num = 12", "dma_desc_num = 6", "less than 0.2 s"),
        ("dma_frame_num = kBlock", "dma_frame_num = 1024", "too long"),
        ("  ESP_ERROR_CHECK(i2s_channel_enable(microphone));\n", "", "read too early"),
    ],
)
def test_a_wrong_example_is_found(
    build: Path, component: Path, sound: Pcm, tmp_path: Path, change: tuple[str, str, str]
) -> None:
    """The stub driver rejects the same arguments as the real one."""
    old, new, error = change
    text = (component / "examples" / "hear" / "main" / "main.cc").read_text()
    assert old in text
    source = tmp_path / "main.cc"
    source.write_text(text.replace(old, new))
    folders = (STUBS / "include", build / "config", component / "src")
    run("g++", "-std=c++11", *(f"-I{folder}" for folder in folders), source, STUBS / "driver.cc",
        build / "kws_yes_no" / "libkws_yes_no.a", "-o", tmp_path / "hear")  # fmt: skip
    assert error in refusal(tmp_path / "hear", inmp441(sound))


def test_the_loops_are_fast(build: Path) -> None:
    assert slow_files(build) == []


def test_the_pins_are_free_for_use(component: Path) -> None:
    """No pin belongs to the flash, and each signal has its own pin."""
    for target, flash in (
        ("IDF_TARGET_ESP32", range(6, 12)),
        ("IDF_TARGET_ESP32S3", range(26, 38)),
        ("IDF_TARGET_ESP32C3", range(11, 18)),
    ):
        pins = defaults(component, target)
        assert len(set(pins.values())) == len(pins) == 3
        assert not set(pins.values()) & set(flash)
        column = 1 if target == "IDF_TARGET_ESP32" else 2
        readme = (component / "README.md").read_text()
        for signal, name in (("SCK", "HEAR_BCLK"), ("WS", "HEAR_WS"), ("SD", "HEAR_DIN")):
            (row,) = re.findall(rf"^\| {signal} \| (.*) \| (.*) \|$", readme, re.MULTILINE)
            assert row[column - 1] == f"GPIO {pins[name]}"


def test_files_name_files_that_exist(component: Path) -> None:
    manifest = read(component / "idf_component.yml")
    assert manifest["version"] == __version__
    assert manifest["license"] == "Apache-2.0"
    main = component / "examples" / "hear" / "main"
    dependencies = read(main / "idf_component.yml")["dependencies"]
    ((name, dependency),) = dependencies.items()
    # ESP-IDF names a component after its folder.
    assert name == component.name
    assert (main / dependency["path"]).resolve() == component.resolve()
    for line in (component / "examples" / "hear" / "sdkconfig.defaults").read_text().splitlines():
        assert re.fullmatch(r"CONFIG_ESP_MAIN_TASK_STACK_SIZE=\d+", line)


@pytest.mark.slow
@pytest.mark.parametrize("chip", ["esp32", "esp32s3", "esp32c3"])
def test_the_example_compiles_with_real_headers(
    chip: str, component: Path, board_tools: None, tmp_path: Path
) -> None:
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} does not name a checkout of ESP-IDF")
    components = Path(os.environ[VARIABLE]).resolve() / "components"
    target = f"IDF_TARGET_{chip.upper()}"
    pins = "".join(
        f"#define CONFIG_{pin} {gpio}\n" for pin, gpio in defaults(component, target).items()
    )
    (tmp_path / "sdkconfig.h").write_text(
        f'#define CONFIG_IDF_TARGET "{chip}"\n#define CONFIG_{target} 1\n{pins}'
    )
    names = ("esp_driver_i2s", "esp_hal_i2s", "esp_hal_gpio", "esp_common", "hal", "soc")
    folders = [
        folder
        for name in names
        for folder in (
            *(components / name / "include", components / name / chip / "include"),
            components / name / chip,
        )
        if folder.is_dir()
    ]
    flags = ("-std=gnu++2b", "-Wall", "-Wextra", "-Werror", "-fno-exceptions", "-fno-rtti")
    includes = [f"-I{folder}" for folder in (tmp_path, component / "src", *folders)]
    main = component / "examples" / "hear" / "main" / "main.cc"
    run(COMPILER, *flags, "-fsyntax-only", *includes, main)
