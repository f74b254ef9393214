"""The self-test of boards in Renode: a good board passes, and each fault is reported with a remedy.

The faults are those of tests/firmware/mutants. Time is the emulated board's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.host.build.boards import find_board
from kws.host.deploy.board_finder import BoardFinder
from kws.host.emulate.recordings import default_matrix
from kws.host.selftest import measuring
from kws.host.serial.ports import Port
from tests.command_line import Run
from tests.firmware.mutants.playing import Workshop, mutants
from tests.host.selftest.emulated_board import EmulatedBoard

pytestmark = [
    pytest.mark.slow,
    pytest.mark.renode,
    pytest.mark.usefixtures("board_tools"),
]

VOICE_PEAK_DB = {"nano33ble": -43.0, "sparkfun_edge": -33.0, "b_l475e_iot01a": -28.0}
"""Peak of a voice at 30 cm, in dB of full scale, at the board's default gain."""


class Fault(NamedTuple):
    """A fault of a board, and the expected result of the self-test."""

    mutant: str
    """Name in the board's table; empty: none."""
    failed: set[str]
    """The checks that must fail."""
    cure: str
    """Part of the remedy that a failed check must print."""
    changes: tuple[str, ...] = ()
    """Renode commands."""


CLOCK = "the microphone's clock is wrong"
SLOW = "the core is slow"

FAULTS = {
    "nano33ble": (
        Fault("gain has the wrong sign", {"voice level"}, "about 20 dB too high"),
        Fault(
            "",
            {"voice level", "voice above quiet"},
            "about 20 dB too low",
            ("microphone FileGain 60",),
        ),
        Fault("20 kHz: ratio 64", {"samples"}, CLOCK),
        Fault("15.4 kHz: clock of 1.231 MHz", {"samples"}, CLOCK),
        Fault("power pin is low", {"microphone"}, "the microphone is dead"),
        Fault("PDM is not enabled", {"microphone"}, "check the microphone's wiring and power"),
        # A faulty chip. The only driver fault with the same effect, a disabled cache, is a mutant.
        Fault("", {"core clock"}, SLOW, ("flash_controller CoreMhz 32",)),
    ),
    "sparkfun_edge": (
        Fault("the converter's clock is off", {"microphone"}, "check the microphone's wiring"),
        # This halves all clocks of the chip.
        Fault("the core's clock is halved", {"core clock", "serial line", "samples"}, SLOW),
        Fault("gain 20 dB down", {"voice level"}, "about 20 dB too low"),
        Fault("20 kHz", {"samples"}, CLOCK),
    ),
    "b_l475e_iot01a": (
        Fault("12.8 kHz", {"samples"}, CLOCK),
        # At 0 dB this board is 5 dB louder than others.
        Fault("gain 20 dB down", {"voice level"}, "about 15 dB too low"),
        Fault("wrong data pin", {"microphone"}, "the microphone is dead"),
    ),
}

SelfTest = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def selftest(kws: Run, monkeypatch: pytest.MonkeyPatch) -> SelfTest:
    """Runs `kws selftest` on a board in Renode; returns the exit code and JSON output."""
    measure = measuring.measure

    def run(name: str, elf: Path, changes: tuple[str, ...] = ()) -> tuple[int, dict[str, Any]]:
        # The command opens and closes it.
        board = EmulatedBoard(find_board(name), elf, voice(VOICE_PEAK_DB[name]), changes)
        monkeypatch.setattr(BoardFinder, "first", lambda _: (Port(board.device), board))
        timed = partial(measure, prompt=board.prompt, clock=board)
        monkeypatch.setattr(measuring, "measure", lambda link, _: timed(link))
        code, out, _ = kws("selftest", "--json")
        result: dict[str, Any] = json.loads(out)
        return code, result

    return run


def voice(peak_db: float) -> Pcm:
    """Some words, int16[n], 16 kHz."""
    names = ("yes_slt", "no_awb", "left_slt")
    words = np.concatenate([load_clip(default_matrix() / f"{name}.flac") for name in names])
    factor = 32768 * 10 ** (peak_db / 20) / np.abs(words.astype(np.int32)).max()
    scaled: Pcm = (words * factor).round().astype(np.int16)
    return scaled


@pytest.mark.parametrize("board", FAULTS)
def test_a_good_board_passes_and_each_fault_is_reported(
    board: str, selftest: SelfTest, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    # A second look at 48 MHz needs a longer ring than a workshop's firmware has.
    alone = load_bundle(default_bundle_path()).without_second_look()
    workshop = Workshop(board, write_bundle(alone, tmp_path / "bundle"), tmp_path / "work")
    good = workshop.build_all()
    code, result = selftest(board, good)
    assert [check["name"] for check in result["checks"] if not check["ok"]] == []
    assert (code, result["board"], result["passed"]) == (0, board, True)
    assert len(result["checks"]) == 16

    table = {mutant.name: mutant for mutant in mutants(board)}
    for fault in FAULTS[board]:
        elf = workshop.build(table[fault.mutant]) if fault.mutant else good
        code, result = selftest(board, elf, fault.changes)
        failed = {check["name"]: check for check in result["checks"] if not check["ok"]}
        assert (code, set(failed)) == (1, fault.failed), fault
        assert any(fault.cure in check["cure"] for check in failed.values()), fault
