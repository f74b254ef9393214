# SPDX-License-Identifier: Apache-2.0
"""Measures the core: instructions, cycles, bytes on the emulated board; throughput on the host."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kws import _core
from kws.bundle.checks import open_model
from kws.bundle.device import Device
from kws.errors import BoardError, ModelError
from kws.features.spectrogram import batch_spectrograms
from kws.host.build.firmware import build, build_tool
from kws.host.emulate.cores import CORES, CoreEmulator
from kws.host.emulate.inference import FRONTEND, Job
from kws.host.emulate.qemu import Qemu
from kws.host.measure import cortex_m0plus
from kws.host.measure.cycle_count import (
    ALLOCATION,
    HOP_PART,
    INFERENCE,
    BlockCost,
    count_cycles,
    instructions,
    part_costs,
)
from kws.host.measure.cycle_estimate import (
    M0PLUS,
    NO_ROOM,
    TOOL,
    bench_image,
    noise,
    random_rows,
)
from kws.host.measure.footprint import Footprint, read_footprint

_SHIFT = 6  # as in tools/bench.cc: an instruction takes more than a tick of the board's timer

_ROOM = (8 * 2**20 - 16, 3 * 2**20, 512)
"""Limits of tools/bench.cc: bytes of model, bytes of arena, number of ops."""

CYCLES_ARE = (
    "estimated from the timings in the Cortex-M4's manual, without flash wait states, caches and "
    "unaligned addresses; a taken branch counts 3, a division 7; instructions that a condition "
    "skips count as executed"
)
"""Footnote on the accuracy of cycles."""


@dataclass(frozen=True)
class OpCost:
    """Cost of one op of the model. Ops without a cost are omitted."""

    op: str
    """The schema's name."""
    instructions: int
    cycles: int
    """Estimated for a Cortex-M4."""


@dataclass(frozen=True)
class BoardFigures:
    """Executed instructions (QEMU, MPS2-AN386, Cortex-M4F), cycles and bytes.

    Cycles are estimates for a Cortex-M4 without wait states. All runs yield the same figures.
    """

    hop: int
    """Frontend instructions per hop of 20 ms: mean over noise of many levels."""
    hop_max: int
    """Maximum over the same noise."""
    hop_cycles: int
    """Frontend cycles per hop: mean over the same noise."""
    hop_cycles_max: int
    """Maximum over the same noise."""
    hop_stack: int
    """Bytes of stack per hop."""
    inference: int
    """Instructions per inference."""
    inference_cycles: int
    ops: tuple[OpCost, ...]
    """In order of execution."""
    interpreter: int
    """Instructions per inference outside the ops."""
    interpreter_cycles: int
    inference_stack: int
    """Bytes of stack per inference."""
    arena: int
    """Bytes of tensor arena."""


@dataclass(frozen=True)
class CoreFigures:
    """Executed instructions on an emulated processor (QEMU). All runs yield the same figures."""

    hop: int
    """Frontend instructions per hop of 20 ms: mean over noise of many levels."""
    hop_max: int
    """Maximum over the same noise."""
    inference: int
    """Instructions per inference."""
    arena: int
    """Bytes of tensor arena."""
    hop_cycles: int | None
    """Mean like `hop`, in cycles of a Cortex-M0+, estimated without wait states; else None."""
    inference_cycles: int | None
    """Per inference, in the same cycles; else None."""


@dataclass(frozen=True)
class HostFigures:
    """Throughput of the core on one core of this machine; it varies from run to run."""

    clips_per_second: float
    """One-second clips (49 frames) through the frontend."""
    inferences_per_second: float
    op_microseconds: tuple[tuple[str, float], ...]
    """Mean time of each executed op."""


