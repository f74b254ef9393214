# SPDX-License-Identifier: Apache-2.0
"""Estimates the cycles of a model on a Cortex-M4 and caches them.

This is a short form of `kws bench`, without instruction counts or costs per op.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import asdict, dataclass

from kws.files import atomic_write
from kws.host.build.firmware import build_tool
from kws.host.build.firmware_cache import build_key, without_options
from kws.host.build.programs import QEMU, cache_folder, find_tool
from kws.host.emulate.qemu import Qemu
from kws.host.measure.cycle_count import ALLOCATION, HOP, INFERENCE, NOTHING, part_cycles

BOARD, TOOL = "qemu", "bench"

ESTIMATED_CORE = "cortex-m4"
"""Processor that the cycles are estimated for, as in gcc's -mcpu."""

_MAGIC = 0x4253574B  # as in tools/bench.cc
_MODEL_OFFSET = 16


@dataclass(frozen=True)
class ModelCycles:
    """Estimated cycles, without flash wait states."""

    inference: int

    frame: int
    """Frontend cycles per frame: maximum over noise of many levels."""

    allocation: int
    """Cycles for planning the model's tensors in the arena."""


def bench_image(model: bytes) -> bytes:
    """The benchmark's input in the emulated board's memory."""
    return struct.pack("<2I", _MAGIC, len(model)).ljust(_MODEL_OFFSET, b"\0") + model


def estimate_cycles(model: bytes) -> ModelCycles:
    """Estimate the cycles of a .tflite file, or read them from the cache.

    Raises:
        ToolError: the compiler or the emulator is missing or failed.
        BoardError: the emulated board cannot run the model.
        KwsError: the cache cannot be written.
    """
    find_tool(QEMU)
    with without_options():
        key = build_key(f"{BOARD}_{TOOL}", None)
        digest = hashlib.sha256(key.encode() + model).hexdigest()[:24]
        file = cache_folder() / "cycles" / f"{digest}.json"
        if file.is_file():
            return ModelCycles(**json.loads(file.read_text(encoding="utf-8")))
        elf = build_tool(BOARD, TOOL).elf
    cycles = {ALLOCATION: 0, HOP: 0, NOTHING: 0}
    with Qemu() as emulator:
        for part, spent in part_cycles(emulator.trace(elf, bench_image(model), timeout_s=600)):
            cycles[part] = max(spent, cycles.get(part, 0))
            if part == INFERENCE:
                break
    estimate = ModelCycles(
        inference=cycles[INFERENCE] - cycles[NOTHING],
        frame=cycles[HOP] - cycles[NOTHING],
        allocation=cycles[ALLOCATION] - cycles[NOTHING],
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(file, json.dumps(asdict(estimate)).encode())
    return estimate
