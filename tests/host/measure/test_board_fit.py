# SPDX-License-Identifier: Apache-2.0
"""Flash, RAM and time that a model needs on each board: `kws boards --model`."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.errors import ToolError
from kws.host.build.boards import boards, find_board
from kws.host.build.firmware import DoesNotFitError, build
from kws.host.measure import board_fit, real_time
from kws.host.measure.board_fit import fit_boards
from kws.host.measure.cycle_estimate import ModelCycles
from kws.host.measure.real_time import schedule
from tests.command_line import Run

NANO, EDGE, QEMU = (find_board(name) for name in ("nano33ble", "sparkfun_edge", "qemu"))


@dataclass(frozen=True)
class Built:
    """The attributes of firmware that board_fit reads."""

    flash: int
    ram: int

    @property
    def size(self) -> Built:
        return self


def use(monkeypatch: pytest.MonkeyPatch, cycles: int, built: Built | Exception) -> None:
    """Stub the cycle count of an inference and the result of each build."""
    spent = ModelCycles(cycles, 31_000, 500_000, cycles // 4)
    monkeypatch.setattr(real_time, "estimate_cycles", lambda *_: spent)

    def build(board: str, bundle: Bundle, *, ring_hops: int) -> Built:
        if isinstance(built, Exception):
            raise built
        return built

    monkeypatch.setattr(board_fit, "build", build)


def test_each_board_is_judged_by_flash_ram_and_time(
    tiny: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, 640_000, Built(50_000, 30_000))
    nano, edge, qemu = fit_boards([NANO, EDGE, QEMU], tiny)
    assert nano.fits and edge.fits and qemu.fits
    assert nano.load is not None and nano.load.inference_ms == pytest.approx(10)
    assert edge.load is not None and edge.load.inference_ms == pytest.approx(640 / 48)
    assert qemu.load is None and not qemu.unknown
    assert (nano.flash, nano.ram, nano.built) == (50_000, 30_000, True)


def test_a_too_slow_board_is_shown(tiny: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, 64_000_000, Built(50_000, 30_000))
    nano, qemu = fit_boards([NANO, QEMU], tiny)
    assert nano.load is not None and nano.load.share > 1
    assert nano.problems == ("too slow",)
    assert qemu.fits


def test_a_too_large_model_is_shown_with_its_flash(
    tiny: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, 640_000, DoesNotFitError("too large", NANO.flash + 5, None))
    (nano,) = fit_boards([NANO], tiny)
    assert (nano.flash, nano.ram, nano.built) == (NANO.flash + 5, None, False)
    assert nano.problems == ("too little flash",)


def test_without_an_estimate_the_sizes_are_shown(
    tiny: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, 0, Built(50_000, 30_000))

    def missing(*_: object) -> ModelCycles:
        raise ToolError("qemu-system-arm was not found on PATH")

    monkeypatch.setattr(real_time, "estimate_cycles", missing)
    (nano,) = fit_boards([NANO], tiny)
    assert (nano.load, nano.flash) == (None, 50_000)
    assert nano.unknown == "qemu-system-arm was not found on PATH"
    assert nano.fits


def test_the_sizes_equal_those_of_kws_build(tiny: Bundle, board_tools: None) -> None:
    firmware = build(NANO.name, Device(tiny), ring_hops=schedule(NANO, Device(tiny)).ring_hops)
    (fit,) = fit_boards([NANO], tiny)
    assert (fit.flash, fit.ram) == (firmware.size.flash, firmware.size.ram)


def test_the_command_has_a_row_for_each_board(
    tiny: Bundle, kws: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, 640_000, Built(50_000, 30_000))
    code, text, _ = kws("boards", "--model", "tiny")
    assert code == 0
    rows = {line.split()[0]: line for line in text.splitlines()}
    assert {board.name for board in boards()} <= set(rows)
    assert rows["nano33ble"].split() == [
        *(
            "nano33ble",
            "10.0",
            f"{tiny.every_ms}",
            "ms",
            f"{schedule(NANO, Device(tiny)).loads[0].share:.0%}",
            "50,000",
            "(6%)",
            "30,000",
            "(11%)",
            "yes",
        )
    ]
    assert "estimates" in text and "of built firmware" in text
    code, text, _ = kws("boards", "--model", "tiny", "--json")
    report = json.loads(text)
    nano = next(row for row in report["boards"] if row["board"] == "nano33ble")
    assert (nano["fits"], nano["time_is"], nano["sizes_are"]) == (True, "estimated", "built")
    assert nano["inference_ms"] == pytest.approx(10)


def test_a_mistyped_model_gives_a_one_line_error(kws: Run) -> None:
    code, out, err = kws("boards", "--model", "tinny")
    assert (code, out) == (1, "")
    assert "did you mean 'tiny'?" in err
