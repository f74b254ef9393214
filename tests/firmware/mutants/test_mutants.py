"""Renode detects deliberate faults in the boards' drivers.

The .toml files in this folder list the faults. A peripheral model that accepts a wrong pin, rate or
clock would pass a driver that fails on a real board, so this tests the models. `make mutants` runs
only these tests.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kws._core import FAULT_LINES
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.emulate import host_device
from kws.host.emulate.recordings import default_matrix, load_matrix
from kws.host.serial.lines import Samples, is_start, parse_line
from tests.firmware.mutants.playing import LEDS, REGISTERS, SAVES, Workshop, mutants, traces
from tests.paths import ROOT

# Plays that only some boards' tables use.
OTHERS = {"pcm", "quiet", "minute"}
LEAST = {"xiao_nrf52840_sense": 10, "nrf52840_dk": 10}


@pytest.mark.parametrize("board", LEDS)
def test_each_edit_matches_once(board: str, bundle: Bundle, tmp_path: Path) -> None:
    workshop = Workshop(board, bundle, tmp_path)
    names = [mutant.name for mutant in mutants(board)]
    page = " ".join((ROOT / "docs" / "boards" / f"{board}.md").read_text().split())
    assert len(names) >= LEAST.get(board, 40)
    assert f"`make mutants` puts {len(names)} faults into" in page
    assert len(set(names)) == len(names)
    for mutant in mutants(board):
        for file, old, _ in mutant.edits:
            assert workshop.count(file, old) == 1, f"{mutant.name}: {old!r}"


@pytest.mark.renode
@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize("board", LEDS)
def test_each_fault_is_detected(board: str, bundle: Bundle, tmp_path: Path) -> None:
    # The score of this word changes if the level is 20 dB lower; others may score the same.
    every = load_matrix(default_matrix(), bundle.labels)
    pcm = next(r.pcm for r in every if r.expected[0].name == "yes by annie")
    workshop = Workshop(board, bundle, tmp_path)
    good = workshop.build_all()
    table = mutants(board)
    kinds = ("sound", "loud", "hang", "deaf", *SAVES, *sorted(OTHERS & {m.play for m in table}))
    right = dict(zip(kinds, traces(board, [(good, kind) for kind in kinds], pcm), strict=True))

    # Without a fault, the output equals the host's, so faults can be compared with it.
    host = host_device.play(Device(bundle), pcm).text.splitlines()[1:]
    lines = right["sound"].text.splitlines()
    assert host
    assert lines[1:-2] == host
    assert lines[-2].startswith("level: ")
    assert lines[-1].startswith("stats: ")
    assert "gain 6 dB" in right["loud"].text
    assert FAULT_LINES["watchdog"] in right["hang"].text
    assert FAULT_LINES["no_samples"] in right["deaf"].text

    assert right["sound"].registers == tuple(value for _, _, value in REGISTERS[board])

    # The pipeline is reset at the first sample sent.
    for kind, trace in right.items():
        starts = 2 if kind in ("settings", "pages", "hang", "pcm") else 1
        assert sum(map(is_start, trace.text.split("\n"))) == starts, kind
    if "pcm" in right:
        assert "pcm: 16000 samples, 0 lost" in right["pcm"].text
        sent = map(parse_line, right["pcm"].text.split("\n"))
        numbers = [line.number for line in sent if isinstance(line, Samples)]
        assert numbers == list(range(250))

    for kind, saves in SAVES.items():
        answers = right[kind].text.splitlines()
        assert f"settings: gain {(saves - 1) % 7} dB, threshold 180" in answers
        assert ", 0 samples lost, " in answers[-1]

    plays = [(workshop.build(mutant), mutant.play) for mutant in table]
    detected = {
        mutant: not trace.is_like(right[mutant.play])
        for mutant, trace in zip(table, traces(board, plays, pcm), strict=True)
    }
    survivors = {mutant.name for mutant, seen in detected.items() if not seen}
    assert survivors == {mutant.name for mutant in table if mutant.survives}