def bench_board(board: str, model: bytes) -> BoardFigures:
    """Measure the frontend and `model` (any supported .tflite) on an emulated board.

    Raises:
        UsageError: the board is unknown.
        ModelError: the core rejects the model, or it does not fit the board.
        BoardError: the board cannot run the model.
        ToolError: the compiler or the emulator is missing or failed.
    """
    _check_room(board, model)
    elf = build_tool(board, TOOL).elf
    image = bench_image(model)
    with Qemu() as emulator:
        text = emulator.run(elf, image, timeout_s=300, shift=_SHIFT).text
        cycles = count_cycles(emulator.trace(elf, image, timeout_s=1200))
    ops = [(int(code), int(cost)) for code, cost in re.findall(r"^op (\d+) +(\d+)$", text, re.M)]
    figures = {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)$", text, re.M)}
    hops = cycles.hops[1:]  # the first makes no frame
    try:
        return BoardFigures(
            ops=tuple(
                OpCost(_core.op_name(code), cost, spent)
                for (code, cost), spent in zip(ops, cycles.ops, strict=True)
            ),
            hop_cycles=sum(hops) // len(hops),
            hop_cycles_max=max(hops),
            inference_cycles=cycles.inference,
            interpreter_cycles=max(0, cycles.inference - sum(cycles.ops)),
            **figures,
        )
    except (TypeError, ValueError):
        raise BoardError(f"{board}: the benchmark wrote {text!r}; this is a bug") from None


