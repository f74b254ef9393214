# SPDX-License-Identifier: Apache-2.0
"""Firmware is built offline and in parallel, without heap, stdio, libm or exceptions."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.errors import ToolError, UsageError
from kws.host.build.boards import Board, boards, find_board, firmware_folder
from kws.host.build.elf_sections import symbols
from kws.host.build.firmware import Firmware, build, build_sources, generated
from kws.host.build.platformio_run import ELF, NO_SOURCES, process_environment
from tests.command_line import Run

pytestmark = pytest.mark.usefixtures("board_tools")


@pytest.fixture(scope="session")
def firmware(yes_no: Bundle) -> Firmware:
    return build("qemu", Device(yes_no))


@pytest.mark.parametrize(
    "board", ["qemu", "nano33ble", "sparkfun_edge", "rpi_pico", "b_l475e_iot01a"]
)
def test_no_heap_stdio_libm_or_exceptions_on_the_device(board: str, yes_no: Bundle) -> None:
    names = set(symbols(build(board, Device(yes_no)).elf))
    forbidden = re.compile(
        r"_?(malloc|free|calloc|realloc|sbrk|f?printf|v?s?n?printf|puts|fopen|fwrite|write|exit"
        r"|sinf?|cosf?|expf?|logf?|log2f?|powf?|sqrtf?|floorf?|roundf?)(_r)?"
        r"|_Zn[wa].*|_Zd[la].*|__cxa_(throw|begin_catch|guard_acquire|atexit)|_ZTI.*|__gxx_.*"
    )
    assert sorted(name for name in names if forbidden.fullmatch(name)) == []
    assert {"main", "g_model", "KwsReset"} <= names, "the symbols were read"


def test_only_the_models_kernels_are_linked(firmware: Firmware) -> None:
    """Kernels that the model does not use are not linked."""
    names = " ".join(symbols(firmware.elf))
    assert "Softmax" in names
    for unused in ("AveragePool", "Svdf", "MaxPool", "BuiltinOpName"):
        assert unused not in names


def test_size_lists_the_content_of_flash_and_ram(firmware: Firmware, yes_no: Bundle) -> None:
    size = firmware.size
    assert size.model == len(yes_no.model)
    assert size.arena == yes_no.arena_bytes
    assert size.stack == 8192
    assert size.flash == sum(
        size.sections.get(name, 0)
        for name in (".vectors", ".text", ".rodata", ".ARM.exidx", ".data")
    )
    assert size.ram == sum(size.sections.get(name, 0) for name in (".stack", ".data", ".bss"))
    # The flash image on disk has the same content, plus padding between sections.
    image = (firmware.folder / "firmware.bin").stat().st_size
    assert size.flash <= image <= size.flash + 64


def test_second_build_uses_the_cache(firmware: Firmware, yes_no: Bundle) -> None:
    before = firmware.elf.stat()
    again = build("qemu", Device(yes_no)).elf
    assert again == firmware.elf
    assert (again.stat().st_ino, again.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.slow
def test_parallel_builds_write_only_the_cache_and_their_folders(
    yes_no: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listing(folder: Path) -> list[str]:
        return sorted(str(p) for p in folder.rglob("*") if "__pycache__" not in p.parts)

    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("KWS_CACHE_DIR", str(tmp_path / "my cache, here"))
    # The user's own PlatformIO settings are ignored.
    monkeypatch.setenv("PLATFORMIO_BUILD_FLAGS", "-DBROKEN(")
    before = listing(firmware_folder()), listing(yes_no.firmware)
    outs = [tmp_path / "one folder", tmp_path / "another,folder"]
    tiny = load_bundle(default_bundle_path().with_name("tiny")).without_second_look()
    assert not yes_no.second_look, "with one, its files are another core's"
    tiny = write_bundle(tiny, tmp_path / "tiny")
    with ThreadPoolExecutor(3) as pool:
        another = pool.submit(build, "qemu", Device(tiny))
        first, second = pool.map(lambda out: build("qemu", Device(yes_no), out), outs)
    assert another.result().size.model == len(tiny.model)
    assert first.elf == outs[0] / "firmware.elf"
    assert first.elf.read_bytes() == second.elf.read_bytes(), "the same input, the same firmware"
    assert sorted(p.name for p in outs[1].iterdir()) == [
        "build.log",
        "firmware.bin",
        "firmware.elf",
        "firmware.hex",
        "firmware.map",
    ]
    assert (listing(firmware_folder()), listing(yes_no.firmware)) == before
    assert listing(home) == []
    builds = (tmp_path / "my cache, here" / "firmware").glob("[!.]*")
    assert len(list(builds)) == 2
    cores = (tmp_path / "my cache, here" / "cores").glob("[!.]*")
    assert len(list(cores)) == 1, "compiled once"
    assert "building" not in " ".join(listing(tmp_path / "my cache, here"))


def test_compile_error_is_one_line_that_names_the_log(yes_no: Bundle, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(yes_no.firmware, broken / "firmware")
    with (broken / "firmware" / "model_settings.h").open("a") as file:
        file.write("#error this is broken\n")
    with pytest.raises(ToolError) as caught:
        build_sources("qemu", broken / "firmware")
    message = str(caught.value)
    assert "\n" not in message
    assert "this is broken" in message
    build_log = Path(message.rpartition("the log is ")[2])
    assert "this is broken" in build_log.read_text()


@pytest.mark.usefixtures("no_tools")
def test_missing_compiler_gives_a_one_line_error(yes_no: Bundle, kws: Run) -> None:
    code, out, err = kws("build", "--board", "qemu", "--model", yes_no.path)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "arm-none-eabi-g++ was not found on PATH" in err
    assert "apt-get install gcc-arm-none-eabi" in err


def test_build_command_prints_sizes_and_place(
    firmware: Firmware, yes_no: Bundle, tmp_path: Path, kws: Run
) -> None:
    out = tmp_path / "out"
    code, text, _ = kws("build", "--board", "qemu", "--model", yes_no.path, "--out", out)
    assert code == 0
    board, size = find_board("qemu"), firmware.size
    flash, ram, place, following = text.splitlines()
    share = f"{size.flash / board.flash:.0%}"
    assert flash.split()[:6] == [
        *("flash", f"{size.flash:,}", "of", f"{board.flash:,}", "bytes,", share)
    ]
    assert ram.split()[:4] == ["RAM", f"{size.ram:,}", "of", f"{board.ram:,}"]
    assert place.split() == ["firmware", str(out / "firmware.elf")]
    assert following == f"next: kws test --board qemu --model {yes_no.path}"
    code, text, _ = kws("build", "--board", "qemu", "--model", yes_no.path, "--out", out, "--json")
    assert json.loads(text)["flash"] == firmware.size.flash


@pytest.mark.parametrize(
    ("options", "flash", "ram"),
    [((), 217_000, 37 * 1024), (("--no-verify",), 52_500, 32 * 1024)],
    ids=["second look", "alone"],
)
def test_footprint_names_every_part_and_the_remaining_bytes(
    options: tuple[str, ...], flash: int, ram: int, tmp_path: Path, kws: Run
) -> None:
    device = Device(load_bundle(default_bundle_path().with_name("tiny")))
    if options:
        device = device.without_second_looks()
    arguments = ("build", "--board", "nano33ble", "--model", "tiny", "--out", tmp_path / "f")
    command = (*arguments, *options)
    second = device.bundle.second_look
    # A compiled model's constants, and its table of addresses.
    models = len(device.bundle.model) + (second.program.constant_bytes + 28 if second else 0)
    code, text, err = kws(*command, "--json")
    assert code == 0, err
    report = json.loads(text)
    assert report["limits"] == {"flash": 0xDE000 - 0x10000, "ram": 256 * 1024}
    parts = report["parts"]
    assert parts["model"] == {"flash": models, "ram": 0}
    assert parts["arena"]["ram"] == device.arena_bytes
    assert {"frontend", "kernels", "interpreter", "board", "pipeline", "stack"} <= set(parts)
    assert all(size >= 0 for part in parts.values() for size in part.values())
    for kind in ("flash", "ram"):
        assert sum(part[kind] for part in parts.values()) == report[kind]
    assert report["flash"] <= flash
    assert report["ram"] <= ram
    _, text, _ = kws(*command)
    assert "left" not in text
    following = text.splitlines()[-1]
    more = "".join(f" {option}" for option in options)
    assert following == f"next: kws deploy --board nano33ble{more} --model tiny"
    look = "" if options else r", \d+ ms per second look"
    every = rf"tiny: \d+\.\d ms per inference every {device.bundle.every_ms} ms\*{look}$"
    assert re.search(rf"^processor +\d+% of 64 MHz +{every}", text, re.M)
    _, text, _ = kws(*command, "--details")
    assert text.splitlines()[-1].startswith("next: ")
    remaining = 0xDE000 - 0x10000 - report["flash"]
    assert re.search(rf"^  left +{remaining:,} ", text, re.MULTILINE)
    assert re.search(rf"^  model +{models:,} +-$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("too_large", "message"),
    [
        (
            {r"g_model\[\d+\]": "g_model[2000000]"},
            r"\d+ bytes more than the 843776 of flash \(the model is \d+\)",
        ),
        (
            {r"kArenaBytes = \d+": "kArenaBytes = 300000"},
            r"\d+ bytes more than the 262144 of RAM \(the model's arena is \d+; kws .*\)",
        ),
    ],
)
def test_a_too_large_firmware_is_reported_in_one_line(
    too_large: dict[str, str], message: str, yes_no: Bundle, tmp_path: Path
) -> None:
    shutil.copytree(yes_no.firmware, tmp_path / "firmware")
    for source in (tmp_path / "firmware").iterdir():
        text = source.read_text()
        for old, new in too_large.items():
            text = re.sub(old, new, text)
        source.write_text(text)
    with pytest.raises(ToolError) as caught:
        build("nano33ble", Device(dataclasses.replace(yes_no, path=tmp_path)))
    line = str(caught.value)
    assert "\n" not in line
    start = f"{yes_no.name} does not fit nano33ble: it needs "
    assert re.fullmatch(f"{start}{message}; train a smaller model", line)


@pytest.mark.parametrize("board", boards(), ids=lambda board: board.name)
def test_limits_equal_the_linkers(board: Board, yes_no: Bundle) -> None:
    map_file = build(board.name, Device(yes_no)).map.read_text()
    memory = re.findall(r"^(flash|ram) +(0x\w+) +(0x\w+)", map_file, re.M)
    sizes = {name: int(size, 16) for name, _, size in memory}
    assert sizes == {"flash": board.flash, "ram": board.ram}
    starts = {name: int(start, 16) for name, start, _ in memory}
    assert starts["flash"] == board.flash_start


def test_unknown_option_of_a_board_is_an_error(
    yes_no: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KWS_OPTIONS", "96mhz")
    with pytest.raises(ToolError, match="this board has no option '96mhz'; use none"):
        build("nano33ble", Device(yes_no))


def test_a_bundle_with_the_headers_old_names_is_generated_again(bundle_path: Path) -> None:
    file = bundle_path / "firmware" / "op_resolver.h"
    file.write_text(file.read_text().replace('"kws/runtime/', '"runtime/'))
    bundle = load_bundle(bundle_path)
    with generated(Device(bundle)) as folder:
        assert folder != bundle.firmware
        assert '#include "kws/runtime/op_resolver.h"' in (folder / "op_resolver.h").read_text()


@pytest.mark.slow
def test_revision_of_a_board_is_in_the_firmware(yes_no: Bundle) -> None:
    first, second = build("nano33ble", Device(yes_no)), build("nano33ble_rev2", Device(yes_no))
    assert find_board("nano33ble").dropped_samples == 960
    assert find_board("nano33ble_rev2").dropped_samples == 1600
    assert first.image.read_bytes() != second.image.read_bytes()


def test_a_board_with_a_drive_gets_a_uf2_file(yes_no: Bundle, tmp_path: Path) -> None:
    built = build("xiao_nrf52840_sense", Device(yes_no), tmp_path / "xiao")
    file = (built.folder / "firmware.uf2").read_bytes()
    flash = bytearray()
    for at in range(0, len(file), 512):
        address, size, number, count, family = struct.unpack_from("<5I", file, at + 12)
        assert (address, number) == (0x27000 + len(flash), at // 512)
        assert (size, count, family) == (256, len(file) // 512, 0xADA52840)
        flash += file[at + 32 : at + 32 + size]
    image = built.image.read_bytes()
    assert flash[: len(image)] == image
    assert set(flash[len(image) :]) <= {0xFF}
    assert not (
        build("nano33ble", Device(yes_no), tmp_path / "nano").folder / "firmware.uf2"
    ).exists()


def test_build_does_not_replace_other_folders(yes_no: Bundle, tmp_path: Path, kws: Run) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    code, _, err = kws("build", "--board", "qemu", "--model", yes_no.path, "--out", tmp_path)
    assert code == 2
    assert "contains files other than firmware" in err
    assert (tmp_path / "thesis.tex").exists()


def test_unknown_board_is_wrong_usage(yes_no: Bundle, kws: Run) -> None:
    with pytest.raises(UsageError, match="there is no board 'toaster'; there are "):
        build("toaster", Device(yes_no))
    code, _, err = kws("test", "--board", "toaster", "--model", yes_no.path, "x.wav")
    assert code in {1, 2}
    assert err.count("\n") == 1


def test_boards_lists_every_port(kws: Run) -> None:
    code, out, _ = kws("boards")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [board.name for board in boards()]
    assert "qemu" in out
    project = (firmware_folder() / "platformio.ini").read_text()
    for board in boards():
        assert f"[env:{board.name}]" in project


def test_bench_for_a_real_board_names_the_emulated_board(kws: Run) -> None:
    code, out, err = kws("bench", "--board", "nano33ble")
    assert (code, out) == (2, "")
    assert err == "kws: kws bench runs on the emulated board qemu, not on nano33ble\n"


def _platformio(folder: Path, tmp_path: Path, *arguments: str) -> None:
    """Run `pio run` in `folder` as an editor's plugin does, without a network."""
    run = subprocess.run(
        [sys.executable, "-m", "platformio", "run", "-d", str(folder), *arguments],
        env={
            **os.environ,
            "PLATFORMIO_CORE_DIR": str(tmp_path / "core"),
            "PLATFORMIO_WORKSPACE_DIR": str(tmp_path / "work"),
            "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
            "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "HTTP_PROXY": "http://127.0.0.1:9",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
def test_platformio_run_builds_the_default_model(tmp_path: Path) -> None:
    _platformio(firmware_folder(), tmp_path, "-e", "nano33ble")
    built = tmp_path / "work" / "build" / "nano33ble"
    assert {"firmware.elf", "firmware.bin", "firmware.hex"} <= {p.name for p in built.iterdir()}


def test_platformio_writes_the_compile_commands_for_editors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "firmware"  # the file is written into it
    shutil.copytree(firmware_folder(), project)
    monkeypatch.setenv("KWS_BUNDLE", str(firmware_folder().parent / "assets" / "yes_no"))
    _platformio(project, tmp_path, "-e", "nano33ble", "-t", "compiledb")
    entries = json.loads((project / "compile_commands.json").read_text())
    commands = {entry["file"]: entry["command"] for entry in entries}
    for file in ("src/app/main.cc", "src/boards/nrf52840/microphone.cc"):
        command = commands[file]
        assert Path(command.split()[0]).name == "arm-none-eabi-g++"
        assert "-mcpu=cortex-m4" in command
        # The editor's compiler front end accepts the line unchanged.
        check = subprocess.run(
            [*shlex.split(command), "-fsyntax-only"],
            cwd=entries[0]["directory"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert check.returncode == 0, check.stderr


@pytest.mark.slow
def test_option_moves_the_firmware(yes_no: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KWS_OPTIONS", "asb")
    with build("sparkfun_edge", Device(yes_no)).elf.open("rb") as stream:
        vectors = ELFFile(stream).get_section_by_name(".vectors")
        assert vectors is not None
        assert vectors["sh_addr"] == 0xC000


@pytest.mark.slow
def test_an_edit_of_a_boards_table_is_built_again(yes_no: Bundle, tmp_path: Path) -> None:
    """The table is included through a macro, which SCons does not follow."""
    project = tmp_path / "project"
    ignore = shutil.ignore_patterns(*NO_SOURCES)
    shutil.copytree(firmware_folder(), project, ignore=ignore)
    table = project / "src" / "boards" / "nrf52840" / "tables" / "nano33ble.h"
    command = [sys.executable, "-m", "platformio", "run", "-e", "nano33ble", "-d", str(project)]
    built = []
    for pin in (25, 24):
        text = table.read_text()
        assert text.count("kMicrophoneData = {0, 25}") == 1
        table.write_text(
            text.replace("kMicrophoneData = {0, 25}", f"kMicrophoneData = {{0, {pin}}}")
        )
        environment = process_environment(tmp_path, yes_no.firmware)
        subprocess.run(command, check=True, capture_output=True, env=environment)
        built.append((tmp_path / "build" / "nano33ble" / ELF).read_bytes())
    assert built[0] != built[1]


@pytest.mark.parametrize("board", ["sparkfun_edge", "qemu"])
def test_unknown_option_gives_a_one_line_error(
    board: str, yes_no: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KWS_OPTIONS", "fast")
    with pytest.raises(ToolError, match=r"this board has no option 'fast'; use (96mhz|none)"):
        build(board, Device(yes_no))
