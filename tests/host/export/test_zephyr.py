# SPDX-License-Identifier: Apache-2.0
"""The Zephyr module builds in CMake, and its sample detects the same words as the device.

The sample runs on the PC, with stub headers for Zephyr and a simulated microphone driver that is as
strict as Nordic's.

KWS_ZEPHYR is a folder that Zephyr's build target llext-edk makes, for a board with a microphone
(dmic_dev): Zephyr's headers, the board's configuration and devicetree as headers, and the options
of the compiler. The sample and the library compile with it; nothing is linked.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.host.build.programs import COMPILER
from kws.host.export.exporters import export
from tests.host.export.building import lines, refusal, run, slow_files

STUBS = Path(__file__).with_name("zephyr_stubs")
VARIABLE = "KWS_ZEPHYR"
KNOWN_OPTIONS = {"AUDIO", "AUDIO_DMIC", "MAIN_STACK_SIZE", "REGULATOR"}
"""Options of Zephyr that the sample may set."""


@pytest.fixture(scope="module")
def module(yes_no: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workspace") / "kws_yes_no"
    export("zephyr", yes_no, folder)
    return folder


@pytest.fixture(scope="module")
def build(module: Path) -> Path:
    """A build of the sample as by west, with ZEPHYR_BASE set to the stubs."""
    folder = module.parent / "build"
    run("cmake", "-S", module / "samples" / "hear", "-B", folder, "-G", "Unix Makefiles",
        "-DCMAKE_CXX_STANDARD=11", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        env={**os.environ, "ZEPHYR_BASE": str(STUBS)})  # fmt: skip
    run("cmake", "--build", folder, f"-j{os.cpu_count()}")
    return folder


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text())


def test_the_sample_hears_what_the_device_hears(
    build: Path, sound: Pcm, heard: list[tuple[str, int, int]]
) -> None:
    assert run(build / "app", sound=sound.tobytes()) == lines(heard)


def test_the_sample_restarts_after_lost_samples(
    build: Path, sound: Pcm, heard: list[tuple[str, int, int]]
) -> None:
    expected = "samples were lost\n" + lines(heard)
    assert run(build / "app", sound=sound.tobytes(), env={"LOSE": "1"}) == expected


@pytest.mark.parametrize(
    "change",
    [
        ("kSampleRate", "kSampleRate / 2", "not 16 kHz"),
        ("pcm_width = 16", "pcm_width = 24", "not 16 bits"),
        ("req_num_chan = 1", "req_num_chan = 2", "not one channel"),
        ("PDM_CHAN_LEFT", "PDM_CHAN_RIGHT", "not left"),
        ("stream.block_size = kBlock", "stream.block_size = 2 * kBlock", "does not fit"),
        ("sizeof(int16_t), 8, 4)", "sizeof(int16_t), 4, 4)", "too few blocks"),
        ("min_pdm_clk_freq = 1000000", "min_pdm_clk_freq = 2000000", "clock"),
        ("    k_mem_slab_free(&blocks, block);\n", "", "not freed"),
        ("if (!device_is_ready(microphone) ||", "if (", "before device_is_ready"),
        ("Configure() != 0 ||", "", "not configured"),
    ],
)
def test_a_wrong_sample_is_found(
    build: Path, module: Path, sound: Pcm, tmp_path: Path, change: tuple[str, str, str]
) -> None:
    """The stub microphone rejects the same arguments as Nordic's driver."""
    old, new, error = change
    text = (module / "samples" / "hear" / "src" / "main.cc").read_text()
    assert old in text
    source = tmp_path / "main.cc"
    source.write_text(text.replace(old, new))
    program, library = tmp_path / "app", build / "module" / "libkws_yes_no.a"
    folders = (f"-I{STUBS / 'include'}", f"-I{module / 'src'}")
    run("g++", "-std=c++11", *folders, source, STUBS / "driver.cc", library, "-o", program)
    assert error in refusal(program, sound.tobytes())


def test_the_loops_are_fast(build: Path) -> None:
    assert slow_files(build) == []


def test_the_module_is_off_by_default(module: Path, tmp_path: Path) -> None:
    (tmp_path / "prj.conf").write_text("")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20.0)\n"
        f"set(EXTRA_ZEPHYR_MODULES {module})\n"
        "find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})\nproject(own)\n"
        'if(TARGET kws_yes_no)\n  message(FATAL_ERROR "the library is built")\nendif()\n'
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Unix Makefiles",
        env={**os.environ, "ZEPHYR_BASE": str(STUBS)})  # fmt: skip


def test_files_name_files_that_exist(module: Path) -> None:
    about = read(module / "zephyr" / "module.yml")
    assert about["name"] == "kws_yes_no"
    assert (module / about["build"]["cmake"] / "CMakeLists.txt").is_file()
    assert (module / about["build"]["kconfig"]).is_file()
    assert [(module / folder).is_dir() for folder in about["samples"]] == [True]
    tests = read(module / "samples" / "hear" / "sample.yaml")["tests"]
    boards = tests["kws_yes_no.hear"]["integration_platforms"]
    names = {board.replace("/", "_") for board in boards}
    files = (module / "samples" / "hear" / "boards").iterdir()
    assert {file.stem for file in files} == names
    readme = (module / "README.md").read_text()
    assert all(f"`{board}`" in readme for board in boards)


def test_the_manifest_puts_zephyr_beside_the_module(module: Path) -> None:
    manifest = read(module / "west.yml")["manifest"]
    assert manifest["self"]["path"] == module.name
    (zephyr,) = manifest["projects"]
    assert zephyr["remote"] in [remote["name"] for remote in manifest["remotes"]]
    assert re.fullmatch(r"v\d+\.\d+\.\d+", zephyr["revision"])
    assert f"the version of Zephyr, {zephyr['revision']}," in (module / "README.md").read_text()


def test_the_configuration_sets_options_that_exist(module: Path) -> None:
    own = re.findall(r"^config (\w+)$", (module / "zephyr" / "Kconfig").read_text(), re.MULTILINE)
    assert own == ["KWS_YES_NO"]
    for file in (module / "samples").rglob("*.conf"):
        text = re.sub(r"^#.*\n", "", file.read_text(), flags=re.MULTILINE)
        for line in text.splitlines():
            match = re.fullmatch(r"CONFIG_(\w+)=(y|\d+)", line)
            assert match, line
            assert match[1] in {*own, *KNOWN_OPTIONS}


@pytest.mark.slow
@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_the_sample_compiles_with_real_headers(
    standard: str, module: Path, board_tools: None, tmp_path: Path
) -> None:
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} does not name a folder of Zephyr's target llext-edk")
    kit = Path(os.environ[VARIABLE]).resolve()
    text = (kit / "cmake.cflags").read_text().replace("${CMAKE_CURRENT_LIST_DIR}", str(kit))
    (options,) = re.findall(r"^set\(LLEXT_CFLAGS (.*)\)$", text, re.MULTILINE)
    # Options for C, for the library of Zephyr's compiler, and for code that is loaded at run time.
    refused = ("-std=", "-specs=", "-Wno-pointer-sign", "-Werror=implicit-int", "-DLL_EXTENSION")
    flags = [word for word in options.split(";") if not word.startswith(refused)]
    for source in (
        module / "samples" / "hear" / "src" / "main.cc",
        module / "src" / "kws_yes_no.cc",
    ):
        run(COMPILER, *flags, f"-std={standard}", "-fno-exceptions", "-fno-rtti", "-Wextra",
            "-Werror", "-Wno-error=expansion-to-defined", f"-I{module / 'src'}", "-c", source,
            "-o", tmp_path / "object.o")  # fmt: skip