def bench_core(name: str, model: bytes) -> CoreFigures:
    """Count the instructions of the frontend and `model` on one of CORES.

    Raises:
        ModelError: the core rejects the model.
        BoardError: the processor cannot run the model.
        ToolError: the compiler or the emulator is missing or failed.
    """
    interpreter = open_model(model)
    costs: list[BlockCost] = [instructions]
    if name == M0PLUS:
        costs.append(cortex_m0plus.block_cycles)
    parts: dict[str, list[list[int]]] = {HOP_PART: [], INFERENCE: [], ALLOCATION: []}
    with CoreEmulator(name) as emulator:
        for job in (Job(FRONTEND, (noise(),)), Job(model, random_rows(model))):
            for part, sums in part_costs(emulator.trace(job), costs):
                parts[part].append(sums)
    if not parts[INFERENCE]:
        raise BoardError(f"{name}: {NO_ROOM}")
    # A column per cost. The first hop makes no frame.
    hops = [*zip(*parts[HOP_PART][1:], strict=True)]
    means = [sum(column) // len(column) for column in hops]
    return CoreFigures(
        hop=means[0],
        hop_max=max(hops[0]),
        inference=parts[INFERENCE][0][0],
        arena=interpreter.arena_used_bytes,
        hop_cycles=means[1] if len(costs) > 1 else None,
        inference_cycles=parts[INFERENCE][0][1] if len(costs) > 1 else None,
    )


def core_text(name: str, figures: CoreFigures, look: CoreFigures | None = None) -> str:
    """The figures of a processor as a table; `look`: of the second look's model."""
    models = [("inference", figures), *([("second look", look)] if look else [])]
    lines = [
        (CORES[name].title, "instructions"),
        ("frontend per hop of 20 ms", f"{figures.hop:,} (at most {figures.hop_max:,})"),
        *((title, f"{each.inference:,}") for title, each in models),
    ]
    if figures.inference_cycles is not None:
        lines += [
            ("Cortex-M0+, without wait states", "cycles (estimated)"),
            ("frontend per hop of 20 ms", f"{figures.hop_cycles:,}"),
            *((title, f"{each.inference_cycles:,}") for title, each in models),
        ]
    lines.append(("arena, interpreted", f"{max(each.arena for _, each in models):,} bytes"))
    width = max(len(what) for what, _ in lines)
    return "\n".join(f"{what:<{width}}  {value}" for what, value in lines)


def _check_room(board: str, model: bytes) -> None:
    """Raise ModelError if the core rejects a model, or it does not fit the benchmark."""
    interpreter = open_model(model)
    needs = (len(model), interpreter.arena_used_bytes, len(interpreter.ops))
    for need, room, what in zip(needs, _ROOM, ("bytes", "bytes of arena", "ops"), strict=True):
        if need > room:
            raise ModelError(
                f"the model has {need:,} {what}, but the benchmark on {board} has room for "
                f"{room:,}; measure it with --board host"
            )


def bench_flash(board: str, device: Device) -> Footprint:
    """Flash and RAM by part of the firmware of a device.

    Raises:
        ToolError, UsageError: see `build`.
    """
    return read_footprint(build(board, device).map)


def bench_host(model: bytes, seconds: float = 1.0) -> HostFigures:
    """Measure the frontend and `model` for about `seconds` each.

    The clips are noise of many levels, because zeros could be faster than sound.

    Raises:
        ModelError: the core rejects the model, or it has several inputs.
    """
    rng = np.random.default_rng(0)
    levels = 10 ** rng.uniform(0, 4, (256, 1))
    clips = (rng.standard_normal((256, _core.SAMPLE_RATE)) * levels).clip(-32768, 32767)
    pcm = clips.astype(np.int16)
    interpreter = open_model(model)
    inputs = interpreter.inputs
    if len(inputs) != 1:
        raise ModelError(
            f"the model has {len(inputs)} inputs; on this machine kws bench supports one: use "
            "--board qemu"
        )
    values = rng.integers(-128, 128, (256, *inputs[0].shape))
    rows = values.astype(inputs[0].dtype)
    return HostFigures(
        clips_per_second=256 * _per_second(lambda: batch_spectrograms(pcm, threads=1), seconds),
        inferences_per_second=256
        * _per_second(lambda: interpreter.invoke_batch(rows, threads=1), seconds),
        op_microseconds=tuple((op, 1e6 * spent) for op, spent in interpreter.profile()),
    )


def _per_second(work: Callable[[], object], seconds: float) -> float:
    work()  # warms the caches
    calls = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        work()
        calls += 1
    return calls / elapsed


def board_text(
    figures: BoardFigures, flash: Footprint | None, look: BoardFigures | None = None
) -> str:
    """The figures of a board as a table.

    Args:
        figures: of the model.
        flash: the firmware's use of memory, if known.
        look: of the model that takes a second look, if there is one.
    """
    hop = f"{_costs(figures.hop, figures.hop_cycles)} (at most {figures.hop_cycles_max:,})"
    lines = [
        ("", f"{'instructions':>12}  {'cycles*':>12}"),
        ("frontend per hop of 20 ms", hop),
        *_inference_rows("inference", figures),
        *(_inference_rows("second look", look) if look else ()),
        ("arena, interpreted", f"{max(one.arena for one in (figures, look) if one):,} bytes"),
        ("stack", f"{figures.inference_stack:,} bytes inference, {figures.hop_stack:,} hop"),
    ]
    if flash is not None:
        program = flash.flash_without("model")
        lines += [
            (f"flash without the model{'s' if look else ''}", f"{program:,} bytes"),
            *((f"  {part}", f"{size:,}") for part, size in flash.flash.items() if part != "model"),
            ("static RAM", f"{sum(flash.ram.values()):,} bytes with the arena"),
        ]
    width = max(len(name) for name, _ in lines)
    table = [f"{name:<{width}}  {value}" for name, value in lines]
    return "\n".join([*table, f"* {CYCLES_ARE}"])


def _inference_rows(title: str, figures: BoardFigures) -> list[tuple[str, str]]:
    share = 100 * figures.interpreter_cycles / figures.inference_cycles
    rest = f"{_costs(figures.interpreter, figures.interpreter_cycles)} ({share:.2f} %)"
    return [
        (title, _costs(figures.inference, figures.inference_cycles)),
        *((f"  {op.op}", _costs(op.instructions, op.cycles)) for op in figures.ops),
        ("  interpreter", rest),
    ]


def _costs(instructions: int, cycles: int) -> str:
    return f"{instructions:>12,}  {cycles:>12,}"


def host_text(figures: HostFigures, look: HostFigures | None = None) -> str:
    """The figures of this machine as a table; `look`: of the second look's model."""
    models = [("inference", figures), *([("second look", look)] if look else [])]
    width = max(len(title) for title, _ in models)
    clips = f"{figures.clips_per_second:,.0f} one-second clips per second on one core"
    lines = [f"{'frontend':<{width}}  {clips}"]
    for title, each in models:
        lines += [
            f"{title:<{width}}  {each.inferences_per_second:,.0f} per second on one core",
            *(f"  {op}: {spent:.1f} us" for op, spent in each.op_microseconds),
        ]
    return "\n".join(lines)
