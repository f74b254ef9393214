# SPDX-License-Identifier: Apache-2.0
"""Whether a board keeps up with a bundle, and the required size of the sample ring."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device, with_commands
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.errors import BoardError, ToolError
from kws.host.build.boards import Board, boards, find_board, firmware_folder
from kws.host.build.elf_sections import symbols
from kws.host.build.firmware import build
from kws.host.build.firmware_cache import OPTIONS
from kws.host.build.ring import DEFAULT_HOPS
from kws.host.measure import cycle_estimate, real_time
from kws.host.measure.benchmark import bench_board, bench_core
from kws.host.measure.cycle_estimate import ESTIMATES, M0PLUS, ModelCycles, estimate_cycles
from kws.host.measure.real_time import CONSOLE_MS, QUEUED_HOPS, Schedule, schedule
from tests.command_line import Run
from tests.small_models import LABELS, dense_model

NANO, EDGE = find_board("nano33ble"), find_board("sparkfun_edge")
ESTIMATED = [board for board in boards() if board.clock]


def bundle_of(stride: int = 2) -> Bundle:
    return make_bundle(dense_model(), LABELS, name="dense", inference_stride=stride)


@pytest.fixture
def takes(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Stubs the inference cycle count: one value for all models, or one per model in order."""

    def use(*inferences: float) -> None:
        cycles = [ModelCycles(int(each), 31_000, 500_000, int(each) // 4) for each in inferences]
        monkeypatch.setattr(
            real_time, "estimate_cycles", lambda *_: cycles.pop(0) if len(cycles) > 1 else cycles[0]
        )

    return use


@given(
    inference=st.integers(0, 40_000_000),
    stride=st.integers(1, 50),
    board=st.sampled_from(ESTIMATED),
)
def test_the_proposed_stride_is_the_shortest_that_keeps_up(
    inference: int, stride: int, board: Board
) -> None:
    def plan(stride: int) -> Schedule | str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                real_time,
                "estimate_cycles",
                lambda *_: ModelCycles(inference, 31_000, 500_000, inference // 4),
            )
            try:
                return schedule(board, Device(replace(bundle_of(), inference_stride=stride)))
            except BoardError as error:
                return str(error)

    answer = plan(stride)
    if isinstance(answer, Schedule):
        (load,) = answer.loads
        assert load.share <= 1
        # The samples that arrive during an inference and during a command, and one block.
        assert answer.ring_ms >= load.inference_ms + CONSOLE_MS + 20
        return
    assert f"an inference runs every {20 * stride} ms" in answer
    if proposed := re.search(r"run it every (\d+) ms: kws set \S+ --stride (\d+)", answer):
        every_ms, longer = int(proposed[1]), int(proposed[2])
        assert every_ms == 20 * longer <= 320
        assert isinstance(plan(longer), Schedule)
        assert isinstance(plan(longer - 1), str)
    else:
        assert "no interval up to 320 ms is long enough" in answer
        assert isinstance(plan(16), str)


def test_a_streaming_model_cannot_change_its_stride(takes: Callable[..., None]) -> None:
    takes(4e6)
    usual = bundle_of()
    with pytest.raises(
        BoardError, match=r"streaming model is fixed: .* incremental model with --stride 4 or more"
    ):
        schedule(NANO, Device(replace(usual, input=replace(usual.input, shape=(1, 80)))))


def test_hops_of_10_ms_double_the_frontends_time(takes: Callable[..., None]) -> None:
    takes(0)
    usual = bundle_of()
    fine = replace(usual, frontend=replace(usual.frontend, stride_samples=160))
    (load,), (finer,) = schedule(NANO, Device(usual)).loads, schedule(NANO, Device(fine)).loads
    in_hop = 64e6 * 0.02
    assert finer.share - load.share == pytest.approx(31_000 / in_hop)
    assert (load.every_ms, finer.every_ms) == (40, 20)


def test_gate_and_compiling_do_not_change_the_schedule(takes: Callable[..., None]) -> None:
    takes(1e6)
    usual = bundle_of()
    gated = replace(usual, recognizer=replace(usual.recognizer, gate_db=6.0))
    assert (
        schedule(NANO, Device(gated))
        == schedule(NANO, Device(usual).as_compiled())
        == schedule(NANO, Device(usual))
    )


def test_both_bundles_of_a_device_must_keep_up(takes: Callable[..., None]) -> None:
    both = with_commands(bundle_of(), replace(bundle_of(4), name="words"))
    takes(1e6, 3e6)
    plan = schedule(NANO, both)
    assert [(load.bundle, load.every_ms) for load in plan.loads] == [("dense", 40), ("words", 80)]
    takes(3e6)
    alone = schedule(NANO, Device(bundle_of(4)))
    # The hop that changes bundles also allocates the other model: 0.5 M cycles, a quarter more.
    assert 0 <= plan.ring_ms - alone.ring_ms <= 20
    takes(1e6, 3e6)
    assert schedule(NANO, both.as_compiled()).ring_ms == alone.ring_ms
    takes(1e6, 6e6)
    with pytest.raises(BoardError, match=r"with words: .* every 100 ms: kws set words"):
        schedule(NANO, both)


def test_samples_wait_for_a_step_of_a_second_look(takes: Callable[..., None]) -> None:
    usual = bundle_of(4)  # every 80 ms
    looked = usual.verified_by(bundle_of())  # again after 240 ms
    assert looked.second_look
    settings = replace(looked.second_look.settings, earlier=12)
    twice = replace(looked, second_look=replace(looked.second_look, settings=settings))
    takes(640_000)  # 10 ms
    alone = schedule(NANO, Device(usual))
    (load,) = schedule(NANO, Device(looked.without_second_look())).loads
    assert load.look_ms == 0
    # 100 ms, its longest op 25 ms. The first model is planned after the report.
    takes(640_000, 6_400_000)
    plan = schedule(NANO, Device(looked))
    assert plan.loads[0].look_ms == 100
    assert plan.ring_ms - alone.ring_ms == pytest.approx(1.25 * (25 - 10), abs=20)
    # An inference of the first model is longer than a step of the look.
    takes(2_560_000, 6_400_000)
    plan = schedule(NANO, Device(looked))
    takes(2_560_000)
    assert plan.ring_ms == schedule(NANO, Device(usual)).ring_ms
    # A look at two windows takes twice as long.
    takes(640_000, 6_400_000)
    plan = schedule(NANO, Device(twice))
    assert plan.loads[0].look_ms == 200


def test_what_the_queue_of_features_cannot_take_waits_as_samples(
    takes: Callable[..., None],
) -> None:
    looked = replace(bundle_of(4).verified_by(bundle_of()), compiled=True)
    # 320 ms: each of the three looks begins later than the one before.
    takes(640_000, 64 * 320_000)
    plan = schedule(NANO, Device(looked))
    behind = 320 + 3 * 10 + 12 * 0.5 - 240  # inferences and frames, too
    waits = 1.25 * (10 + 320 + 2 * behind) - 20 * QUEUED_HOPS
    assert 0 < waits < 100
    steps = 1.25 * (320 / 4 + 0.5) + CONSOLE_MS + 20
    assert plan.ring_ms == pytest.approx(steps + waits, abs=40)
    # 500,000 cycles after each look plan an interpreted first model: 1.25 * 3 * 7.8 ms.
    takes(640_000, 64 * 320_000)
    planned = schedule(NANO, Device(looked).as_interpreted())
    assert planned.ring_ms - plan.ring_ms in (20, 40)


def test_an_option_changes_the_clock(
    takes: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    takes(3e6)
    with pytest.raises(BoardError, match="at 48 MHz"):
        schedule(EDGE, Device(bundle_of()))
    monkeypatch.setenv(OPTIONS, "mic0,96mhz")
    (load,) = schedule(EDGE, Device(bundle_of())).loads
    assert load.clock_mhz == 96


def test_a_board_without_a_clock_needs_no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_time, "estimate_cycles", lambda *_: pytest.fail("asked"))
    assert schedule(find_board("qemu"), Device(bundle_of())) == Schedule()


def test_each_real_board_has_a_clock_and_driver_cycles() -> None:
    for board in boards():
        assert board.core in ESTIMATES
        assert (board.clock is None) == (board.driver_cycles == 0) == (board.name == "qemu")


def test_missing_qemu_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, kws: Run, board_tools: None, tmp_path: Path
) -> None:
    def missing(*_: object) -> ModelCycles:
        raise ToolError("qemu-system-arm was not found on PATH; apt-get install it")

    monkeypatch.setattr(real_time, "estimate_cycles", missing)
    tiny = str(default_bundle_path().with_name("tiny"))
    out = str(tmp_path / "out")
    code, text, err = kws("build", "--board", "nano33ble", "--model", tiny, "--out", out)
    assert code == 0
    assert "processor" not in text
    assert "estimated" not in text
    assert err == (
        "kws: it is unknown whether nano33ble keeps up; its sample ring holds 260 ms: "
        "qemu-system-arm was not found on PATH; apt-get install it\n"
    )


def test_the_header_has_the_same_default() -> None:
    header = (firmware_folder() / "src" / "boards" / "audio_ring.h").read_text()
    assert f"kRingHops = {DEFAULT_HOPS};  // {20 * DEFAULT_HOPS} ms" in header
    main = (firmware_folder() / "src" / "app" / "main.cc").read_text()
    assert f"kQueuedHops = {QUEUED_HOPS};" in main


def test_the_estimate_equals_the_benchmark(
    board_tools: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = load_bundle(default_bundle_path().with_name("tiny"))
    cycles = estimate_cycles(tiny.model, NANO.core)
    figures = bench_board("qemu", tiny.model)
    # The overhead of counting differs slightly.
    assert cycles.inference == pytest.approx(figures.inference_cycles, abs=50)
    assert cycles.frame == pytest.approx(figures.hop_cycles_max, abs=50)
    assert 10_000 < cycles.allocation < 2_000_000
    assert cycles.longest_op == pytest.approx(max(op.cycles for op in figures.ops), abs=50)
    # The second result comes from the cache, whatever the board's options.
    monkeypatch.setattr(cycle_estimate, "Qemu", lambda: pytest.fail("counted again"))
    monkeypatch.setenv(OPTIONS, "96mhz")
    assert estimate_cycles(tiny.model, NANO.core) == cycles


@pytest.mark.slow
def test_the_picos_estimate_equals_the_benchmark(board_tools: None) -> None:
    tiny = load_bundle(default_bundle_path().with_name("tiny"))
    cycles = estimate_cycles(tiny.model, find_board("rpi_pico").core)
    figures = bench_core(M0PLUS, tiny.model)
    assert cycles.inference == figures.inference_cycles
    assert figures.hop_cycles is not None
    assert 0 < figures.hop_cycles <= cycles.frame < 2 * figures.hop_cycles
    assert 10_000 < cycles.allocation < 2_000_000


@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize(
    ("options", "ring_ms", "share"),
    [((), (120, 180), 0.15), (("--no-verify",), (120, 160), 0.3)],
    ids=["second look", "alone"],
)
def test_build_sizes_the_ring_and_shows_the_load(
    options: tuple[str, ...], ring_ms: tuple[int, int], share: float, kws: Run, tmp_path: Path
) -> None:
    path = default_bundle_path().with_name("tiny")
    device = Device(load_bundle(path))
    assert device.bundle.second_look
    if options:
        device = device.without_second_looks()
    arguments = ("build", "--board", "nano33ble", "--model", str(path), *options)
    code, text, _ = kws(*arguments, "--out", str(tmp_path / "out"), "--json")
    assert code == 0
    report = json.loads(text)
    plan = schedule(NANO, device)
    assert report["ring_ms"] == plan.ring_ms
    shortest, longest = ring_ms
    assert shortest <= plan.ring_ms <= longest
    (load,) = plan.loads
    assert load.every_ms == device.bundle.every_ms
    assert report["loads"][0]["share"] == load.share < share
    assert report["loads"][0]["look_ms"] == load.look_ms
    assert (load.look_ms == 0) == bool(options)
    assert load.look_ms < 300
    rest = build("nano33ble", device).size.ram - 640 * DEFAULT_HOPS
    assert report["ram"] == rest + 32 * plan.ring_ms
    (ring,) = (
        size
        for name, size in symbols(tmp_path / "out" / "firmware.elf").items()
        if name.endswith("5audioE")
    )
    assert 32 * plan.ring_ms <= ring <= 32 * plan.ring_ms + 64


@pytest.mark.parametrize(
    "command",
    [
        "build",
        pytest.param(
            "test",
            marks=pytest.mark.renode,
        ),
    ],
)
def test_a_board_that_cannot_keep_up_is_refused(
    kws: Run, takes: Callable[..., None], command: str
) -> None:
    takes(20e6)
    code, _, err = kws(command, "--board", "nano33ble", "--no-verify")
    assert code == 1
    assert "nano33ble does not keep up with yes_no: an inference runs every 120 ms" in err
    assert len(err.splitlines()) == 1
    takes(30e6)
    code, _, err = kws(command, "--board", "nano33ble")
    assert code == 1
    assert "nano33ble does not keep up with yes_no: an inference runs every 360 ms" in err
    assert len(err.splitlines()) == 1
