"""This project's Renode models of the Apollo3, tested by a program that runs on them."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from kws.host.build.boards import firmware_folder
from kws.host.build.programs import COMPILER
from kws.host.emulate.renode import scripts
from tests.paths import ROOT

SOURCE = ROOT / "kws/firmware/test/boards/sparkfun_edge/apollo3_models_main.cc"
FLAGS = (
    *("-std=c++17", "-O2", "-mcpu=cortex-m4", "-mthumb", "-Wall", "-Wextra", "-Werror"),
    *("-fno-exceptions", "-fno-rtti", "-fno-tree-loop-distribute-patterns"),
    *("-nostartfiles", "-nodefaultlibs"),
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed")
    elf = tmp_path_factory.mktemp("program") / "models.elf"
    source = firmware_folder() / "src"
    link = source / "boards" / "sparkfun_edge" / "sparkfun_edge.ld"
    command = [COMPILER, *FLAGS, f"-I{source}", SOURCE, "-T", link, "-o", elf]
    subprocess.run([str(word) for word in command], check=True)
    return elf


@pytest.mark.slow
@pytest.mark.renode
def test_models_behave_like_the_chip(program: Path, tmp_path: Path) -> None:
    for name, samples in {
        "first": [n % 1000 * 20 - 10000 for n in range(16000)],
        "second": [7000 - n % 700 * 10 for n in range(16000)],
    }.items():
        (tmp_path / f"{name}.raw").write_bytes(struct.pack(f"<{len(samples)}h", *samples))
    serial = tmp_path / "serial.txt"
    (tmp_path / "models.resc").write_text(
        f"""logLevel 3
$elf=@{program}
include @{scripts() / "sparkfun_edge.resc"}
uart0 CreateFileBackend @{serial} true
microphone SetInputFile @{tmp_path / "first.raw"} 1
microphone SetInputFile @{tmp_path / "second.raw"} 2
emulation RunFor "0.5"
uart0 WriteLine "ping"
echo "red at first:"
gpio.led_red State
echo "lost:"
microphone Lost
emulation RunFor "1.5"
echo "red after resets:"
gpio.led_red State
quit
"""
    )
    options = [
        "--disable-xwt",
        "--console",
        "--plain",
        "-e",
        f"include @{tmp_path / 'models.resc'}",
    ]
    done = subprocess.run(
        ["renode", *options], capture_output=True, text=True, timeout=600, check=False
    )
    assert serial.is_file(), done.stdout + done.stderr
    lines = serial.read_text().splitlines()
    assert [line for line in lines if line.startswith("wrong")] == []
    # Each `Check` and `ok ` of the program was executed.
    names = re.findall(r'(?:Check\(\s*"|Put\("ok )([^"\\]+)', SOURCE.read_text())
    said = [line[3:] for line in lines if line.startswith("ok ")]
    assert set(said) == set(names)
    # The check of timer A0 runs three times; the two UART checks also run after each reset.
    assert len(said) == len(names) + 2 + 2 * 2
    assert lines[-1] == "end"
    assert re.search(r"red at first:\s+True\s+lost:\s+0x0*[1-9A-F]", done.stdout), done.stdout
    assert re.search(r"red after resets:\s+False", done.stdout), done.stdout
