# SPDX-License-Identifier: Apache-2.0
"""kws bench: counts are reproducible, and the parts add up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.errors import ToolError
from kws.host.build.firmware import build
from kws.host.measure.benchmark import BoardFigures, bench_board, bench_flash, bench_host
from kws.host.measure.footprint import read_footprint
from tests.command_line import Run

pytestmark = pytest.mark.usefixtures("board_tools")


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return load_bundle(default_bundle_path().with_name("tiny")).without_second_look()


@pytest.fixture(scope="module")
def figures(bundle: Bundle) -> BoardFigures:
    return bench_board("qemu", bundle.model)


@pytest.mark.slow
def test_a_second_run_gives_the_same_counts(bundle: Bundle, figures: BoardFigures) -> None:
    assert bench_board("qemu", bundle.model) == figures


def test_ops_and_interpreter_add_up_to_the_inference(bundle: Bundle, figures: BoardFigures) -> None:
    # RESHAPE is not executed; it only renames a tensor.
    assert [op.op for op in figures.ops] == [op for op in bundle.ops if op != "RESHAPE"]
    assert sum(op.instructions for op in figures.ops) + figures.interpreter == figures.inference
    cycles = sum(op.cycles for op in figures.ops) + figures.interpreter_cycles
    assert cycles == figures.inference_cycles
    for op in figures.ops:
        assert op.instructions < op.cycles < 2 * op.instructions


def test_figures_stay_below_their_limits(figures: BoardFigures) -> None:
    assert figures.inference <= 450_000
    assert figures.hop <= 45_000
    assert figures.arena <= 6_300
    assert figures.interpreter <= figures.inference / 100
    assert figures.inference_cycles <= 440_000
    assert figures.hop_cycles <= figures.hop_cycles_max <= 32_000


def test_parts_of_the_flash_add_up(bundle: Bundle) -> None:
    flash = bench_flash("qemu", Device(bundle))
    size = build("qemu", Device(bundle)).size
    assert abs(sum(flash.flash.values()) - size.flash) <= 64  # alignment between sections
    assert sum(flash.ram.values()) + size.stack == pytest.approx(size.ram, abs=64)
    assert flash.flash["model"] >= len(bundle.model)
    assert sum(flash.kernels.values()) == flash.flash["kernels"]


def test_the_firmware_stays_small(bundle: Bundle) -> None:
    flash = bench_flash("qemu", Device(bundle))
    assert "libraries" not in flash.flash
    assert flash.flash_without("model", "pipeline") <= 17_500
    assert flash.flash_without("model", "pipeline", "frontend") <= 13_000


def test_json_has_the_figures(kws: Run) -> None:
    code, out, _ = kws("bench", "--board", "qemu", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["inference"] > answer["interpreter"]
    assert answer["footprint"]["flash"]["model"] > 0


def test_a_built_in_bundle_can_be_named(kws: Run) -> None:
    code, out, _ = kws("bench", "--model", "tiny", "--json")
    assert code == 0
    assert "DEPTHWISE_CONV_2D" in dict(json.loads(out)["op_microseconds"])


def test_a_file_that_is_not_a_map_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "firmware.map"
    with pytest.raises(ToolError, match="build the firmware again"):
        read_footprint(file)
    file.write_text("hello")
    with pytest.raises(ToolError, match="not a map"):
        read_footprint(file)


def test_host_times_the_ops_that_run(bundle: Bundle, figures: BoardFigures) -> None:
    host = bench_host(bundle.model, seconds=0.05)
    assert [op for op, _ in host.op_microseconds] == [op.op for op in figures.ops]
    assert all(spent > 0 for _, spent in host.op_microseconds)
    assert host.clips_per_second > 0
