"""The models around rp2040js detect deliberate faults in the Raspberry Pi Pico's drivers.

rpi_pico.toml lists the faults; see test_mutants.py. A fault is detected if the models report
misuse, or if the lines or the LED's changes differ from the ones without the fault.
"""

from __future__ import annotations

import json
import re
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from kws._core import FAULT_LINES
from kws.audio.background_noises import quiet_room
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.errors import BoardError
from kws.host.build.boards import find_board
from kws.host.build.elf_sections import content_of, symbols
from kws.host.emulate.processes import PARALLEL
from kws.host.emulate.recordings import default_matrix, load_matrix
from kws.host.emulate.rp2040js import Rp2040js
from kws.host.serial.ports import BAUD, FAST_BAUD
from tests.firmware.mutants.playing import Workshop, mutants
from tests.host.emulate.test_rp2040js import RARELY, crc32_msb_first, with_interval
from tests.paths import ROOT

BOARD = "rpi_pico"
_COUNTED = re.compile(r"[\d.]+ % idle, \d+ k cycles|stack \d+")


def test_each_edit_matches_once(bundle: Bundle, tmp_path: Path) -> None:
    workshop = Workshop(BOARD, bundle, tmp_path)
    names = [mutant.name for mutant in mutants(BOARD)]
    page = " ".join((ROOT / "docs" / "boards" / f"{BOARD}.md").read_text().split())
    assert f"puts {len(names)} faults into" in page
    assert len(set(names)) == len(names)
    for mutant in mutants(BOARD):
        for file, old, _ in mutant.edits:
            assert workshop.count(file, old) == 1, f"{mutant.name}: {old!r}"


@pytest.mark.rp2040js
@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
def test_each_fault_is_detected(tiny: Bundle, tmp_path: Path) -> None:
    every = load_matrix(default_matrix(), tiny.labels)
    pcm = next(r.pcm for r in every if r.expected[0].name == "yes by annie")
    (tmp_path / "work").mkdir()
    light = with_interval(RARELY, tiny, tmp_path / "bundle")  # idle time is emulated quickly
    workshop = Workshop(BOARD, light.bundle, tmp_path / "work")
    table = mutants(BOARD)
    good = workshop.build_all()
    builds = [(good, play) for play in sorted({mutant.play for mutant in table})]
    builds += [(workshop.build(mutant), mutant.play) for mutant in table]
    with Rp2040js(find_board(BOARD)) as pico, ThreadPoolExecutor(PARALLEL) as pool:
        seen = list(pool.map(lambda build: outcome(pico, build[0], build[1], pcm), builds))
    right = {play: text for (elf, play), text in zip(builds, seen, strict=True) if elf == good}

    assert len(re.findall(r"^scores( \d+)+ @\d+ms$", right["sound"], re.M)) > 3
    assert FAULT_LINES["watchdog"] in right["hang"]
    assert "pcm: 16000 samples, 0 lost" in right["pcm"]

    wrong = seen[len(right) :]
    survivors = {
        mutant.name for mutant, text in zip(table, wrong, strict=True) if text == right[mutant.play]
    }
    assert survivors == {mutant.name for mutant in table if mutant.survives}


def outcome(pico: Rp2040js, elf: Path, play: str, pcm: Pcm) -> str:
    """The board's lines and the LED's changes, or how the models end the run."""
    signed = elf.with_suffix(f".{play}.elf")
    signed.write_bytes(with_crc(elf, hangs=play == "hang"))
    lights = elf.with_suffix(f".{play}.json")
    seconds = {"sound": 1.6, "hang": 4.8, "quiet": 5.0, "pcm": 2.6}[play]
    typed = [(0.05, "scores on"), (seconds - 0.2, "level"), (seconds - 0.15, "stats")]
    rates: list[tuple[float, int]] = []
    if play == "pcm":
        typed = [(0.4, "pcm 1"), (2.3, "stats")]
        rates = [(0.5, FAST_BAUD), (1.9, BAUD)]
    sound = pcm if play == "sound" else quiet_room(round(16000 * seconds))
    try:
        serial = pico.play(signed, sound, typed, seconds, rates, lights=lights)
    except BoardError as error:
        return str(error)
    return _COUNTED.sub("", serial.text) + str(json.loads(lights.read_text()))


def with_crc(elf: Path, *, hangs: bool) -> bytes:
    """The firmware with the CRC of its second stage, which a mutant may change.

    Args:
        elf: the firmware.
        hangs: whether its pipeline runs forever.
    """
    content = bytearray(elf.read_bytes())
    with elf.open("rb") as stream:
        boot2 = ELFFile(stream).get_section_by_name(".boot2")
        assert boot2 is not None
        at = boot2["sh_offset"]
    struct.pack_into("<I", content, at + 252, crc32_msb_first(bytes(content[at : at + 252])))
    if hangs:
        names = symbols(elf)
        name = next(name for name in names if name.startswith("_ZN3kws8Pipeline10ProcessHop"))
        start = content_of(elf, name).start - 1  # the address of Thumb code is odd
        content[start : start + 2] = b"\xfe\xe7"  # b .
    return bytes(content)
